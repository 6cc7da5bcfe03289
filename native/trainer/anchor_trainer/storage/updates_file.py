"""Updates in a checkpoint that has no moments of its own: what leads to it from one that has.

A checkpoint every few steps holds the moments of the optimizer, which are twice the weights. The
others hold the updates since then and the rollouts these trained on, a few megabytes, from which
the trainer computes moments and weights again to the bit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from ..errors import TrainerError
from ..model.reading import place_within
from ..model.safetensors_file import read_tensors, write_unnamed
from ..rollout.records import Rollout
from .journal import JournalEntry
from .spool import pack_rollouts, rollouts_sha256, unpack_rollouts

UPDATES_FILE = "updates.safetensors"


@dataclass(frozen=True)
class AppliedUpdate:
    """An update of the present weights and what it trained on, in the order of its items."""

    entry: JournalEntry
    rollouts: list[Rollout]


@dataclass(frozen=True)
class EarlierCheckpoint:
    """Another checkpoint that one goes on from: for its moments, or as the start of its stage.

    `folder` is the other's path from this one, `version` and `weights_sha256` are the other's.
    """

    folder: str
    version: int
    weights_sha256: str


def write_updates(folder: Path, updates: Sequence[AppliedUpdate]) -> str:
    """Writes the file into a checkpoint and returns its SHA-256."""
    tensors, table = pack_rollouts([one for update in updates for one in update.rollouts])
    entries = json.dumps([update.entry.to_json() for update in updates])
    # As tensors: the header of a file may not be as long as many steps make them.
    tensors |= {"updates": _bytes_of(entries), "rollouts": _bytes_of(table)}
    with (folder / UPDATES_FILE).open("wb") as file:
        return write_unnamed(file, tensors)


def _bytes_of(text: str) -> torch.Tensor:
    return torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8)


def _text_of(tensor: torch.Tensor) -> str:
    return tensor.numpy().tobytes().decode()


def read_updates(folder: Path) -> list[AppliedUpdate]:
    """The updates in a checkpoint, oldest first; raises badModel."""
    corrupt = TrainerError(
        "badModel", f"The checkpoint {folder} is corrupt: {UPDATES_FILE} cannot be read."
    )
    place = place_within(folder, UPDATES_FILE)
    if place is None:
        raise corrupt
    tensors = read_tensors(place)
    found, at = [], 0
    try:
        entries, table = _text_of(tensors.pop("updates")), _text_of(tensors.pop("rollouts"))
        rollouts = unpack_rollouts(tensors, table)
        for raw in json.loads(entries):
            entry = JournalEntry.from_json(raw)
            end = at + len(entry.request["items"])
            found.append(AppliedUpdate(entry, rollouts[at:end]))
            at = end
    except (KeyError, TypeError, ValueError) as error:
        raise corrupt from error
    if any(rollouts_sha256(one.rollouts) != one.entry.rollouts_sha256 for one in found):
        raise corrupt
    return found
