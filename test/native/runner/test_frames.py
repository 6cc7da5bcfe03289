"""Values keep their exact type and bits on the way in and out; limits hold at their edges."""

from __future__ import annotations

import json
import math
import struct

import pytest

from client import Broker, Refused
from host.frames import BadFrame, check_frame
from inside.decode import decode_frame
from inside.encode import ResultTooLarge, UnsupportedType, encode_frame

VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**63,
    -(2**20_000 - 1),
    0.0,
    -0.0,
    1e-320,
    math.inf,
    -math.inf,
    1.5,
    complex(-0.0, math.inf),
    "",
    "a\x00b",
    "é世🎉",
    "\ud800 lone",
    "\\u0041",
    "x" * 10**5,
    b"",
    bytes(range(256)),
    [],
    [[]],
    (),
    (1,),
    set(),
    {1, "1", (2,)},
    frozenset({frozenset()}),
    {},
    {"b": 1, "a": 2},
    {1: 1, True: 2},  # noqa: F601 - they are one key to Python
    {(1, 2): [3]},
    [True, 1, 1.0],
]


def same(left: object, right: object) -> bool:
    """Equal in type and, for floats, in sign: repr tells both apart, at any depth."""
    if isinstance(left, int):  # too long for repr
        return type(left) is type(right) and left == right
    return left == right and (isinstance(left, (set, frozenset)) or repr(left) == repr(right))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_survives_the_round_trip(value: object) -> None:
    frame = json.loads(encode_frame(value))
    check_frame(frame)
    assert same(decode_frame(frame), value)


def test_a_value_survives_the_sandbox(broker: Broker) -> None:
    frames = [json.loads(encode_frame(value)) for value in VALUES]
    result = broker.ask(
        "run",
        program="def f(x): return x",
        entry="f",
        calls=[{"args": [frame]} for frame in frames],
    )
    assert [call["value"] for call in result["calls"]] == frames


def test_arguments_have_their_exact_types_inside(broker: Broker) -> None:
    values = [None, True, 1, 1.0, 1j, "", b"", [], (), set(), frozenset(), {}]
    frames = [json.loads(encode_frame(value)) for value in values]
    result = broker.run("def f(*a): return [type(x).__name__ for x in a]", *frames)
    names = [item[1] for item in result["calls"][0]["value"][1]]
    assert names == [type(value).__name__ for value in values]


def test_every_nan_is_one_nan() -> None:
    odd = struct.unpack(">d", bytes.fromhex("fff8000000000001"))[0]
    assert encode_frame(odd) == encode_frame(math.nan) == '["f","7ff8000000000000"]'


def test_equal_sets_have_one_frame_and_dicts_keep_their_order() -> None:
    assert encode_frame({3, 1, 2}) == encode_frame({2, 3, 1})
    assert encode_frame({"a": 1, "b": 2}) != encode_frame({"b": 2, "a": 1})


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    "inside,outside",
    [
        (nested(64), nested(65)),
        ([0] * 19_999, [0] * 20_000),
        ("x" * 100_000, "x" * 100_001),
        (2**20_000 - 1, 2**20_000),
        (b"x" * 100_000, b"x" * 100_001),
    ],
    ids=["depth", "nodes", "text", "int", "bytes"],
)
def test_a_limit_admits_its_own_value_and_no_more(inside: object, outside: object) -> None:
    check_frame(json.loads(encode_frame(inside)))
    with pytest.raises(ResultTooLarge):
        encode_frame(outside)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        type,
        len,
        range(3),
        type("L", (list,), {})(),
        bytearray(b"x"),
        [1, {2: object()}],
        Ellipsis,
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(UnsupportedType):
        encode_frame(value)


BAD = [
    None,
    5,
    [],
    ["q"],
    ["n", 1],
    ["b", 1],
    ["i", "5"],
    ["i", "0x"],
    ["i", "0xG"],
    ["i", 5],
    ["i", "0x1\n"],
    ["f", "7ff8"],
    ["f", "7FF8000000000000"],
    ["z", "0" * 16],
    ["s", 5],
    ["y", "abc"],
    ["l", ["x"]],
    ["l", [], 1],
    ["t"],
    ["d", [["n"]]],
    ["d", [[["n"]]]],
    ["d", {"a": 1}],
    {"l": []},
    ["i", "0x" + "f" * 5_001],
    ["s", "x" * 100_001],
]
TOO_LARGE = {
    "depth": json.loads('["l",[' * 64 + '["n"]' + "]]" * 64),
    "nodes": ["l", [["n"]] * 20_000],
    "text": ["s", "x" * 100_001],
    "bytes": ["y", "00" * 100_001],
    "int": ["i", "0x" + "f" * 5_001],
}


@pytest.mark.parametrize("frame", BAD, ids=lambda frame: repr(frame)[:30])
def test_a_malformed_frame_is_refused_on_the_host(frame: object) -> None:
    with pytest.raises(BadFrame):
        check_frame(frame)


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_frame_beyond_a_limit_is_refused_on_the_host(name: str) -> None:
    with pytest.raises(BadFrame):
        check_frame(TOO_LARGE[name])


def test_a_request_with_a_malformed_frame_names_the_call(broker: Broker) -> None:
    with pytest.raises(Refused, match=r"calls\[1\] holds an argument that is no frame"):
        broker.ask("run", program="", entry="f", calls=[{"args": []}, {"args": [["q"]]}])


def test_an_unhashable_set_element_fails_the_call_only(broker: Broker) -> None:
    result = broker.ask(
        "run",
        program="def f(x): return 1",
        entry="f",
        calls=[{"args": [["S", [["l", []]]]]}, {"args": [["n"]]}],
    )
    assert [call["status"] for call in result["calls"]] == ["error", "ok"]
