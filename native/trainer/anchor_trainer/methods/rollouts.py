"""rollouts: looking at kept rollouts, dropping them after a commit, reading them again."""

from __future__ import annotations

from typing import Any

from ..params import Params
from ..rollout.stops import text_of
from ..session import Session, WeightSet


def rollouts(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """op list, get, drop or restore; see storage.spool for what a prefix matches."""
    chosen = session.open_set(params)
    store = chosen.store
    match params.get_choice("op", ("list", "get", "drop", "restore")):
        case "list":
            return {"ids": store.ids()}
        case "drop":
            return {"dropped": store.drop(params.get_str("opKeyPrefix"))}
        case "restore":
            return {"restored": store.restore()}
        case _:
            return {"rollouts": [_details(chosen, one) for one in params.get_strs("ids")]}


def _details(chosen: WeightSet, rollout_id: str) -> dict[str, Any]:
    rollout = chosen.store.get(rollout_id)
    policy = chosen.require_policy()
    return {
        "rolloutId": rollout.rollout_id,
        "opKey": rollout.op_key,
        "key": rollout.key,
        "index": rollout.index,
        "tag": rollout.tag,
        "finish": rollout.finish,
        "version": rollout.version,
        "temperature": rollout.temperature,
        "promptTokens": len(rollout.prompt_ids),
        "newTokens": len(rollout.new_ids),
        "logpSum": float(rollout.logp.sum(dtype="float64")),
        "text": text_of(policy.tokenizer, rollout),
        "tokenIds": [*rollout.prompt_ids.tolist(), *rollout.new_ids.tolist()],
    }
