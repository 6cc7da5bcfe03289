"""Files appear whole or not at all: written beside the target, synced, then renamed."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save


def write_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".tmp")
    with open(draft, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_tensors(path: Path, tensors: dict[str, torch.Tensor], facts: dict) -> None:
    """Save tensors with JSON `facts` in the header of the safetensors file."""
    metadata = {"format": "pt", "facts": json.dumps(facts, sort_keys=True)}
    whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
    write_bytes(path, save(whole, metadata))


def read_tensors(path: Path, device: str = "cpu") -> tuple[dict[str, torch.Tensor], dict]:
    with safe_open(str(path), framework="pt", device=device) as file:
        facts = json.loads((file.metadata() or {}).get("facts", "{}"))
        return {name: file.get_tensor(name) for name in file.keys()}, facts


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
