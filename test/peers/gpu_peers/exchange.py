"""What the comparison asks of a program, and what that answers: two JSON files.

Only the standard library, since every program reads this in an environment of its own.
"""

from __future__ import annotations

import importlib.metadata
import json
from dataclasses import asdict, dataclass
from pathlib import Path

Messages = list[dict[str, str]]


@dataclass(frozen=True)
class Request:
    """`lengths[i][j]` is how many tokens generation j of prompt i has; `rounds` leaves out warm-up.

    `rank` is that of LoRA on all linear layers (alpha twice that), 0 for all weights. A
    micro-batch has `micro_rows` rows, or `pack_tokens` tokens where a program packs.
    """

    model: str
    prompts: list[Messages]
    lengths: list[list[int]]
    rounds: int
    rank: int
    micro_rows: int
    pack_tokens: int
    learning_rate: float
    vllm_share: float
    device: str

    @property
    def rows(self) -> int:
        return sum(len(one) for one in self.lengths)

    @property
    def tokens(self) -> int:
        return sum(sum(one) for one in self.lengths)

    @property
    def longest(self) -> int:
        return max(max(one) for one in self.lengths)

    @property
    def is_equal(self) -> bool:
        return all(one == self.longest for row in self.lengths for one in row)


@dataclass(frozen=True)
class Round:
    """Seconds of one step; `other` is what belongs to neither part."""

    rollouts: float
    update: float
    other: float


@dataclass(frozen=True)
class Answer:
    """`tokens` are those that one step's rollouts wrote, as the program itself counted them."""

    rounds: list[Round]
    prompt_ids: list[list[int]]
    tokens: int
    versions: dict[str, str]


def write_request(file: Path, request: Request) -> None:
    file.write_text(json.dumps(asdict(request)))


def read_request(file: Path) -> Request:
    return Request(**json.loads(file.read_text()))


def write_answer(file: Path, answer: Answer) -> None:
    file.write_text(json.dumps(asdict(answer)))


def read_answer(file: Path) -> Answer:
    """Raises ValueError, KeyError or TypeError where the file is no answer."""
    raw = json.loads(file.read_text())
    return Answer(**{**raw, "rounds": [Round(**one) for one in raw["rounds"]]})


def trouble_with(request: Request, answer: Answer) -> str | None:
    """Why an answer is not one to this request."""
    if len(answer.rounds) != request.rounds:
        return f"it told {len(answer.rounds)} rounds where {request.rounds} were asked for"
    if answer.tokens != request.tokens:
        return f"it wrote {answer.tokens} tokens a step where {request.tokens} were imposed"
    if any(min(one.rollouts, one.update) <= 0 for one in answer.rounds):
        return "it told a part that took no time"
    return None


def rewards_of(lengths: list[list[int]]) -> list[list[float]]:
    """Any will do; that of every eighth generation differs, so that the gradient is not zero."""
    return [[float(at % 8 == 7) for at in range(len(row))] for row in lengths]


def versions_of(*names: str) -> dict[str, str]:
    return {one: importlib.metadata.version(one) for one in names}


def token_ids(tokenizer: object, prompts: list[Messages]) -> list[list[int]]:
    """What a tokenizer of transformers makes of chat prompts, as all peers ask it."""
    made = tokenizer.apply_chat_template(  # type: ignore[attr-defined]
        prompts, add_generation_prompt=True, return_dict=True
    )
    return [list(one) for one in made["input_ids"]]
