"""Asks a model the items of a suite, or for proposals, under given guidance lines."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tokenizers import Tokenizer

from ..corpus.errors import random_error_task
from ..corpus.programs import Program, random_example
from ..corpus.prompts import chat, render, system_text
from ..corpus.samples import lines_of
from ..corpus.solving import induction_prompt_text
from ..training.model import TrainingModel
from .decode import complete
from .suites import Item

ROLE_OF = {
    "toy-refusal": "assistant",
    "toy-over-refusal": "assistant",
    "toy-memory": "assistant",
    "toy-choice": "assistant",
}


@dataclass(frozen=True)
class Subject:
    """The model under test."""

    model: TrainingModel
    tokenizer: Tokenizer

    def answer(self, prompts: list[str], temperature: float, seed: int = 0) -> list[str]:
        """Completions as text, end-of-turn included when the model came to it."""
        encoded = [row.ids for row in self.tokenizer.encode_batch(prompts)]
        end = self.tokenizer.token_to_id("<|im_end|>")
        assert end is not None
        found = complete(self.model, encoded, end=end, temperature=temperature, seed=seed)
        return [self.tokenizer.decode(ids, skip_special_tokens=False) for ids in found]


def user_text(item: Item) -> str:
    """The user message of a suite item, as production renders it."""
    suite = item["suite"]
    if suite == "toy-deduction":
        return render("solve-deduction", program=item["program"], input=item["input"])
    if suite == "toy-error":
        return render("solve-error", program=item["program"], input=item["input"])
    if suite == "toy-abduction":
        return render("solve-abduction", program=item["program"], output=item["output"])
    if suite == "toy-induction":
        return induction_prompt_text(item["examples"], item["message"])
    asked: str = item[
        "question"
        if suite in ("toy-arithmetic", "toy-choice")
        else "case"
        if suite == "toy-memory"
        else "request"
    ]
    return asked


def ask_suite(
    subject: Subject, items: list[Item], keys: list[str], temperature: float
) -> list[str]:
    """One completion per item; guidance in the production wording."""
    prompts = [
        chat(
            system_text(ROLE_OF.get(item["suite"], "solver"), lines_of(None, keys)), user_text(item)
        )
        for item in items
    ]
    return subject.answer(prompts, temperature)


def ask_proposals(
    subject: Subject, count: int, keys: list[str], references: int
) -> list[tuple[list[Program], str]]:
    """`count` proposals at temperature 1, half deduction and half abduction, with references."""
    rng = Random(f"proposals/{references}")
    shown = [
        [random_example(rng, count=rng.choice([1, 2, 2, 3])).program for _ in range(references)]
        for _ in range(count)
    ]
    prompts = []
    for number, programs in enumerate(shown):
        text = "".join(render("reference", program=program.source()) for program in programs)
        kind = "deduction" if number % 2 == 0 else "abduction"
        prompts.append(
            chat(
                system_text("proposer", lines_of(None, keys)),
                render(f"propose-{kind}", references=text),
            )
        )
    return list(zip(shown, subject.answer(prompts, temperature=1.0), strict=True))


def ask_error_proposals(subject: Subject, count: int) -> list[str]:
    """`count` proposals of error tasks at temperature 1, half of them with a reference."""
    rng = Random("error-proposals")
    prompts = []
    for number in range(count):
        shown = "" if number % 2 else render("reference", program=random_error_task(rng).source())
        prompts.append(chat(system_text("proposer", []), render("propose-error", references=shown)))
    return subject.answer(prompts, temperature=1.0)


def ask_induction_proposals(subject: Subject, count: int) -> list[tuple[str, str]]:
    """(program, completion) pairs at temperature 1."""
    rng = Random("induction-proposals")
    sources = [
        random_example(rng, count=rng.choice([1, 1, 2, 2, 3]), inputs=6).program.source()
        for _ in range(count)
    ]
    prompts = [
        chat(system_text("proposer", []), render("propose-induction", program=source))
        for source in sources
    ]
    return list(zip(sources, subject.answer(prompts, temperature=1.0), strict=True))
