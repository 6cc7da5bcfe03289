"""The chat template of a model: compiled and rendered by a process of its own, within limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = Path(__file__).resolve().parents[2]
# Of computing; published templates take milliseconds to compile and less to render.
CPU_SECONDS = 2.0
# Of waiting, for a process that was stopped from outside or never gets a processor.
WALL_SECONDS = 120.0


class TemplateFault(Exception):
    """Why a template cannot be used, as the end of a sentence without its full stop."""


class TemplateLimit(TemplateFault):
    """It ended the process that renders, which begins anew for the next one."""


@dataclass(frozen=True)
class ChatTemplate:
    """A template that compiles. The text it renders to is a function of source and values."""

    source: str

    def __post_init__(self) -> None:
        RENDERER.ask(self.source, [])

    def render(self, conversations: list[dict[str, Any]]) -> list[str]:
        """One text for the values of each; raises TemplateFault where one is refused or too much.

        All at once, because a round to the other process takes longer than most templates.
        """
        return RENDERER.ask(self.source, conversations)


class Renderer:
    """The process, started when it is needed first and again after one that met a limit."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Does not wait: it gets ready while the caller does something else."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", f"{__package__}.rendering"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": str(PACKAGES)},
            )
        return self._process

    def ask(self, source: str, conversations: list[dict[str, Any]]) -> list[str]:
        """The rendered texts; without conversations the template is only compiled."""
        process = self.start()
        request = {"source": source, "conversations": conversations, "seconds": CPU_SECONDS}
        texts: list[str] = []
        patience = threading.Timer(WALL_SECONDS, process.kill)
        patience.daemon = True
        patience.start()
        try:
            if process.stdin is not None and process.stdout is not None:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                while len(texts) <= len(conversations):
                    line = process.stdout.readline()
                    if not line.endswith(b"\n"):
                        raise TemplateLimit(self._ending(process))
                    answer = json.loads(line)
                    if "fault" in answer:
                        raise TemplateFault(answer["fault"])
                    texts.append(answer["text"])
        except BrokenPipeError as error:
            raise TemplateLimit(self._ending(process)) from error
        finally:
            patience.cancel()
        return texts[1:]  # the first stands for the compiling

    def _ending(self, process: subprocess.Popen[bytes]) -> str:
        self._process = None
        process.kill()
        process.communicate()
        if sys.platform != "win32" and process.returncode == -signal.SIGPROF:
            return f"it takes more than {CPU_SECONDS:g} s to compute"
        return f"the process that renders it ended (status {process.returncode})"


RENDERER = Renderer()
