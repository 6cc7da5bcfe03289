"""Memory of one step, planned and measured: rollouts and an update in a process of their own.

    PYTHONPATH=native/trainer:test/native/trainer .venv/bin/python test/peers/step_memory.py \
        --model FOLDER --method full lora --rows 24 --tokens 1024

Every row is as long as it may be: a prompt of --prompt tokens, and an answer that no token ends.
For each method, number of rows and of tokens it prints a row of a table: what each phase took at
its peak (resident memory, as Linux counts it), what the plan says, and by how much they differ.
On Linux only, since elsewhere a process is not told the most that it held.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import trainer_process
from trainer_process import TrainerProcess

LORA = {"mode": "lora", "lora": {"rank": 16, "alpha": 32, "targets": "all-linear"}}
METHODS = {
    "full": {"mode": "full"},
    "bf16": {"mode": "full", "precision": "bf16"},
    "8bit": {"mode": "full", "optim": {"kind": "adamw8bit"}},
    "bf16+8bit": {"mode": "full", "precision": "bf16", "optim": {"kind": "adamw8bit"}},
    "lora": LORA,
    "lora+bf16": {**LORA, "precision": "bf16"},
    "qlora": {**LORA, "precision": "nf4"},
}
UPDATING = ("update", "optimizer")


class Peak:
    """The most that a process holds between two questions."""

    def __init__(self, pid: int) -> None:
        self.process = Path("/proc", str(pid))

    def begin(self) -> None:
        (self.process / "clear_refs").write_text("5")  # forgets the peak so far

    def bytes(self) -> int:
        status = (self.process / "status").read_text()
        [line] = [one for one in status.splitlines() if one.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024


def measured(
    model: Path, method: str, rows: int, tokens: int, prompt: int, checkpointing: bool
) -> Iterator[tuple[str, float, float, float]]:
    """(phase, planned and measured bytes, seconds) of each phase of one step."""
    train = {"packTokens": tokens, "gradCheckpoint": checkpointing, **METHODS[method]}
    folder = tempfile.TemporaryDirectory()
    with folder as run, closing(TrainerProcess()) as trainer:
        pid = trainer.hello(Path(run))["trainer"]["pid"]
        peak = Peak(pid)
        peak.begin()
        began = time.monotonic()
        rollout = {"maxSeqTokens": tokens, "maxConcurrent": rows}
        loaded = trainer.load(model, train=train, rollout=rollout)
        planned = loaded["plannedBytes"]
        if loaded["maxConcurrent"] < rows:
            raise SystemExit(f"Only {loaded['maxConcurrent']} rows fit here; ask for fewer.")
        yield "load", planned["load"], peak.bytes(), time.monotonic() - began
        peak.begin()
        began = time.monotonic()
        # Tokens that no tokenizer has as control tokens, another row of them for each prompt.
        items = [
            {
                "key": str(at),
                "seed": at,
                "tokenIds": [100 + (at + one) % 50 for one in range(prompt)],
            }
            for at in range(rows)
        ]
        rollouts = trainer.generate("memory", items, maxNewTokens=tokens - prompt)
        yield "rollout", planned["rollout"], peak.bytes(), time.monotonic() - began
        lengths = [one["promptTokens"] + one["newTokens"] for one in rollouts]
        print(f"{method}: rows of {min(lengths)} to {max(lengths)} tokens", file=sys.stderr)
        peak.begin()
        began = time.monotonic()
        trainer.update("memory", 0, rollouts)
        most = max(planned[one] for one in UPDATING)
        yield "update", most, peak.bytes(), time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--method", nargs="+", choices=METHODS, default=["full", "lora"])
    parser.add_argument("--rows", type=int, nargs="+", default=[24])
    parser.add_argument("--tokens", type=int, nargs="+", default=[1024])
    parser.add_argument("--prompt", type=int, default=64)
    parser.add_argument("--keep-layers", action="store_true", help="no layer is computed again")
    given = parser.parse_args()
    trainer_process.TIMEOUT_S = 7200.0
    print("| method | rows | tokens | phase | planned, GB | measured, GB | differs | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for method, rows, tokens in itertools.product(given.method, given.rows, given.tokens):
        found = measured(given.model, method, rows, tokens, given.prompt, not given.keep_layers)
        for phase, planned, held, seconds in found:
            print(
                f"| {method} | {rows} | {tokens} | {phase} | {planned / 1e9:.2f} | "
                f"{held / 1e9:.2f} | {held / planned - 1:+.1%} | {seconds:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
