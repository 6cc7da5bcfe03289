"""config.json of a checkpoint: which code runs the model that it describes, and its shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import TrainerError
from .config import LONGEST_SHOWN, ModelConfig, parse_own_config, runs_here
from .families import FAMILIES, REFUSED, parse_library_config
from .reading import json_within


def read_config(folder: Path) -> ModelConfig:
    """Reads and checks `folder`/config.json; raises badModel with one sentence."""
    if not folder.is_dir():
        raise TrainerError(
            "badModel",
            f"The model folder {folder} does not exist.",
            hint="Choose a folder that holds config.json, tokenizer.json and model.safetensors.",
        )
    raw = json_within(folder, "config.json")
    if raw is None:
        raise TrainerError(
            "badModel",
            f"The model folder {folder} has no config.json.",
            hint="Choose the folder of a Hugging Face checkpoint.",
        )
    return parse_config(raw, str(folder / "config.json"))


def parse_config(raw: dict[str, Any], where: str) -> ModelConfig:
    """Checks the fields of one config; `where` names their source in messages."""
    architecture = _architecture(raw, where)
    parse = parse_own_config if runs_here(raw, architecture) else parse_library_config
    return parse(raw, architecture, where)


def _architecture(raw: dict[str, Any], where: str) -> str:
    names = raw.get("architectures")
    name = names[0] if isinstance(names, list) and len(names) == 1 else None
    if not isinstance(name, str) or name not in FAMILIES:
        found = ", ".join(map(str, names[:3])) if isinstance(names, list) and names else "none"
        why = f": {REFUSED[name]}" if isinstance(name, str) and name in REFUSED else ""
        raise TrainerError(
            "badModel",
            f"{where}: architecture {found[:LONGEST_SHOWN]} is not supported{why}.",
            hint="Supported architectures: " + ", ".join(FAMILIES) + ".",
        )
    return name
