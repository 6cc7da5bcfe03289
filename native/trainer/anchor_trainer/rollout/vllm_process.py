"""The process in which vLLM runs, seen from the trainer."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from pathlib import Path
from typing import IO, Any

PACKAGE = Path(__file__).parents[2]


class WorkerLost(Exception):
    """The process died, was silent too long or said what cannot be; one sentence."""


def python_of(environment: Path) -> Path:
    """The interpreter of an environment that `python -m venv` made."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


class VllmProcess:
    """Orders go in, answers come out; see `vllm_worker` for both.

    `patience` is how long it may take for an answer. It dies with the trainer.
    """

    def __init__(self, environment: Path, threads: int) -> None:
        python = python_of(environment)
        try:
            self._child = subprocess.Popen(
                [str(python), "-m", "anchor_trainer.rollout.vllm_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(threads),
            )
        except OSError as error:
            raise WorkerLost(f"vLLM could not be started: {python} ({error.strerror}).") from error
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        assert self._child.stdout is not None
        reader = threading.Thread(target=self._read, args=(self._child.stdout,), daemon=True)
        reader.start()
        self._heard = time.monotonic()

    @property
    def pid(self) -> int:
        return self._child.pid

    def send(self, order: dict[str, Any]) -> None:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(order).encode() + b"\n")
            self._child.stdin.flush()
        except OSError as error:
            raise WorkerLost(self._end()) from error
        self._heard = time.monotonic()

    def receive(self, wait: float, patience: float) -> dict[str, Any] | None:
        """The next answer within `wait` seconds, or None."""
        try:
            answer = self._answers.get(timeout=wait)
        except queue.Empty:
            if time.monotonic() - self._heard > patience:
                raise WorkerLost(f"vLLM gave no answer for {patience:g} seconds.") from None
            return None
        self._heard = time.monotonic()
        if answer is None:
            raise WorkerLost(self._end())
        if not isinstance(answer, dict):
            raise WorkerLost(f"vLLM answered what cannot be read: {str(answer)[:200]!r}.")
        if "error" in answer:
            raise WorkerLost(f"vLLM failed: {answer['error']}.")
        return answer

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()

    def _end(self) -> str:
        try:
            code = self._child.wait(5)
        except subprocess.TimeoutExpired:
            return "vLLM closed its output."
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"vLLM's process ended ({how}); its last lines stand in the trainer's log."

    def _read(self, source: IO[bytes]) -> None:
        for line in source:
            try:
                self._answers.put(json.loads(line))
            except ValueError:
                self._answers.put(line)
        self._answers.put(None)


def _environment(threads: int) -> dict[str, str]:
    """The trainer's, with a module path and threads of its own."""
    own = dict(os.environ)
    own["PYTHONPATH"] = str(PACKAGE)
    own["OMP_NUM_THREADS"] = str(threads)
    return own
