"""load and unload: weight sets enter memory, after a crash up to the last journaled update."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ..errors import TrainerError
from ..params import Params
from ..policy import LoadSpec, Policy, load_policy
from ..session import Session, WeightSet
from ..storage.journal import JournalEntry
from ..storage.spool import RolloutStore, rollouts_sha256
from ..training.spec import parse_train
from ..training.update import UpdateHooks
from .update import apply_request

MAX_THREADS = 256
REPLAY_TOLERANCE = 1e-3


def load(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Loads `model`, or the checkpoint `resume.dir` and then the journal's later updates.

    What was loaded under the same name is replaced; other weight sets stay as they are.
    """
    chosen = session.open_set(params)
    params.get_int("seed")  # refused here where it is missing; a plan needs none
    spec = load_spec(chosen.name, params)
    resume = params.get_object("resume", optional=True)
    chosen.policy = None  # two copies might not fit, and a failed load must not leave the old one
    policy = load_policy(spec, session.policies())
    replayed: list[str] = []
    stopped = None
    if spec.resume is not None and resume.get_bool("replay", True):
        replayed, stopped = _replay(session, chosen, policy, request_id)
    chosen.journal.rewind(policy.version)
    chosen.unjournaled = None
    chosen.policy = policy
    return {
        "policy": spec.name,
        "version": policy.version,
        "params": policy.weights.parameter_count(),
        "trainable": policy.optimizer.trained.count() if policy.optimizer is not None else 0,
        "bytes": policy.weights.byte_count()
        + (policy.optimizer.byte_count() if policy.optimizer is not None else 0),
        "tokenizer": {
            "vocab": policy.tokenizer.tokenizer.get_vocab_size(with_added_tokens=True),
            "eosIds": list(policy.tokenizer.eos_ids),
            "sha256": policy.tokenizer.sha256,
            "templateSha256": policy.tokenizer.template_sha256,
        },
        "engine": "native",
        "device": policy.weights.device.type,
        "threads": spec.threads,
        "contextLength": policy.context,
        "maxConcurrent": policy.needs.concurrent,
        "gradCheckpoint": bool(policy.needs.train.grad_checkpoint),
        "weightsSha256": policy.weights_sha256(),
        "warmupMs": policy.load_ms,
        "replayed": replayed,
        "replayedExactly": policy.weights.device.type == "cpu",
        "replayStopped": stopped,
    }


def unload(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Frees a weight set; one that is not loaded is as good as freed.

    Its journal and spool stay on disk, so a later load of the name goes on with them.
    """
    chosen = session.open_set(params)
    chosen.settle_journal()
    del session.sets[chosen.name]
    return {"unloaded": chosen.policy is not None}


def load_spec(name: str, params: Params) -> LoadSpec:
    """The checked parameters of `load`, which `plan` takes as well."""
    rollout = params.get_object("rollout")
    resume = params.get_object("resume", optional=True)
    return LoadSpec(
        name=name,
        model=Path(params.get_object("model").get_str("path")),
        train=parse_train(params.get_object("train")),
        max_seq_tokens=rollout.get_int("maxSeqTokens", None, low=2),
        max_concurrent=rollout.get_int("maxConcurrent", 32, low=1, high=4096),
        device=params.get_choice("device", ("auto", "cpu", "cuda"), "auto"),
        threads=params.get_int("threads", 1, low=1, high=MAX_THREADS),
        seed=params.get_int("seed", 0),
        reference=params.get_choice("reference", ("none", "copy"), "none"),
        resume=Path(resume.get_str("dir")) if params.has("resume") else None,
        thinking=params.get_bool("thinking", False),
    )


def _replay(
    session: Session, chosen: WeightSet, policy: Policy, request_id: int
) -> tuple[list[str], dict[str, Any] | None]:
    """Applies journaled updates after the checkpoint; stops at the first that cannot be exact."""
    store = chosen.store
    store.restore()
    replayed: list[str] = []
    for entry in chosen.journal.after(policy.version):
        reason = _obstacle(store, entry)
        if reason is not None:
            return replayed, {"opId": entry.op_id, "reason": reason}

        def progress(done: int, total: int, op_id: str = entry.op_id) -> None:
            session.progressed()
            session.writer.event(
                "progress",
                {
                    "reqId": request_id,
                    "phase": "replay",
                    "opId": op_id,
                    "done": done,
                    "total": total,
                },
            )

        hooks = UpdateHooks(progress, lambda: False)
        result = apply_request(policy, store, entry.op_id, entry.request, hooks)
        if not repeats(entry.result, result, exact=policy.weights.device.type == "cpu"):
            raise TrainerError(
                "badModel",
                f"Replaying the update {entry.op_id} gave other numbers than the first time, so "
                "the run cannot be continued exactly on this machine.",
                hint="Load with resume.replay false to continue from the checkpoint itself.",
            )
        replayed.append(entry.op_id)
    return replayed, None


def repeats(first: dict[str, Any], again: dict[str, Any], *, exact: bool) -> bool:
    """Whether an update that was applied again gave the figures of the first time.

    To the bit on a CPU. A GPU adds up in another order each time (attention's backward pass, sums
    over rows), so there the figures may differ by `REPLAY_TOLERANCE` of their size.
    """
    for name in ("loss", "gradNorm", "lr"):
        before, after = first[name], again[name]
        if before == after:
            continue
        if exact or len(before) != len(after) or not all(map(_close, before, after)):
            return False
    return True


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:  # not finite
        return one is other
    return math.isclose(one, other, rel_tol=REPLAY_TOLERANCE, abs_tol=REPLAY_TOLERANCE)


def _obstacle(store: RolloutStore, entry: JournalEntry) -> str | None:
    try:
        rollouts = [store.get(item["rolloutId"]) for item in entry.request["items"]]
    except TrainerError:
        return "its rollouts are no longer in the spool"
    if rollouts_sha256(rollouts) != entry.rollouts_sha256:
        return "its rollouts in the spool are not those it was trained on"
    return None
