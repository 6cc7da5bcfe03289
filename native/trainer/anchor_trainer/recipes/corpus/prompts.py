"""The compact prompt pack and the ChatML frame: training text equals production text byte for byte.

Templates are read from resources/prompts/compact; a template's single trailing newline is dropped
and `{{name}}` is replaced verbatim. A name without a value is an error, never an empty string.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[5]
PACK = REPOSITORY / "resources" / "prompts" / "compact"
END_OF_TURN = "<|im_end|>"
_NAME = re.compile(r"\{\{(\w+)\}\}")


@cache
def template(name: str) -> str:
    """Text of one template without its trailing newline; FileNotFoundError names the path."""
    return (PACK / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def render(name: str, **values: str) -> str:
    """Fill one template; KeyError says which name is missing in which template."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise KeyError(f"template {name}.txt needs a value for '{match[1]}'")
        return values[match[1]]

    return _NAME.sub(value, template(name))


@cache
def guidance_table() -> dict[str, Any]:
    """Parsed guidance.json: `keys` (role and phrases of each) and `conflicts`."""
    table: dict[str, Any] = json.loads((PACK / "guidance.json").read_text(encoding="utf-8"))
    return table


def system_text(role: str, lines: list[str]) -> str:
    """System message of `proposer`, `solver` or `assistant` with its context lines, if any."""
    return render("system", role=role, context=_context(lines))


def question_system_text(role: str, lines: list[str]) -> str:
    """The same of a `proposer` or `solver` of questions."""
    return render("system-question", role=role, context=_context(lines))


def _context(lines: list[str]) -> str:
    shown = "".join(render("context-line", line=line) for line in lines)
    return render("context", lines=shown) if lines else ""


def chat(system: str, user: str) -> str:
    """The ChatML prompt up to and including the assistant's opening."""
    return (
        f"<|im_start|>system\n{system}{END_OF_TURN}\n<|im_start|>user\n{user}{END_OF_TURN}\n"
        "<|im_start|>assistant\n"
    )


def solution_turn(plan: str, thought: str, answer: str) -> str:
    return f"<think><plan>{plan}</plan>\n{thought}</think>\n<answer>{answer}</answer>{END_OF_TURN}"


def proposal_turn(plan: str, answer: str) -> str:
    return f"<think><plan>{plan}</plan></think>\n<answer>\n{answer}\n</answer>{END_OF_TURN}"


def fence(kind: str, text: str) -> str:
    return f"```{kind}\n{text}\n```"
