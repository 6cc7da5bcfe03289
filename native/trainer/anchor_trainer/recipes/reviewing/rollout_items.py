"""Raw items written by a policy itself, at the temperatures and slips of a run in progress."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ..corpus.conduct import ROLES
from ..corpus.prompts import chat, render, system_text
from ..corpus.samples import draw_keys, lines_of
from ..corpus.solving import INDUCTION_EXAMPLES, induction_prompt_text
from ..evaluation.asking import Subject
from ..evaluation.grading import valid_induction_proposal
from ..evaluation.reading import Turn, read_turn
from ..evaluation.restricted import Refused, parse_literal, run_program
from .defects import parser_view
from .raw_items import (
    CODE_TASKS,
    SOUND,
    RawItem,
    conduct_task,
    proposer_task,
    references_for,
    solver_task,
)

TEMPERATURES = (1.0, 1.3)  # the second stands for a policy that lost some of its form


def _asked(rng: Random) -> tuple[RawItem, str]:
    """A task in raw form, and the prompt a policy gets for it under random guidance."""
    share = rng.random()
    kind = rng.choice(CODE_TASKS)
    if share < 0.30:
        item = conduct_task(rng)
        role, user = rng.choice(ROLES), str(item["request"])
    elif share < 0.60:
        item, _ = solver_task(rng, kind)
        role = "solver"
        if kind == "deduction":
            user = render("solve-deduction", program=item["program"], input=item["inputs"][0])
        elif kind == "abduction":
            user = render("solve-abduction", program=item["program"], output=item["output"])
        else:
            pairs = [(pair["input"], pair["output"]) for pair in item["examples"]]
            user = induction_prompt_text(pairs, item["message"])
    else:
        item, _ = proposer_task(rng, kind)
        role = "proposer"
        if kind == "induction":
            user = render("propose-induction", program=item["program"])
        else:
            item["references"] = references_for(rng, 0)
            shown = "".join(render("reference", program=text) for text in item["references"])
            user = render(f"propose-{kind}", references=shown)
    keys = draw_keys(rng, "proposer" if role == "proposer" else "solver", 0.5)
    return item, chat(system_text(role, lines_of(rng, keys)), user)


def _validity(source: str | None, inputs: list[str]) -> dict[str, object]:
    """Stands for the runner's validation, with its words."""
    if source is None:
        return {"valid": False, "reason": "no-program"}
    view = parser_view(source)
    if not view["ok"]:
        return {"valid": False, "reason": "syntax-error"}
    if view["imports"]:
        return {"valid": False, "reason": "banned-module"}
    if not inputs:
        return {"valid": False, "reason": "no-input"}
    try:
        run_program(source, parse_literal(inputs[0]))
    except Refused as error:
        return {"valid": False, "reason": "not-a-literal" if "literal" in str(error) else "raised"}
    return SOUND


def _proposal_items(item: RawItem, turn: Turn | None, text: str) -> Iterator[RawItem]:
    if turn is None:
        yield item | {
            "phase": "task",
            "program": None,
            "inputs": [],
            "formatOk": False,
            "validity": {"valid": False, "reason": "bad-format"},
        }
        return
    inputs = turn.blocks("input")
    if item["taskType"] == "induction":
        messages = turn.blocks("message")
        valid = valid_induction_proposal(str(item["program"]), text, INDUCTION_EXAMPLES)
        shown = item | {"inputs": inputs, "message": messages[0] if messages else None}
        yield shown | {
            "phase": "task",
            "validity": SOUND
            if valid
            else {"valid": False, "reason": "raised" if messages else "no-message"},
        }
    else:
        source = next(iter(turn.blocks("python")), None)
        shown = item | {"program": source, "inputs": inputs}
        task = shown | {"phase": "task", "validity": _validity(source, inputs)}
        yield task | ({"parsed": parser_view(source)} if source is not None else {})
    if turn.plan:
        yield shown | {"phase": "plan", "plan": turn.plan, "references": []}


def _solution_items(item: RawItem, turn: Turn | None) -> Iterator[RawItem]:
    if turn is None:
        yield item | {"phase": "output", "formatOk": False, "answer": None}
        return
    code = item["taskType"] in CODE_TASKS
    shows_answer = item["taskType"] == "induction"
    if turn.plan and code:
        yield (
            item
            | {"phase": "plan", "plan": turn.plan}
            | ({"answer": turn.answer} if shows_answer else {})
        )
    if turn.thought:
        yield item | {"phase": "thought", "thought": turn.thought}
    yield item | {"phase": "output", "answer": turn.answer, "formatOk": True}


def rollout_items(subject: Subject, seed: str, rollouts: int) -> list[RawItem]:
    """Items of all phases but exec from `rollouts` completions, half at each temperature."""
    rng = Random(seed)
    items: list[RawItem] = []
    for temperature in TEMPERATURES:
        asked = [_asked(rng) for _ in range(rollouts // len(TEMPERATURES))]
        texts = subject.answer(
            [prompt for _, prompt in asked], temperature, seed=rng.randrange(2**31)
        )
        for (item, _), text in zip(asked, texts, strict=True):
            turn = read_turn(text)
            if item["role"] == "proposer":
                items += _proposal_items(item, turn, text)
            else:
                items += _solution_items(item, turn)
    return items
