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


FORM = re.compile(r"\s*<think>.*?</think>\s*<answer>.*?</answer>", re.S)


def read_as_original(text: str) -> tuple[bool, str | None]:
    """The reader `azr-compat`: whether the text begins with a think block and an answer block,
    whatever follows; and what stands behind the last opening of an answer, up to its end."""
    answer = None
    if "<answer>" in text:
        answer = text.rpartition("<answer>")[2].partition("</answer>")[0].strip()
    return FORM.match(text) is not None, answer


def _some(text: str) -> str | None:
    return text.strip() or None


def blocks(answer: str, *kinds: str) -> list[str]:
    """The fenced blocks of these kinds, in order."""
    return [body.rstrip("\n") for kind, body in FENCE.findall(answer) if kind in kinds]


def value_text(answer: str, kind: str, as_original: bool = False) -> str:
    """What a solver answers with: its last fenced block of the kind, or all of the answer where
    there is none. As the original: docs/verify.md, "Values of azr-compat"."""
    if as_original:
        return _value_of_original(answer, kind).strip()
    found = blocks(answer, kind)
    return (found[-1] if found else answer).strip()


def _value_of_original(answer: str, kind: str) -> str:
    for pattern in (
        rf"```{kind}\s*\n?(.*?)\n?```",
        rf"# {kind}:\s*(.*?)(?=\n```|$)",
        rf"{kind}\s*\((.*?)\)",
        rf"<{kind}>\s*(.*?)(?:</{kind}>|\s*$)",
        rf"the {kind} is\s*(.*?)\.?$",
    ):
        found: list[str] = re.findall(pattern, answer, re.S | re.I)
        if found:
            return found[-1]
    return answer


def program_text(answer: str, as_original: bool = False) -> str | None:
    """The last program of an answer; as the original, the last fenced block of any kind."""
    if as_original:
        fenced: list[str] = re.findall(r"```(?:python\s*)?\n?(.*?)\n?```", answer, re.S | re.I)
        return fenced[-1].strip() if fenced else None
    found = blocks(answer, "python", "py", "")
    return found[-1] if found else None
