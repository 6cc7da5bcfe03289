"""Updates that are applied again: of a checkpoint without moments, the journal, or a recording.

On a CPU they come out to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from ..errors import TrainerError
from ..load_spec import LoadSpec
from ..model.adapter_folder import WEIGHTS_FILE
from ..model.safetensors_file import each_tensor, read_header
from ..params import Params
from ..policy import Policy, load_policy
from ..rollout.records import Rollout
from ..session import Session, WeightSet
from ..storage.checkpoint import CheckpointState, read_state
from ..storage.journal import JournalEntry
from ..storage.spool import RolloutStore, rollouts_sha256
from ..storage.updates_file import AppliedUpdate, read_updates
from ..training.update import UpdateHooks
from .update import apply_request

REPLAY_TOLERANCE = 1e-3


def load_checkpoint(session: Session, spec: LoadSpec, request_id: int) -> Policy:
    """The policy of a load; where its checkpoint has no moments, by the updates that lead to it.

    Raises badModel, oom.
    """
    state = None if spec.resume is None else read_state(spec.resume)
    files = session.sets[spec.name].files
    if state is None or state.moments is None or spec.train.mode == "none":
        return load_policy(spec, session.policies(), files)
    assert spec.resume is not None
    moments, folder = state.moments, spec.resume
    origin = folder / moments.folder
    if not origin.is_dir():
        raise TrainerError(
            "badModel",
            f"The checkpoint {folder} has no moments of the optimizer and goes on from those of "
            f"{origin}, which is not there.",
            hint="Put that folder back from a backup, or load this one as params.model.",
        )
    policy = load_policy(replace(spec, resume=origin), session.policies(), files)
    if (policy.version, policy.weights_sha256()) != (moments.version, moments.weights_sha256):
        raise TrainerError(
            "badModel", f"The checkpoint {folder} was not trained from that in {origin}."
        )
    for update in read_updates(folder):
        by_id = {one.rollout_id: one for one in update.rollouts}
        _apply_again(session, policy, update.entry, by_id.__getitem__, request_id)
    if policy.version != state.version or policy.weights_sha256() != state.weights_sha256:
        _take_weights(policy, folder, state)
    return policy


def _take_weights(policy: Policy, folder: Path, state: CheckpointState) -> None:
    """Makes weights that were computed again those that were saved, where digits may differ."""
    if _is_exact(policy) or policy.version != state.version:
        raise TrainerError(
            "badModel",
            f"Repeating the updates of the checkpoint {folder} gave other weights than it holds, "
            "so the run cannot be continued exactly on this machine.",
            hint="Load it as params.model to start a new run from its weights.",
        )
    assert policy.optimizer is not None
    trained = policy.optimizer.trained
    views = trained.named(trained.masters)
    place = folder / ("model.safetensors" if policy.adapter is None else WEIGHTS_FILE)
    with torch.no_grad():
        for name, tensor in each_tensor(place, read_header(place)):
            views[name].copy_(tensor)
    trained.publish()
    policy.hashed = None


def replay_journal(
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
        _apply_again(session, policy, entry, store.get, request_id)
        replayed.append(entry.op_id)
    return replayed, None


def repeat(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Applies the updates that the checkpoint `dir` holds, from the present version to `version`.

    Of `dir` only its updates are read, so it may be without weights. The journal is left alone:
    a process that is lost begins again. Another family of processors rounds otherwise, so the
    updates may come to other figures than the first time; `differing` names these. Raises
    badModel, badRequest.
    """
    chosen = session.require_set(params)
    policy = session.at_work(chosen)
    folder, wanted = Path(params.get_str("dir")), params.get_int("version", low=0)
    ahead = [
        one for one in read_updates(folder) if policy.version <= one.entry.from_version < wanted
    ]
    if [one.entry.from_version for one in ahead] != list(range(policy.version, wanted)):
        raise TrainerError(
            "badRequest",
            f"The updates in {folder} do not lead from version {policy.version} to {wanted}.",
        )
    differing = []
    for one in ahead:
        by_id = {each.rollout_id: each for each in one.rollouts}
        try:
            is_same = _apply(session, policy, one.entry, by_id.__getitem__, request_id)
        except TrainerError:
            chosen.drop_policy()  # an update was perhaps half applied: weights of no version
            raise
        if not is_same:
            differing.append(one.entry.op_id)
    return {
        "version": policy.version,
        "repeated": [one.entry.op_id for one in ahead],
        "differing": differing,
    }


def _apply_again(
    session: Session,
    policy: Policy,
    entry: JournalEntry,
    rollout_of: Callable[[str], Rollout],
    request_id: int,
) -> None:
    """Raises badModel where it gives other figures than the first time."""
    if not _apply(session, policy, entry, rollout_of, request_id):
        raise TrainerError(
            "badModel",
            f"Replaying the update {entry.op_id} gave other numbers than the first time, so "
            "the run cannot be continued exactly on this machine.",
            hint="Load with resume.replay false to continue from the checkpoint itself.",
        )


def _apply(
    session: Session,
    policy: Policy,
    entry: JournalEntry,
    rollout_of: Callable[[str], Rollout],
    request_id: int,
) -> bool:
    """Whether the update came to the figures of the first time; its results are then new."""

    def progress(done: int, total: int) -> None:
        session.progressed()
        session.writer.event(
            "progress",
            {
                "reqId": request_id,
                "phase": "replay",
                "opId": entry.op_id,
                "done": done,
                "total": total,
            },
        )

    hooks = UpdateHooks(progress, lambda: False)
    result = apply_request(policy, rollout_of, entry.op_id, entry.request, hooks)
    is_same = repeats(entry.result, result, exact=_is_exact(policy))
    rollouts = [rollout_of(item["rolloutId"]) for item in entry.request["items"]]
    policy.applied.append(
        AppliedUpdate(entry if is_same else replace(entry, result=result), rollouts)
    )
    return is_same


def _is_exact(policy: Policy) -> bool:
    return policy.weights.device.type == "cpu"


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
