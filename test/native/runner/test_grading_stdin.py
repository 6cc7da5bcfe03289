"""What graded scripts read, print and may call, against what the published judges let them."""

from __future__ import annotations

import json

import pytest

from client import Broker, Refused
from stdin_probes import INPUTS, TABLE, WAYS
from test_grading import arguments, grade

RECORDED = json.loads(TABLE.read_text())


def outcomes(broker: Broker, program: str, judge: str) -> list[str]:
    result = broker.ask(
        "grade",
        program=program,
        mode="script",
        stdinKind={"livecodebench": "mock", "azr": "text"}[judge],
        calls=[{"stdin": text} for text in INPUTS],
    )
    assert result["status"] == "ok"
    return [
        call["value"][1] if call["status"] == "ok" else call["error"]["type"]
        for call in result["calls"]
    ]


def test_the_table_has_every_way_and_every_input_of_both_judges() -> None:
    assert len(WAYS) * len(INPUTS) == 280
    for table in RECORDED.values():
        assert list(table) == list(WAYS) and {len(row) for row in table.values()} == {len(INPUTS)}
    assert RECORDED["livecodebench"] != RECORDED["azr"]


@pytest.mark.parametrize("judge", RECORDED)
def test_a_script_reads_what_it_would_read_there(broker: Broker, judge: str) -> None:
    assert {name: outcomes(broker, program, judge) for name, program in WAYS.items()} == RECORDED[
        judge
    ]


def test_a_kind_or_a_name_that_nobody_knows_is_refused(broker: Broker) -> None:
    with pytest.raises(Refused, match="stdinKind must be mock or text"):
        grade(broker, "", [], stdinKind="codeforces")
    for names in ("os", ["os.path.join"], ["a b"], [1]):
        with pytest.raises(Refused, match="withheld must be a list of names"):
            grade(broker, "", [], withheld=names)


def test_what_a_judge_withholds_is_none_and_modules_are_not_found(broker: Broker) -> None:
    program = (
        "import os, shutil\ndef f(x):\n    if x == 1: return os.getcwd is None\n"
        "    if x == 2: return shutil.move is None and help is None\n    import joblib"
    )
    withheld = ["os.getcwd", "shutil.move", "builtins.help", "joblib"]
    result = grade(broker, program, arguments(1, 2, 3), withheld=withheld)
    assert [call.get("value") for call in result["calls"]] == [["b", True], ["b", True], None]
    assert result["calls"][2]["error"]["type"] == "ModuleNotFoundError"
    free = grade(broker, program, arguments(1, 2))
    assert [call["value"] for call in free["calls"]] == [["b", False], ["b", False]]


def test_modules_that_need_what_is_withheld_are_imported_before(broker: Broker) -> None:
    program = "import multiprocessing, builtins\ndef f(x): return builtins.open is not None and x"
    withheld = ["os.fork", "os.unlink", "os.getcwd", "os.rmdir", "os.remove"]
    [call] = grade(broker, program, arguments(7), withheld=withheld)["calls"]
    assert call["value"] == ["i", "0x7"]


THREADS = {
    "joined": ("t = Thread(target=work); t.start(); t.join()", False),
    "not joined": ("t = Thread(target=work); t.start()", True),
    "ended by chance": ("t = Thread(target=int); t.start(); time.sleep(0.1)", True),
    "joined too briefly": ("t = Thread(target=work); t.start(); t.join(0.001)", True),
    "of a pool": ("with ThreadPoolExecutor(2) as pool: pool.submit(work)", False),
    "raw": ("_thread.start_new_thread(work, ())", True),
    "none": ("pass", False),
}


@pytest.mark.parametrize("name", THREADS)
def test_a_thread_that_nobody_waits_for_is_told(broker: Broker, name: str) -> None:
    line, running = THREADS[name]
    head = (
        "import time, _thread\nfrom threading import Thread\n"
        "from concurrent.futures import ThreadPoolExecutor\ndef work(): time.sleep(0.2)\n"
    )
    for after in ("return x", "raise KeyError"):
        [call] = grade(broker, f"{head}def f(x):\n    {line}\n    {after}", arguments(1))["calls"]
        assert call.get("running", False) is running, after
