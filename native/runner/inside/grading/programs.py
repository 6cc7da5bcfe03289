"""How a graded program becomes something that is called with one test at a time.

function: the named function, with arguments as data (EvalPlus). method: the named method of a fresh
`Solution`, or the function of that name, with one JSON value per line. script: the whole program,
with a text on standard input, answering with what it printed (both LiveCodeBench).
"""

from __future__ import annotations

import ast
import json
import sys
import types
from collections.abc import Callable
from typing import Any, cast

from inside.decode import decode_frame
from inside.driver import PROGRAM_NAME
from inside.grading.stdin import faked

_STARS = (
    "string re datetime collections heapq bisect copy math random statistics itertools "
    "functools operator io sys json builtins typing"
).split()
_NAMED = [name for name in _STARS if name not in ("builtins", "typing")]
# LiveCodeBench puts this in front of every program; later stars win, so the order matters.
PRELUDE = "".join(
    [
        *(f"from {name} import *\n" for name in _STARS),
        *(f"import {name}\n" for name in _NAMED),
        "sys.setrecursionlimit(50000)\n",
    ]
)
Call = Callable[[list[Any]], object]
Prepare = Callable[[dict[str, Any]], list[Any]]


class EntryMissing(Exception):
    """The program defines nothing of the name that is to be called."""


def _execute(source: str, name: str = "program") -> types.ModuleType:
    module = types.ModuleType(name)
    sys.modules["__main__"] = sys.modules[name] = module
    exec(compile(source, PROGRAM_NAME, "exec", dont_inherit=True), module.__dict__)
    return module


def load_function(program: str, entry: str) -> tuple[Call, Prepare]:
    """The call of a function, and how its arguments are made: anew for every call, from frames."""
    namespace = _execute(program).__dict__
    if entry not in namespace:
        raise EntryMissing(entry)
    function = namespace[entry]
    return lambda arguments: function(*arguments), lambda call: [
        decode_frame(frame) for frame in call["args"]
    ]


def load_method(program: str, entry: str) -> tuple[Call, Prepare]:
    """The same for a method; the test's lines are JSON, one argument each."""
    module = _execute(PRELUDE + "\n\n" + program)
    owner = module.Solution() if "class Solution" in program else module
    if not hasattr(owner, entry):
        raise EntryMissing(entry)
    method = getattr(owner, entry)

    def call(arguments: list[Any]) -> object:
        value = method(*arguments)
        return list(value) if isinstance(value, tuple) else value  # a tuple is as good as a list

    return call, lambda test: [json.loads(line) for line in test["json"].split("\n")]


def _as_function(program: str) -> str:
    """The program as a function of no arguments behind the prelude, so that it can run again for
    every test: a last `if __name__ == '__main__'` is opened, imports stay outside."""
    try:
        body = ast.parse(program).body
        last = body[-1] if body else None
        if isinstance(last, ast.If) and ast.unparse(last.test) == "__name__ == '__main__'":
            body = [*body[:-1], *last.body]
        outside = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
        rest = [node for node in body if node not in outside]
        wrapper = ast.FunctionDef(
            name="wrapped_function",
            body=rest,
            decorator_list=[],
            lineno=-1,
            args=ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]),
        )
        # unparse takes a list of statements too, which its types do not say.
        return f"{PRELUDE}\n{ast.unparse(cast(ast.AST, outside))}\n{ast.unparse(wrapper)}"
    except Exception:  # noqa: BLE001 - whatever is wrong with it shows when it is executed
        return program


def load_script(program: str, stdin: str) -> tuple[Call, Prepare]:
    """One run of the program per test: its input in place of standard input, of that kind,
    its output told."""
    namespace = _execute(_as_function(program)).__dict__
    if "wrapped_function" not in namespace:
        raise EntryMissing("wrapped_function")
    main = namespace["wrapped_function"]

    def call(arguments: list[Any]) -> str:
        with faked(arguments[0], stdin) as printed:
            try:
                main()
            except SystemExit:
                pass  # a script may end itself once it has answered
        return printed.getvalue()

    return call, lambda test: [test["stdin"]]
