"""Files of a model folder, which may come from anywhere: what of them is opened, and how.

The same rule as the engine's (electron/core/files.ts): regular files only, opened without waiting,
and links only to places of the folder itself or of the download cache that it is a snapshot of.
"""

from __future__ import annotations

import json
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

from ..errors import TrainerError

# Names, shapes and switches; the largest that are published have some hundred kilobytes.
MAX_SETTINGS_BYTES = 16 * 1024 * 1024
# Vocabularies of 260,000 tokens take 35 MB.
MAX_TOKENIZER_BYTES = 128 * 1024 * 1024


def place_within(folder: Path, name: str) -> Path | None:
    """Where `name` of the folder really lies, None where nothing is there; raises badModel."""
    root = Path(os.path.realpath(folder))
    try:
        real = (root / name).resolve(strict=True)
    except (OSError, RuntimeError):  # missing, or a link to itself
        return None
    places = [root, root.parent.parent / "blobs"] if root.parent.name == "snapshots" else [root]
    if any(real.is_relative_to(place) for place in places):
        return real
    raise TrainerError(
        "badModel",
        f"{folder / name} is a link that leads out of the folder, to {real}; put the file itself "
        "there.",
    )


def open_regular(path: Path) -> BufferedReader:
    """Opens a regular file for reading; raises badModel for all else, a pipe included, at once."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise TrainerError("badModel", f"{path} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise TrainerError("badModel", f"{path} is not a regular file; put the file itself there.")
    return open(descriptor, "rb")


def read_within(folder: Path, name: str, most: int = MAX_SETTINGS_BYTES) -> bytes | None:
    """The bytes of a file of the folder, None where there is none; raises badModel."""
    place = place_within(folder, name)
    if place is None:
        return None
    with open_regular(place) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise TrainerError("badModel", f"{folder / name} is larger than {most:,} bytes.")
    return data


def json_within(folder: Path, name: str) -> dict[str, Any] | None:
    """A JSON object of the folder, None where there is no such file; raises badModel."""
    data = read_within(folder, name)
    if data is None:
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TrainerError(
            "badModel", f"{folder / name} cannot be read as JSON: {error}."
        ) from error
    if not isinstance(value, dict):
        raise TrainerError("badModel", f"{folder / name} does not hold a JSON object.")
    return value
