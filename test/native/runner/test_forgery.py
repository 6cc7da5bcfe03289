"""No program gets an answer accepted that it does not know: gold stays with the host."""

from __future__ import annotations

import json
import secrets

import pytest

from client import Broker
from forgeries import FORGERIES

LIMITS = {"cpuSeconds": 1, "wallSeconds": 1}


def accepts(result: dict, gold: list) -> bool:
    """The host's comparison: one well-formed frame, equal to gold as data."""
    call = result["calls"][0]
    return result["status"] == "ok" and call["status"] == "ok" and call["value"] == gold


def golds() -> list[list]:
    """Answers of every kind, of which only the last could be guessed; 1 must not pass for True."""
    secret = secrets.token_hex(8)
    return [
        ["s", secret],
        ["i", "0x" + secret.lstrip("0")],
        ["l", [["s", secret]]],
        ["f", secret],
        ["i", "0x1"],
    ]


def test_the_forgeries_are_many_enough(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nverifier forgeries: {len(FORGERIES)}")
    assert len(set(FORGERIES.values())) == len(FORGERIES) >= 24


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_answer_is_not_accepted(broker: Broker, name: str) -> None:
    result = broker.run(FORGERIES[name], limits=LIMITS)
    for gold in golds():
        assert not accepts(result, gold)
        assert gold[0] != "s" or gold[1] not in json.dumps(result)


def test_the_same_comparison_accepts_the_right_answer(broker: Broker) -> None:
    for gold in golds():
        assert accepts(broker.run("def f(x): return x", gold), gold)


def test_a_job_that_reaches_the_sandbox_names_no_expected_answer(broker: Broker) -> None:
    known = broker.run(FORGERIES["readsTheJob"])["calls"][0]["value"][1]
    assert set(json.loads(known)) == {
        "kind",
        "program",
        "entry",
        "calls",
        "passes",
        "stopOnError",
        "shiftClock",
        "stdin",
        "main",
        "limits",
    }


def test_extra_frames_make_the_job_a_bad_frame(broker: Broker) -> None:
    program = "import os\ndef f():\n    os.write(3, b'[]\\n')\n    return 1"
    result = broker.run(program)
    assert (result["status"], result["calls"]) == ("badFrame", [{"status": "badFrame"}])


def test_a_forged_exception_name_is_made_safe_to_show(broker: Broker) -> None:
    told = b'{"call":0,"pass":0,"error":{"type":"\\u001b[31m<b>"}}\n{"end":true}\n'
    result = broker.run(f"import os\ndef f():\n    os.write(3, {told!r})\n    os._exit(0)")
    assert result["calls"][0]["error"]["type"] == "UnknownError"


def test_an_exception_name_is_made_safe_to_show(broker: Broker) -> None:
    program = "def f(): raise type('\\x1b[31m\\n<b>' + 'x' * 500, (Exception,), {})"
    shown = broker.run(program)["calls"][0]["error"]["type"]
    assert shown.isascii() and shown.isalnum() and len(shown) <= 80
