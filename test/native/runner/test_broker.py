"""The broker keeps its protocol, survives its workers and takes everything along when it ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client import Broker, Refused, descendants
from conftest import start
from sight import read_process, start_job

SLOW = "import time\ndef f():\n    time.sleep(20)\n    return 1"
LONG = {"cpuSeconds": 30, "wallSeconds": 30}
PATIENCE_S = 10


@pytest.fixture
def own(level: str) -> Iterator[Broker]:
    """A broker of one test's own, with two workers."""
    broker = start(level, workers=2, hash_seeds=(0,))
    yield broker
    if broker.process.poll() is None:
        broker.close()


def until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.02)
    return False


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def busy_worker(broker: Broker) -> int:
    """Pid of the worker that runs the one job under way."""
    found: list[int] = []

    def seen() -> bool:
        workers = broker.ask("stats")["workers"]
        found[:] = [worker["pid"] for worker in workers if worker["busy"]]
        return len(found) == 1

    assert until(seen)
    return found[0]


def test_nothing_is_executed_before_hello() -> None:
    broker = Broker()
    with pytest.raises(Refused) as refused:
        broker.run("def f(): return 1")
    assert refused.value.kind == "notReady"
    broker.close()


def test_bad_lines_get_an_answer_and_do_not_end_the_broker(broker: Broker) -> None:
    broker.send_raw(b"not json\n[]\n{}\n" + b"x" * (33 << 20) + b'\n{"id":"a","op":"nothing"}\n')
    kinds = [broker.read()["error"]["kind"] for _ in range(5)]
    assert kinds == ["badRequest"] * 3 + ["tooLarge", "unknownOp"]
    assert broker.run("def f(): return 1")["status"] == "ok"


def test_replies_come_as_jobs_end_not_as_they_were_sent(own: Broker) -> None:
    slow = own.send(
        "run", program="import time\ndef f():\n    time.sleep(1.5)", entry="f", calls=[{"args": []}]
    )
    quick = own.send("run", program="def f(): return 1", entry="f", calls=[{"args": []}])
    assert own.read()["id"] == quick and own.read()["id"] == slow


def test_many_jobs_at_once_are_all_answered_right(broker: Broker) -> None:
    keys = [
        broker.send(
            "run", program=f"def f(x): return x * {n}", entry="f", calls=[{"args": [["i", "0x2"]]}]
        )
        for n in range(60)
    ]
    values = [broker.wait(key)["calls"][0]["value"] for key in keys]
    assert values == [["i", hex(2 * n)] for n in range(60)]


def test_a_later_hello_repeats_the_self_test_and_changes_nothing(
    broker: Broker, level: str
) -> None:
    again = broker.ask("hello", level=level, workers=1)
    assert again["executionAllowed"] and len(again["selfTest"]) == 12
    with pytest.raises(Refused) as refused:
        broker.ask("hello", level=level, workers=7)
    assert refused.value.kind == "alreadyStarted"


@pytest.mark.parametrize(
    "fields",
    [
        {"workers": 0},
        {"workers": True},
        {"level": "L9"},
        {"hashSeeds": []},
        {"hashSeeds": [1, 1]},
        {"hashSeeds": [-1]},
    ],
)
def test_a_bad_hello_is_refused_with_a_sentence(fields: dict) -> None:
    broker = Broker()
    with pytest.raises(Refused, match=next(iter(fields))):
        broker.ask("hello", **fields)
    broker.close()


def test_a_cancelled_job_is_dead_and_its_place_is_free(own: Broker) -> None:
    # A worker is busy a moment before the job's own process is there, which is the one to look for.
    running, job = start_job(own)
    inside = {job, *descendants(busy_worker(own))}
    assert own.ask("cancel", job=running) == {"cancelled": True}
    with pytest.raises(Refused) as refused:
        own.wait(running)
    assert refused.value.kind == "cancelled"
    assert until(lambda: not any(alive(pid) for pid in inside))
    assert own.run("def f(): return 1")["status"] == "ok"
    assert own.ask("cancel", job=running) == {"cancelled": False}


def test_a_job_ends_with_the_process_above_it(own: Broker) -> None:
    _, job = start_job(own)
    os.kill(read_process(job).parent, signal.SIGKILL)
    assert until(lambda: not alive(job))


def test_a_job_whose_worker_is_killed_runs_once_more(own: Broker) -> None:
    program = "import time\ndef f():\n    time.sleep(1)\n    return 'done'"
    job = own.send("run", program=program, entry="f", calls=[{"args": []}])
    os.kill(busy_worker(own), signal.SIGKILL)
    assert own.wait(job)["calls"][0]["value"] == ["s", "done"]
    assert own.ask("stats")["respawned"] == 1


def test_a_job_whose_worker_is_killed_twice_is_given_up(own: Broker) -> None:
    job = own.send("run", program=SLOW, entry="f", calls=[{"args": []}], limits=LONG)
    first = busy_worker(own)
    os.kill(first, signal.SIGKILL)
    assert until(lambda: busy_worker(own) != first)
    os.kill(busy_worker(own), signal.SIGKILL)
    with pytest.raises(Refused) as refused:
        own.wait(job)
    assert refused.value.kind == "sandboxFailed"
    assert own.run("def f(): return 1")["status"] == "ok"


def test_an_idle_worker_that_was_killed_is_replaced(own: Broker) -> None:
    for worker in own.ask("stats")["workers"]:
        os.kill(worker["pid"], signal.SIGKILL)
    assert own.run("def f(): return 1")["status"] == "ok"


@pytest.mark.parametrize("how", ["endOfInput", "shutdown", "SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_broker(own: Broker, how: str) -> None:
    own.send("run", program="while True: pass", limits=LONG)
    busy_worker(own)
    below = descendants(own.process.pid)
    assert len(below) >= 4
    if how == "endOfInput":
        own.process.stdin.close()
    elif how == "shutdown":
        own.send("shutdown")
    else:
        own.process.send_signal(signal.Signals[how])
    own.process.wait(10)
    assert until(lambda: not any(alive(pid) for pid in below))


def test_jobs_leave_no_file_and_no_process(broker: Broker) -> None:
    before = set(os.listdir("/tmp")), set(os.listdir("/dev/shm"))
    broker.run("def f(): return 1")
    resting = len(descendants(broker.process.pid))
    for n in range(20):
        broker.run(f"def f(): open('/tmp/anchor-left{n}', 'w').close()")
    assert until(lambda: len(descendants(broker.process.pid)) == resting)
    seen = broker.run("import os\ndef f(): return os.path.exists('/tmp/anchor-left0')")
    assert seen["calls"][0]["value"] == ["b", False]
    new = set(os.listdir("/tmp")) - before[0]
    assert not [name for name in new if name.startswith("anchor-left")]
    assert set(os.listdir("/dev/shm")) <= before[1]
