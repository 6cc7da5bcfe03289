"""Raw items of R-Zero: questions, boxed answers and batches that agree, sound or with a defect.

As in raw_items, labels are not made here. What is only computed (questions alike, agreement) is in
the facts of these records and in none of their labels: no model is asked for it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ..corpus.prompts import chat, question_system_text, render
from ..corpus.questions import OPERATIONS, Sum, boxed, random_sum, worked
from ..corpus.samples import draw_keys, lines_of
from ..evaluation.asking import Subject
from ..evaluation.questions import boxed_answer, posed_question
from .defects import altered_number
from .raw_items import SOUND, RawItem

REASONS = (
    "empty",
    "cut-off",
    "no-question",
    "question-not-closed",
    "empty-question",
    "missing-box",
    "empty-box",
    "copied-example",
)
TEMPERATURES = (1.0, 1.3)


def _drawn(rng: Random) -> Sum:
    return random_sum(rng, rng.choice(OPERATIONS), unusual=rng.random() < 0.5)


def _of(role: str, phase: str, question: str) -> RawItem:
    return {"taskType": "question", "role": role, "phase": phase, "question": question}


def _broken(reason: str) -> RawItem:
    """A text that asked nothing: what it wrote is not shown."""
    item = _of("proposer", "task", "")
    return item | {"formatOk": False, "validity": {"valid": False, "reason": reason}}


def asked_item(rng: Random) -> RawItem:
    if rng.random() < 0.25:
        return _broken(rng.choice(REASONS))
    item = _of("proposer", "task", _drawn(rng).text) | {"validity": SOUND}
    if rng.random() < 0.7:
        item["clusterShare"] = rng.choice([1 / 32, 2 / 32, rng.uniform(0, 0.3), rng.random()])
    return item


def plan_of_question(rng: Random) -> RawItem:
    asked = _drawn(rng)
    plan = ",".join(rng.choice((asked, _drawn(rng))).expression.operators)
    return _of("solver", "plan", asked.text) | {"plan": f"{plan}:"}


def thought_of_question(rng: Random) -> RawItem:
    asked = _drawn(rng)
    thought = worked(asked.expression).split("\n", 1)[1].replace("\n", " \n")
    share = rng.random()
    if share < 0.3:
        thought = "direct"
    elif share < 0.65:
        thought = altered_number(rng, thought) or thought
    return _of("solver", "thought", asked.text) | {"thought": thought.replace(" \n", "\n")}


def output_of_question(rng: Random) -> RawItem:
    asked = _drawn(rng)
    item = _of("solver", "output", asked.text)
    if rng.random() < 0.3:
        return item | {"answer": None, "formatOk": False, "cutOff": rng.random() < 0.4}
    value = asked.expression.value + (rng.randint(-9, 9) if rng.random() < 0.4 else 0)
    return item | {"answer": boxed(value), "formatOk": True}


def batch_of_questions(rng: Random) -> RawItem:
    """Counts over every band of agreement, as each of the four stages has them."""
    n = rng.choice([8, 16, 24, 32, 48, 64])
    proposer = rng.random() < 0.5
    failures = int(n * rng.choice([0, 0, 0.05, rng.random()]))
    statistics: RawItem = {"n": n, "passed": 0, "formatFailures": failures, "invalid": failures}
    agreement: dict[str, float] = {"abstained": rng.choice([0, 0.02, rng.random()])}
    rate = rng.choice([rng.uniform(0, 0.4), rng.random(), rng.uniform(0.65, 1)])
    if proposer:
        bins = [0] * 11
        for _ in range(n - failures):
            bins[round(10 * min(1.0, max(0.0, rng.gauss(rate, 0.2))))] += 1
        statistics["solveRateHistogram"] = bins
        clusters = rng.randint(1, n)
        agreement |= {"clusters": clusters, "biggestCluster": rng.uniform(1 / clusters, 1)}
    else:
        statistics["passed"] = int((n - failures) * rate)
        agreement |= {"allAlike": rng.random(), "cutOff": rng.choice([0, rng.random()])}
        agreement["meanTokens"] = rng.uniform(5, 90)
    statistics["timeouts"] = int(n * rng.choice([0, 0, 0, rng.random() * 0.5]))
    return {
        "phase": "exec",
        "taskType": "question",
        "role": "proposer" if proposer else "solver",
        "statistics": statistics | {"agreement": agreement},
    }


SHARES: dict[Callable[[Random], RawItem], float] = {
    asked_item: 0.25,
    plan_of_question: 0.15,
    thought_of_question: 0.25,
    output_of_question: 0.25,
    batch_of_questions: 0.10,
}


def question_item(rng: Random) -> RawItem:
    """One raw item of a random phase."""
    return rng.choices(list(SHARES), list(SHARES.values()))[0](rng)


def _solver_items(question: str, text: str) -> list[RawItem]:
    """Plan, thought and output as the application's splitter parts an answer of the toy form."""
    answer = boxed_answer(text)
    before = text.split("\\boxed", 1)[0].strip()
    head, _, rest = before.partition("\n")
    plan, thought = (head, rest) if head.endswith(":") and rest else ("", before)
    found = [_of("solver", "plan", question) | {"plan": plan}] if plan else []
    if thought:
        found.append(_of("solver", "thought", question) | {"thought": thought})
    shown = None if answer is None else boxed(answer)
    return [
        *found,
        _of("solver", "output", question) | {"answer": shown, "formatOk": answer is not None},
    ]


def question_rollout_items(subject: Subject, seed: str, rollouts: int) -> list[RawItem]:
    """Questions that a policy asked itself, and its answers; half at each temperature."""
    rng = Random(seed)
    items: list[RawItem] = []
    for temperature in TEMPERATURES:
        count = rollouts // len(TEMPERATURES) // 2
        systems = [
            question_system_text("proposer", lines_of(rng, draw_keys(rng, "proposer", 0.5)))
            for _ in range(count)
        ]
        asked = subject.answer(
            [chat(system, render("propose-question")) for system in systems],
            temperature,
            seed=rng.randrange(2**31),
        )
        questions: list[str] = []
        for text in asked:
            question = posed_question(text)
            if question is None:
                items.append(_broken("no-question"))
                continue
            questions.append(question)
            items.append(_of("proposer", "task", question) | {"validity": SOUND})
        answers = subject.answer(
            [
                chat(
                    question_system_text("solver", lines_of(rng, draw_keys(rng, "solver", 0.5))),
                    render("solve-question", question=question),
                )
                for question in questions
            ],
            temperature,
            seed=rng.randrange(2**31),
        )
        for question, text in zip(questions, answers, strict=True):
            items += _solver_items(question, text.removesuffix("<|im_end|>"))
    return items
