"""Questions of arithmetic: true, held out where they say so, and obeying guidance in training."""

from __future__ import annotations

from random import Random

import pytest

from anchor_trainer.recipes.corpus.mix import QUESTION_SHARES, questions_sample
from anchor_trainer.recipes.corpus.programs import held_out
from anchor_trainer.recipes.corpus.prompts import guidance_table, render
from anchor_trainer.recipes.corpus.questions import (
    HARD,
    HELD_OUT_QUESTIONS,
    LARGEST_VALUE,
    OPERATIONS,
    question_answer,
    question_proposal,
    random_sum,
)
from anchor_trainer.recipes.evaluation.questions import boxed_answer, posed_question, read_posed
from anchor_trainer.recipes.evaluation.suites import operation_counts, read_suite
from anchor_trainer.recipes.reviewing.question_items import question_item
from anchor_trainer.recipes.reviewing.records import review_records


def python_value(expression: str) -> int:
    """Plain Python on an expression of our own generator (never on a model's text)."""
    value: int = eval(compile(expression, "toy", "eval"), {"__builtins__": {}})
    return value


def test_answers_and_every_step_are_what_python_computes():
    rng = Random(5)
    for number in range(400):
        count = OPERATIONS[number % len(OPERATIONS)]
        expression = random_sum(rng, count).expression
        assert len(expression.steps) == len(expression.operators) == count
        assert python_value(expression.text) == expression.value
        for step in expression.steps:
            left, right = step.split("=")
            assert python_value(left) == int(right)
            assert 0 <= int(right) <= LARGEST_VALUE
        assert expression.steps[-1].endswith(f"={expression.value}")


def test_a_suite_asks_what_training_never_shows(resources):
    rng = Random(6)
    for _ in range(300):
        text = random_sum(rng, 2).text
        assert not held_out(text, HELD_OUT_QUESTIONS)
    for item in read_suite(resources / "suites", "toy-questions", 1000):
        assert held_out(item["question"], HELD_OUT_QUESTIONS)
    assert sorted(set(operation_counts(1000))) == sorted(OPERATIONS)


def first_phrase(key: str) -> str:
    return str(guidance_table()["keys"][key]["phrases"][0])


def test_challengers_ask_as_guidance_says_and_claim_the_right_answer():
    rng = Random(7)
    counts: dict[str, list[int]] = {"harder": [], "simpler": [], "acclow": [], "": []}
    unusual = []
    for _ in range(2500):
        sample = question_proposal(rng)
        posed = read_posed(sample.completion)
        assert posed is not None and posed.value is not None
        assert posed.claimed == str(posed.value)
        told = next((key for key in ("harder", "simpler", "acclow") if key in sample.keys), "")
        counts[told].append(posed.operations)
        if "differ" in sample.keys:
            unusual.append(posed.text)
    assert min(counts["harder"]) >= HARD
    assert set(counts["simpler"]) == set(counts["acclow"]) == {1}
    assert len(set(counts[""])) == len(OPERATIONS)
    assert unusual and not any(text.startswith("Compute") for text in unusual)


def test_solvers_write_their_steps_when_told_and_never_when_told_to_be_brief():
    rng = Random(8)
    for _ in range(800):
        sample = question_answer(rng)
        question = sample.prompt.rsplit("\n", 2)[0].split("Answer the question.\n")[1]
        asked = question.split("<|im_end|>")[0]
        expected = python_value(
            asked.strip("?.").split(" ", 1)[1].removeprefix("is ").removeprefix("the value of ")
        )
        assert boxed_answer(sample.completion) == str(expected)
        if "trace" in sample.keys:
            assert "first " in sample.completion
        elif "brief" in sample.keys:
            assert sample.completion.startswith("direct\n")


def test_the_leg_that_teaches_questions_goes_on_with_everything_else():
    rng = Random(9)
    kinds = [questions_sample(rng, 0.9).kind for _ in range(3000)]
    share = sum(kind in ("question", "answer") for kind in kinds) / len(kinds)
    assert share == pytest.approx(sum(QUESTION_SHARES.values()), abs=0.03)
    assert {"deduction", "request", "memory", "drill"} <= set(kinds)


def test_what_a_challenger_wrote_is_read_and_never_run():
    def said(question: str, box: str = "\\boxed{5}") -> str:
        return f"<question>{question}</question>\n{box}"

    assert posed_question(said("What is 2+3?")) == "What is 2+3?"
    for text in ("What is 2+3?", said(" "), said("What is 2+3?", "5"), "<question>2+3"):
        assert posed_question(text) is None
    for odd in ("Compute 9**9**9.", "Compute __import__.", "Why?", f"Compute {'9*' * 60}9."):
        posed = read_posed(said(odd))
        assert posed is not None and posed.value is None and posed.operations == 0
    assert read_posed(said("Compute 2*(3-7).")).value == -8  # type: ignore[union-attr]


def test_labels_of_reviews_name_nothing_that_is_only_computed():
    rng = Random(10)
    records = review_records([question_item(rng) for _ in range(400)])
    named = {issue for record in records for issue in record.issues}
    assert named == {
        "format_failures",
        "timeouts",
        "wrong_format",
        "invalid",
        "no_trace",
        "trace_error",
    }
    shown = [record.user for record in records]
    assert any("like " in user for user in shown) and any("agreement " in user for user in shown)
    assert render("propose-question") not in "".join(shown)
