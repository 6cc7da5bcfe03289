"""What a run, a parse and their limits mean to the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from client import Broker, Refused
from host.interpret import build_result, read_report
from host.operations import _read_distances, _read_facts
from host.zygote import RawOutcome


def integers(*values: int) -> list[dict]:
    return [{"args": [["i", hex(value)]]} for value in values]


def statuses(result: dict) -> list[str]:
    return [call["status"] for call in result["calls"]]


def test_the_body_runs_once_and_every_call_sees_it(broker: Broker) -> None:
    program = "print('body')\nseen = []\ndef f(x):\n    seen.append(x)\n    return list(seen)"
    result = broker.ask("run", program=program, entry="f", calls=integers(1, 2))
    assert result["stdout"] == "body\n"
    assert result["calls"][1]["value"] == ["l", [["i", "0x1"], ["i", "0x2"]]]


def test_a_hang_keeps_what_came_before_it(broker: Broker) -> None:
    program = "def f(x):\n    while x == 2: pass\n    return x"
    result = broker.ask(
        "run",
        program=program,
        entry="f",
        calls=integers(0, 1, 2, 3),
        limits={"cpuSeconds": 1, "wallSeconds": 1},
    )
    assert result["status"] == "timeout"
    assert statuses(result) == ["ok", "ok", "timeout", "notRun"]


def test_a_failing_call_does_not_stop_the_others_unless_asked(broker: Broker) -> None:
    job = {"program": "def f(x):\n    return 1 // x", "entry": "f", "calls": integers(1, 0, 2)}
    assert statuses(broker.ask("run", **job)) == ["ok", "error", "ok"]
    stopped = broker.ask("run", **job, stopOnError=True)
    assert (stopped["status"], statuses(stopped)) == ("ok", ["ok", "error", "notRun"])
    assert stopped["calls"][1]["error"] == {"type": "ZeroDivisionError", "line": 2}


def test_a_failing_body_is_the_jobs_error(broker: Broker) -> None:
    result = broker.ask("run", program="x = 1\nraise KeyError(x)", entry="f", calls=integers(1))
    assert (result["status"], result["error"]) == ("error", {"type": "KeyError", "line": 2})
    assert statuses(result) == ["notRun"]


def test_expressions_and_keyword_arguments_reach_the_program(broker: Broker) -> None:
    calls = [
        {"expression": "f(2, y=3)"},
        {"args": [["i", "0x2"]], "kwargs": {"y": ["i", "0x3"]}},
        {"expression": "f("},
    ]
    result = broker.ask("run", program="def f(x, y): return x * y", entry="f", calls=calls)
    assert [call.get("value") for call in result["calls"]] == [["i", "0x6"], ["i", "0x6"], None]
    assert result["calls"][2]["error"]["type"] == "SyntaxError"


def test_memory_is_its_own_verdict(broker: Broker) -> None:
    result = broker.run("def f(): return bytes(10 ** 9)", limits={"memoryBytes": 128 << 20})
    assert statuses(result) == ["memory"]
    allowed = broker.run("def f(): return len(bytes(3 * 10 ** 8))", limits={"memoryBytes": 1 << 30})
    assert statuses(allowed) == ["ok"]


def test_output_beyond_the_cap_is_cut_and_told(broker: Broker) -> None:
    result = broker.run("def f():\n    print('x' * 10_000)", limits={"outputBytes": 1_000})
    assert (result["status"], statuses(result)) == ("output", ["output"])
    assert 1_000 <= len(result["stdout"]) <= 1_001


def test_a_flood_leaves_no_results_not_even_those_before_it(broker: Broker) -> None:
    program = (
        "import time\ndef f(x):\n    if x == 1: return x\n"
        "    time.sleep(0.5)\n    print('x' * 10_000)\n    while True: pass"
    )
    result = broker.ask(
        "run", program=program, entry="f", calls=integers(1, 2), limits={"outputBytes": 1_000}
    )
    assert (result["status"], statuses(result)) == ("output", ["output", "notRun"])


def test_cpu_time_is_counted_and_limited(broker: Broker) -> None:
    limits = {"cpuSeconds": 1, "wallSeconds": 30}
    result = broker.run("def f():\n    while True: pass", limits=limits)
    assert result["status"] == "timeout"
    assert 800 < result["cpuMs"] < 3_000 and result["wallMs"] < 25_000


def test_a_fraction_of_a_second_of_processor_time_is_a_limit(broker: Broker) -> None:
    result = broker.run(
        "def f():\n    while True: pass", limits={"cpuSeconds": 0.3, "wallSeconds": 30}
    )
    assert result["status"] == "timeout" and 200 < result["cpuMs"] < 1_500


def test_nothing_of_a_program_runs_after_its_last_call(broker: Broker) -> None:
    result = broker.run("import atexit, time\natexit.register(time.sleep, 20)\ndef f(): return 1")
    assert result["status"] == "ok" and result["wallMs"] < 1_500


def test_a_lowered_recursion_limit_ends_with_its_call(broker: Broker) -> None:
    program = """
import sys
def deep(n): return n and deep(n - 1)
def f(x):
    for limit in range(1, 1000) if x else ():
        try:
            return sys.setrecursionlimit(limit)
        except RecursionError:
            pass
    return deep(20)
"""
    result = broker.ask("run", program=program, entry="f", calls=integers(1, 0))
    assert statuses(result)[1] == "ok"


BEYOND = {
    "program": {"program": "#" * ((4 << 20) + 1)},
    "calls": {"calls": [{"args": []}] * 10_001},
    "stdin": {"stdin": "x" * ((4 << 20) + 1)},
}


@pytest.mark.parametrize("name", BEYOND)
def test_a_request_beyond_a_bound_is_refused(broker: Broker, name: str) -> None:
    with pytest.raises(Refused, match=f"{name} must be") as refused:
        broker.ask("run", **{"program": "def f(): 1", "entry": "f", "calls": [], **BEYOND[name]})
    assert refused.value.kind == "badRequest"


def test_a_batch_of_too_many_programs_is_refused(broker: Broker) -> None:
    with pytest.raises(Refused, match="programs must be"):
        broker.ask("parse", programs=[""] * 10_001)
    with pytest.raises(Refused, match="references must be"):
        broker.ask("distance", program="", references=[""] * 10_001)


@pytest.mark.parametrize(
    "limits,field",
    [
        ({"cpuSeconds": 0}, "cpuSeconds"),
        ({"wallSeconds": float("nan")}, "wallSeconds"),
        ({"memoryBytes": 1}, "memoryBytes"),
        ({"outputBytes": "9"}, "outputBytes"),
        ({"cpu": 1}, "cpu"),
    ],
)
def test_a_limit_out_of_range_is_named(broker: Broker, limits: dict, field: str) -> None:
    with pytest.raises(Refused, match=f"limits.{field}") as refused:
        broker.run("", limits=limits)
    assert refused.value.kind == "badRequest"


@pytest.mark.parametrize(
    "fields,named",
    [
        ({"program": 5}, "program"),
        ({"calls": "x"}, "calls"),
        ({"calls": [{"args": 1}]}, r"calls\[0\]"),
        ({"entry": 5}, "entry"),
        ({"entry": None}, "entry"),
        ({"hashSeed": 7}, "hashSeed"),
        ({"stopOnError": 1}, "stopOnError"),
    ],
)
def test_a_bad_field_is_named(broker: Broker, fields: dict, named: str) -> None:
    with pytest.raises(Refused, match=named) as refused:
        broker.ask("run", **{"program": "", "entry": "f", "calls": [{"args": []}], **fields})
    assert refused.value.kind == "badRequest"


PARSED = """import os.path as p, json
from collections.abc import Sequence
class A:
    def method(self, *rest, key=1, **more):
        return [i for i in range(3) if i]
async def g(a, /, b): pass
def f(x):
    # a comment
    while x: x -= 1
    def inner(): pass
    return p.join('a', str(x)).upper()
"""


def test_parse_tells_what_is_in_a_program(broker: Broker) -> None:
    facts = broker.ask("parse", program=PARSED)
    assert facts["ok"] and facts["imports"] == ["os.path", "json", "collections.abc"]
    assert facts["functions"] == [
        {"name": "method", "line": 4, "nested": True, "args": ["self", "rest", "key", "more"]},
        {"name": "g", "line": 6, "nested": False, "args": ["a", "b"]},
        {"name": "f", "line": 7, "nested": False, "args": ["x"]},
        {"name": "inner", "line": 10, "nested": True, "args": []},
    ]
    assert (facts["loops"], facts["statements"]) == (2, 13)
    assert set(facts["callsTo"]) == {"range", "p.join", "str", ".upper"}
    assert "comment" not in facts["normalized"]


def test_a_batch_is_answered_in_order_and_a_bad_program_costs_only_itself(broker: Broker) -> None:
    programs = [f"x{n} = {n}" for n in range(250)]
    programs[7], programs[220] = "def f(:", "(" * 10_000
    answers = broker.ask("parse", programs=programs)
    assert len(answers) == 250
    assert [n for n, facts in enumerate(answers) if not facts["ok"]] == [7, 220]
    assert answers[7]["error"]["line"] == 1 and answers[7]["error"]["message"]
    assert answers[249]["normalized"] == "x249 = 249"


RECORDED = Path(__file__).parents[2] / "electron/evolution/code-tasks/original-distances.json"


def test_distances_are_those_that_the_original_was_recorded_to_measure(broker: Broker) -> None:
    rows = json.loads(RECORDED.read_text())["distances"]
    assert len(rows) > 20
    by_program: dict[str, list[dict]] = {}
    for row in rows:
        by_program.setdefault(row["program"], []).append(row)
    for program, held in by_program.items():
        references = [row["reference"] for row in held]
        found = broker.ask("distance", program=program, references=references)
        assert found == [row["distance"] for row in held], program


def test_what_is_too_long_to_be_compared_has_no_distance(broker: Broker) -> None:
    long, deep = f"x = [{'1,' * 500_000}]", f"x = {'(' * 150}1{' + 1)' * 150}"
    references = [long, "x" * 200_000, "x = 1", deep, "(" * 100_000]
    found = broker.ask("distance", program="x = 1", references=references)
    assert found == [None, None, 0.0, None, 0.0]


def test_distances_that_a_job_forges_are_not_read() -> None:
    told = b'{"distance":0,"value":0.25}\n'
    assert _read_distances(outcome(told), 2) == [0.25, None]
    for forged in (b'{"distance":1,"value":7}\n', b'{"distance":5,"value":0.5}\n', b"[]\n", b"x\n"):
        assert _read_distances(outcome(told + forged), 2) == [0.25, None]


def outcome(report: bytes, verdict: str = "ended", code: int = -11) -> RawOutcome:
    return RawOutcome(verdict, code, 1.0, 1.0, report, b"", b"")


def test_where_the_parser_died_one_error_stands_and_the_rest_is_asked_again() -> None:
    answers = _read_facts(outcome(b'{"parse":0,"error":{"type":"SyntaxError"},"message":"m"}\n'), 3)
    assert [facts["error"]["type"] for facts in answers] == ["SyntaxError", "ParserStopped"]


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"garbage\n",
        b"[]\n",
        b'{"end":true}\n',
        b'{"call":0,"pass":0,"value":["n"]}\n',
        b'{"module":null}\n{"call":1,"pass":0,"value":["n"]}\n',
        b'{"module":null}\n{"end":true}\n',
        b'{"module":null}\n{"call":0,"pass":0,"value":["q"]}\n',
        b"[" * 100_000 + b"\n",
        b'{"module":null}\n{"call":0,"pass":0,"value":["n"],"error":{}}\n',
        b'{"module":5}\n',
        b'{"module":null}\n{"module":null}\n',
        b'{"module":null}\n{"call":0,"pass":0,"value":["n"]}',
    ],
)
def test_no_broken_report_makes_a_call_ok(report: bytes) -> None:
    result = build_result("L3", outcome(report), read_report(report, 1, 1, False), 1, 2.0)
    assert result["status"] != "ok" and result["calls"][0]["status"] != "ok"


def test_no_line_follows_the_end() -> None:
    whole = b'{"module":null}\n{"call":0,"pass":0,"value":["n"]}\n{"end":true}\n'
    assert not read_report(whole, 1, 1, False).forged
    assert read_report(whole + b'{"end":true}\n', 1, 1, False).forged


def test_the_mask_of_new_files_is_not_that_of_whoever_starts_it(broker: Broker) -> None:
    result = broker.run("import os\ndef f(): return oct(os.umask(0))")
    assert result["calls"][0]["value"] == ["s", "0o22"]
