"""Reads the attack files. A file holds many programs; each begins with a line

    #: name | expected / alternatives | skip=why it must not run without a sandbox

expected is a call's status, with `error=Type` or `ok=text` for a type or a returned text.
"""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "attacks"


@dataclass(frozen=True)
class Attack:
    name: str
    program: str
    expected: tuple[str, ...]
    skip_unsafe: str = ""


def _generated() -> list[Attack]:
    """Programs that are easier to make than to write down."""
    head = "def f(port, folder, victim, abstract):\n"
    return [
        Attack("inject.nulByte", head + "    return 'a\0b'",
               ("error=SyntaxError", "error=ValueError")),
        Attack("inject.twoMegabytes", head + "    x = 0\n" + "    x += 1\n" * 200_000
               + "    return 'refused'", ("ok=refused", "timeout", "memory")),
        Attack("inject.deepSource", head + "    return " + "-" * 100_000 + "1",
               ("error", "memory", "died")),
        Attack("inject.nestedBrackets", head + "    return " + "[" * 5_000 + "]" * 5_000,
               ("error", "memory", "died")),
        Attack("inject.loneSurrogate", head + "    return '\ud800'", ("error=UnicodeEncodeError",)),
        Attack("inject.closeTheQuote", head + "    return 'x'\n''')\nimport os\nos.system('true')",
               ("error=SyntaxError",)),
    ]


def load_attacks() -> list[Attack]:
    attacks = _generated()
    for path in sorted(_FOLDER.glob("*.py")):
        for part in ("\n" + path.read_text()).split("\n#: ")[1:]:
            header, _, program = part.partition("\n")
            name, expected, *rest = [piece.strip() for piece in header.split("|")]
            skip = rest[0].removeprefix("skip=") if rest else ""
            attacks.append(Attack(f"{path.stem}.{name}", program, tuple(
                one.strip() for one in expected.split("/")), skip))
    return attacks


def verdict(result: dict) -> str:
    """What became of a job with one call, in the words of the attack files."""
    call = result["calls"][0] if result["calls"] else {"status": result["status"]}
    if call["status"] == "notRun":
        call = {"status": result["status"], "error": result.get("error")}
    elif call["status"] == "ok" and result["status"] != "ok":
        call = {"status": result["status"]}
    if call["status"] == "error":
        return f"error={call['error']['type']}"
    if call["status"] == "ok" and call["value"][0] == "s":
        return f"ok={call['value'][1]}"
    return call["status"]


def matches(seen: str, expected: tuple[str, ...]) -> bool:
    return any(seen == one or seen.startswith(one + "=") for one in expected)
