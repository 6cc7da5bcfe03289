"""Files of checkpoints against their recorded hashes, and the hash of the weights in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath

from .findings import Ledger
from .lab import Lab, Record

CHUNK = 4 * 1024 * 1024
WEIGHTS = "model.safetensors"
ADAPTER = "adapter_model.safetensors"


def folder_of(lab: Lab, run: Record, checkpoint: Record) -> Path:
    return lab.folder / str(run["folder"]) / "checkpoints" / str(checkpoint["folder"])


def kept(lab: Lab, run: Record) -> list[Record]:
    """Checkpoints whose files are still there by the record."""
    return [each for each in lab.checkpoints(run["id"]) if each["removedAt"] is None]


def verify_checkpoints(
    ledger: Ledger, lab: Lab, run: Record, steps: dict[int, Record], advance: Callable[[int], None]
) -> None:
    """`steps`: the recorded steps, whose weights a checkpoint has to hold."""
    bases: dict[str, str] = {}
    for checkpoint in lab.checkpoints(run["id"]):
        if checkpoint["step"] == 0:
            bases[checkpoint["role"]] = checkpoint["weightsSha256"]
        about = f"checkpoint {checkpoint['step']} of {checkpoint['role']}"
        step = steps.get(checkpoint["step"])
        if step is not None and step["role"] == checkpoint["role"]:
            ledger.check(
                "checkpoints.weights",
                f"{about}, as the step tells",
                checkpoint["weightsSha256"],
                step["weights_sha256"],
            )
        if checkpoint["removedAt"] is not None:
            ledger.skip("checkpoints.files", "files that were removed")
            continue
        base = bases.get(checkpoint["role"])
        _verify_files(ledger, about, folder_of(lab, run, checkpoint), checkpoint, base)
        advance(1)


def _verify_files(
    ledger: Ledger, about: str, folder: Path, checkpoint: Record, base: str | None
) -> None:
    total = 0
    for file in checkpoint["files"]:
        name = _name_of(file["path"])
        path = folder / name
        total += file["bytes"]
        if not path.is_file():
            ledger.check("checkpoints.files", f"{about}, {name}", file["sha256"], None)
            continue
        ledger.check(
            "checkpoints.files", f"{about}, {name}, bytes", file["bytes"], path.stat().st_size
        )
        ledger.check("checkpoints.files", f"{about}, {name}", file["sha256"], file_sha256(path))
    ledger.check("checkpoints.files", f"{about}, bytes", checkpoint["bytes"], total)
    described = folder / "trainer.json"
    told = json.loads(described.read_text("utf-8")) if described.is_file() else {}
    weights = checkpoint["weightsSha256"]
    if (folder / ADAPTER).is_file():
        beside = told.get("baseSha256")
        found = _adapted_sha256(folder / ADAPTER, beside)
        if _header(folder / ADAPTER).get("__metadata__", {}).get("base_precision") is None:
            ledger.check("checkpoints.weights", f"{about}, its base", beside, base)
        else:
            ledger.skip("checkpoints.weights", "frozen weights that are rounded to four bits")
    elif (folder / WEIGHTS).is_file():
        found = tensors_sha256(folder / WEIGHTS)
    else:
        ledger.check("checkpoints.weights", about, weights, "no weights")
        return
    ledger.check("checkpoints.weights", about, weights, found)
    if told:
        told_weights = told["weightsSha256"]
        ledger.check("checkpoints.weights", f"{about}, trainer.json", told_weights, weights)


def _name_of(path: str) -> str:
    return PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _header(path: Path) -> Record:
    with path.open("rb") as file:
        found: Record = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        return found


def _adapted_sha256(path: Path, base: str | None) -> str:
    """Of a model with an adapter: SHA-256 over the hash of the model and that of the adapter's
    tensors, both as text."""
    return hashlib.sha256(f"{base}{tensors_sha256(path)}".encode()).hexdigest()


def tensors_sha256(path: Path) -> str:
    """SHA-256 over the values of the tensors in the order of their names, whatever the order in the
    file: bf16 numbers count as the fp32 numbers that they are."""
    digest = hashlib.sha256()
    header = _header(path)
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        for name in sorted(header.keys() - {"__metadata__"}):
            begin, end = header[name]["data_offsets"]
            file.seek(8 + length + begin)
            left = end - begin
            while left > 0:
                chunk = file.read(min(CHUNK, left))
                if not chunk:
                    return "a file that is cut off"
                digest.update(_as_fp32(chunk) if header[name]["dtype"] == "BF16" else chunk)
                left -= len(chunk)
    return digest.hexdigest()


def _as_fp32(bf16: bytes) -> bytes:
    """The two bytes of each number are the upper ones of the four that fp32 has, little-endian."""
    widened = bytearray(2 * len(bf16))
    widened[2::4] = bf16[0::2]
    widened[3::4] = bf16[1::2]
    return bytes(widened)
