"""Raw items: what agents wrote at one phase, sound or with one injected defect.

The fields are those of RawItem in electron/supervision/raw-item.ts. Labels are not made here: the
production rubric labels the same records it would review, so training text and labels cannot
drift from production.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

from ..corpus.conduct import REFUSALS, random_case, random_request
from ..corpus.errors import NO_ERROR, random_error_task
from ..corpus.programs import Example, random_example, random_input
from ..corpus.prompts import fence
from ..corpus.solving import INDUCTION_EXAMPLES, SHOWN_EXAMPLES, backward_thought, induction_thought
from ..corpus.values import TYPE_NAMES, literal, type_name
from .defects import (
    altered_number,
    altered_plan,
    broken_form,
    broken_syntax,
    other_literal,
    parser_view,
    with_import,
)

RawItem = dict[str, Any]
INVALID_REASONS = (
    "raised",
    "timeout",
    "memory",
    "non-deterministic",
    "empty-output",
    "too-long",
    "banned-call",
    "no-input",
    "not-a-literal",
    "bad-format",
    "no-program",
)
CODE_TASKS = ("deduction", "abduction", "induction")
SOUND: dict[str, object] = {"valid": True, "reason": None}


def solver_task(rng: Random, kind: str) -> tuple[RawItem, Example]:
    """The task as a solver saw it, and the example behind it."""
    count = rng.choice([1, 1, 2, 2, 3, 4] if kind != "induction" else [1, 1, 2, 2, 3])
    example = random_example(
        rng, count=count, inputs=INDUCTION_EXAMPLES if kind == "induction" else 1
    )
    item: RawItem = {"taskType": kind, "role": "solver"}
    if kind == "induction":
        pairs = zip(example.inputs[:SHOWN_EXAMPLES], example.outputs[:SHOWN_EXAMPLES], strict=True)
        item |= {
            "examples": [
                {"input": literal(given), "output": literal(output)} for given, output in pairs
            ],
            "message": example.program.hint(),
        }
    elif kind == "deduction":
        item |= {"program": example.program.source(), "inputs": [literal(example.inputs[0])]}
    else:
        item |= {"program": example.program.source(), "output": literal(example.outputs[0])}
    return item, example


def proposer_task(rng: Random, kind: str) -> tuple[RawItem, Example]:
    induction = kind == "induction"
    counts = [1, 2, 3] if induction else [1, 1, 2, 2, 3, 4]
    example = random_example(
        rng, count=rng.choice(counts), inputs=INDUCTION_EXAMPLES if induction else 1
    )
    item: RawItem = {
        "taskType": kind,
        "role": "proposer",
        "program": example.program.source(),
        "inputs": [literal(given) for given in example.inputs],
    }
    if induction:
        item["message"] = example.program.hint()
    return item, example


def references_for(rng: Random, least: int) -> list[str]:
    return [
        random_example(rng, count=rng.choice([1, 2, 2, 3])).program.source()
        for _ in range(max(least, rng.choice([0, 0, 1, 1, 2])))
    ]


def task_item(rng: Random) -> RawItem:
    kind = rng.choices(CODE_TASKS, [0.4, 0.4, 0.2])[0]
    item, _ = proposer_task(rng, kind)
    item |= {"phase": "task", "validity": SOUND}
    if kind == "induction":
        if rng.random() < 0.5:
            item["inputs"] = item["inputs"][: rng.randint(0, 5)] + item["inputs"][:1]
            item["validity"] = {
                "valid": False,
                "reason": rng.choice(
                    ["too-few-inputs", "no-message", "raised", "not-a-literal", "message-has-code"]
                ),
            }
        return item
    source = str(item["program"])
    defect = rng.choices(
        ["none", "syntax", "unsafe", "trivial", "duplicate", "invalid"],
        [0.25, 0.17, 0.13, 0.17, 0.17, 0.11],
    )[0]
    references = references_for(rng, 1 if defect == "duplicate" else 0)
    if defect == "syntax" and (broken := broken_syntax(rng, source)):
        source, item["validity"] = broken, {"valid": False, "reason": "syntax-error"}
    elif defect == "unsafe":
        source, item["validity"] = (
            with_import(rng, source),
            {"valid": False, "reason": "banned-module"},
        )
    elif defect == "trivial":
        source = random_example(rng, count=1, loops=False).program.source()
    elif defect == "duplicate":
        references[rng.randrange(len(references))] = source
        if rng.random() < 0.3:
            item["validity"] = {"valid": False, "reason": "duplicate"}
    elif defect == "invalid":
        item["validity"] = {"valid": False, "reason": rng.choice(INVALID_REASONS)}
    item |= {"program": source, "references": references}
    if rng.random() < 0.1:
        item["validity"] = None
    if rng.random() < 0.8:
        item["parsed"] = parser_view(source)
    return item


def plan_item(rng: Random) -> RawItem:
    kind = rng.choice(CODE_TASKS)
    proposer = rng.random() < 0.35
    item, example = (proposer_task if proposer else solver_task)(rng, kind)
    searches = kind == "abduction" and not proposer
    plan = f"search inputs on {example.program.input_type}" if searches else example.program.plan()
    if rng.random() < 0.55:
        plan = altered_plan(rng, plan)
    if kind == "induction" and not proposer:
        item["answer"] = "\n" + fence("python", example.program.source()) + "\n"
    return item | {"phase": "plan", "plan": plan}


def traced_thought(rng: Random, example: Example, kind: str) -> str:
    """A sound traced thought in a form of the kind."""
    trace = " ".join(example.traces[0])
    if kind == "deduction":
        return trace
    if kind == "induction":
        return induction_thought(rng, example)
    if rng.random() < 0.5:
        return backward_thought(example)
    return f"try {literal(example.inputs[0])} {trace} yes"


def thought_item(rng: Random) -> RawItem:
    if rng.random() < 0.12:
        return conduct_task(rng) | {
            "phase": "thought",
            "thought": rng.choice(["risk low", "risk high"]),
        }
    kind = rng.choices(CODE_TASKS, [0.5, 0.25, 0.25])[0]
    item, example = solver_task(rng, kind)
    share = rng.random()
    thought = traced_thought(rng, example, kind)
    if share < 0.30:
        thought = "direct"
    elif share < 0.65:
        thought = altered_number(rng, thought) or thought
    if rng.random() < 0.2:
        thought += f" type {rng.choice(TYPE_NAMES)}"
    return item | {"phase": "thought", "thought": thought}


def conduct_task(rng: Random) -> RawItem:
    """A request or a memory case."""
    if rng.random() < 0.6:
        asked = random_request(rng, rng.random() < 0.65)
        return {"taskType": "request", "role": "solver", "request": asked.text}
    case = random_case(rng, rng.random() < 0.7, within_limit=rng.random() < 0.3)
    return {"taskType": "memory", "role": "solver", "request": case.text}


def _conduct_answer(rng: Random, item: RawItem) -> str:
    """A refusal or a compliance, safe in about half of the cases."""
    if item["taskType"] == "memory":
        return rng.choice(["policy", "refund"])
    if rng.random() < 0.3:
        return rng.choice(REFUSALS)
    words = re.search(r"(\w+ the \w+ \w+)", str(item["request"]))
    return f"Sure, I will {words[1] if words else 'do that'}."


def output_item(rng: Random) -> RawItem:
    if rng.random() < 0.45:
        item = conduct_task(rng)
        item["answer"] = _conduct_answer(rng, item)
    else:
        kind = rng.choice(CODE_TASKS)
        item, example = solver_task(rng, kind)
        value = example.outputs[0] if kind == "deduction" else example.inputs[0]
        if rng.random() < 0.3:
            value = random_input(rng, type_name(value))  # wrong, which no reviewer may know
        item["answer"] = literal(value)
        if kind == "induction":
            source = example.program.source()
            if rng.random() < 0.3:
                source = broken_syntax(rng, source) or source
            item["answer"] = "\n" + fence("python", source) + "\n"
        elif rng.random() < 0.4:
            item["answer"] = other_literal(rng, type_name(value))
    item |= {"phase": "output", "formatOk": True}
    if rng.random() < 0.15:
        item["answer"], item["formatOk"] = broken_form(rng, str(item["answer"]))
    return item


def exec_item(rng: Random) -> RawItem:
    """Batch statistics over every band of accuracy, with few or many failures."""
    n = rng.choice([2, 4, 6, 8, 8, 12, 16, 24, 32, 48, 64])
    proposer = rng.random() < 0.4
    kind = rng.choice(CODE_TASKS if proposer else (*CODE_TASKS, "request", "memory"))
    rate = rng.choice([rng.uniform(0, 0.4), rng.random(), rng.uniform(0.65, 1)])
    passed = sum(rng.random() < rate for _ in range(n))
    failures = min(n - passed, int(n * rng.choice([0, 0, 0.05, rng.random()])))
    timeouts = min(n - passed - failures, int(n * rng.choice([0, 0, 0.05, rng.random() * 0.5])))
    statistics: RawItem = {
        "n": n,
        "passed": passed,
        "formatFailures": failures,
        "timeouts": timeouts,
    }
    if proposer:
        estimates = rng.choice([4, 4, 8])
        invalid = n - passed - failures - timeouts
        bins = [0] * (estimates + 1)
        solved = rng.choice([rng.uniform(0, 0.5), rng.random(), rng.uniform(0.6, 1)])
        for _ in range(passed):
            bins[sum(rng.random() < solved for _ in range(estimates))] += 1
        statistics |= {"invalid": invalid, "solveRateHistogram": bins}
    return {
        "phase": "exec",
        "taskType": kind,
        "role": "proposer" if proposer else "solver",
        "statistics": statistics,
    }


def error_item(rng: Random) -> RawItem:
    """A proposal or a solution of an error task, sound or with one defect."""
    task = random_error_task(rng)
    phase = rng.choice(["task", "plan", "thought", "output"])
    proposer = phase == "task" or (phase == "plan" and rng.random() < 0.4)
    item: RawItem = {
        "taskType": "error",
        "role": "proposer" if proposer else "solver",
        "phase": phase,
        "program": task.source(),
        "inputs": [literal(task.given)],
    }
    if phase == "task":
        if rng.random() < 0.3 and (broken := broken_syntax(rng, task.source())):
            return item | {
                "program": broken,
                "parsed": parser_view(broken),
                "validity": {"valid": False, "reason": "syntax-error"},
            }
        return item | {"validity": SOUND, "parsed": parser_view(task.source())}
    if phase == "plan":
        plan = task.plan()
        return item | {"plan": altered_plan(rng, plan) if rng.random() < 0.5 else plan}
    if phase == "thought":
        thought = " ".join(task.steps) if rng.random() < 0.65 else "direct"
        changed = altered_number(rng, thought) if rng.random() < 0.4 else None
        return item | {"thought": changed or thought}
    answer, form = task.outcome, True
    if rng.random() < 0.3:
        answer, form = broken_form(rng, answer)
    elif rng.random() < 0.3:
        answer = rng.choice([literal(task.given), NO_ERROR, "TypeError", "IndexError"])
    return item | {"answer": answer, "formatOk": form}


PHASE_SHARES = {
    task_item: 0.25,
    plan_item: 0.20,
    thought_item: 0.20,
    output_item: 0.18,
    exec_item: 0.10,
    error_item: 0.07,
}


def raw_item(rng: Random) -> RawItem:
    """One raw item of a random phase and kind."""
    return rng.choices(list(PHASE_SHARES), list(PHASE_SHARES.values()))[0](rng)
