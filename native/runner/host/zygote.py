"""The broker's end of one zygote: start it, give it jobs, notice its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from host.errors import RunnerError, ZygoteGone
from host.interpreter import Interpreter, identity_arguments
from host.launch import build_launch

START_LIMIT_S = 30  # a start takes 0.1 s; on a machine that swaps it may take some


@dataclass(frozen=True)
class RawOutcome:
    """What a job left behind, uninterpreted. verdict: ended, timeout, memory or output. rung:
    lines of a graded report whose time was up; late: those that came later than telling a
    small value explains, and by how many seconds (call_timer.py). Line 0 is the body's."""

    verdict: str
    code: int  # exit code; negative: the signal that ended it
    wall_ms: float
    cpu_ms: float
    report: bytes
    stdout: bytes
    stderr: bytes
    rung: frozenset[int] = frozenset()
    late: Mapping[int, float] = field(default_factory=dict)


class Zygote:
    def __init__(self, level: str, interpreter: Interpreter, hash_seed: int) -> None:
        self.level, self.hash_seed, self._interpreter = level, hash_seed, interpreter
        self.busy = False
        self.pid = 0

    async def start(self) -> dict[str, Any]:
        """Spawn and wait until the first sandbox stands. RunnerError 'startFailed' with the reason.

        Must run on the main thread: the parent-death signal follows the thread that spawned.
        """
        ours, theirs = socket.socketpair()
        launch = build_launch(self.level, self._interpreter, self.hash_seed, theirs.fileno())
        with theirs:
            self._process = subprocess.Popen(
                launch.argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                env=launch.environment,
                cwd="/",
                start_new_session=True,
                **identity_arguments(),
            )
        self.pid = self._process.pid
        ours.setblocking(False)
        self._channel = ours
        settings = json.dumps(launch.settings).encode()
        try:
            await self._send(struct.pack(">I", len(settings)) + settings)
            header, _ = await asyncio.wait_for(self._receive(), START_LIMIT_S)
        except (ZygoteGone, TimeoutError) as error:
            self.stop()
            raise RunnerError("startFailed", self._why(error)) from None
        if "failed" in header:
            self.stop()
            raise RunnerError(
                "startFailed",
                f"The {self.level} sandbox cannot be made here: {str(header['failed'])[:300]}.",
            )
        return header

    def _why(self, error: Exception) -> str:
        told = self._last_words()
        if isinstance(error, TimeoutError):
            told = f"no answer within {START_LIMIT_S} s"
        return f"The {self.level} sandbox did not start: {told or 'it ended without a word'}."

    def _last_words(self) -> str:
        assert self._process.stderr is not None
        told: bytes = self._process.stderr.read()
        return told.decode("utf-8", "replace").strip()[-300:]

    async def run(self, limits: dict[str, Any], job: dict[str, Any]) -> RawOutcome:
        """Run one job. ZygoteGone when the zygote ended first; the zygote is stopped when
        cancelled, because a job in progress belongs to nobody then."""
        body = json.dumps(job).encode()
        header = json.dumps({"limits": limits}).encode()
        self.busy = True
        try:
            await self._send(struct.pack(">II", len(header), len(body)) + header + body)
            reply, parts = await self._receive()
        except ZygoteGone as gone:
            self.stop()
            raise ZygoteGone(f"{gone} {self._last_words()}".strip()) from None
        except BaseException:
            self.stop()
            raise
        finally:
            self.busy = False
        if "failed" in reply:
            self.stop()
            raise ZygoteGone(str(reply["failed"])[:300])
        first, second, _ = reply["sizes"]
        return RawOutcome(
            reply["verdict"],
            reply["code"],
            reply["wallMs"],
            reply["cpuMs"],
            parts[:first],
            parts[first : first + second],
            parts[first + second :],
            frozenset(reply["rung"]),
            dict(reply["late"]),
        )

    async def _send(self, data: bytes) -> None:
        try:
            await asyncio.get_running_loop().sock_sendall(self._channel, data)
        except OSError as error:
            raise ZygoteGone(str(error)) from None

    async def _receive(self) -> tuple[dict[str, Any], bytes]:
        header_size, body_size = struct.unpack(">II", await self._exactly(8))
        data = await self._exactly(header_size + body_size)
        return json.loads(data[:header_size]), data[header_size:]

    async def _exactly(self, size: int) -> bytes:
        loop, parts = asyncio.get_running_loop(), bytearray()
        while len(parts) < size:
            try:
                part = await loop.sock_recv(self._channel, min(1 << 20, size - len(parts)))
            except OSError as error:
                raise ZygoteGone(str(error)) from None
            if not part:
                raise ZygoteGone("the sandbox process ended")
            parts += part
        return bytes(parts)

    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Kill it with everything inside, and reap it. Safe to call twice."""
        self._channel.close()
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self._process.kill()
        self._process.wait()
