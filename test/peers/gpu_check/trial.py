"""One loaded trainer process, asked as the engine asks it."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

import trainer_process
from shapes import make_model
from trainer_process import LOSS, TrainerProcess

# A model of 7B parameters and its optimizer state take minutes to come from a slow disk.
trainer_process.TIMEOUT_S = 1800.0

# Ids from here to the end of the tokenizer's plain tokens; a prompt holds no control token.
PLAIN_IDS = 256


@dataclass(frozen=True)
class Rollouts:
    """What was sampled: ids by which an update names them, tokens written, and wall seconds."""

    ids: list[str]
    new_tokens: int
    seconds: float


@dataclass
class Trial:
    """`longest` and `rows` are what the model was loaded for: tokens of a row, rows at a time."""

    process: TrainerProcess
    loaded: dict[str, Any]
    plan: dict[str, Any]
    folder: Path
    version: int = 0
    _names: Iterator[int] = field(default_factory=itertools.count)

    def prompts(self, rows: int, tokens: int | Sequence[int], new: Sequence[int]) -> list[dict]:
        """Prompts of random ids; each row writes `new` tokens, since random weights rarely end."""
        noise = np.random.default_rng(rows)
        lengths = [tokens] * rows if isinstance(tokens, int) else tokens
        return [
            {
                "key": f"k{at}",
                "tokenIds": noise.integers(0, PLAIN_IDS, lengths[at]).tolist(),
                "seed": at,
                "maxNewTokens": int(new[at % len(new)]),
            }
            for at in range(rows)
        ]

    def generate(self, items: list[dict], *, keep: bool = True, n: int = 1) -> Rollouts:
        began = time.perf_counter()
        number = self.process.send(
            "generate",
            opKey=f"g{next(self._names)}",
            items=[{**one, "n": n} for one in items],
            sampling={"temperature": 1, "topP": 1, "topK": 0, "maxNewTokens": 1},
            keep=keep,
        )
        done = self.process.answer(number)
        seconds = time.perf_counter() - began
        ids = [one["rolloutId"] for one in self.process.rollouts_of(number)]
        self.process.events.clear()
        return Rollouts(sorted(ids), done["newTokens"], seconds)

    def update(self, ids: list[str], **batch: Any) -> dict[str, Any]:
        """Advantages alternate in sign. Raises CallFailed as the trainer answers."""
        items = [
            {"rolloutId": one, "advantage": 1.0 if at % 2 else -0.5} for at, one in enumerate(ids)
        ]
        result = self.process.call(
            "update",
            opId=f"u{next(self._names)}",
            expectVersion=self.version,
            items=items,
            loss=LOSS,
            batch={"miniBatch": 0, "epochs": 1, **batch},
        )
        self.version = result["version"]
        return result

    def tokens_of(self, rollout: str) -> tuple[list[int], int]:
        """All ids of a kept rollout, and how many of them are its prompt's."""
        told = self.process.call("rollouts", op="get", ids=[rollout])["rollouts"][0]
        return told["tokenIds"], told["promptTokens"]

    def forget(self) -> None:
        self.process.call("rollouts", op="drop", opKeyPrefix="g")

    def peak_bytes(self) -> int | None:
        """Most that PyTorch had allocated on the card since this was last asked; None on a CPU."""
        gpu = self.process.call("stats", resetPeak=True)["gpu"]
        return None if gpu is None else gpu["peakBytes"]


@dataclass(frozen=True)
class Bench:
    """What a part is given. `shrink` divides rows and lengths, to try the parts on small models."""

    device: torch.device
    folder: Path
    shrink: int
    threads: int

    def size(self, number: int) -> int:
        return max(number // self.shrink, 2)

    def shape(self, name: str) -> str:
        return name if self.shrink == 1 else "tiny"

    def model(self, name: str) -> Path:
        return make_model(self.folder, self.shape(name), self.device)

    @contextmanager
    def trainer(
        self, name: str, train: dict[str, Any], *, longest: int, rows: int
    ) -> Iterator[Trial]:
        """The shape `name`, loaded in a process of its own and its plan, gone afterwards."""
        model = self.model(name)
        optim = {"kind": "adamw", "lr": 1e-6}
        asked = {
            "policy": "policy",
            "model": {"path": str(model)},
            "train": {"precision": "master32", "optim": optim, "packTokens": longest, **train},
            "rollout": {"maxSeqTokens": longest, "maxConcurrent": rows},
            "device": self.device.type,
        }
        process = TrainerProcess()
        with tempfile.TemporaryDirectory(dir=self.folder) as run:
            try:
                process.hello(Path(run))
                plan = process.call("plan", **asked)
                loaded = process.call("load", **asked, threads=self.threads, seed=7)
                yield Trial(process, loaded, plan, model)
            finally:
                process.close()


FULL: dict[str, Any] = {"mode": "full"}
ANSWERING: dict[str, Any] = {"mode": "none"}
LORA: dict[str, Any] = {
    "mode": "lora",
    "lora": {"rank": 64, "alpha": 128, "targets": "all-linear"},
}
