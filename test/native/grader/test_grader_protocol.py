"""The wire: what is answered, what is refused by name, and that stdout has nothing else."""

from __future__ import annotations

import pytest


def test_hello_names_protocol_versions_and_limits(grader):
    hello = grader.ask("hello")["result"]
    assert (hello["protocol"], hello["major"]) == ("anchor-grader", 1)
    assert hello["versions"]["math-verify"] == "0.8.0"
    assert hello["versions"]["latex2sympy2_extended"] == "1.10.2"
    assert set(hello["limits"]) == {"addressBytes", "processorTimer"}


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("\\frac{1}{2}", "0.5", True),
        ("x^2-1", "(x-1)(x+1)", True),
        ("\\{1,2\\}", "\\{2,1\\}", True),
        ("(1,2)", "(2,1)", False),
        ("[0,1)", "[0,1]", False),
        ("x=1", "1", True),
        ("\\text{east}", "\\text{east}", True),
        ("\\text{east}", "\\text{west}", False),
        ("1", "", False),
        ("", "", False),
    ],
)
def test_verdicts(grader, gold, answer, equal):
    assert grader.compare(gold, answer)["equal"] is equal


def test_a_verdict_says_what_became_of_both_texts_and_what_it_cost(grader):
    verdict = grader.compare("2", "")
    assert (verdict["gold"], verdict["answer"], verdict["problem"]) == ("parsed", "nothing", None)
    assert verdict["processorMs"] >= 0


def test_the_gold_is_told_from_the_answer(grader):
    relation, interval = "$1<x<2$", "$(1,2)$"
    assert grader.compare(relation, interval, boxed=False)["equal"] is True
    assert grader.compare(interval, relation, boxed=False)["equal"] is False
    assert grader.compare(interval, relation, boxed=False, setRelations=True)["equal"] is True


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"gold": "1", "answer": "1"}, 'needs the field "seconds"'),
        ({"gold": 1, "answer": "1", "seconds": 1}, '"gold" must be a text'),
        ({"gold": "1", "answer": "1", "seconds": 0}, '"seconds" must be a number'),
        ({"gold": "1", "answer": "1", "seconds": True}, '"seconds" must be a number'),
        (
            {"gold": "1", "answer": "1", "seconds": 1, "targets": ["eval"]},
            '"targets" must be a list',
        ),
        (
            {"gold": "1", "answer": "1", "seconds": 1, "floatRounding": 101},
            '"floatRounding" must be a whole number',
        ),
        ({"gold": "1", "answer": "1", "seconds": 1, "strict": 1}, '"strict" must be true or false'),
        ({"gold": "1", "answer": "1", "seconds": 1, "code": "x"}, 'no field "code"'),
    ],
)
def test_a_bad_field_is_named(grader, params, words):
    error = grader.ask("compare", **params)["error"]
    assert error["data"]["kind"] == "badRequest"
    assert words in error["message"]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff",
        b'{"jsonrpc":"2.0","id":true,"method":"hello","params":{}}',
        b"[" * 100_000,
        b"x" * 1_100_000,
    ],
)
def test_a_bad_line_is_refused_and_the_next_one_answered(grader, line):
    assert grader.send(line)["error"]["data"]["kind"] == "parse"
    assert grader.compare("1", "1.0")["equal"] is True


def test_an_unknown_method_is_refused(grader):
    assert "hello and compare" in grader.ask("eval")["error"]["message"]


def test_it_ends_with_its_input(start):
    process = start()
    process.ask("hello")
    process.process.stdin.close()
    assert process.process.wait(60) == 0
    assert process.process.stdout.read() == b""
