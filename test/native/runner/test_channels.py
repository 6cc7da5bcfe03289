"""A proposer's and a solver's program share nothing but the machine: no hidden output passes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from client import Broker
from conftest import start

# The n-th bit of f(x) has a page of the standard library, the same one in both programs.
_SLOTS = """
import os
FOLDER = os.path.dirname(os.__file__)
SLOTS = [(name, page * 4096)
         for name in sorted(os.listdir(FOLDER))
         if name.endswith(".py") and not os.path.islink(f"{FOLDER}/{name}")
         and os.path.getsize(f"{FOLDER}/{name}") > 40_000
         for page in range(0, os.path.getsize(f"{FOLDER}/{name}") // 4096 - 1, 4)]
BITS = 10
def slot(x, bit):
    name, offset = SLOTS[(x * BITS + bit) % len(SLOTS)]
    return os.open(f"{FOLDER}/{name}", os.O_RDONLY), offset
def advise(fd, advice):
    try:
        os.posix_fadvise(fd, 0, 0, advice)
    except OSError:
        pass
"""
PROPOSER = (
    _SLOTS
    + """
for name in {name for name, _ in SLOTS}:
    fd = os.open(f"{FOLDER}/{name}", os.O_RDONLY)
    advise(fd, os.POSIX_FADV_DONTNEED)
    os.close(fd)
def f(x):
    y = (x * x * 37 + 11 * x + 5) % 997
    for bit in range(BITS):
        fd, offset = slot(x, bit)
        advise(fd, os.POSIX_FADV_RANDOM)
        if y >> bit & 1:
            os.pread(fd, 1, offset)
        os.close(fd)
    return y
"""
)
SOLVER = (
    _SLOTS
    + """
def f(x):
    y = 0
    for bit in range(BITS):
        fd, offset = slot(x, bit)
        advise(fd, os.POSIX_FADV_RANDOM)
        try:
            os.preadv(fd, [bytearray(1)], offset, os.RWF_NOWAIT)
            y |= 1 << bit
        except OSError:
            pass
        os.close(fd)
    return y
"""
)
HIDDEN = [{"args": [["i", hex(x)]]} for x in range(5)]


def colluded(broker: Broker) -> int:
    """How many of the hidden outputs a solver told that computes nothing."""
    asked = [
        broker.ask("run", program=program, entry="f", calls=HIDDEN)
        for program in (PROPOSER, SOLVER)
    ]
    assert [result["status"] for result in asked] == ["ok", "ok"], asked
    outputs, answers = ([call.get("value") for call in result["calls"]] for result in asked)
    assert all(outputs) and len({str(output) for output in outputs}) == len(HIDDEN)
    return sum(map(lambda output, answer: output == answer, outputs, answers))


@pytest.fixture(scope="module")
def unsafe() -> Iterator[Broker]:
    started = start("unsafe")
    yield started
    started.close()


def test_a_solver_finds_no_output_that_a_proposer_left_in_the_page_cache(broker: Broker) -> None:
    # one that does pass may fail to now and then: others on this machine read pages in between
    assert [colluded(broker) for _ in range(10)] == [0] * 10


def test_without_the_sandbox_the_same_two_programs_collude(unsafe: Broker) -> None:
    most = 0
    for _ in range(20):
        most = max(most, colluded(unsafe))
        if most >= len(HIDDEN) - 2:
            break
    assert most >= len(HIDDEN) - 2


def dated(broker: Broker) -> bool:
    """Whether a program that reads a file of its library changes when that was last read."""
    program = "import calendar\ndef f(): return open(calendar.__file__).name"
    (library,) = [call["value"][1] for call in broker.run(program)["calls"]]
    before = os.stat(library)
    try:
        # older than its last change, which is now: the kernel then notes the next reading
        os.utime(library, ns=(0, before.st_mtime_ns))
    except PermissionError:
        pytest.skip(f"only the owner of {library} sets when it was last read")
    try:
        program = program.replace(".name", ".read(1)")
        assert broker.run(program)["calls"][0]["status"] == "ok"
        return os.stat(library).st_atime_ns != 0
    finally:
        os.utime(library, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_program_that_reads_a_library_leaves_no_date(broker: Broker, level: str) -> None:
    if level != "L3":
        pytest.skip("L3 only: without mounts of its own the machine's are read")
    assert not dated(broker)


def test_without_the_sandbox_it_leaves_one(unsafe: Broker) -> None:
    assert dated(unsafe)


def test_threads_of_one_program_still_meet_and_wait_for_each_other(broker: Broker) -> None:
    program = (
        "import threading\n"
        "def f():\n"
        "    found, lock, gate = [], threading.Lock(), threading.Barrier(9)\n"
        "    def work(n):\n"
        "        gate.wait()\n"
        "        with lock: found.append(n * n)\n"
        "    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]\n"
        "    for thread in threads: thread.start()\n"
        "    gate.wait()\n"
        "    for thread in threads: thread.join()\n"
        "    return sorted(found)"
    )
    squares = ["l", [["i", hex(n * n)] for n in range(8)]]
    assert broker.run(program)["calls"][0] == {"status": "ok", "value": squares}
