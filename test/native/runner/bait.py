"""What attacks go for. Anybody may read, write and signal these: only the sandbox is in the way."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import ClassVar

CANARY = "canary-4d1f-only-the-host-may-know-this"
VICTIM = "the victim file as it was"


class Bait:
    # For the next one: starting them as another user from a process this large takes longer than
    # most attacks.
    _unharmed: ClassVar[list[subprocess.Popen[bytes]]] = []

    def __enter__(self) -> Bait:
        self.folder = Path(tempfile.mkdtemp(prefix="anchor-bait-"))
        self.folder.chmod(0o777)
        for name, text in (("canary", CANARY), ("victim", VICTIM)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o666)
            if os.geteuid() == 0:
                os.chown(self.folder / name, 65534, 65534)
        self._before = self._state()
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.abstract = f"anchor-bait-{os.getpid()}-{self.port}"
        self.unix = self._unix(socket.SOCK_STREAM, self.abstract)
        for channel in (self.tcp, self.udp, self.unix):
            channel.setblocking(False)
        self.process = self._unharmed.pop() if self._unharmed else self._victim()
        return self

    @staticmethod
    def _victim() -> subprocess.Popen[bytes]:
        identity = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        process = subprocess.Popen(
            ["/bin/sleep", "3600"], env={"SECRET": CANARY}, cwd="/", **identity
        )
        atexit.register(process.kill)
        return process

    @staticmethod
    def _unix(kind: int, name: str) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, kind)
        listener.bind("\0" + name)
        listener.listen()
        return listener

    def __exit__(self, *_: object) -> None:
        if self._harm() is None:
            self._unharmed.append(self.process)
        else:
            self.process.kill()
            self.process.wait()
        for channel in (self.tcp, self.udp, self.unix):
            channel.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _state(self) -> list:
        return sorted(
            (
                path.name,
                path.lstat()[:6],
                path.lstat().st_mtime_ns,
                path.read_text() if path.is_file() else "",
            )
            for path in self.folder.iterdir()
        )

    def arguments(self) -> list:
        """Frames of f's four arguments."""
        return [
            ["i", hex(self.port)],
            ["s", str(self.folder)],
            ["i", hex(self.process.pid)],
            ["s", self.abstract],
        ]

    def damage(self) -> list[str]:
        """Everything an attack did outside, one phrase each."""
        found = []
        for name, channel in (("TCP", self.tcp), ("Unix", self.unix)):
            try:
                channel.accept()[0].close()
                found.append(f"a connection reached the {name} listener")
            except OSError:
                pass
        try:
            found.append(f"a datagram arrived: {self.udp.recv(100)!r}")
        except OSError:
            pass
        if (harm := self._harm()) is not None:
            found.append(f"the victim process {harm}")
        if self._state() != self._before:
            found.append("the folder of the victim file changed")
        return found

    def _harm(self) -> str | None:
        if self.process.poll() is not None:
            return f"ended with {self.process.returncode}"
        state = _state_letter(self.process.pid)
        return None if state in "SR" else f"is in state {state}"


def _state_letter(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
