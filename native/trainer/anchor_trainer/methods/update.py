"""update: applies advantages to kept rollouts, once per opId, and journals what it did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import TrainerError
from ..params import Params
from ..policy import Policy
from ..protocol import finite
from ..rollout.records import Rollout
from ..session import Session
from ..storage.journal import JournalEntry
from ..storage.spool import rollouts_sha256
from ..storage.updates_file import AppliedUpdate
from ..training.spec import parse_batch, parse_loss
from ..training.update import UpdateHooks, UpdateItem


def update(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Moves one weight set from `expectVersion` to the next version."""
    chosen = session.require_set(params)
    policy, store = session.at_work(chosen), chosen.store
    op_id = params.get_str("opId")
    chosen.settle_journal()
    done = chosen.journal.find(op_id, policy.version)
    if done is not None:
        return done.result
    expected = params.get_int("expectVersion")
    if expected != policy.version:
        raise TrainerError(
            "versionMismatch",
            f"The update {op_id} expects version {expected}, but the policy is at version "
            f"{policy.version}; nothing was changed.",
            detail={"expected": expected, "actual": policy.version},
        )
    request = {
        "items": _items(params),
        "loss": params.get_object("loss").raw,
        "batch": params.get_object("batch", optional=True).raw,
        "lr": params.get_float("lr", None, low=0),
        **({"beginsFrom": params.get_str("beginsFrom")} if params.has("beginsFrom") else {}),
    }

    def progress(done_steps: int, total: int) -> None:
        session.progressed()
        session.writer.event(
            "progress",
            {"reqId": request_id, "phase": "optim", "done": done_steps, "total": total},
        )

    session.rest()
    asked = session.is_cancelled(request_id)

    def cancelled() -> bool:
        # Asked before every packed row: the finest progress an update makes.
        session.progressed()
        return asked()

    hooks = UpdateHooks(progress, cancelled)
    try:
        result = apply_request(policy, store.get, op_id, request, hooks)
    except Exception:
        if policy.updater is not None and policy.updater.between_versions:
            chosen.drop_policy()
        raise
    session.counters.updates += 1
    session.counters.train_tokens += result["tokens"]
    session.counters.oom_retries += result["memoryRetries"]
    rollouts = [store.get(item["rolloutId"]) for item in request["items"]]
    op_keys = sorted({one.op_key for one in rollouts if one.op_key is not None})
    entry = JournalEntry(
        op_id=op_id,
        from_version=policy.version - 1,
        rollouts_sha256=rollouts_sha256(rollouts),
        spool_files=[store.path_of(key).name for key in op_keys],
        request=request,
        result=result,
    )
    policy.applied.append(AppliedUpdate(entry, rollouts))
    chosen.unjournaled = entry
    chosen.settle_journal()
    return result


def _items(params: Params) -> list[dict[str, Any]]:
    items = []
    seen: set[str] = set()
    for item in params.get_objects("items"):
        rollout_id = item.get_str("rolloutId")
        if rollout_id in seen:
            item.refuse("rolloutId", "different from those before it")
        seen.add(rollout_id)
        items.append(
            {
                "rolloutId": rollout_id,
                "advantage": item.get_float("advantage"),
                "weight": item.get_float("weight", 1.0, low=0),
            }
        )
    return items


def apply_request(
    policy: Policy,
    rollout_of: Callable[[str], Rollout],
    op_id: str,
    request: dict[str, Any],
    hooks: UpdateHooks,
) -> dict[str, Any]:
    """Applies a checked or journaled request and returns its result at the new version.

    With `beginsFrom`, a checkpoint of the present weights, it is the first of a stage.
    """
    if policy.updater is None:
        raise TrainerError(
            "badRequest",
            "The policy was loaded with train.mode 'none' and cannot be updated.",
            hint="Load it with train.mode 'full'.",
        )
    items = [
        UpdateItem(rollout_of(item["rolloutId"]), item["advantage"], item["weight"])
        for item in request["items"]
    ]
    rate = request["lr"] if request["lr"] is not None else policy.spec.train.lr
    loss = parse_loss(Params(request["loss"], "params.loss"))
    batch = parse_batch(Params(request["batch"], "params.batch"))
    begins = "beginsFrom" in request
    if begins:
        policy.begin_stage(Path(request["beginsFrom"]))
    try:
        figures = policy.updater.apply(items, loss, batch, rate, hooks)
    except Exception:
        # The moments from before the stage are gone, so the version's state is no longer there.
        policy.updater.between_versions |= begins
        raise
    policy.set_version(policy.version + 1)
    result: dict[str, Any] = finite({"opId": op_id, "version": policy.version, **figures})
    return result
