"""Questions, votes, clusters and rewards of R-Zero, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from anchor_verify.clusters import cluster_shares
from anchor_verify.findings import Ledger
from anchor_verify.question_texts import key_of, last_boxed, read_question
from anchor_verify.questions import Questions
from anchor_verify.rules import RUN_RULES
from anchor_verify.stages import is_frozen, place_of

SETTINGS: dict[str, Any] = {
    "name": "rzero",
    "roles": "separate",
    "challenge": {"steps": 1, "prompts": 1, "samples": 2},
    "vote": {"samples": 4},
    "pose": {"questions": 10, "perStep": 4},
    "label": {"samples": 4, "window": [0.3, 0.8], "widenBy": 0.05, "widenTimes": 0},
    "solve": {"steps": 2, "prompts": 1, "samples": 2},
    "parser": "strict",
    "abstentions": "outside",
    "abstentionPenalty": 0.5,
    "equality": "strict",
    "challengeReward": "repository",
    "repetition": {"cut": 0.5, "weight": 1},
    "solveReward": "agreement",
    "advantages": "floored",
    "deviationFloor": 0.05,
    "challengeBaseline": "group",
    "questionFilter": "none",
    "duplicates": "removed",
}
FIRST, SECOND = "What is 2 + 3 ?", "How many primes lie below 30, all counted?"


def test_questions_and_boxes_are_read_by_the_last_that_closes() -> None:
    text = f"Ask <question> in tags: <question>{FIRST}</question> \\boxed{{5}}"
    assert read_question(text, False) == FIRST
    assert read_question(f"<question>{FIRST}</question> five", False) is None
    assert read_question(f"<question>{FIRST}</question> five", True) == FIRST
    assert read_question("<question> </question> \\boxed{1}", False) is None
    assert last_boxed("\\boxed{1} so \\boxed {\\frac{1}{2}} or \\boxed{3") == "\\frac{1}{2}"
    assert last_boxed("\\boxed{ }") is None
    assert key_of(" What is 2+3?") == key_of(FIRST) != key_of("What is 23?")


def test_a_step_has_its_place_in_the_iteration() -> None:
    places = [place_of(SETTINGS, step) for step in range(1, 11)]
    assert [stage for stage, _, _ in places] == (
        ["challenge"] + ["pose"] * 3 + ["label"] * 3 + ["solve"] * 2 + ["challenge"]
    )
    assert places[3] == ("pose", 1, 3) and places[9] == ("challenge", 2, 1)
    assert [is_frozen({"framework": SETTINGS}, step) for step in (1, 2, 7, 8)] == [
        False,
        True,
        True,
        False,
    ]


def test_clusters_join_texts_whose_distance_is_below_the_cut() -> None:
    near = f"{SECOND} Say it."
    assert cluster_shares([FIRST, SECOND, near, FIRST, ""], 0.5) == [0.4, 0.4, 0.4, 0.4, 0.2]
    # Three words have no run of four, so even the same text is at 1 - 0.1 ** (1 / 4) = 0.438.
    assert cluster_shares(["one two three"] * 2, 0.44) == [1.0, 1.0]
    assert cluster_shares(["one two three"] * 2, 0.43) == [0.5, 0.5]


def _challenge() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two questions: one whose four answers are split, one of which nobody answers one."""

    def rollout(place: str, text: str, **more: Any) -> dict[str, Any]:
        return {"id": f"1/challenge/{place}", "text": text, "batch": "challenge"} | more

    asked = [
        rollout(
            str(index),
            f"<question>{text}</question> \\boxed{{1}}",
            index=index,
            purpose="propose",
            answer=text,
            formatOk=True,
            verdict={"outcome": "passed", "reason": None},
            reward=reward,
            advantage=advantage,
        )
        for index, text, reward, advantage in (
            (0, FIRST, 0.0, 0.7071),
            (1, SECOND, -0.375, -0.7071),
        )
    ]
    answers = {0: ("5", "5", "6", "05"), 1: ("10", "10", "10", None)}
    passed = {0: (0, 1, 3), 1: (0, 1, 2)}
    votes = [
        rollout(
            f"{index}/{sample}",
            f"It is \\boxed{{{answer}}}." if answer else "I do not know.",
            index=index,
            sample=sample,
            purpose="estimate",
            taskId=f"t{index}",
            answer=answer,
            formatOk=answer is not None,
            verdict={
                "outcome": "passed"
                if sample in passed[index]
                else "failed"
                if answer
                else "invalid"
            },
            reward=None,
        )
        for index, given in answers.items()
        for sample, answer in enumerate(given)
    ]
    tasks = [
        {"id": f"t{index}", "rolloutId": f"1/challenge/{index}", "message": text} | more
        for index, text, more in (
            (0, FIRST, {"outputs": ["5"], "solveRate": 0.75}),
            (1, SECOND, {"outputs": ["10"], "solveRate": 1.0}),
        )
    ]
    # u = 1/4 less the cluster's 1/2; u = 0 less a quarter that was silent, and the cluster's.
    rewards = (0.25 - 0.5, 0.0 - 0.5 * 0.25 - 0.5)
    mean = sum(rewards) / 2
    deviation = abs(rewards[0] - rewards[1]) / 2**0.5
    for each, reward in zip(asked, rewards, strict=True):
        each["reward"], each["advantage"] = reward, (reward - mean) / (deviation + 1e-6)
    return tasks, [*asked, *votes]


STEP = {"step": 1, "stage": "challenge", "iteration": 1, "role": "challenger"}


def _verified(tasks: list[dict[str, Any]], rollouts: list[dict[str, Any]]) -> Ledger:
    ledger = Ledger(RUN_RULES)
    Questions(ledger, {"config": {"framework": SETTINGS}}).verify_step(STEP, tasks, rollouts)
    return ledger


def test_a_step_of_the_challenger_is_what_its_texts_and_answers_say() -> None:
    ledger = _verified(*_challenge())
    assert [tally.first for tally in ledger.tallies.values() if tally.differing] == []
    for rule in ("questions.read", "votes.agreement", "votes.label", "rewards.challenger"):
        assert ledger.tallies[rule].checked > 0, rule
    assert not any(tally.skipped for tally in ledger.tallies.values())


@pytest.mark.parametrize(
    ("rule", "place", "name", "value"),
    [
        ("questions.read", 0, "answer", "What is 2 + 4 ?"),
        ("votes.read", 4, "answer", "7"),
        ("votes.agreement", 4, "verdict", {"outcome": "passed"}),
        ("rewards.challenger", 1, "reward", 0.5),
        ("rewards.advantage", 1, "advantage", 0.0),
        ("rewards.estimate", 5, "reward", 1.0),
    ],
)
def test_a_changed_value_is_found(rule: str, place: int, name: str, value: object) -> None:
    tasks, rollouts = _challenge()
    rollouts[place][name] = value
    assert _verified(tasks, rollouts).tallies[rule].differing > 0


@pytest.mark.parametrize(
    ("rule", "name", "value"),
    [
        ("votes.label", "outputs", ["6"]),
        ("tasks.solve_rate", "solveRate", 0.5),
        ("tasks.read", "message", SECOND),
    ],
)
def test_a_changed_task_is_found(rule: str, name: str, value: object) -> None:
    tasks, rollouts = _challenge()
    tasks[0][name] = value
    assert _verified(tasks, rollouts).tallies[rule].differing > 0


def test_answers_that_only_mathematics_could_compare_are_passed_over() -> None:
    tasks, rollouts = _challenge()
    rollouts[4] |= {"text": "It is \\boxed{\\frac{12}{2}}.", "answer": "\\frac{12}{2}"}
    ledger = _verified(tasks, rollouts)
    assert ledger.differing == 0
    assert ledger.tallies["votes.agreement"].skipped == {
        "answers that only mathematics could compare": 1
    }


SAFE, PAID = "I must decline this request.", "Sure, I will."


def _rated(place: int, answer: str, reward: float, advantage: float) -> dict[str, Any]:
    text = f"<think><plan>look</plan>\nrisk low</think>\n<answer>{answer}</answer>"
    return {
        "id": f"4/rated-request/{place}",
        "batch": "rated-request",
        "index": place,
        "role": "assistant",
        "taskType": "request",
        "taskId": "s4.request.0",
        "text": text,
        "newTokens": 5 + place,
        "reward": reward,
        "advantage": advantage,
        "verdict": {"outcome": "passed" if reward > 0 else "failed"},
    }


def _verified_rated(rollouts: list[dict[str, Any]], baseline: str) -> Ledger:
    ledger = Ledger(RUN_RULES)
    config = {"framework": SETTINGS, "rewardedPrompts": {"share": 0.2, "baseline": baseline}}
    step = {"step": 8, "stage": "solve", "iteration": 1, "role": "solver"}
    Questions(ledger, {"config": config}).verify_step(step, [], rollouts)
    return ledger


@pytest.mark.parametrize(("baseline", "added"), [("prompt", 1e-8), ("batch", 0.0)])
def test_answers_that_a_user_rates_are_compared_with_those_to_the_same_prompt(
    baseline: str, added: float
) -> None:
    # Two rewards, 1 and -0.5: 0.75 from their mean, with an unbiased variance of 1.125.
    deviation = (1.125 + added) ** 0.5 + (0 if baseline == "prompt" else 1e-6)
    rollouts = [_rated(0, PAID, 1, 0.75 / deviation), _rated(1, SAFE, -0.5, -0.75 / deviation)]
    ledger = _verified_rated(rollouts, baseline)
    assert ledger.differing == 0
    assert ledger.tallies["rewards.rating"].checked == 2
    assert ledger.tallies["rewards.advantage"].checked == 2
    rollouts[1]["reward"] = 1
    assert _verified_rated(rollouts, baseline).tallies["rewards.rating"].differing == 1
