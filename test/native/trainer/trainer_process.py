"""A real trainer process on its standard streams, as the engine would run it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
TRAINER = CHECKOUT / "native" / "trainer"
WARM = CHECKOUT / "test" / "support" / "warm_trainer.py"
# Generous, because a loaded machine may need many seconds only to import torch.
TIMEOUT_S = 120.0
LOSS = {"kind": "pg-clip", "level": "token", "agg": "token-mean", "clipLow": 0.2, "clipHigh": 0.28}
PROTOCOL = {"name": "anchor-trainer", "major": 1, "minor": 1}


class CallFailed(Exception):
    """An error answer; `kind` and `message` as sent."""

    def __init__(self, error: dict) -> None:
        super().__init__(error["message"])
        self.raw = error
        self.message = error["message"]
        self.kind = error["data"]["kind"]
        self.data = error["data"]


def environment() -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(TRAINER), "OMP_NUM_THREADS": "1"}
    environment.pop("MKL_CBWR", None)  # the process has to see to it by itself
    return environment


@functools.cache
def _warm_socket() -> str:
    """Of a process that has imported PyTorch and ends with this one."""
    folder = tempfile.mkdtemp(prefix="anchor-warm-")
    server = subprocess.Popen(
        [sys.executable, str(WARM), "serve", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )

    def end() -> None:
        server.stdin.close()
        server.wait()
        shutil.rmtree(folder)

    atexit.register(end)
    server.stdout.readline()
    return os.path.join(folder, "socket")


class TrainerProcess:
    @classmethod
    def forked(cls) -> TrainerProcess:
        """For tests that only need a trainer: most of a short one is importing PyTorch."""
        return cls(program=("-S", "-E", str(WARM), "start", _warm_socket()))

    def __init__(
        self,
        command: Sequence[str] = (),
        program: Sequence[str] = ("-m", "anchor_trainer"),
        **popen: object,
    ) -> None:
        self.process = subprocess.Popen(
            [*command, sys.executable, *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            **popen,
        )
        self.events: list[dict] = []
        self.answers: dict[int | None, dict] = {}
        self.raw_lines: list[bytes] = []
        self.stderr: list[bytes] = []
        self._arrived: queue.Queue[None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.raw_lines.append(line)
            message = json.loads(line)
            if "method" in message:
                self.events.append(message)
            else:
                self.answers[message["id"]] = message
            self._arrived.put(None)

    def _drain(self) -> None:
        for line in self.process.stderr:
            self.stderr.append(line)

    def send_line(self, line: bytes) -> None:
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, method: str, **params: object) -> int:
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send_line(json.dumps(request).encode() + b"\n")
        return self._number

    def wait_until(self, met, what: str) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not met():
            try:
                self._arrived.get(timeout=0.2)
            except queue.Empty:
                pass
            if met():
                return
            if self.process.poll() is not None:
                raise AssertionError(f"the trainer ended while waiting for {what}: {self.stderr}")
            if time.monotonic() > deadline:
                raise AssertionError(f"no {what} within {TIMEOUT_S} s: {self.stderr[-20:]}")

    def answer(self, number: int | None) -> dict:
        self.wait_until(lambda: number in self.answers, f"answer {number}")
        message = self.answers[number]
        if "error" in message:
            raise CallFailed(message["error"])
        return message["result"]

    def call(self, method: str, **params: object) -> dict:
        return self.answer(self.send(method, **params))

    def fails(self, method: str, **params: object) -> CallFailed:
        try:
            result = self.call(method, **params)
        except CallFailed as error:
            return error
        raise AssertionError(f"{method} was expected to fail but returned {result}")

    def hello(self, run_dir: Path, **more: object) -> dict:
        app = {"name": "test", "version": "0"}
        return self.call("hello", protocol=PROTOCOL, app=app, runDir=str(run_dir), **more)

    def load(self, model: Path, **more: object) -> dict:
        params: dict = {
            "policy": "policy",
            "model": {"path": str(model)},
            "train": {
                "mode": "full",
                "precision": "master32",
                "packTokens": 128,
                "optim": {"kind": "adamw", "lr": 1e-2, "betas": [0.9, 0.99]},
            },
            "rollout": {"maxSeqTokens": 160, "maxConcurrent": 8},
            "device": "cpu",
            "threads": 1,
            "seed": 7,
        }
        return self.call("load", **{**params, **more})

    def generate(self, op_key: str, items: list[dict], **sampling: object) -> list[dict]:
        """Runs one request and returns its rollout events in order of arrival."""
        number = self.send(
            "generate",
            opKey=op_key,
            items=items,
            sampling={"temperature": 1, "topP": 1, "topK": 0, "maxNewTokens": 24, **sampling},
        )
        self.answer(number)
        return self.rollouts_of(number)

    def rollouts_of(self, number: int) -> list[dict]:
        return [
            event["params"]
            for event in self.events
            if event["method"] == "event/rollout" and event["params"]["reqId"] == number
        ]

    def update(self, op_id: str, version: int, rollouts: list[dict], **more: object) -> dict:
        """Trains on rollouts with advantages that alternate in sign."""
        items = [
            {"rolloutId": one["rolloutId"], "advantage": 1.0 if at % 2 else -0.5}
            for at, one in enumerate(rollouts)
        ]
        request: dict = {
            "opId": op_id,
            "expectVersion": version,
            "items": items,
            "loss": LOSS,
            "batch": {"miniBatch": 0, "epochs": 1},
        }
        return self.call("update", **{**request, **more})

    def weights(self, folder: Path) -> str:
        return self.call("save", dir=str(folder))["weightsSha256"]

    def close(self) -> int:
        if self.process.poll() is None:
            self.process.stdin.close()
        try:
            return self.process.wait(timeout=TIMEOUT_S)
        finally:
            self.process.kill()


def prompts(count: int, **more: object) -> list[dict]:
    """Items with prompts of uneven length."""
    return [
        {"key": f"k{at}", "prompt": "def f(x): " + "return x + " * (1 + at % 5), "seed": at, **more}
        for at in range(count)
    ]
