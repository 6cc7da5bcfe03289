"""Command line: makes a checkpoint folder that can be trained of a GGUF file or of an adapter.

python -m anchor_trainer.make_policy --gguf FILE.gguf --out FOLDER
python -m anchor_trainer.make_policy --adapter FOLDER --base FOLDER --out FOLDER
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import TrainerError
from .process_guard import die_with_parent, fix_environment

PROGRESS_SECONDS = 0.2

Progress = Callable[[int, int], None]


def of_gguf(file: Path, out: Path, progress: Progress = lambda done, total: None) -> dict[str, Any]:
    """Converts a GGUF file; returns what source.json says."""
    from .model.gguf_reading import write_policy

    return write_policy(file, out, progress)


def of_adapter(
    adapter: Path, base: Path, out: Path, progress: Progress = lambda done, total: None
) -> dict[str, Any]:
    """Adds an adapter to the weights of its base; returns what source.json says."""
    from .model.adapter_merge import write_merged

    return write_merged(adapter, base, out, progress)


def told_progress() -> Progress:
    """Prints how far it is as lines of JSON, for the program that started this one."""
    told = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told
        if done == total or time.monotonic() - told >= PROGRESS_SECONDS:
            told = time.monotonic()
            print(json.dumps({"done": done, "total": total}), flush=True)

    return progress


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0, 1 for what cannot become a policy, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="make_policy", description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--gguf", type=Path, help="GGUF file")
    source.add_argument("--adapter", type=Path, help="folder of a LoRA adapter in PEFT's format")
    parser.add_argument("--base", type=Path, help="folder of the model that the adapter belongs to")
    parser.add_argument("--out", type=Path, required=True, help="folder to create")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="print lines of JSON: how far it is, or why it failed",
    )
    given = parser.parse_args(arguments)
    if (given.adapter is None) != (given.base is None):
        parser.error("--adapter and --base go together")
    progress: Progress = lambda done, total: None  # noqa: E731
    if given.progress:
        die_with_parent()
        progress = told_progress()
    try:
        if given.gguf is not None:
            made = of_gguf(given.gguf, given.out, progress)
        else:
            made = of_adapter(given.adapter, given.base, given.out, progress)
    except TrainerError as error:
        sentence = f"{error.message}{' ' + error.hint if error.hint else ''}"
        if given.progress:
            print(json.dumps({"kind": error.kind, "problem": sentence}), flush=True)
        else:
            print(sentence, file=sys.stderr)
        return 1
    if not given.progress:
        print(f"{given.out}: made of {made['from']}")
    return 0


if __name__ == "__main__":
    fix_environment(int(os.environ.get("OMP_NUM_THREADS", "1")))
    sys.exit(main())
