"""logprobs: how likely the policy or the reference finds given completions."""

from __future__ import annotations

import base64
from typing import Any

import torch

from ..errors import TrainerError
from ..params import Params
from ..policy import Policy
from ..session import Session
from ..storage.spool import RolloutStore
from ..training.logprobs import ScoredSequence, all_logprobs


def logprobs(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Per item the number of scored tokens, the sum (nats) and, on request, each token's value."""
    chosen = session.require_set(params)
    policy, store = session.at_work(chosen), chosen.store
    which = params.get_choice("which", ("policy", "reference"), "policy")
    if which == "reference" and policy.reference is None:
        params.refuse("which", "'policy', because the model was loaded with reference 'none'")
    weights = policy.weights if which == "policy" else policy.reference
    assert weights is not None
    temperature = params.get_float("temperature", 1.0, low=1e-3, high=100)
    items = params.get_objects("items")
    sequences = [_sequence(policy, store, item, temperature) for item in items]
    scored = all_logprobs(
        weights,
        sequences,
        policy.spec.train.pack_tokens,
        policy.spec.train.chunk_for(policy.config),
    )
    per_token = params.get_bool("perToken", False)
    found = []
    for values in scored:
        item: dict[str, Any] = {"n": len(values), "sum": float(values.double().sum())}
        if per_token:
            item["perToken"] = base64.b64encode(values.cpu().numpy().tobytes()).decode("ascii")
        found.append(item)
    return {"items": found, "version": policy.version}


def _sequence(
    policy: Policy, store: RolloutStore, item: Params, temperature: float
) -> ScoredSequence:
    if item.has("rolloutId"):
        rollout = store.get(item.get_str("rolloutId"))
        ids = [*rollout.prompt_ids.tolist(), *rollout.new_ids.tolist()]
        prompt = len(rollout.prompt_ids)
    elif item.has("tokenIds"):
        ids = item.get_token_ids("tokenIds", policy.config.vocab)
        prompt = item.get_int("promptLen", low=1, high=len(ids) - 1)
    else:
        first = policy.tokenizer.encode(item.get_str("prompt"))
        ids = [*first, *policy.tokenizer.encode(item.get_str("completion"))]
        prompt = len(first)
    if prompt == 0 or prompt >= len(ids):
        raise TrainerError(
            "badRequest", f"{item.path} needs at least one prompt token and one completion token."
        )
    if len(ids) > policy.config.context:
        raise TrainerError(
            "promptTooLong",
            f"{item.path} has {len(ids)} tokens, but the model's context holds "
            f"{policy.config.context}.",
            detail={"tokens": len(ids), "limit": policy.config.context},
        )
    return ScoredSequence(torch.tensor(ids, dtype=torch.int32), prompt, temperature)
