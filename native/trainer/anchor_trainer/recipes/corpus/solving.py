"""Solver samples: deduction, abduction, induction. Answers and traces come from execution."""

from __future__ import annotations

from random import Random

from .fitting import rival, with_inverse
from .programs import Example, Program, held_out_task, random_example, random_input
from .prompts import fence, render, solution_turn
from .samples import Sample, draw_keys, prompt_of, traces, with_type
from .values import OutOfBounds, Value, literal, type_name

WRONG_TRIES = (0.72, 0.22, 0.06)  # shares of 0, 1, 2 failed attempts shown before the right one
SHOWN_EXAMPLES = 3
INDUCTION_EXAMPLES = 6
# Two ways to trace, so that a policy told to trace still has a better way to find: most write out
# sequences and loop counters, the others keep short and err more.
DETAILED_SHARE = 0.6
BACKWARD_SHARE = 0.6  # abduction: from the output back to the input, instead of trying inputs
LONG_ATTEMPT = 90  # characters; longer attempts are checked on one example only


def deduction(rng: Random) -> Sample:
    keys = draw_keys(rng, "solver")
    example = random_example(
        rng, count=rng.choice([1, 1, 2, 2, 3, 4]), detailed=rng.random() < DETAILED_SHARE
    )
    program, given, output = example.program, example.inputs[0], example.outputs[0]
    user = render("solve-deduction", program=program.source(), input=literal(given))
    thought = " ".join(example.traces[0]) if traces(rng, keys) else "direct"
    thought = with_type(thought, keys, type_name(output))
    return Sample(
        "deduction",
        prompt_of(rng, "solver", keys, user),
        solution_turn(program.plan(), thought, literal(output)),
        tuple(keys),
    )


def near_miss(rng: Random, value: Value) -> Value:
    """An input close to the right one, so that a failed attempt is a plausible one."""
    if isinstance(value, int):
        return value + rng.choice([-3, -2, -1, 1, 2, 3])
    if rng.random() < 0.3 or len(value) < 2:
        return random_input(rng, type_name(value))
    position = rng.randrange(len(value))
    if isinstance(value, list):
        return [*value[:position], rng.randint(0, 9), *value[position + 1 :]]
    return value[:position] + rng.choice("ABCD") + value[position + 1 :]


def _is_held_out(program: Program, given: Value) -> bool:
    """A trace of it would teach what a suite asks."""
    return held_out_task(program.source(), len(program.statements), given)


def _failed_inputs(rng: Random, example: Example) -> list[str]:
    attempts: list[str] = []
    for _ in range(rng.choices([0, 1, 2], WRONG_TRIES)[0]):
        guess = near_miss(rng, example.inputs[0])
        if _is_held_out(example.program, guess):
            continue
        try:
            output, trace = example.program.run(guess)
        except OutOfBounds:
            continue
        if output != example.outputs[0]:
            attempts.append(f"try {literal(guess)} {' '.join(trace)} no")
    return attempts


def backward_thought(example: Example) -> str:
    """The lines of the trace from last to first: each states an operand its result allows."""
    return "back " + " ".join(reversed(example.traces[0]))


def abduction(rng: Random) -> Sample:
    keys = draw_keys(rng, "solver")
    example = random_example(rng, count=rng.choice([1, 1, 2, 2, 3]))
    program, given = example.program, example.inputs[0]
    user = render("solve-abduction", program=program.source(), output=literal(example.outputs[0]))
    thought = "direct"
    if traces(rng, keys):
        right = f"try {literal(given)} {' '.join(example.traces[0])} yes"
        thought = (
            backward_thought(example)
            if rng.random() < BACKWARD_SHARE
            else " ".join([*_failed_inputs(rng, example), right])
        )
    thought = with_type(thought, keys, program.input_type)
    return Sample(
        "abduction",
        prompt_of(rng, "solver", keys, user),
        solution_turn(f"search inputs on {program.input_type}", thought, literal(given)),
        tuple(keys),
    )


def attempt(program: Program, example: Example) -> str | None:
    """A candidate checked on the first example and, where that agrees, on the second.

    Ends with `yes` or `no`; None where the candidate leaves the bounds.
    """
    parts: list[str] = []
    for given, wanted in list(zip(example.inputs, example.outputs, strict=True))[:2]:
        try:
            output, trace = program.run(given)
        except OutOfBounds:
            return None
        steps = trace if parts else with_inverse(program, trace)
        parts.append(f"try {literal(given)} {' '.join(steps)}")
        if output != wanted:
            return " ".join([*parts, "no"])
        if len(parts[0]) > LONG_ATTEMPT:
            break
    return " ".join([*parts, "yes"])


def _failed_programs(rng: Random, example: Example) -> list[str]:
    rivals = [rival(rng, example) for _ in range(rng.choices([0, 1, 2], WRONG_TRIES)[0])]
    drawn = [
        attempt(candidate, example)
        for candidate in rivals
        if not any(_is_held_out(candidate, given) for given in example.inputs[:2])
    ]
    return [text for text in drawn if text and text.endswith("no") and len(text) <= LONG_ATTEMPT]


def induction_thought(rng: Random, example: Example) -> str:
    """The hint, then candidates up to the right one."""
    right = attempt(example.program, example)
    return " ".join(
        [f"ops {example.program.hint()}"]
        + _failed_programs(rng, example)
        + ([right] if right else [])
    )


def induction_prompt_text(pairs: list[tuple[str, str]] | list[list[str]], message: str) -> str:
    """User message of an induction solver; pairs are literals of inputs and outputs."""
    shown = "\n".join(render("example", input=given, output=output) for given, output in pairs)
    return render("solve-induction", examples=shown, message=message)


def induction(rng: Random) -> Sample:
    keys = draw_keys(rng, "solver")
    example = random_example(
        rng, count=rng.choice([1, 1, 1, 2, 2, 2, 3]), inputs=INDUCTION_EXAMPLES
    )
    program = example.program
    pairs = [
        (literal(given), literal(output))
        for given, output in zip(
            example.inputs[:SHOWN_EXAMPLES], example.outputs[:SHOWN_EXAMPLES], strict=True
        )
    ]
    thought = induction_thought(rng, example) if traces(rng, keys) else "direct"
    thought = with_type(thought, keys, type_name(example.outputs[0]))
    answer = "\n" + fence("python", program.source()) + "\n"
    return Sample(
        "induction",
        prompt_of(rng, "solver", keys, induction_prompt_text(pairs, program.hint())),
        solution_turn(program.plan(), thought, answer),
        tuple(keys),
    )
