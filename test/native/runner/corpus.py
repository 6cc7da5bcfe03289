"""Reads the attack files. A file holds many programs; each begins with a line

    #: name | expected / alternatives | field ...

expected is a call's status, with `error=Type` or `ok=text` for a type or a returned text. Fields:
    skip=why    must not run without a sandbox
    only=L3     aims at something only this level has, so it is no attack on the other
    twice       runs two times; the end of the second counts
    secret      runs right behind a job that holds the canary's text everywhere
A program called `prelude` stands in front of every other of its file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "attacks"
_RUNNER = Path(__file__).resolve().parents[3] / "native" / "runner"


@dataclass(frozen=True)
class Attack:
    name: str
    program: str
    expected: tuple[str, ...]
    skip_unsafe: str = ""
    only: str = ""
    before: str = ""  # "", "twice" or "secret"

    def applies(self, level: str) -> bool:
        return self.only in ("", level)


def _generated() -> list[Attack]:
    """Programs that are easier to make than to write down."""
    head = "def f(port, folder, victim, abstract):\n"
    return [
        Attack(
            "inject.nulByte", head + "    return 'a\0b'", ("error=SyntaxError", "error=ValueError")
        ),
        Attack(
            "inject.twoMegabytes",
            head + "    x = 0\n" + "    x += 1\n" * 200_000 + "    return 'refused'",
            ("ok=refused", "timeout", "memory"),
        ),
        Attack(
            "inject.deepSource",
            head + "    return " + "-" * 100_000 + "1",
            ("error", "memory", "died"),
        ),
        Attack(
            "inject.nestedBrackets",
            head + "    return " + "[" * 5_000 + "]" * 5_000,
            ("error", "memory", "died"),
        ),
        Attack("inject.loneSurrogate", head + "    return '\ud800'", ("error=UnicodeEncodeError",)),
        Attack(
            "reading.filesOfTheRunner",
            head
            + f"""    import os
    for name in ("broker.py", "inside/jail.py", "../../package.json", "../../.git/config"):
        try:
            return open(os.path.join({str(_RUNNER)!r}, name)).read()[:100]
        except OSError:
            pass
    return "refused"
""",
            ("ok=refused",),
        ),
        Attack(
            "inject.closeTheQuote",
            head + "    return 'x'\n''')\nimport os\nos.system('true')",
            ("error=SyntaxError",),
        ),
    ]


def _read_file(path: Path) -> list[Attack]:
    found, prelude = [], ""
    for part in ("\n" + path.read_text()).split("\n#: ")[1:]:
        header, _, program = part.partition("\n")
        if header == "prelude":
            prelude = program
            continue
        name, expected, *fields = [piece.strip() for piece in header.split("|")]
        given = dict(field.partition("=")[::2] for field in fields)
        before = given.keys() & {"twice", "secret"}
        assert given.keys() <= {"skip", "only", "twice", "secret"}, f"{path.name}: {header}"
        found.append(
            Attack(
                f"{path.stem}.{name}",
                prelude + program,
                tuple(one.strip() for one in expected.split("/")),
                given.get("skip", ""),
                given.get("only", ""),
                "".join(before),
            )
        )
    return found


def load_attacks() -> list[Attack]:
    return _generated() + [
        attack for path in sorted(_FOLDER.glob("*.py")) for attack in _read_file(path)
    ]


def count_kinds(attacks: list[Attack], level: str) -> Counter[str]:
    """How many programs of each file are attacks on this level."""
    return Counter(attack.name.partition(".")[0] for attack in attacks if attack.applies(level))


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
