"""Graded programs: one test after the other, each in its own time, told whatever it returned."""

from __future__ import annotations

import ast
import random
import signal
import time
import tracemalloc
from types import SimpleNamespace

import pytest

from client import Broker, Refused
from host.grading.reports import read_grading
from host.grading.requests import read_grade
from host.interpret import read_report
from host.protocol import encode
from host.zygote import RawOutcome
from inside.grading.call_timer import CallTimer
from inside.grading.longest import longest_program

ENDLESS = "def f(x):\n    while x == 2: pass\n    return x"


def arguments(*values: int) -> list[dict]:
    return [{"args": [["i", hex(value)]]} for value in values]


def grade(broker: Broker, program: str, calls: list[dict], **fields: object) -> dict:
    return broker.ask(
        "grade", **{"program": program, "mode": "function", "entry": "f", "calls": calls, **fields}
    )


def statuses(result: dict) -> list[str]:
    return [call["status"] for call in result["calls"]]


def test_a_call_has_its_own_time_and_the_next_ones_go_on(broker: Broker) -> None:
    result = grade(
        broker,
        ENDLESS,
        arguments(1, 2, 3),
        limits={"callSeconds": 0.3, "cpuSeconds": 5, "wallSeconds": 5},
    )
    assert result["status"] == "ok" and statuses(result) == ["ok", "timeout", "ok"]
    assert result["calls"][1]["error"]["type"] == "TimeoutException"


def test_every_call_may_have_another_time(broker: Broker) -> None:
    slow = (
        "def f(x):\n    end = time.process_time() + 0.5\n    while time.process_time() < end:"
        "\n        pass\n    return x"
    )
    result = grade(
        broker, "import time\n" + slow, arguments(1, 2), limits={"callSeconds": [0.1, 20]}
    )
    assert statuses(result) == ["timeout", "ok"]


def test_sleeping_takes_time_as_working_does(broker: Broker) -> None:
    result = grade(
        broker,
        "import time\ndef f(x):\n    time.sleep(x)\n    return x",
        arguments(20, 0),
        limits={"callSeconds": 0.3},
    )
    assert statuses(result) == ["timeout", "ok"]


def test_a_module_body_may_have_a_time_of_its_own(broker: Broker) -> None:
    result = grade(broker, "while True: pass", arguments(1), limits={"bodySeconds": 0.3})
    assert result["status"] == "error" and result["error"]["type"] == "TimeoutException"


def test_who_swallows_the_alarm_has_the_time_of_the_whole_job(broker: Broker) -> None:
    program = (
        "def f(x):\n    while True:\n        try:\n            for _ in range(10 ** 9): x\n"
        "        except BaseException: pass"
    )
    result = grade(
        broker,
        program,
        arguments(1, 2),
        limits={"callSeconds": 0.1, "cpuSeconds": 0.5, "wallSeconds": 5},
    )
    assert result["status"] == "timeout" and statuses(result) == ["timeout", "notRun"]
    assert "error" not in result["calls"][0]


LATE = {
    "alarmIgnored": "signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    work()",
    "alarmBlocked": "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n    work()",
    "alarmSwallowed": "try: work()\n    except BaseException: work()",
}
WORK = (
    "import signal, time\ndef work():\n    end = time.monotonic() + 1.6\n"
    "    while time.monotonic() < end: time.sleep(0.05)\n"
)


@pytest.mark.parametrize("name", LATE)
def test_a_report_that_comes_long_after_its_limit_is_a_timeout(broker: Broker, name: str) -> None:
    body = "def f(x):\n    if x == 2: g()\n    return x"
    program = f"{WORK}def g():\n    {LATE[name]}\n{body}"
    limits = {"callSeconds": 0.4, "cpuSeconds": 9, "wallSeconds": 9}
    result = grade(broker, program, arguments(1, 2), limits=limits)
    assert result["status"] == "ok" and statuses(result) == ["ok", "timeout"]
    assert "value" not in result["calls"][1]


def test_a_value_that_is_told_by_its_digest_may_take_its_time(broker: Broker) -> None:
    program = "def f(x): return [{1: (2, 'b')}] * 700_000"
    limits = {"callSeconds": 0.3, "cpuSeconds": 60, "wallSeconds": 60}
    result = grade(broker, program, arguments(1, 2), limits=limits, stopOnError=True)
    assert statuses(result) == ["ok", "ok"]
    assert [call["value"][0] for call in result["calls"]] == ["h", "h"]


LARGE = "[{1: (2, 'b')}] * 2_000"
FORGED = (
    "import os, sys\n"
    "    told = sys.modules['inside.grading.values'].observe(value)\n"
    '    os.write(3, b\'{"call":0,"value":%s,"seconds":0,"telling":99}\\n\''
    " % told.encode())\n"
    "    os.write(3, b'{\"end\":true}\\n')\n    os._exit(0)"
)


@pytest.mark.parametrize(
    "seconds, then, value, status",
    [
        (1.6, "return value", LARGE, "timeout"),
        (1.6, FORGED, LARGE, "ok"),  # its own word, and no answer without the value
        (6.4, FORGED, LARGE, "timeout"),
        (1.6, FORGED, "1", "timeout"),
    ],
    ids=["honest", "forged", "forgedForLonger", "forgedForSmall"],
)
def test_a_digest_excuses_what_telling_it_took_and_seconds_at_most(
    broker: Broker, seconds: float, then: str, value: str, status: str
) -> None:
    program = (
        f"{WORK.replace('1.6', str(seconds))}def f(x):\n"
        f"    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    work()\n"
        f"    value = {value}\n    {then}"
    )
    limits = {"callSeconds": 0.4, "cpuSeconds": 20, "wallSeconds": 20}
    assert statuses(grade(broker, program, arguments(1), limits=limits)) == [status]


@pytest.mark.parametrize("value", ["5", '{"a":1}', '"h"', "[]", "null", '["h"]'])
def test_a_late_report_of_any_form_is_read(broker: Broker, value: str) -> None:
    program = (
        f"{WORK}import os\ndef f(x):\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        f'    work()\n    os.write(3, b\'{{"call":0,"value":{value},"seconds":0}}\\n\')\n'
        "    os._exit(0)"
    )
    limits = {"callSeconds": 0.4}
    assert statuses(grade(broker, program, arguments(1), limits=limits)) == ["timeout"]


def test_a_script_that_answers_late_has_not_answered(broker: Broker) -> None:
    program = f"{WORK}signal.signal(signal.SIGALRM, signal.SIG_IGN)\nwork()\nprint(input())"
    result = grade(
        broker, program, [{"stdin": "1"}], mode="script", entry="", limits={"callSeconds": 0.4}
    )
    assert statuses(result) == ["timeout"]


def test_a_body_that_ignores_its_alarm_leaves_nothing_to_call(broker: Broker) -> None:
    program = f"{WORK}signal.signal(signal.SIGALRM, signal.SIG_IGN)\nwork()\ndef f(x): return x"
    result = grade(broker, program, arguments(1), limits={"bodySeconds": 0.4})
    assert result["error"]["type"] == "TimeoutException" and statuses(result) == ["notRun"]


def test_what_follows_a_late_call_is_not_run_where_an_error_stops(broker: Broker) -> None:
    program = WORK + "def f(x):\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    work()"
    limits = {"callSeconds": 0.4}
    result = grade(broker, program, arguments(1, 2), limits=limits, stopOnError=True)
    assert statuses(result) == ["timeout", "notRun"]


def test_a_class_that_takes_a_name_is_told_as_an_error(broker: Broker) -> None:
    for name in ("TimeoutException", "MemoryError"):
        program = f"class {name}(Exception): pass\ndef f(x): raise {name}"
        [call] = grade(broker, program, arguments(1), limits={"callSeconds": 5})["calls"]
        assert (call["status"], call["error"]["type"]) == ("error", name)
    assert broker.run(program, ["n"])["calls"][0]["status"] == "error"
    body = broker.run("class MemoryError(Exception): pass\nraise MemoryError")
    assert (body["status"], body["error"]["type"]) == ("error", "MemoryError")


def test_time_without_a_processor_is_not_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waited, rung = [0.0], [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr("os.kill", lambda pid, number: rung.append((pid, number)))
    report = SimpleNamespace(size=0, text=bytearray(100))
    report.seen = lambda: memoryview(report.text)[: report.size]
    timer = CallTimer(77, {"callSeconds": [None, 1.0, 1.0]}, report, lambda _: waited[0])
    assert timer.left() == float("inf")  # the body has no time of its own
    report.text[:8], report.size = b"module\nc", 8
    assert timer.left() == 1.0
    now[0], waited[0] = 3.0, 2.5
    assert timer.left() == pytest.approx(0.5) and not rung
    now[0] = 3.6
    assert timer.left() == float("inf") and rung == [(77, signal.SIGALRM)]
    assert timer.left() == float("inf") and len(rung) == 1  # it rings once
    report.text[8:13], report.size = b"all\nx", 13
    assert timer.left() == 1.0 and not timer.late
    now[0], waited[0] = 12.0, 11.0
    assert timer.left() == float("inf") and len(rung) == 2  # however busy, eight times is enough
    report.text[13:15], report.size = b"y\n", 15
    timer.follow()
    # an eighth of its 8.4 seconds is the call's, for whatever it waited: too late without an excuse
    assert timer.late == [(2, pytest.approx(8.4 / 8 - 1.5))] and timer.rung == [1, 2]


def test_printing_costs_nothing_and_reaches_nothing(broker: Broker) -> None:
    program = (
        "import os\ndef f(x):\n    print('x' * 10 ** 7, flush=True)\n"
        "    os.write(2, b'y' * 10 ** 7)\n    return x"
    )
    result = grade(broker, program, arguments(1, 2))
    assert result["status"] == "ok" and "stdout" not in result


def test_nothing_of_a_graded_program_runs_after_its_last_call(broker: Broker) -> None:
    result = grade(
        broker,
        "import atexit, time\natexit.register(time.sleep, 20)\ndef f(x): return x",
        arguments(1),
    )
    assert result["status"] == "ok" and result["wallMs"] < 10_000


def test_more_than_the_report_may_hold_ends_the_job(broker: Broker) -> None:
    result = grade(
        broker,
        "def f(x): return 'x' * 15000",
        arguments(*range(50)),
        limits={"reportBytes": 100_000},
    )
    assert result["status"] == "output" and "output" in statuses(result)


LINES = [
    "def f(x):",
    "    return x + 1",
    "",
    "Here is the code:",
    "```python",
    "```",
    "import os",
    "    y = (1,",
    "  2)",
    "x = [1, 2,",
    "3]",
    '"""doc',
    'text"""',
    "if x:",
    "    pass",
    "else:",
    "class A:",
    "    def g(self):",
    "        return 1",
    "It's fine",
    "# comment",
    "for i in range(3): print(i)",
    "    # indented comment",
    "a b",
    "foo() = 3",
    "return 5",
    "@dec",
    "s = 'abc",
    "  x = 1",
    "\t y = 2",
    "f(a=1, 2)",
    "x = {1: 2, 3",
    "} ",
    "x = \\",
    "1",
    "   ",
    "async def h():",
    "    await g()",
    "try:",
    "except E:",
    "match x:",
    "    case 1:",
    "        pass",
    "f'{a",
    "}'",
    "x = f'{a b}'",
    "0x",
    "1__0",
    "del f()",
]


def _every_run(text: str) -> str:
    """The longest run by its definition: every pair of lines is tried."""
    lines = text.split("\n")
    best, span = 0, (0, 0)
    for start in range(len(lines)):
        for end in range(start + 1, len(lines)):
            run = lines[start : end + 1]
            try:
                ast.parse("\n".join(run))
            except (SyntaxError, ValueError):
                continue
            filled = sum(1 for line in run if line.strip())
            if filled > best:
                best, span = filled, (start, end)
    return "\n".join(lines[span[0] : span[1] + 1])


def test_the_longest_run_is_the_one_that_trying_all_pairs_finds() -> None:
    source = random.Random(5)
    for _ in range(600):
        text = "\n".join(source.choice(LINES) for _ in range(source.randint(1, 13)))
        assert longest_program(text) == _every_run(text), text


def test_a_script_runs_once_per_input_and_a_method_gets_json(broker: Broker) -> None:
    script = (
        "a, b = map(int, input().split())\nprint(a + b)\nif __name__ == '__main__':\n    exit()"
    )
    result = broker.ask(
        "grade",
        program=script,
        mode="script",
        calls=[{"stdin": "1 2\n"}, {"stdin": "3 4"}, {"stdin": "x"}],
    )
    assert [call.get("value") for call in result["calls"]] == [["s", "3\n"], ["s", "7\n"], None]
    method = "class Solution:\n    def f(self, a: List[int], b): return tuple(a) if b else b"
    result = broker.ask(
        "grade",
        program=method,
        mode="method",
        entry="f",
        calls=[{"json": "[1, 2.0]\ntrue"}, {"json": "[]\n0"}],
    )
    assert [call["value"] for call in result["calls"]] == [
        ["l", [["i", "0x1"], ["f", "4000000000000000"]]],
        ["i", "0x0"],
    ]


def test_a_graded_job_names_no_expected_answer() -> None:
    request = read_grade(
        {"program": "", "mode": "function", "entry": "f", "calls": [], "expected": 7}, [0]
    )
    assert set(request.job()) == {
        "kind",
        "program",
        "mode",
        "entry",
        "calls",
        "also",
        "stopOnError",
        "stdinKind",
        "withheld",
    }


def outcome(report: bytes, verdict: str = "ended") -> RawOutcome:
    return RawOutcome(verdict, 0, 1.0, 1.0, report, b"", b"")


BODY = b'{"module":null}\n'
CALL = b'{"call":0,"value":["n"],"seconds":0}\n'
END = b'{"end":true}\n'
BROKEN = [
    b"",
    b"garbage\n",
    b"[]\n",
    END,
    CALL,
    BODY + END,
    BODY + CALL + CALL + END,
    BODY + CALL.replace(b"0,", b"1,", 1) + END,
    BODY + BODY,
    BODY + CALL,
    BODY + b'{"call":0,"value":["n"],"seconds":"0"}\n' + END,
    BODY + b'{"call":0,"value":["n"],"seconds":NaN}\n' + END,
    BODY + b'{"call":0,"value":["n"],"also":1,"seconds":0}\n' + END,
    BODY + b'{"call":0,"value":["n"],"error":{"type":"E"},"seconds":0}\n' + END,
    BODY + CALL + END + END,
    b"[" * 100_000 + b"\n",
    BODY + b'{"call":0,"value":["i",NaN],"seconds":0}\n' + END,
    BODY + b'{"call":0,"value":["f",-Infinity],"seconds":0}\n' + END,
    BODY + b'{"call":0,"value":["f",1e999],"seconds":0}\n' + END,
    BODY + b'{"call":0,"value":[' + b"[]," * 150_000 + b'[]],"seconds":0}\n' + END,
    BODY + b'{"call":0,"value":["n"],"seconds":1' + b"0" * 4000 + b"}\n" + END,
    BODY + b'{"call":0,"value":["i",' + b"9" * 1_000_000 + b'],"seconds":0}\n' + END,
    BODY + b'{"call":0,"value":["f",0.' + b"1" * 1_000_000 + b'],"seconds":0}\n' + END,
    BODY + b'{"call":0,"value":' + b"[" * 250 + b"]" * 250 + b',"seconds":0}\n' + END,
]


@pytest.mark.parametrize("report", BROKEN)
def test_no_broken_report_is_whole(report: bytes) -> None:
    result = read_grading("L3", outcome(report), 1, False, False, 2.0)
    assert result["status"] != "ok" and len(result["calls"]) == 1


# Each of these took minutes, gigabytes, or both, before the report as a whole was bounded.
FLOODS = {
    "quotes without an end": b'\\"' * 60_000 + b"," * 2_100_000 + b"\n",
    "short lines": b"{}\n" * 5_000_000,
    "empty lines": b"\n" * 10_000_000,
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_is_left_where_it_stops_making_sense(name: str) -> None:
    report = BODY + FLOODS[name]
    for read in (
        lambda: read_grading("L3", outcome(report), 1, False, False, 2.0)["status"],
        lambda: {True: "badFrame"}.get(read_report(report, 1, 1, False).forged),
    ):
        tracemalloc.start()
        try:
            assert read() == "badFrame"
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()


def test_calls_that_are_small_each_may_not_be_too_large_together() -> None:
    def report(calls: int) -> bytes:
        return b"".join(
            b'{"call":%d,"value":[' % call + b"1," * 75_000 + b'1],"seconds":0}\n'
            for call in range(calls)
        )

    few = read_grading("L3", outcome(BODY + report(3) + END), 3, False, False, 2.0)
    assert few["status"] == "ok"
    many = read_grading("L3", outcome(BODY + report(15) + END), 15, False, False, 2.0)
    assert many["status"] == "output"
    assert statuses(many) == ["ok"] * 13 + ["output", "notRun"]


def test_what_is_read_of_a_value_can_be_written_again() -> None:
    for depth in (150, 250, 900):
        value = b"[" * depth + b"]" * depth
        report = BODY + b'{"call":0,"value":' + value + b',"seconds":0}\n' + END
        result = read_grading("L3", outcome(report), 1, False, False, 2.0)
        assert result["status"] == ("ok" if depth < 200 else "badFrame")
        assert len(encode({"id": 1, "ok": True, "result": result})) > 100


def test_commas_and_brackets_within_texts_are_no_parts() -> None:
    text = b"," * 3_000_000 + b'[{\\"'
    report = BODY + b'{"call":0,"value":["s","' + text + b'"],"seconds":0}\n' + END
    assert read_grading("L3", outcome(report), 1, False, False, 2.0)["status"] == "ok"


FORGER = """
import os
def f(x):
    os.write(3, b'{"call":0,"value":["i",%s],"seconds":0}\\n{"end":true}\\n')
    os._exit(0)
"""


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999"])
def test_a_number_that_json_does_not_have_is_the_jobs_own_fault(broker: Broker, value: str) -> None:
    assert grade(broker, FORGER % value, arguments(1))["status"] == "badFrame"
    assert grade(broker, "def f(x): return x", arguments(1))["status"] == "ok"


def test_an_answer_that_no_line_can_hold_is_the_jobs_own_fault(broker: Broker) -> None:
    wide = """
import os
def f(x):
    told = b'{"call":0,"value":["s","' + b"\\xc3\\xa9" * 6_000_000
    told += b'"],"seconds":0}\\n{"end":true}\\n'
    while told: told = told[os.write(3, told):]
    os._exit(0)
"""
    limits = {"reportBytes": 16 << 20, "memoryBytes": 1 << 30, "cpuSeconds": 20, "wallSeconds": 60}
    result = grade(broker, wide, arguments(1), limits={**limits, "callSeconds": 10})
    assert result["status"] == "output" and statuses(result) == ["output"]
    assert grade(broker, "def f(x): return x", arguments(1))["status"] == "ok"


def test_a_whole_report_is_read_and_a_flood_is_not() -> None:
    whole = outcome(BODY + CALL + END)
    assert read_grading("L3", whole, 1, False, False, 2.0)["calls"] == [
        {"status": "ok", "value": ["n"], "seconds": 0}
    ]
    flooded = outcome(BODY + CALL + END, "output")
    assert read_grading("L3", flooded, 1, False, False, 2.0)["status"] == "output"


def test_a_job_that_stops_at_an_error_has_no_results_after_it(broker: Broker) -> None:
    result = grade(broker, "def f(x): return 1 // (x - 2)", arguments(1, 2, 3), stopOnError=True)
    assert result["status"] == "ok" and statuses(result) == ["ok", "error", "notRun"]


@pytest.mark.parametrize(
    "fields,named",
    [
        ({"mode": "x"}, "mode"),
        ({"program": 5}, "program"),
        ({"entry": ""}, "entry"),
        ({"calls": "x"}, "calls"),
        ({"calls": [{"stdin": "x"}]}, r"calls\[0\]"),
        ({"also": "gold"}, "also"),
        ({"stopOnError": 1}, "stopOnError"),
        ({"hashSeed": 9}, "hashSeed"),
        ({"limits": {"callSeconds": [1, 2]}}, "callSeconds"),
        ({"limits": {"callSeconds": 0}}, "callSeconds"),
        ({"limits": {"bodySeconds": -1}}, "bodySe"),
        ({"limits": {"reportBytes": 1 << 40}}, "reportBytes"),
        ({"limits": {"cpu": 1}}, "limits.cpu"),
        ({"limits": {"wallSeconds": float("nan")}}, "wallSeconds"),
    ],
)
def test_a_bad_field_is_named(broker: Broker, fields: dict, named: str) -> None:
    with pytest.raises(Refused, match=named) as refused:
        broker.ask(
            "grade",
            **{"program": "", "mode": "function", "entry": "f", "calls": [{"args": []}], **fields},
        )
    assert refused.value.kind == "badRequest"


def test_a_bad_text_is_named(broker: Broker) -> None:
    for texts in ("x", [{"text": 1}], [{"text": "x", "entry": 2}]):
        with pytest.raises(Refused, match="texts"):
            broker.ask("extract", texts=texts)
