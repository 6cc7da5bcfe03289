"""Reads a completion: plan, thought, answer, fenced blocks. None where the form is broken."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TURN = re.compile(r"<think><plan>(.*?)</plan>\n?(.*?)</think>\n<answer>(.*?)</answer>", re.DOTALL)
_FENCE = re.compile(r"```(\w+)\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True)
class Turn:
    plan: str
    thought: str
    answer: str

    def blocks(self, kind: str) -> list[str]:
        return [text for name, text in _FENCE.findall(self.answer) if name == kind]

    def traced(self) -> bool:
        return bool(self.thought) and not self.thought.startswith("direct")


def read_turn(text: str) -> Turn | None:
    match = _TURN.fullmatch(text.removesuffix("<|im_end|>"))
    return Turn(match[1], match[2], match[3]) if match else None
