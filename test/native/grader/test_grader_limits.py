"""What a pair can do to the process, and the process to the machine: nothing that lasts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOWER = "9^{9^{9^{9}}}"
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="limits are read from /proc")


@pytest.mark.skipif(os.name != "posix", reason="there is no such timer")
@pytest.mark.parametrize(
    "answer",
    [
        TOWER,
        pytest.param("\\frac{" + TOWER + "}{7}", marks=pytest.mark.full),
        pytest.param("(10^{10^{10}})!", marks=pytest.mark.full),
    ],
)
def test_the_kernel_ends_what_no_handler_can(start, answer):
    process = start()
    process.ask("hello")
    message = {"gold": "9", "answer": answer, "seconds": 0.3}
    with pytest.raises(ValueError):  # no answer line comes
        process.ask("compare", **message)
    assert process.process.wait(60) == -signal.SIGPROF


def test_the_timer_is_off_between_pairs(grader):
    for _ in range(20):
        assert grader.compare("x", "x", seconds=0.5)["equal"] is True


@linux_only
def test_limits_are_in_force(grader):
    limits = dict(
        [*line[:26].strip().rsplit("  ", 1)[0:1], line[26:].split()[0]]
        for line in Path(f"/proc/{grader.process.pid}/limits").read_text().splitlines()
        if not line.startswith("Limit")
    )
    assert int(limits["Max address space"]) == 2 * 1024**3
    assert (limits["Max core file size"], limits["Max file size"], limits["Max open files"]) == (
        "0",
        "0",
        "64",
    )


@linux_only
def test_it_holds_no_socket_and_no_file_but_its_pipes(grader):
    grader.compare("x^2", "x*x")
    targets = {
        os.readlink(f"/proc/{grader.process.pid}/fd/{name}").split(":")[0]
        for name in os.listdir(f"/proc/{grader.process.pid}/fd")
    }
    assert targets == {"pipe"}


def test_text_is_never_executed(grader, tmp_path):
    mark = tmp_path / "mark"
    code = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    for answer in (code, f"1+{code}", f"\\text{{{code}}}", f"$({code})$", f"1/2*({code})"):
        for boxed in (True, False):
            grader.compare("1", answer, boxed=boxed)
    assert not mark.exists()


@linux_only
def test_it_does_not_outlive_its_parent():
    script = (
        "import subprocess,sys,os,time\n"
        "from conftest import GraderProcess\n"
        "g = GraderProcess(); g.ask('hello'); print(g.process.pid, flush=True); time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=os.path.dirname(__file__), stdout=subprocess.PIPE
    )
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _is_alive(child):
        time.sleep(0.05)
    assert not _is_alive(child)


def _is_alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and " Z " not in stat.read_text()
