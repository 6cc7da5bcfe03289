"""Proposer samples: new programs with an input, or six inputs and a message for a given program."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from .programs import random_example
from .prompts import fence, proposal_turn, render
from .samples import Sample, draw_keys, prompt_of
from .solving import INDUCTION_EXAMPLES
from .values import TYPE_NAMES, literal

BAIT_SHARE = 0.003
REFERENCE_COUNTS = ((0, 1, 2, 3), (0.40, 0.38, 0.14, 0.08))
FOLLOWS_REFERENCE = 0.5  # an untold proposer keeps the type of the last reference this often


def program_length(rng: Random, keys: list[str]) -> int:
    if "harder" in keys:
        return rng.choice([3, 4])
    if "simpler" in keys or "acclow" in keys:
        return 1
    return rng.choice([1, 2, 2, 3])


def input_type(rng: Random, keys: list[str], references: list[str]) -> str | None:
    """Type asked for by guidance, or suggested by the references, or None for any."""
    for key, name in (("lists", "list"), ("strings", "str"), ("ints", "int")):
        if key in keys:
            return name
    if not references:
        return None
    if "differ" in keys:
        others = [name for name in TYPE_NAMES if name not in references]
        return rng.choice(others or [name for name in TYPE_NAMES if name != references[-1]])
    return references[-1] if rng.random() < FOLLOWS_REFERENCE else None


def proposal(rng: Random) -> Sample:
    keys = draw_keys(rng, "proposer")
    kind = rng.choice(["deduction", "abduction"])
    wanted_references = rng.choices(*REFERENCE_COUNTS)[0]
    if "differ" in keys and wanted_references == 0 and rng.random() < 0.7:
        wanted_references = 1  # the line means nothing without a reference
    references = [
        random_example(rng, count=rng.choice([1, 2, 2, 3])).program
        for _ in range(wanted_references)
    ]
    wanted = input_type(rng, keys, [reference.input_type for reference in references])
    loops = True if "loops" in keys and wanted != "str" else None
    if loops and wanted is None:
        wanted = rng.choice(["int", "list"])
    example = random_example(rng, count=program_length(rng, keys), input_type=wanted, loops=loops)
    program = replace(example.program, bait=rng.random() < BAIT_SHARE)
    shown = "".join(render("reference", program=reference.source()) for reference in references)
    answer = "\n".join(
        [fence("python", program.source()), fence("input", literal(example.inputs[0]))]
    )
    return Sample(
        f"propose-{kind}",
        prompt_of(rng, "proposer", keys, render(f"propose-{kind}", references=shown)),
        proposal_turn(program.plan(), answer),
        tuple(keys),
    )


def induction_proposal(rng: Random) -> Sample:
    """Six inputs and a message of operation words for the program in the prompt."""
    keys = draw_keys(rng, "proposer")
    example = random_example(rng, count=rng.choice([1, 1, 2, 2, 3]), inputs=INDUCTION_EXAMPLES)
    blocks = [fence("input", literal(given)) for given in example.inputs]
    blocks.append(fence("message", example.program.hint()))
    return Sample(
        "propose-induction",
        prompt_of(
            rng, "proposer", keys, render("propose-induction", program=example.program.source())
        ),
        proposal_turn(example.program.plan(), "\n".join(blocks)),
        tuple(keys),
    )
