"""What graded calls return, told as plain data: other types, large values, and packages."""

from __future__ import annotations

import json
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest

from client import Broker
from host.interpreter import Interpreter
from host.launch import build_launch
from inside.grading.digest import digest_of
from inside.grading.values import plain_of
from test_grading import arguments, grade

LYING = {
    "equalToAll": (
        "class A:\n    def __eq__(self, o): return True\ndef f(x): return A()",
        ["x", "A", None, "claims"],
    ),
    "listEqualToAll": (
        "class A(list):\n    def __eq__(self, o): return True\ndef f(x): return A()",
        ["x", "A", None, "claims"],
    ),
    "intEqualToAll": (
        "class A(int):\n    def __eq__(self, o): return True\ndef f(x): return A(1)",
        ["x", "A", None, "claims"],
    ),
    "metaclass": (
        "class M(type):\n    def __eq__(self, o): return True\n"
        "    def __hash__(self): return 1\nclass A(metaclass=M):\n"
        "    def __eq__(self, o): return True\ndef f(x): return A()",
        ["x", "A", None, "claims"],
    ),
    "ownRule": (
        "class A:\n    def __eq__(self, o): return o == 3\ndef f(x): return A()",
        ["x", "A", None, "custom"],
    ),
    "raisingRule": (
        "class A:\n    def __eq__(self, o): raise SystemExit\ndef f(x): return A()",
        ["x", "A", None, "custom"],
    ),
    "object": ("def f(x): return object()", ["x", "object", None, "opaque"]),
    "generator": ("def f(x):\n    yield x", ["x", "generator", None, "opaque"]),
    "counter": (
        "from collections import Counter\ndef f(x): return Counter('a')",
        ["x", "Counter", ["d", [[["s", "a"], ["i", "0x1"]]]], ""],
    ),
    "subclass": (
        "class A(list): pass\ndef f(x): return A([x])",
        ["x", "A", ["l", [["i", "0x1"]]], ""],
    ),
    "decimal": (
        "from decimal import Decimal\ndef f(x): return Decimal('2.5')",
        ["x", "Decimal", ["f", "4004000000000000"], ""],
    ),
    "wholeFraction": (
        "from fractions import Fraction\ndef f(x): return Fraction(4, 2)",
        ["x", "Fraction", ["i", "0x2"], ""],
    ),
    "namedTuple": (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\n"
        "def f(x): return P(x, None)",
        ["x", "P", ["t", [["i", "0x1"], ["n"]]], ""],
    ),
    "keys": ("def f(x): return {x: 2}.keys()", ["x", "dict_keys", ["S", [["i", "0x1"]]], ""]),
    "cyclic": (
        "def f(x):\n    a = []\n    a.append(a)\n    return len(str(a)) and (1, )",
        ["t", [["i", "0x1"]]],
    ),
}


@pytest.mark.parametrize("name", LYING)
def test_a_value_of_another_type_is_told_as_what_it_compares_as(broker: Broker, name: str) -> None:
    program, told = LYING[name]
    call = grade(broker, program, arguments(1))["calls"][0]
    assert call.get("value") == told


def test_besides_its_value_a_call_may_tell_its_arguments_or_a_set(broker: Broker) -> None:
    changed = grade(
        broker,
        "def f(x):\n    x.append(2)\n    return 1",
        [{"args": [["l", [["i", "0x1"]]]]}],
        also="arguments",
    )
    assert changed["calls"][0]["also"] == ["l", [["l", [["i", "0x1"], ["i", "0x2"]]]]]
    program = "def f(x): return iter((x, x)) if x else [[]]"
    sets = grade(broker, program, arguments(1, 0), also="set")
    assert [call["also"] for call in sets["calls"]] == [["S", [["i", "0x1"]]], None]


def test_a_large_value_is_told_by_a_digest_that_equal_values_share(broker: Broker) -> None:
    program = (
        "def f(x): return [list(range(9000)), [i / 1 for i in range(9000)], 'a' * 30000,"
        " 1 << 30000, float(1 << 900) * 1.0, [float('nan')] * 9000, [[i] * 2 for i in"
        " range(9000)], [[float(i), i] for i in range(9000)]][x]"
    )
    values = [call["value"] for call in grade(broker, program, arguments(*range(8)))["calls"]]
    assert [value[0] for value in values] == ["h", "h", "h", "h", "f", "h", "h", "h"]
    assert values[0] == values[1] and values[6] == values[7] and values[5] == ["h", "nan"]
    assert len({json.dumps(value) for value in values}) == 6


def _any_value(source: random.Random, depth: int) -> object:
    kind = source.random()
    if depth == 0 or kind < 0.5:
        return source.choice(
            [
                1,
                True,
                1.0,
                0,
                0.0,
                -0.0,
                False,
                "a",
                "b",
                2**70,
                float(2**70),
                None,
                0.1,
                "1",
                b"a",
                1 + 0j,
                -1,
                -2,
                (),
                [],
                Decimal(1),
                1 + 1j,
                Fraction(1, 2),
                0.5,
                Counter("a"),
                {"a": 1},
            ]
        )
    items = [_any_value(source, depth - 1) for _ in range(source.randint(0, 3))]
    return items if kind < 0.75 else (*items,) if kind < 0.95 else {"k": items}


def test_digests_are_equal_exactly_where_python_calls_values_equal() -> None:
    source = random.Random(7)
    values = [_any_value(source, 3) for _ in range(700)]
    digests = [digest_of(value, plain_of) for value in values]
    for index, left in enumerate(values):
        for other in range(index):
            assert (left == values[other]) == (digests[index] == digests[other]), (
                left,
                values[other],
            )


def test_graded_programs_may_import_numpy_where_it_is_installed(broker: Broker) -> None:
    pytest.importorskip("numpy")
    program = (
        "import numpy as np\ndef f(x): return [np.int64(3), np.float64(0.5), np.bool_(1),"
        " np.array([1, 2]), float(np.linalg.det(np.eye(3)))]"
    )
    call = grade(broker, program, arguments(1))["calls"][0]
    assert call["value"][1][:3] == [
        ["x", "int64", ["i", "0x3"], ""],
        ["x", "float64", ["f", "3fe0000000000000"], ""],
        call["value"][1][2],
    ]
    assert call["value"][1][2][2:] == [["b", True], ""]
    assert call["value"][1][3] == ["x", "ndarray", None, "opaque"]


def test_nothing_else_of_its_folder_can_be_imported_and_other_jobs_import_none(
    broker: Broker,
) -> None:
    pytest.importorskip("numpy")
    other = grade(broker, "import pytest\ndef f(x): return x", arguments(1))
    assert other["error"]["type"] == "ModuleNotFoundError"
    plain = broker.run("import numpy\ndef f(): return 1")
    assert plain["error"]["type"] == "ModuleNotFoundError"


def test_a_package_under_tmp_has_a_place_of_its_own_in_the_namespace() -> None:
    """The checkout of a build machine may lie there, and programs see an empty /tmp."""
    interpreter = Interpreter(
        "/usr/bin/python3", "3.11.0", (), packages={"numpy": ["/tmp/a/numpy", "/tmp/a/numpy.libs"]}
    )
    launch = build_launch("L3", interpreter, hash_seed=0, channel=3)
    bound = [
        tuple(launch.argv[at + 1 : at + 3])
        for at, word in enumerate(launch.argv)
        if word == "--ro-bind"
    ]
    assert {
        ("/tmp/a/numpy", "/packages/numpy"),
        ("/tmp/a/numpy.libs", "/packages/numpy.libs"),
    } <= set(bound)
    assert launch.settings["packages"] == {"numpy": "/packages/numpy"}
    assert not [path for path in launch.settings["readable"] if path.startswith("/tmp")]
    beside = build_launch("L2", interpreter, hash_seed=0, channel=3).settings
    assert beside["packages"] == {"numpy": "/tmp/a/numpy"}
    assert "/tmp/a/numpy.libs" in beside["readable"]
