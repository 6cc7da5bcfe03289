"""What Absolute Zero's own functions measure of some programs: records `original-distances.json`.

    python original_distances.py CHECKOUT > original-distances.json

of LeapLabTHU/Absolute-Zero-Reasoner at a82124e, by a Python 3.11 that has black and autopep8. Its
functions are taken out of their module, which imports what they do not need. `surprise`: the rarity
of an answer, flat and hierarchical, after the answers before it.
"""

import ast
import contextlib
import difflib
import io
import json
import sys
import typing
from collections import defaultdict
from pathlib import Path
from typing import Any

import autopep8
import black

LOOP = """def f(xs, k):
    out = []
    for i, x in enumerate(xs):
        if x % k == 0:
            out.append((i, x))
        else:
            out.append(x)
    return sorted(map(str, out))
"""
COUNT = """def f(s):
    d = {}
    for c in s:
        d[c] = d.get(c, 0) + 1
    r = ''
    while d:
        m = max(d, key=d.get)
        r += m * d.pop(m)
    return r[::-1]
"""
PAIRS = [
    (LOOP, LOOP),
    (LOOP, COUNT),
    (COUNT, LOOP),
    (LOOP, LOOP.replace("out", "result")),
    (LOOP, LOOP.replace("    ", " ")),
    (LOOP, LOOP.replace("out = []", "out = []  # a list")),
    (LOOP, "def f(x):\n    return x"),
    ("def f(x):\n return x+1", "def f( x ):\n    return (x + 1)"),
    ("def f(x):\n    return x * 2", "def f(x):\n    return x * 3"),
    ("def f(x):\n    return 'é' + x", 'def f(x):\n    return "é" + x'),
    ("def f(x):\n    return u'a' + x", "def f(x):\n    return 'a' + x"),
    ("def f(x):\n    return f'{x!r:>5}'", "def f(x):\n    return '%5r' % x"),
    ("def f(x):\n    return 1j * x", "def f(x):\n    return 2 * x"),
    ("def f(x):\n    return b'a' + x", "def f(x):\n    return 2 * x"),
    ("def f(x):\n    return ...", "def f(x):\n    return None"),
    ("def f(x):\n    return None", "def f(x):\n    return True"),
    ("def f(x):\n    return 1e999", "def f(x):\n    return 1.5"),
    ("def f(x):\n    return 10**20", "def f(x):\n    return 100000000000000000000"),
    ("def f(x:", "def f(x):\n    return x"),
    ("def f(x):\n    return x", "return return"),
    ("import math\n\ndef f(x):\n    global y\n    y = math.sqrt(x)\n    return y", LOOP),
    ("class A:\n    def m(self):\n        return 1\n\ndef f(x):\n    return A().m()", COUNT),
    ("def f(*a, k=1, **kw):\n    return [i for i in a if i and not k]", COUNT),
    ("f = lambda x, /, y=2: x if y else -x", LOOP),
    (
        "def f(x):\n    match x:\n        case [a, *_]:\n            return a\n"
        "        case _:\n            return 0",
        LOOP,
    ),
    ("def f(x):\n    if (n := len(x)) > 3:\n        return n\n    return {**x, 'a': 1}", COUNT),
    ("async def g():\n    pass\n\n@staticmethod\ndef f(x: int) -> int:\n    return x", LOOP),
]
ANSWERS = [
    "1",
    "1",
    "1",
    "2",
    "9",
    "'a'",
    "'a'",
    "[1]",
    "1, 'a'",
    "(1, 'a')",
    "{1: 2}",
    "None",
    "no value",
    "1.0",
]
NAMES = {
    "format_python_code",
    "parse_to_ast",
    "ast_to_dict",
    "ast_edit_distance",
    "get_type_counts_reward",
}


def functions(path: Path, wanted: set[str], known: dict[str, Any]) -> dict[str, Any]:
    """The wanted functions of a module, without running the rest of it."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name in wanted:
            part = compile(ast.Module([node], []), str(path), "exec")
            exec(part, known)
    return known


def main() -> None:
    package = Path(sys.argv[1]) / "absolute_zero_reasoner"
    known: dict[str, Any] = {
        "ast": ast,
        "json": json,
        "difflib": difflib,
        "black": black,
        "autopep8": autopep8,
        **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Tuple")},
    }
    original = functions(package / "rewards/code_reward.py", NAMES, known)
    trainer: dict[str, Any] = {"ast": ast, "is_pickleable": lambda _value: True}
    path = package / "trainer/ppo/azr_ray_trainer.py"
    type_of = functions(path, {"determine_type"}, trainer)["determine_type"]
    distances, surprises = [], []
    counters: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    with contextlib.redirect_stdout(io.StringIO()):
        for left, right in PAIRS:
            found = original["ast_edit_distance"](left, right)
            distances.append({"program": left, "reference": right, "distance": found})
        for answer in ANSWERS:
            flat, hierarchical = (
                original["get_type_counts_reward"](answer, counters, hierarchical=way)
                if counters
                else 1.0
                for way in (False, True)
            )
            surprises.append({"answer": answer, "flat": flat, "hierarchical": hierarchical})
            counters[type_of(answer)][answer] += 1
    json.dump(
        {"distances": distances, "surprises": surprises}, sys.stdout, indent=2, ensure_ascii=False
    )
    print()


if __name__ == "__main__":
    main()
