"""Files of the recipes; each appears whole or not at all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save

from ...storage.atomic import replacing_file


def write_bytes(path: Path, data: bytes) -> None:
    with replacing_file(path) as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_tensors(path: Path, tensors: dict[str, torch.Tensor], facts: dict[str, Any]) -> None:
    """Save tensors with JSON `facts` in the header of the safetensors file."""
    metadata = {"format": "pt", "facts": json.dumps(facts, sort_keys=True)}
    whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
    write_bytes(path, save(whole, metadata))


def read_tensors(path: Path, device: str = "cpu") -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    with safe_open(str(path), framework="pt", device=device) as file:
        facts = json.loads((file.metadata() or {}).get("facts", "{}"))
        names = file.keys()  # it is no mapping, so it cannot be iterated itself
        return {name: file.get_tensor(name) for name in names}, facts


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
