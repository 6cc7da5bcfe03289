"""The broker keeps to the examples of its wire, which the engine's side is held against as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from client import Broker, Refused
from host.errors import ErrorKind
from wire_examples import differences, read_examples, words

EXAMPLES = read_examples("runner")


@pytest.fixture(scope="module")
def session() -> Iterator[list[tuple[dict[str, Any], dict[str, Any]]]]:
    """All requests of the examples, sent to one broker: (example, its result or error)."""
    broker = Broker()
    answers = []
    for exchange in EXAMPLES["session"]:
        try:
            answer = {"result": broker.ask(exchange["method"], **exchange["params"])}
        except Refused as refused:
            answer = {"error": {"kind": refused.kind, "message": str(refused)}}
        answers.append((exchange, answer))
    yield answers
    broker.close()


def test_every_request_is_answered_as_its_example(session) -> None:
    for exchange, answer in session:
        expected = {key: exchange[key] for key in ("result", "error") if key in exchange}
        assert differences(answer, expected, exchange["method"]) == []
        said = ("kind", "status", "deterministic", "differs", "executionAllowed")
        assert words(answer, said) == words(expected, said)


def test_examples_name_the_ops_that_the_broker_has(broker) -> None:
    with pytest.raises(Refused, match="use ") as refused:
        broker.ask("nothing")
    listed = str(refused.value).partition("use ")[2].rstrip(".").replace(" or ", ", ")
    named = {exchange["method"] for exchange in EXAMPLES["session"]}
    assert named == {op.strip() for op in listed.split(",")}


def test_examples_name_the_kinds_of_errors_that_the_broker_has() -> None:
    assert sorted(EXAMPLES["errorKinds"]) == sorted(get_args(ErrorKind))
