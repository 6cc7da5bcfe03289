"""The grader keeps to the examples of its wire, which the engine's side is held against as well."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

from anchor_grader.errors import ErrorKind
from anchor_grader.options import Pair
from wire_examples import differences, read_examples, words

EXAMPLES = read_examples("grader")


def test_every_request_is_answered_as_its_example(grader) -> None:
    for exchange in EXAMPLES["session"]:
        answer = grader.ask(exchange["method"], **exchange["params"])
        answer = {key: answer[key] for key in ("result", "error") if key in answer}
        expected = {key: exchange[key] for key in ("result", "error") if key in exchange}
        assert differences(answer, expected, exchange["method"]) == []
        said = ("equal", "gold", "answer", "kind", "protocol", "major")
        assert words(answer, said) == words(expected, said)


def test_examples_give_every_option_of_a_comparison() -> None:
    given = {name for exchange in EXAMPLES["session"] for name in exchange["params"]}
    in_python = {re.sub("([A-Z])", r"_\1", name).lower() for name in given}
    assert in_python == {field.name for field in fields(Pair)}


def test_examples_name_the_kinds_of_errors_that_the_grader_has() -> None:
    assert sorted(EXAMPLES["errorKinds"]) == sorted(get_args(ErrorKind))
