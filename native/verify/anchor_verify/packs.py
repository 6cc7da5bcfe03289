"""The texts that prompts are made of (`resources/prompts`), filled in here a second time."""

from __future__ import annotations

import json
import re
from pathlib import Path

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


class Pack:
    """A folder of templates; what it lacks is taken from the pack that it extends."""

    def __init__(self, prompts: Path, name: str) -> None:
        self.name = name
        self.folders = [prompts / name]
        while (described := self.folders[-1] / "pack.json").is_file():
            further = json.loads(described.read_text("utf-8")).get("extends")
            if further is None:
                break
            self.folders.append(prompts / further)

    def find(self, file: str) -> Path | None:
        return next((each / file for each in self.folders if (each / file).is_file()), None)

    def fill(self, template: str, **values: str) -> str | None:
        """None where the pack has no such template. A value that holds braces is text like any
        other."""
        path = self.find(f"{template}.txt")
        if path is None:
            return None
        text = path.read_text("utf-8").removesuffix("\n")
        return PLACEHOLDER.sub(lambda found: values[found.group(1)], text)

    def context(self, lines: list[str]) -> str:
        """The text of a context; empty without lines."""
        if not lines:
            return ""
        written = [self.fill("context-line", line=line) or "" for line in lines]
        return self.fill("context", lines="".join(written)) or ""
