"""Finished rollouts: in memory by id, and on disk by operation until they are committed.

The file is what makes a replay after a crash exact: it holds the very token ids and behaviour
log-probabilities that the first run trained on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch

from ..errors import TrainerError
from ..model.safetensors_file import read_header, read_tensors, write_unnamed
from ..rollout.records import Rollout
from .atomic import replacing_file, sync_folder


class RolloutStore:
    """Kept rollouts of one run, spooled to `folder`, one file per operation key."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self._by_id: dict[str, Rollout] = {}
        self._by_op: dict[str, dict[str, Rollout]] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def ids(self) -> list[str]:
        return list(self._by_id)

    def get(self, rollout_id: str) -> Rollout:
        found = self._by_id.get(rollout_id)
        if found is None:
            raise TrainerError(
                "unknownRollout",
                f"The rollout {rollout_id} is not known to this trainer; it was dropped, or never "
                "kept.",
                hint="After a restart, send rollouts {op:'restore'} first.",
            )
        return found

    def path_of(self, op_key: str) -> Path:
        return self.folder / (op_key.replace("/", "-") + ".safetensors")

    def check_op_key(self, op_key: str) -> None:
        """Refuses a key whose file would be that of another live key."""
        for other in self._by_op:
            if other != op_key and self.path_of(other) == self.path_of(op_key):
                raise TrainerError(
                    "badRequest",
                    f"params.opKey {op_key!r} would share its spool file with {other!r}; choose "
                    "keys that differ in more than '/' and '-'.",
                )

    def keep(self, op_key: str, rollouts: Sequence[Rollout]) -> None:
        """Adds rollouts of one operation (replacing equal ids) and writes its file durably."""
        members = {**self._by_op.get(op_key, {}), **{one.rollout_id: one for one in rollouts}}
        _write(self.path_of(op_key), op_key, list(members.values()))
        self._by_op[op_key] = members
        self._by_id.update(members)

    def drop(self, prefix: str) -> int:
        """Forgets operations named `prefix` or below it (`prefix/...`); returns how many rollouts.

        `s3` does not match `s30`; a prefix that ends in `/` matches what is below it only.
        """
        below = prefix if prefix.endswith("/") else prefix + "/"
        matching = [key for key in self._by_op if key == prefix or key.startswith(below)]
        count = 0
        for key in matching:
            members = self._by_op.pop(key)
            count += len(members)
            for rollout_id in members:
                self._by_id.pop(rollout_id, None)
            self.path_of(key).unlink(missing_ok=True)
        if matching:
            sync_folder(self.folder)
        return count

    def restore(self) -> int:
        """Reads every spool file again (after a restart); returns how many rollouts it knows."""
        for path in sorted(self.folder.glob("*.safetensors")):
            op_key, rollouts = _read(path)
            self._by_op[op_key] = {one.rollout_id: one for one in rollouts}
            self._by_id.update(self._by_op[op_key])
        return len(self._by_id)


def rollouts_sha256(rollouts: Iterable[Rollout]) -> str:
    """Identifies what an update trained on, so that a replay can tell a different batch."""
    digest = hashlib.sha256()
    for one in rollouts:
        digest.update(one.rollout_id.encode() + b"\0")
        for array in (one.prompt_ids, one.new_ids, one.logp):
            digest.update(len(array).to_bytes(4, "little") + array.tobytes())
    return digest.hexdigest()


_SCALARS = (
    "rollout_id",
    "op_key",
    "key",
    "index",
    "tag",
    "entropy_mean",
    "temperature",
    "truncated_sampling",
    "finish",
    "version",
)


def pack_rollouts(rollouts: Sequence[Rollout]) -> tuple[dict[str, torch.Tensor], str]:
    """Rollouts as tensors and a table, for a file of safetensors; see `unpack_rollouts`."""
    table = [
        {
            **{name: getattr(one, name) for name in _SCALARS},
            "prompt": len(one.prompt_ids),
            "new": len(one.new_ids),
        }
        for one in rollouts
    ]

    def joined(field: str, dtype: type) -> torch.Tensor:
        parts = [getattr(one, field) for one in rollouts]
        return torch.from_numpy(np.concatenate(parts) if parts else np.zeros(0, dtype))

    tensors = {
        "promptIds": joined("prompt_ids", np.int32),
        "newIds": joined("new_ids", np.int32),
        "logp": joined("logp", np.float32),
    }
    return tensors, json.dumps(table)


def unpack_rollouts(tensors: dict[str, torch.Tensor], table: str) -> list[Rollout]:
    """Raises KeyError, TypeError or ValueError where they do not belong together."""
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    rollouts = []
    prompt_at = new_at = 0
    for row in json.loads(table):
        prompt_end, new_end = prompt_at + row.pop("prompt"), new_at + row.pop("new")
        rollouts.append(
            Rollout(
                **row,
                prompt_ids=arrays["promptIds"][prompt_at:prompt_end],
                new_ids=arrays["newIds"][new_at:new_end],
                logp=arrays["logp"][new_at:new_end],
            )
        )
        prompt_at, new_at = prompt_end, new_end
    return rollouts


def _write(path: Path, op_key: str, rollouts: list[Rollout]) -> None:
    tensors, table = pack_rollouts(rollouts)
    with replacing_file(path) as file:
        write_unnamed(file, tensors, {"opKey": op_key, "rollouts": table})


def _read(path: Path) -> tuple[str, list[Rollout]]:
    header = read_header(path)
    tensors = read_tensors(path, header)
    try:
        return header.metadata["opKey"], unpack_rollouts(tensors, header.metadata["rollouts"])
    except (KeyError, TypeError, ValueError) as error:
        raise TrainerError(
            "badModel", f"The spool file {path} is corrupt; delete it and generate again."
        ) from error
