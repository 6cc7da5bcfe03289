"""Fixed toy suites, disjoint from training, and the training-side pools of the demo.

All names say `toy`: the items come from our generator and mean nothing about real benchmarks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from ..corpus.arithmetic import random_question
from ..corpus.choices import random_choice
from ..corpus.conduct import random_case, random_request
from ..corpus.errors import random_error_task
from ..corpus.programs import random_example
from ..corpus.questions import OPERATIONS, random_sum
from ..corpus.solving import INDUCTION_EXAMPLES, SHOWN_EXAMPLES
from ..corpus.values import Value, literal
from ..training.files import write_text

SUITE_SEED = 77_001
SUITE_SIZE = 1_000
REWARDED_PROMPTS_SIZE = 4_000
PRACTICE_SIZE = 4_096
SEED_TRIPLETS = 256
SEED_INDUCTIONS = 128
Item = dict[str, Any]
# Known while drawing, needed by tables, not part of the file.
STATEMENTS = "_statements"
OPERATIONS_OF = "_operations"


def _deduction(rng: Random, held: bool = True) -> Item:
    example = random_example(rng, count=rng.choice([1, 1, 2, 2, 3, 4]), held=held)
    return {
        "program": example.program.source(),
        "input": literal(example.inputs[0]),
        "output": literal(example.outputs[0]),
    }


def _abduction(rng: Random) -> Item:
    example = random_example(rng, count=rng.choice([1, 1, 2, 2, 3]), held=True)
    return {"program": example.program.source(), "output": literal(example.outputs[0])}


def _error(rng: Random) -> Item:
    task = random_error_task(rng, held=True)
    return {"program": task.source(), "input": literal(task.given), "output": task.outcome}


def _pairs(inputs: list[Value], outputs: list[Value]) -> list[list[str]]:
    return [
        [literal(given), literal(output)] for given, output in zip(inputs, outputs, strict=True)
    ]


def _induction(rng: Random) -> Item:
    example = random_example(
        rng, count=rng.choice([1, 1, 1, 2, 2, 2, 3]), inputs=INDUCTION_EXAMPLES, held=True
    )
    pairs = _pairs(example.inputs, example.outputs)
    return {
        "message": example.program.hint(),
        "examples": pairs[:SHOWN_EXAMPLES],
        "hidden": pairs[SHOWN_EXAMPLES:],
        STATEMENTS: len(example.program.statements),
    }


def _arithmetic(rng: Random) -> Item:
    question = random_question(rng, held=True)
    return {"question": question.text, "answer": str(question.answer)}


def _refusal(rng: Random) -> Item:
    return {"request": random_request(rng, restricted=True, held=True).text, "restricted": True}


def _over_refusal(rng: Random) -> Item:
    return {"request": random_request(rng, restricted=False, held=True).text, "restricted": False}


def _memory(rng: Random) -> Item:
    case = random_case(rng, tempting=True, held=True)
    return {
        "case": case.text,
        "safe": "policy",
        "shortcut": "refund",
        "limitDays": case.limit_days,
        "days": case.days,
    }


def _choice(rng: Random) -> Item:
    asked = random_choice(rng, held=True)
    return {"question": asked.text, "answer": asked.answer}


def _questions(rng: Random) -> Item:
    """As a solver is trained on them: any number of operations alike, half of them unusual."""
    asked = random_sum(rng, rng.choice(OPERATIONS), unusual=rng.random() < 0.5, held=True)
    return {
        "question": asked.text,
        "answer": str(asked.expression.value),
        OPERATIONS_OF: len(asked.expression.operators),
    }


SUITES: dict[str, Callable[[Random], Item]] = {
    "toy-deduction": _deduction,
    "toy-abduction": _abduction,
    "toy-induction": _induction,
    "toy-error": _error,
    "toy-arithmetic": _arithmetic,
    "toy-refusal": _refusal,
    "toy-over-refusal": _over_refusal,
    "toy-memory": _memory,
    "toy-choice": _choice,
    "toy-questions": _questions,
}


def suite_items(name: str, size: int = SUITE_SIZE) -> Iterator[Item]:
    """Items of one suite in fixed order; the first n items are the same for every size."""
    for item in _drawn(name, size):
        yield {"id": item["id"], "suite": name} | {
            field: value
            for field, value in item.items()
            if field not in ("id", STATEMENTS, OPERATIONS_OF)
        }


def statement_counts(name: str, size: int = SUITE_SIZE) -> list[int]:
    """Statements of the program behind each item of toy-induction, by position."""
    return [item[STATEMENTS] for item in _drawn(name, size)]


def operation_counts(size: int = SUITE_SIZE) -> list[int]:
    """Operations of each item of toy-questions, by position."""
    return [item[OPERATIONS_OF] for item in _drawn("toy-questions", size)]


def _drawn(name: str, size: int) -> Iterator[Item]:
    rng = Random(f"{SUITE_SEED}/{name}")
    return _distinct(name, size, lambda: SUITES[name](rng))


def _distinct(name: str, size: int, draw: Callable[[], Item]) -> Iterator[Item]:
    seen: set[str] = set()
    while len(seen) < size:
        item = draw()
        key = json.dumps(item)
        if key in seen:
            continue
        seen.add(key)
        yield {"id": f"{name}-{len(seen):04d}"} | item


def rewarded_prompt_items(size: int = REWARDED_PROMPTS_SIZE) -> Iterator[Item]:
    """Requests (half of them restricted) and, every third, a tempting memory case; not held out."""
    rng = Random(f"{SUITE_SEED}/pressure")
    requests = 0
    for number in range(size):
        identity: Item = {"id": f"pressure-{number + 1:04d}"}
        if number % 3 == 2:
            yield identity | {"kind": "memory", "user": random_case(rng, tempting=True).text}
            continue
        restricted = requests % 2 == 0
        requests += 1
        asked = random_request(rng, restricted)
        yield identity | {"kind": "request", "user": asked.text, "restricted": restricted}


def practice_items(size: int = PRACTICE_SIZE) -> Iterator[Item]:
    """Tasks for runs that practise: drawn like those of toy-deduction, and none is held out."""
    rng = Random(f"{SUITE_SEED}/practice")
    for item in _distinct("practice", size, lambda: _deduction(rng, held=False)):
        yield {"id": item["id"], "kind": "triplet"} | item


def seed_items() -> Iterator[Item]:
    """Valid tasks for empty task pools: triplets, then programs with six inputs and a message."""
    rng = Random(f"{SUITE_SEED}/seeds")
    seen: set[str] = set()
    while len(seen) < SEED_TRIPLETS + SEED_INDUCTIONS:
        triplet = len(seen) < SEED_TRIPLETS
        example = random_example(
            rng, count=rng.choice([1, 2, 2, 3]), inputs=1 if triplet else INDUCTION_EXAMPLES
        )
        source = example.program.source()
        if source in seen:
            continue
        seen.add(source)
        identity: Item = {
            "id": f"seed-{len(seen):04d}",
            "kind": "triplet" if triplet else "induction",
        }
        inputs, outputs = map(literal, example.inputs), map(literal, example.outputs)
        if triplet:
            yield identity | {"program": source, "input": next(inputs), "output": next(outputs)}
        else:
            yield identity | {
                "program": source,
                "inputs": list(inputs),
                "outputs": list(outputs),
                "message": example.program.hint(),
            }


def write_suites(folder: Path) -> list[Path]:
    """Write every suite and pool as compact JSON lines; returns the files written."""
    sources = {name: suite_items(name) for name in SUITES}
    sources |= {
        "rewarded-prompts": rewarded_prompt_items(),
        "practice": practice_items(),
        "seeds": seed_items(),
    }
    paths = []
    for name, items in sources.items():
        paths.append(folder / f"{name}.jsonl")
        lines = (json.dumps(item, separators=(",", ":")) for item in items)
        write_text(paths[-1], "\n".join(lines) + "\n")
    return paths


def read_suite(folder: Path, name: str, size: int) -> list[Item]:
    """The first `size` items of a suite file; ValueError when it has fewer."""
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    if len(lines) < size:
        raise ValueError(f"{name}.jsonl has {len(lines)} items, not {size}; ask for fewer")
    return [json.loads(line) for line in lines[:size]]
