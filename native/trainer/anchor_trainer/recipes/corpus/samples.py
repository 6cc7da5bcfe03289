"""What a generator hands over: a prompt, the completion to learn, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .guidance import lines_of
from .prompts import chat, system_text

TRACE_SHARE = 0.40  # untold solvers trace this often: evolution and guidance have room to find it


@dataclass(frozen=True)
class Sample:
    """`prompt` ends with the assistant's opening, `completion` with the end-of-turn token."""

    kind: str
    prompt: str
    completion: str
    keys: tuple[str, ...] = ()


def prompt_of(rng: Random, role: str, keys: list[str], user: str) -> str:
    return chat(system_text(role, lines_of(rng, keys)), user)


def traces(rng: Random, keys: list[str], untold: float = TRACE_SHARE) -> bool:
    """Whether this solver writes its steps: told so, told not to, or by its own habit."""
    if "trace" in keys:
        return True
    if "brief" in keys:
        return False
    return "acclow" in keys or rng.random() < untold


def with_type(thought: str, keys: list[str], name: str) -> str:
    return f"{thought} type {name}" if "types" in keys else thought
