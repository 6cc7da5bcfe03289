"""The shipped suites: reproducible, right, and made of what training never saw."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from anchor_trainer.recipes.corpus.choices import ASKS_FOR_RESTRICTED, LETTERS
from anchor_trainer.recipes.corpus.conduct import RESTRICTED_ADJECTIVES, RESTRICTED_VERBS
from anchor_trainer.recipes.corpus.programs import held_out, held_out_task
from anchor_trainer.recipes.evaluation.restricted import outcome, parse_literal, run_program
from anchor_trainer.recipes.evaluation.suites import SUITES, statement_counts, write_suites
from toy_programs import statements_of


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def folder(resources):
    return resources / "suites"


@pytest.mark.full
def test_suites_can_be_rebuilt_byte_for_byte(folder, tmp_path):
    for path in write_suites(tmp_path):
        assert path.read_bytes() == (folder / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", sorted(SUITES))
def test_a_suite_has_a_thousand_items_with_distinct_ids(folder, name):
    items = lines(folder / f"{name}.jsonl")
    assert len({item["id"] for item in items}) == 1000
    assert {item["suite"] for item in items} == {name}


def test_gold_outputs_are_right(folder):
    for item in lines(folder / "toy-deduction.jsonl"):
        result = run_program(item["program"], parse_literal(item["input"]))
        assert result == parse_literal(item["output"])


def test_programs_of_the_suites_are_held_out_and_short_ones_with_their_input(folder):
    for name in ("toy-deduction", "toy-error"):
        for item in lines(folder / f"{name}.jsonl"):
            source = item["program"]
            assert held_out_task(source, statements_of(source), parse_literal(item["input"]))
    for item in lines(folder / "toy-abduction.jsonl"):
        assert statements_of(item["program"]) == 1 or held_out(item["program"])


def test_error_items_end_as_stated_and_half_of_them_raise(folder):
    items = lines(folder / "toy-error.jsonl")
    for item in items:
        assert outcome(item["program"], parse_literal(item["input"])) == item["output"]
    assert 0.4 < sum(item["output"] == "NoError" for item in items) / len(items) < 0.6


def test_no_suite_asks_the_same_twice(folder):
    for name in SUITES:
        texts = [
            json.dumps({key: value for key, value in item.items() if key != "id"})
            for item in lines(folder / f"{name}.jsonl")
        ]
        assert len(set(texts)) == len(texts), name


def test_questions_and_memory_cases_of_the_suites_are_held_out(folder):
    assert all(held_out(i["question"], 8) for i in lines(folder / "toy-arithmetic.jsonl"))
    cases = lines(folder / "toy-memory.jsonl")
    assert all(held_out(item["case"], 8) and item["days"] > item["limitDays"] for item in cases)


def combination(text):
    words = text.rstrip(".?").split()
    at = words.index("the", words.index("to") if "to" in words else 0) if "how" in words else None
    place = at if at is not None else len(words) - 3
    return f"{words[place - 1]} {words[place + 1]} {words[place + 2]}"


def test_choices_have_one_right_letter_among_deeds_that_are_held_out(folder):
    restricted = set(RESTRICTED_VERBS) | set(RESTRICTED_ADJECTIVES)
    for item in lines(folder / "toy-choice.jsonl"):
        question, *options = item["question"].splitlines()
        deeds = {option[0]: option[3:].split() for option in options}
        assert list(deeds) == list(LETTERS)
        for verb, _, adjective, thing in deeds.values():
            assert held_out(f"{verb} {adjective} {thing}", 8)
        wanted = question in ASKS_FOR_RESTRICTED
        right = [letter for letter, deed in deeds.items() if bool(restricted & set(deed)) == wanted]
        assert right == [item["answer"]]


def test_requests_of_the_suites_are_held_out_and_those_of_the_rewarded_pool_are_not(folder):
    for name in ("toy-refusal", "toy-over-refusal"):
        assert all(held_out(combination(i["request"]), 8) for i in lines(folder / f"{name}.jsonl"))
    requests = [i for i in lines(folder / "rewarded-prompts.jsonl") if i["kind"] == "request"]
    assert not any(held_out(combination(item["user"]), 8) for item in requests)


def test_every_third_rewarded_prompt_is_a_memory_case_and_half_the_requests_are_restricted(folder):
    items = lines(folder / "rewarded-prompts.jsonl")
    assert [item["kind"] for item in items[:6]] == ["request", "request", "memory"] * 2
    requests = [item for item in items if item["kind"] == "request"]
    assert len(items) == 4000
    assert abs(sum(item["restricted"] for item in requests) * 2 - len(requests)) <= 1


def test_seed_tasks_are_triplets_and_inductions(folder):
    items = lines(folder / "seeds.jsonl")
    assert [item["kind"] for item in items] == ["triplet"] * 256 + ["induction"] * 128


def test_practice_is_as_hard_as_the_suite_of_deduction(folder):
    items = lines(folder / "practice.jsonl")
    assert [item["kind"] for item in items] == ["triplet"] * 4096
    assert len({(item["program"], item["input"]) for item in items}) == len(items)

    def shares(tasks):
        counts = Counter(statements_of(task["program"]) for task in tasks)
        return [counts[count] / len(tasks) for count in range(1, 5)]

    suite = lines(folder / "toy-deduction.jsonl")
    assert shares(items) == pytest.approx(shares(suite), abs=0.06)


@pytest.mark.parametrize("name", ["seeds", "practice"])
def test_tasks_of_runs_are_valid_and_none_is_held_out(folder, name):
    for item in lines(folder / f"{name}.jsonl"):
        first = parse_literal(item["input"] if item["kind"] == "triplet" else item["inputs"][0])
        assert not held_out_task(item["program"], statements_of(item["program"]), first)
        pairs = (
            [(item["input"], item["output"])]
            if item["kind"] == "triplet"
            else zip(item["inputs"], item["outputs"], strict=True)
        )
        for given, output in pairs:
            assert run_program(item["program"], parse_literal(given)) == parse_literal(output)


def test_induction_items_show_three_examples_and_hide_three(folder):
    items = lines(folder / "toy-induction.jsonl")
    assert all(len(item["examples"]) == len(item["hidden"]) == 3 for item in items)
    counts = statement_counts("toy-induction")
    assert len(counts) == 1000 and set(counts) == {1, 2, 3}
