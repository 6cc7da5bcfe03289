"""Command line: turns one GGUF file into a checkpoint folder that can be trained.

python -m anchor_trainer.import_gguf --model FILE.gguf --out FOLDER
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from .errors import TrainerError
from .process_guard import die_with_parent, fix_environment

PROGRESS_SECONDS = 0.2


def import_file(model: Path, out: Path, *, tell: bool = False) -> dict[str, Any]:
    """Converts the GGUF file `model`; returns what source.json says.

    With `tell`, prints how far it is as lines of JSON, for the program that started this one.
    """
    from .model.gguf_reading import write_policy

    told = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told
        if tell and (done == total or time.monotonic() - told >= PROGRESS_SECONDS):
            told = time.monotonic()
            print(json.dumps({"done": done, "total": total}), flush=True)

    return write_policy(model, out, progress)


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0, 1 for a file that cannot become a policy, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="import_gguf", description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True, help="GGUF file")
    parser.add_argument("--out", type=Path, required=True, help="folder to create")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="print lines of JSON: how far it is, or why it failed",
    )
    given = parser.parse_args(arguments)
    if given.progress:
        die_with_parent()
    try:
        source = import_file(given.model, given.out, tell=given.progress)
    except TrainerError as error:
        sentence = f"{error.message}{' ' + error.hint if error.hint else ''}"
        if given.progress:
            print(json.dumps({"kind": error.kind, "problem": sentence}), flush=True)
        else:
            print(sentence, file=sys.stderr)
        return 1
    if not given.progress:
        how = "dequantized from" if source["dequantized"] else "copied from"
        print(f"{given.out}: {how} {source['quantization']} in {source['from']}")
    return 0


if __name__ == "__main__":
    fix_environment(int(os.environ.get("OMP_NUM_THREADS", "1")))
    sys.exit(main())
