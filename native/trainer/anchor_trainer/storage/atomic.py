"""Files and folders that are either whole or absent, also after a power cut."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import disk_error


def sync_folder(folder: Path) -> None:
    """Makes renames inside `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary path beside `path`; on success it is synced and takes its place."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        raise disk_error(error, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_file(path: Path) -> Iterator[BinaryIO]:
    """As `replacing`, with the temporary file already open for binary writing."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        yield file


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Yields an empty folder beside `folder`; on success every file is synced and it is renamed.

    An older folder of that name is moved aside first and removed last, so that at every moment
    one whole version exists.
    """
    temporary = folder.with_name(folder.name + ".tmp")
    previous = folder.with_name(folder.name + ".old")
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        yield temporary
        for path in temporary.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        sync_folder(temporary)
        if folder.exists():
            shutil.rmtree(previous, ignore_errors=True)
            os.replace(folder, previous)
        os.replace(temporary, folder)
        sync_folder(folder.parent)
        shutil.rmtree(previous, ignore_errors=True)
    except OSError as error:
        raise disk_error(error, str(folder)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
