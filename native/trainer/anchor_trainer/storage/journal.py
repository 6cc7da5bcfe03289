"""The journal of applied updates: one durable line each, enough to apply it again exactly.

A line {"kind": "update", ...} takes the policy from version v to v+1. A line {"kind": "rewind",
"version": v} says that the policy was loaded at v again without replaying what came after, so
later versions before it no longer exist.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TrainerError, disk_error


@dataclass(frozen=True)
class JournalEntry:
    """One applied update: its request (`items`, `loss`, `batch`, `lr`) and its result."""

    op_id: str
    from_version: int
    rollouts_sha256: str
    spool_files: list[str]
    request: dict[str, Any]
    result: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "update",
            "opId": self.op_id,
            "fromVersion": self.from_version,
            "toVersion": self.from_version + 1,
            "rolloutsSha256": self.rollouts_sha256,
            "spoolFiles": self.spool_files,
            "request": self.request,
            "result": self.result,
        }

    @staticmethod
    def from_json(raw: dict[str, Any]) -> JournalEntry:
        """Raises KeyError where something is missing."""
        return JournalEntry(
            op_id=raw["opId"],
            from_version=raw["fromVersion"],
            rollouts_sha256=raw["rolloutsSha256"],
            spool_files=raw["spoolFiles"],
            request=raw["request"],
            result=raw["result"],
        )


class Journal:
    """The updates that led to the current version, oldest first, mirrored in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[JournalEntry] = []
        if path.exists():
            self._read()

    def find(self, op_id: str, up_to_version: int) -> JournalEntry | None:
        """The entry of an update that is part of the current weights."""
        for entry in self.entries:
            if entry.op_id == op_id and entry.from_version < up_to_version:
                return entry
        return None

    def after(self, version: int) -> list[JournalEntry]:
        """The unbroken chain of updates that starts at `version`."""
        chain: list[JournalEntry] = []
        for entry in self.entries:
            if entry.from_version == version + len(chain):
                chain.append(entry)
        return chain

    def append(self, entry: JournalEntry) -> None:
        """Adds an update durably; raises diskFull with the file as it was."""
        self._write(entry.to_json())
        self.entries.append(entry)

    def rewind(self, version: int) -> None:
        """Forgets updates beyond `version`, if there are any."""
        if any(entry.from_version >= version for entry in self.entries):
            self._write({"kind": "rewind", "version": version})
            self._forget(version)

    def _forget(self, version: int) -> None:
        self.entries = [entry for entry in self.entries if entry.from_version < version]

    def _write(self, line: dict[str, Any]) -> None:
        data = json.dumps(line, allow_nan=False).encode() + b"\n"
        size = self.path.stat().st_size if self.path.exists() else 0
        try:
            # Unbuffered: a buffer would be written once more when the file closes after an error.
            with self.path.open("ab", buffering=0) as file:
                try:
                    rest = memoryview(data)
                    while rest:
                        rest = rest[file.write(rest) :]
                    os.fsync(file.fileno())
                except OSError:
                    os.truncate(self.path, size)
                    raise
        except OSError as error:
            raise disk_error(error, str(self.path)) from error

    def _read(self) -> None:
        data = self.path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            # A line without its newline is one that a crash cut off before it was acknowledged.
            os.truncate(self.path, end)
        for number, line in enumerate(data[:end].splitlines(), start=1):
            try:
                self._replay_line(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise TrainerError(
                    "badRequest",
                    f"The journal {self.path} is damaged at line {number}.",
                    hint="Move it away to continue from the last checkpoint without replay.",
                ) from error

    def _replay_line(self, raw: dict[str, Any]) -> None:
        if raw["kind"] == "rewind":
            self._forget(raw["version"])
            return
        self.entries.append(JournalEntry.from_json(raw))
