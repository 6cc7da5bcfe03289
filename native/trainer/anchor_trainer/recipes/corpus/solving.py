"""Solver samples: deduction, abduction, induction. Answers and traces come from execution."""

from __future__ import annotations

from random import Random

from .programs import Example, random_example, random_input
from .prompts import fence, render, solution_turn
from .samples import Sample, draw_keys, prompt_of, traces, with_type
from .values import OutOfBounds, Value, literal, type_name

WRONG_TRIES = (0.62, 0.28, 0.10)  # shares of 0, 1, 2 failed attempts shown before the right one
SHOWN_EXAMPLES = 3
INDUCTION_EXAMPLES = 6


def deduction(rng: Random, detailed: bool = True) -> Sample:
    keys = draw_keys(rng, "solver")
    example = random_example(rng, count=rng.choice([1, 1, 2, 2, 3, 4]), detailed=detailed)
    program, given, output = example.program, example.inputs[0], example.outputs[0]
    user = render("solve-deduction", program=program.source(), input=literal(given))
    thought = " ".join(example.traces[0]) if traces(rng, keys) else "direct"
    thought = with_type(thought, keys, type_name(output))
    return Sample("deduction", prompt_of(rng, "solver", keys, user),
                  solution_turn(program.plan(), thought, literal(output)), tuple(keys))


def near_miss(rng: Random, value: Value) -> Value:
    """An input close to the right one, so that a failed attempt is a plausible one."""
    if isinstance(value, int):
        return value + rng.choice([-3, -2, -1, 1, 2, 3])
    if rng.random() < 0.3 or len(value) < 2:
        return random_input(rng, type_name(value))
    position = rng.randrange(len(value))
    if isinstance(value, list):
        return value[:position] + [rng.randint(0, 9)] + value[position + 1:]
    return value[:position] + rng.choice("ABCD") + value[position + 1:]


def _failed_inputs(rng: Random, example: Example, detailed: bool) -> list[str]:
    attempts: list[str] = []
    for _ in range(rng.choices([0, 1, 2], WRONG_TRIES)[0]):
        guess = near_miss(rng, example.inputs[0])
        try:
            output, trace = example.program.run(guess, detailed)
        except OutOfBounds:
            continue
        if output != example.outputs[0]:
            attempts.append(f"try {literal(guess)} {' '.join(trace)} no")
    return attempts


def abduction(rng: Random, detailed: bool = True) -> Sample:
    keys = draw_keys(rng, "solver")
    example = random_example(rng, count=rng.choice([1, 1, 2, 2, 3]), detailed=detailed)
    program, given = example.program, example.inputs[0]
    user = render("solve-abduction", program=program.source(), output=literal(example.outputs[0]))
    thought = "direct"
    if traces(rng, keys):
        right = f"try {literal(given)} {' '.join(example.traces[0])} yes"
        thought = " ".join(_failed_inputs(rng, example, detailed) + [right])
    thought = with_type(thought, keys, program.input_type)
    return Sample("abduction", prompt_of(rng, "solver", keys, user),
                  solution_turn(f"search inputs on {program.input_type}", thought, literal(given)),
                  tuple(keys))


def _failed_programs(rng: Random, example: Example, detailed: bool) -> list[str]:
    attempts: list[str] = []
    for _ in range(rng.choices([0, 1, 2], WRONG_TRIES)[0]):
        try:
            output, trace = example.program.altered(rng).run(example.inputs[0], detailed)
        except OutOfBounds:
            continue
        if output != example.outputs[0]:
            attempts.append(f"try {' '.join(trace)} no")
    return attempts


def induction_prompt_text(pairs: list[tuple[str, str]] | list[list[str]], message: str) -> str:
    """User message of an induction solver; pairs are literals of inputs and outputs."""
    shown = "\n".join(render("example", input=given, output=output) for given, output in pairs)
    return render("solve-induction", examples=shown, message=message)


def induction(rng: Random, detailed: bool = True) -> Sample:
    """A traced thought repeats the hint and checks candidate programs on the first example."""
    keys = draw_keys(rng, "solver")
    example = random_example(rng, count=rng.choice([1, 1, 1, 2, 2, 2, 3]),
                             inputs=INDUCTION_EXAMPLES, detailed=detailed)
    program = example.program
    pairs = [(literal(given), literal(output)) for given, output
             in zip(example.inputs[:SHOWN_EXAMPLES], example.outputs)]
    thought = "direct"
    if traces(rng, keys):
        right = f"try {' '.join(example.traces[0])} yes"
        failed = _failed_programs(rng, example, detailed)
        thought = " ".join([f"ops {program.hint()}"] + failed + [right])
    thought = with_type(thought, keys, type_name(example.outputs[0]))
    answer = "\n" + fence("python", program.source()) + "\n"
    return Sample("induction",
                  prompt_of(rng, "solver", keys, induction_prompt_text(pairs, program.hint())),
                  solution_turn(program.plan(), thought, answer), tuple(keys))
