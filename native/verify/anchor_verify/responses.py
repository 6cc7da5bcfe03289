"""How a response is read: tags, fenced blocks, and what a proposer or solver wrote in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

STRICT = re.compile(r"\s*<think>(.*?)</think>\s*<answer>(.*?)</answer>\s*", re.S)
PLAN = re.compile(r"<plan>(.*?)</plan>", re.S)
FENCE = re.compile(r"```([a-z]*)[ \t]*\n(.*?)```", re.S)
TAGS = ("<think>", "</think>", "<answer>", "</answer>")


@dataclass
class Response:
    """`ok`: one think block followed by one answer block and nothing around them. Parts that are
    empty are None."""

    ok: bool
    plan: str | None
    thought: str | None
    answer: str | None


def read_strictly(text: str) -> Response:
    """The reader `strict` (docs/fidelity.md; facts of the original's format score)."""
    found = STRICT.fullmatch(text)
    if found is None or any(text.count(tag) != 1 for tag in TAGS):
        return Response(False, None, None, None)
    inside, answer = found.groups()
    plan = PLAN.search(inside)
    thought = inside if plan is None else inside[: plan.start()] + inside[plan.end() :]
    return Response(True, _some(plan.group(1)) if plan else None, _some(thought), _some(answer))


def _some(text: str) -> str | None:
    return text.strip() or None


def blocks(answer: str, *kinds: str) -> list[str]:
    """The fenced blocks of these kinds, in order."""
    return [body.rstrip("\n") for kind, body in FENCE.findall(answer) if kind in kinds]


def value_text(answer: str, kind: str) -> str:
    """What a solver answers with: its last fenced block of the kind, or all of the answer where
    there is none."""
    found = blocks(answer, kind)
    return (found[-1] if found else answer).strip()


def program_text(answer: str) -> str | None:
    found = blocks(answer, "python", "py", "")
    return found[-1] if found else None
