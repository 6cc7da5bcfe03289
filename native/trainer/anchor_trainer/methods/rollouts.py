"""rollouts: looking at kept rollouts, dropping them after a commit, reading them again."""

from __future__ import annotations

from ..params import Params
from ..session import Session


def rollouts(session: Session, params: Params, request_id: int) -> dict:
    """op list, get, drop or restore; see storage.spool for what a prefix matches."""
    store, _ = session.need_run()
    match params.choice("op", ("list", "get", "drop", "restore")):
        case "list":
            return {"ids": store.ids()}
        case "drop":
            return {"dropped": store.drop(params.text("opKeyPrefix"))}
        case "restore":
            return {"restored": store.restore()}
        case _:
            return {"rollouts": [_details(session, one) for one in params.texts("ids")]}


def _details(session: Session, rollout_id: str) -> dict:
    store, _ = session.need_run()
    rollout = store.get(rollout_id)
    policy = session.need_policy()
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
        "text": policy.scheduler.text_of(rollout),
        "tokenIds": [*rollout.prompt_ids.tolist(), *rollout.new_ids.tolist()],
    }
