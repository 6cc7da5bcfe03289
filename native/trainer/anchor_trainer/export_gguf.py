"""Command line: turns a checkpoint folder into one GGUF file for llama.cpp.

python -m anchor_trainer.export_gguf --model FOLDER --out FILE.gguf --type f16
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from .errors import TrainerError


def export_folder(model: Path, out: Path, file_type: str, name: str | None = None) -> int:
    """Converts the checkpoint in `model`; returns the size of the file in bytes."""
    import torch

    from .model.gguf_file import write_gguf
    from .model.loading import load_model, source_of
    from .model.tokenizer import load_tokenizer

    logging.getLogger("gguf").setLevel(logging.WARNING)
    source = source_of(model)
    config = source.config()
    tokenizer = load_tokenizer(source.base, config)
    loaded = load_model(source, config, torch.device("cpu"), None, seed=0, precision="master32")
    write_gguf(
        out, config, tokenizer, loaded.named_views(), file_type, name or model.resolve().name
    )
    return out.stat().st_size


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0, 1 for a model that cannot be exported, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="export_gguf", description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True, help="checkpoint folder")
    parser.add_argument("--out", type=Path, required=True, help="GGUF file to write")
    parser.add_argument("--type", choices=("f32", "f16", "bf16", "q8_0"), default="f16")
    parser.add_argument("--name", help="name shown by llama.cpp; the folder's name by default")
    given = parser.parse_args(arguments)
    try:
        size = export_folder(given.model, given.out, given.type, given.name)
    except TrainerError as error:
        print(f"{error.message}{' ' + error.hint if error.hint else ''}", file=sys.stderr)
        return 1
    print(f"{given.out}: {size:,} bytes, {given.type}")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
