"""Single defects of agent text. Each returns the broken text, or None where it does not apply."""

from __future__ import annotations

import ast
import re
from random import Random

_NUMBER = re.compile(r"(?<==)-?\d+(?= |$)")
FOREIGN_IMPORTS = (
    "import os\n os.getcwd()",
    "import sys\n sys.exit()",
    "import subprocess",
    "from os import path",
    "import socket",
    "import shutil",
)


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def parser_view(source: str) -> dict[str, object]:
    """What a Python parser says of a program, in the shape of the runner's answer."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return {"ok": False, "errorLine": error.lineno, "imports": []}
    names = [
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    names += [
        node.module.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
    ]
    return {"ok": True, "errorLine": None, "imports": list(dict.fromkeys(names))}


def broken_syntax(rng: Random, source: str) -> str | None:
    """A program that no longer parses: a lost colon, a cut line, a lost bracket or indent."""
    lines = source.split("\n")
    place = rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        headers = [index for index, line in enumerate(lines) if line.endswith(":")]
        place = rng.choice(headers)
        lines[place] = lines[place].removesuffix(":")
    elif kind == 1:
        lines[place] = re.sub(r"(?<=[-+*/%=(])[^-+*/%=(]*$", "", lines[place])
    elif kind == 2:
        lines[place] = lines[place].replace(")", "", 1).replace("]", "", 1)
    elif kind == 3:
        lines[place] = "  " + lines[place]
    else:
        lines[-1] = lines[-1] + rng.choice(["(", "+", "*", "=", " if"])
    text = "\n".join(lines)
    return None if parses(text) else text


def with_import(rng: Random, source: str) -> str:
    head, _, body = source.partition("\n")
    return f"{head}\n {rng.choice(FOREIGN_IMPORTS)}\n{body}"


def altered_number(rng: Random, thought: str) -> str | None:
    """One stated result off by a little: an inconsistent step."""
    places = list(_NUMBER.finditer(thought))
    if not places:
        return None
    place = rng.choice(places)
    wrong = int(place[0]) + rng.choice([-10, -3, -2, -1, 1, 2, 3, 10])
    return thought[: place.start()] + str(wrong) + thought[place.end() :]


def altered_plan(rng: Random, plan: str) -> str:
    """Another number of steps, another type, or a loop too many or too few."""
    kind = rng.randrange(3)
    if kind == 0 and plan[0].isdigit():
        count = rng.choice([n for n in range(1, 6) if n != int(plan.split()[0])])
        return f"{count} {plan.split(' ', 1)[1]}"
    if kind == 1 and plan[0].isdigit():
        return plan.removesuffix(" with loop") if plan.endswith("loop") else plan + " with loop"
    found = next(name for name in ("int", "list", "str") if f"on {name}" in plan)
    other = rng.choice([name for name in ("int", "list", "str") if name != found])
    return plan.replace(f"on {found}", f"on {other}")


def broken_form(rng: Random, answer: str) -> tuple[str, bool]:
    """An answer that is no answer, and whether the outer form survived."""
    kind = rng.randrange(5)
    if kind == 0:
        return "", rng.random() < 0.5
    if kind == 1:
        return f"the output is {answer}", True
    if kind == 2:
        return "direct", True
    if kind == 3:
        return answer.strip()[:-1] + rng.choice("([{'"), True
    return answer, False


def other_literal(rng: Random, kind: str) -> str:
    """A literal of another type than `kind`."""
    values = {
        "int": str(rng.randint(0, 20)),
        "list": f"[{rng.randint(0, 9)},{rng.randint(0, 9)}]",
        "str": "'" + "".join(rng.choice("ABCD") for _ in range(3)) + "'",
    }
    return values[rng.choice([name for name in values if name != kind])]
