"""The trainer keeps to the examples of its wire, which the engine's side is held against as well.

test/wire/trainer.json is one session: requests in the order in which they are sent here, what they
answer, and the events that come by themselves. Figures and texts in it are examples; names and
kinds of values are the contract.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from anchor_trainer.errors import ErrorKind
from anchor_trainer.methods import METHODS
from anchor_trainer.protocol import PROTOCOL_MAJOR, PROTOCOL_MINOR, PROTOCOL_NAME
from trainer_process import CallFailed, TrainerProcess
from wire_examples import differences, read_examples

EXAMPLES = read_examples("trainer")
# The server itself answers these.
SERVER_METHODS = {"cancel", "ping", "shutdown"}
LAB = "/lab"


def placed(value: object, lab: Path) -> object:
    """The example with its folders below a real one."""
    if isinstance(value, str) and value.startswith(LAB + "/"):
        return str(lab) + value.removeprefix(LAB)
    if isinstance(value, dict):
        return {key: placed(one, lab) for key, one in value.items()}
    return [placed(one, lab) for one in value] if isinstance(value, list) else value


def heard(trainer, name):
    return any(one["method"] == f"event/{name}" for one in trainer.events)


@pytest.fixture(scope="module")
def session(models, tmp_path_factory):
    """All requests of the examples, sent to one process: (method, example, result or error)."""
    lab = tmp_path_factory.mktemp("wire")
    (lab / "models").mkdir()
    (lab / "models/toy").symlink_to(models("qwen2-gqa"))
    trainer = TrainerProcess.forked()
    told = []
    for exchange in EXAMPLES["session"]:
        request = placed(exchange["params"], lab)
        if exchange["method"] == "cancel":
            request["id"] = trainer.send("generate", **placed(EXAMPLES["cancelled"], lab))
        try:
            answer = {"result": trainer.call(exchange["method"], **request)}
        except CallFailed as error:
            answer = {"error": error.raw}
        told.append((exchange, answer))
        if exchange["method"] == "hello":
            trainer.wait_until(lambda: heard(trainer, "heartbeat"), "heartbeat")
    yield told, trainer.events
    trainer.close()


def test_examples_name_the_methods_that_the_trainer_has():
    named = {exchange["method"] for exchange in EXAMPLES["session"]}
    assert named == set(METHODS) | SERVER_METHODS


def test_examples_name_the_kinds_of_errors_that_the_trainer_has():
    assert sorted(EXAMPLES["errorKinds"]) == sorted(get_args(ErrorKind))


def test_examples_speak_the_protocol_of_the_trainer():
    spoken = {"name": PROTOCOL_NAME, "major": PROTOCOL_MAJOR, "minor": PROTOCOL_MINOR}
    assert EXAMPLES["session"][0]["params"]["protocol"] == spoken


def test_every_request_is_answered_as_its_example(session):
    told, _ = session
    for exchange, answer in told:
        expected = {key: exchange[key] for key in ("result", "error") if key in exchange}
        assert differences(answer, expected, exchange["method"]) == []
        if "error" in expected:
            assert answer["error"]["data"]["kind"] == expected["error"]["data"]["kind"]


def test_the_events_that_come_are_those_of_the_examples(session):
    _, events = session
    seen = {one["method"].removeprefix("event/") for one in events}
    assert seen == set(EXAMPLES["events"])
    for event in events:
        name = event["method"].removeprefix("event/")
        differing = [differences(event["params"], one, name) for one in EXAMPLES["events"][name]]
        assert [] in differing, differing
