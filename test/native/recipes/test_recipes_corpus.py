"""The toy world: labels are true, guidance is obeyed in training text, held-out stays out."""

from __future__ import annotations

from random import Random

import pytest

from anchor_trainer.recipes.corpus import solving
from anchor_trainer.recipes.corpus.conduct import REFUSALS, REFUSES_UNTOLD, random_request, request
from anchor_trainer.recipes.corpus.errors import error_prediction, error_proposal, random_error_task
from anchor_trainer.recipes.corpus.fitting import inverse, refitted, rival
from anchor_trainer.recipes.corpus.mix import SHARES, policy_sample, shares_at
from anchor_trainer.recipes.corpus.programs import held_out, held_out_task, random_example
from anchor_trainer.recipes.corpus.prompts import guidance_table
from anchor_trainer.recipes.corpus.proposing import induction_proposal, proposal
from anchor_trainer.recipes.corpus.samples import draw_keys, keys_of, without_conflicts
from anchor_trainer.recipes.corpus.solving import (
    abduction,
    attempt,
    backward_thought,
    deduction,
    induction,
)
from anchor_trainer.recipes.corpus.values import literal
from anchor_trainer.recipes.evaluation.grading import (
    error_proposal_outcome,
    read_proposal,
    valid_induction_proposal,
)
from anchor_trainer.recipes.evaluation.reading import read_turn
from anchor_trainer.recipes.evaluation.restricted import (
    Refused,
    outcome,
    parse_literal,
    run_program,
)
from toy_programs import statements_of


def python_result(source: str, given):
    """Plain Python on a program of our own generator (never on a model's text)."""
    names: dict = {}
    exec(compile(source, "toy", "exec"), names)
    return names["f"](given)


def programs(count: int, **wanted):
    rng = Random(11)
    for _ in range(count):
        yield random_example(rng, count=rng.choice([1, 2, 3, 4]), inputs=2, **wanted)


def test_outputs_of_programs_are_what_python_computes():
    for example in programs(400):
        for given, output in zip(example.inputs, example.outputs, strict=True):
            assert python_result(example.program.source(), given) == output


def test_the_restricted_interpreter_computes_what_python_computes():
    for example in programs(400):
        source = example.program.source()
        assert run_program(source, example.inputs[0]) == python_result(source, example.inputs[0])


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n import os\n return 1",
        "def f(x):\n return x.__class__",
        "def f(x):\n return open('a')",
        "def f(x):\n return eval('1')",
        "def f(x):\n return (lambda: 1)()",
        "def f(x):\n for i in range(100000000):\n  x=x+1\n return x",
        "def f(x):\n for i in range(30):\n  x=x*99\n return x",
        "def f(x):\n return f(x)",
        "print(1)\ndef f(x):\n return 1",
        "def f(x):\n while 1:\n  x=1\n return x",
        "def f(x):\n y=x",
        "def f(x)\n return x",
    ],
)
def test_the_restricted_interpreter_refuses_what_is_outside_the_grammar(source):
    with pytest.raises(Refused):
        run_program(source, 3)


def test_a_trace_ends_in_the_output():
    for example in programs(200):
        assert example.traces[0][-1].endswith("=" + literal(example.outputs[0]))


def test_shares_of_the_mix_add_up_to_one():
    for progress in (0.0, 0.3, 0.5, 0.8, 1.0):
        assert sum(shares_at(progress)) == pytest.approx(1.0)
    assert len(shares_at(0.5)) == len(SHARES)


def test_every_training_completion_has_the_expected_form():
    rng = Random(5)
    for _ in range(600):
        sample = policy_sample(rng, 0.9)
        turn = read_turn(sample.completion)
        assert turn is not None and turn.plan
        assert bool(turn.thought) == (not sample.kind.startswith("propose"))


def test_solutions_in_training_are_right():
    rng = Random(6)
    for _ in range(150):
        for draw in (deduction, abduction):
            sample = draw(rng)
            program, ask = sample.prompt.split("user\n", 1)[1].split("\n", 1)[1].split("\nf(", 1)
            answer = eval(read_turn(sample.completion).answer)
            if sample.kind == "deduction":
                assert python_result(program, eval(ask.split(")=?")[0])) == answer
            else:
                wanted = eval(ask.split(")=")[1].split("<|im_end|>")[0])
                assert python_result(program, answer) == wanted


def test_proposals_in_training_are_valid_but_for_the_seeded_imports():
    rng = Random(7)
    samples = [proposal(rng) for _ in range(2000)]
    baited = sum("import os" in sample.completion for sample in samples)
    assert 0 < baited < 20
    assert sum(read_proposal(sample.completion) is None for sample in samples) == baited
    for _ in range(100):
        sample = induction_proposal(rng)
        source = sample.prompt.split("program:\n", 1)[1].split("<|im_end|>")[0]
        assert valid_induction_proposal(source, sample.completion, 6)


def test_told_guidance_is_always_followed_and_untold_behaviour_is_a_mix():
    rng = Random(8)
    traced = {True: [], False: []}
    for _ in range(1500):
        sample = deduction(rng)
        turn = read_turn(sample.completion)
        if "trace" in sample.keys:
            assert turn.traced()
        elif "brief" in sample.keys:
            assert not turn.traced()
        elif "acclow" not in sample.keys:
            traced[turn.traced()].append(sample)
        assert (" type " in turn.thought) == ("types" in sample.keys)
    share = len(traced[True]) / (len(traced[True]) + len(traced[False]))
    assert 0.33 < share < 0.47


def test_requests_are_refused_by_rule_when_told_and_by_habit_when_not():
    rng = Random(9)
    told, untold, harmless = [], [], []
    for _ in range(4000):
        sample = request(rng)
        refused = read_turn(sample.completion).answer in REFUSALS
        restricted = any(
            word in sample.prompt.split("user\n")[1]
            for word in (
                "bypass",
                "disable",
                "leak",
                "forge",
                "steal",
                "sabotage",
                "restricted",
                "sealed",
                "classified",
                "private",
                "confidential",
            )
        )
        asked = told if "refuse" in sample.keys else untold
        (asked if restricted else harmless).append(refused)
    assert all(told) and len(told) > 300
    assert abs(sum(untold) / len(untold) - REFUSES_UNTOLD) < 0.04
    assert sum(harmless) / len(harmless) < 0.02


def test_conflicting_guidance_never_stands_together():
    rng = Random(10)
    for _ in range(2000):
        keys = draw_keys(rng, "proposer")
        assert len(set(keys)) == len(keys) <= 5
        for group in guidance_table()["conflicts"]:
            assert len(set(group) & set(keys)) <= 1
    assert without_conflicts(["brief", "trace", "types"]) == ["brief", "types"]
    assert "refuse" in keys_of("solver") and "refuse" not in keys_of("proposer")


def test_backward_thoughts_state_every_line_from_last_to_first():
    rng = Random(13)
    for _ in range(200):
        example = random_example(rng, count=rng.choice([1, 2, 3]))
        stated = backward_thought(example).removeprefix("back ")
        assert stated == " ".join(example.traces[0][::-1])


@pytest.mark.parametrize(
    "line,found",
    [
        ("y+1=6+1=7", ("7-6=1", "+", 1)),
        ("y=x-4=1-4=-3", ("1-(-3)=4", "-", 4)),
        ("z=y*3=5*3=15", ("15//5=3", "*", 3)),
        ("y=x*3=0*3=0", None),
        ("y=x*2=-3*2=-6", None),
        ("y=x+z=2+3=5", None),
        ("y=abs(x)=abs(3)=3", None),
        ("y=x%4=9%4=1", None),
    ],
)
def test_the_inverse_of_a_line_computes_its_constant(line, found):
    assert inverse(line) == found
    if found is not None:
        stated, constant = found[0].split("=")
        assert eval(stated) == int(constant)


def test_a_refitted_program_maps_the_first_input_to_the_given_output():
    rng = Random(14)
    fitted = 0
    for _ in range(600):
        example = random_example(rng, count=2, inputs=2)
        program = refitted(example.program.altered(rng), example.inputs[0], example.outputs[0])
        if program is not None:
            fitted += 1
            assert python_result(program.source(), example.inputs[0]) == example.outputs[0]
    assert fitted > 30


def test_attempts_are_judged_by_what_the_candidate_computes():
    rng = Random(15)
    verdicts = {"yes": 0, "no": 0}
    for _ in range(600):
        example = random_example(rng, count=rng.choice([1, 2]), inputs=6)
        candidate = rival(rng, example)
        text = attempt(candidate, example)
        if text is None:
            continue
        checked = text.count("try ")
        agrees = all(
            python_result(candidate.source(), given) == wanted
            for given, wanted in list(zip(example.inputs, example.outputs, strict=True))[:checked]
        )
        verdicts["yes" if agrees else "no"] += 1
        assert text.endswith(" yes") == agrees
        assert attempt(example.program, example).endswith(" yes")
    assert min(verdicts.values()) > 50


def test_error_tasks_end_as_python_ends_them():
    rng = Random(16)
    seen = set()
    for _ in range(600):
        task = random_error_task(rng)
        try:
            python_result(task.source(), task.given)
            ended = "NoError"
        except (TypeError, ValueError, IndexError, ZeroDivisionError) as error:
            ended = type(error).__name__
        assert task.outcome == ended == outcome(task.source(), task.given)
        seen.add(ended)
    assert seen == {"NoError", "TypeError", "ValueError", "IndexError", "ZeroDivisionError"}


def test_error_samples_answer_with_the_exception_and_proposals_have_a_definite_end():
    rng = Random(17)
    for _ in range(150):
        sample = error_prediction(rng)
        program, ask = sample.prompt.split("user\n", 1)[1].split("\n", 1)[1].split("\nf(", 1)
        answer = read_turn(sample.completion).answer
        assert outcome(program, eval(ask.split(")=?")[0])) == answer
        assert error_proposal_outcome(error_proposal(rng).completion) is not None


def test_failed_attempts_show_nothing_that_is_held_out(monkeypatch):
    rng = Random(18)
    guesses = 0
    for _ in range(1500):
        example = random_example(rng, count=1)
        for text in solving._failed_inputs(rng, example):
            guesses += 1
            given = parse_literal(text.split()[1])
            assert not held_out_task(example.program.source(), 1, given)
    shown = []
    monkeypatch.setattr(solving, "attempt", lambda program, _: shown.append(program))
    for _ in range(1500):
        example = random_example(rng, count=rng.choice([1, 2]), inputs=2)
        shown.clear()
        solving._failed_programs(rng, example)
        for program in shown:
            guesses += 1
            assert not any(
                held_out_task(program.source(), len(program.statements), given)
                for given in example.inputs
            )
    assert guesses > 600


def test_training_samples_never_contain_a_held_out_program_or_request():
    rng = Random(12)
    for draw in (
        deduction,
        abduction,
        induction,
        proposal,
        induction_proposal,
        error_prediction,
        error_proposal,
    ):
        for _ in range(300):
            sample = draw(rng)
            for part in (sample.prompt + sample.completion).split("def f(x):")[1:]:
                body = part[1:].split("\n")
                end = next(i for i, line in enumerate(body) if line.startswith(" return"))
                last = body[end].split("<|im_end|>")[0]
                source = "\n".join(["def f(x):", *body[:end], last])
                if "import os" not in source and statements_of(source) > 1:
                    assert not held_out(source)
    for _ in range(500):
        example = random_example(rng, count=1, inputs=3)
        source = example.program.source()
        assert not any(held_out_task(source, 1, given) for given in example.inputs)
    for _ in range(500):
        deed = random_request(rng, rng.random() < 0.5).deed
        assert not held_out(deed.replace(" the ", " "), 8)
