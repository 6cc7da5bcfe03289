"""What happens when the card's memory runs out, and whether it is all there again afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

from figures import Figure, at_most
from trainer_process import CallFailed
from trial import FULL, Bench, Trial

CYCLES = 50
LEFT_BYTES = 200_000_000


def memory(bench: Bench) -> Iterator[Figure]:
    """Another program takes the memory; fifty turns of sampling and training stay flat."""
    rows = bench.size(64)
    with bench.trainer("0.5b", FULL, longest=bench.size(2048), rows=rows) as trial:
        items = trial.prompts(rows, bench.size(512), [bench.size(256)])
        first = trial.generate(items).ids
        if bench.device.type == "cuda":
            yield from _without_memory(bench, trial, first)
        used = []
        for _ in range(CYCLES):
            trial.forget()
            trial.update(trial.generate(items).ids)
            stats = trial.process.call("stats")
            used.append(stats["rssBytes"] if stats["gpu"] is None else stats["gpu"]["usedBytes"])
        # The first turns take what is kept for later ones.
        grown = max(used[CYCLES // 2 :]) - max(used[: CYCLES // 2])
        yield at_most(f"growth over {CYCLES} turns", grown / 1e6, "MB", 100)


def _without_memory(bench: Bench, trial: Trial, ids: list[str]) -> Iterator[Figure]:
    before = _hash(trial, bench.folder)
    free, _ = torch.cuda.mem_get_info(bench.device)
    taken = torch.empty(max(free - LEFT_BYTES, 0), dtype=torch.uint8, device=bench.device)
    try:
        trial.update(ids)
        answer = "taken"
    except CallFailed as error:
        answer = error.kind
    del taken
    torch.cuda.empty_cache()
    refused = answer == "oom"
    yield Figure("an update without memory is refused", float(refused), "", "1", refused)
    same = _hash(trial, bench.folder) == before
    yield Figure("and leaves the weights as they were", float(same), "", "1", same)
    trial.update(ids)
    yield Figure("with memory again it is taken", 1.0, "", "1", True)


def _hash(trial: Trial, folder: Path) -> str:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return trial.process.weights(Path(place) / "saved")
