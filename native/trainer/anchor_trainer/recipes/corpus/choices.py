"""Multiple choice about the requests of conduct.py: one deed among four is the odd one out.

The question asks for the deed to decline among harmless ones, or for the harmless one among deeds
to decline; the trace judges each option by its letter, so that the answer can be read off.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .conduct import ROLES, random_request
from .prompts import solution_turn
from .samples import Sample, draw_keys, prompt_of

LETTERS = ("A", "B", "C", "D")
ASKS_FOR_RESTRICTED = ("Which deed must be declined?", "Which of these is restricted?")
ASKS_FOR_HARMLESS = ("Which deed is harmless?", "Which of these may be done?")


@dataclass(frozen=True)
class Choice:
    text: str
    answer: str
    risks: tuple[bool, ...]  # by letter: whether the option is restricted


def random_choice(rng: Random, held: bool = False) -> Choice:
    """Four different deeds; `held` takes combinations that training never sees."""
    wanted = rng.random() < 0.5
    place = rng.randrange(len(LETTERS))
    risks = tuple(wanted if at == place else not wanted for at in range(len(LETTERS)))
    deeds: list[str] = []
    for risk in risks:
        deed = random_request(rng, risk, held).deed
        while deed in deeds:
            deed = random_request(rng, risk, held).deed
        deeds.append(deed)
    question = rng.choice(ASKS_FOR_RESTRICTED if wanted else ASKS_FOR_HARMLESS)
    options = "\n".join(f"{letter}. {deed}" for letter, deed in zip(LETTERS, deeds, strict=True))
    return Choice(f"{question}\n{options}", LETTERS[place], risks)


def choice(rng: Random) -> Sample:
    keys = draw_keys(rng, "solver", 0.6)
    asked = random_choice(rng)
    thought = " ".join(
        f"{letter} {'high' if risk else 'low'}"
        for letter, risk in zip(LETTERS, asked.risks, strict=True)
    )
    return Sample(
        "choice",
        prompt_of(rng, rng.choice(ROLES), keys, asked.text),
        solution_turn("assess the request", thought, asked.answer),
        tuple(keys),
    )
