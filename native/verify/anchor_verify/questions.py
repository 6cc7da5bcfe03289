"""
R-Zero (Huang et al. 2025): what a challenger asks, what most of a solver's answers say, and what
either is paid for it. Nobody knows which answer is right: agreement is what verdicts mean here.
"""

from __future__ import annotations

import re
from collections import defaultdict

from .clusters import MOST_TEXTS, cluster_shares
from .findings import Ledger
from .lab import Record
from .prompts import QUESTION
from .question_texts import THINKS, key_of, last_boxed, read_question
from .rewards import verify_prompt_advantages, verify_rating
from .stages import place_of

TOLERANCE = 1e-9
NONE = "None"
"""A text without a box, as a class of the original's vote."""

ROUNDING = 1e-9
"""By which the ends of a window may be off that was widened step by step."""


class Undecided(Exception):
    """Two answers of which only mathematics could say whether they are the same."""


class Questions:
    """Follows the questions of one run through its stages."""

    def __init__(self, ledger: Ledger, run: Record) -> None:
        self.ledger, self.settings = ledger, run["config"]["framework"]
        rewarded = run["config"].get("rewardedPrompts", {})
        self._by_prompt = rewarded.get("baseline", "prompt") == "prompt"
        self.tasks: dict[str, Record] = {}
        self._seen: set[str] = set()
        self._posed: list[Record] = []
        self._labelled: list[Record] = []

    def verify_step(self, step: Record, tasks: list[Record], rollouts: list[Record]) -> None:
        stage, iteration, place = place_of(self.settings, step["step"])
        trained = {"challenge": "challenger", "solve": "solver"}.get(stage)
        if trained and self.settings["roles"] == "shared":
            trained = "policy"
        stored = [step["stage"], step["iteration"], step["role"]]
        about = f"step {step['step']}"
        self.ledger.check("steps.place", about, stored, [stage, iteration, trained])
        self.tasks |= {task["id"]: task for task in tasks}
        match stage:
            case "challenge":
                self._verify_challenge(tasks, rollouts)
            case "pose":
                if place == 1:
                    self._posed, self._labelled = [], []
                self._verify_posed(tasks, rollouts)
            case "label":
                size = self.settings["pose"]["perStep"]
                self._verify_labels(self._posed[(place - 1) * size : place * size], tasks, rollouts)
            case _:
                asked = [each for each in rollouts if each["taskType"] == QUESTION]
                self._verify_solutions(asked)
                self._verify_rated([each for each in rollouts if each["taskType"] != QUESTION])

    def _verify_challenge(self, tasks: list[Record], rollouts: list[Record]) -> None:
        asked = [each for each in rollouts if each["purpose"] == "propose"]
        texts = self._read_questions(asked)
        self._compare_tasks(
            tasks, {each["id"]: text for each, text in zip(asked, texts, strict=True)}
        )
        votes = self._verify_votes(tasks, rollouts, self.settings["vote"]["samples"])
        by_rollout = {task["rolloutId"]: votes[task["id"]] for task in tasks}
        for task in tasks:
            agreement, majority, _ = votes[task["id"]]
            label = [] if majority is None else [majority]
            self.ledger.check("votes.label", task["id"], task["outputs"], label)
            self.ledger.check(
                "tasks.solve_rate", task["id"], task["solveRate"], agreement, TOLERANCE
            )
        if len(texts) > MOST_TEXTS:
            self.ledger.skip("rewards.challenger", "clusters of very many texts", len(asked))
        else:
            shares = cluster_shares(
                [text or "" for text in texts], self.settings["repetition"]["cut"]
            )
            for each, share in zip(asked, shares, strict=True):
                reward = self._challenge_reward(by_rollout.get(each["id"]), share)
                self.ledger.check(
                    "rewards.challenger", each["id"], each["reward"], reward, TOLERANCE
                )
        is_whole = self.settings["challengeBaseline"] == "batch"
        size = len(asked) if is_whole else self.settings["challenge"]["samples"]
        self._verify_advantages(self._by_place(asked, size))

    def _challenge_reward(
        self, vote: tuple[float | None, str | None, float] | None, share: float
    ) -> float:
        settings = self.settings
        repeated = float(settings["repetition"]["weight"]) * share
        is_paper = settings["challengeReward"] == "paper"
        if vote is None:
            return 0.0 if is_paper else -1 - repeated
        agreement, _, abstained = vote
        unsure = 0.0 if agreement is None else min(agreement, 1 - agreement)
        is_outside = settings["abstentions"] == "outside"
        silent = float(settings["abstentionPenalty"]) * abstained if is_outside else 0.0
        return max(0.0, 2 * unsure - silent - repeated) if is_paper else unsure - silent - repeated

    def _verify_posed(self, tasks: list[Record], rollouts: list[Record]) -> None:
        is_unique = self.settings["duplicates"] == "removed"
        left_out = self.settings["questionFilter"] == "rzero-compat"
        texts = self._read_questions(rollouts, check=False)
        kept: dict[str, str | None] = {}
        for each, text in zip(rollouts, texts, strict=True):
            reason = None
            key = key_of(text or "")
            if text is not None and is_unique and key in self._seen:
                reason = "duplicate"
            elif text is not None and left_out and ("box" in text or "证明" in text):
                reason = "filtered"
            if text is not None:
                self._seen.add(key)
                kept[each["id"]] = None if reason else text
            self._compare_reading(each, text, reason)
            self.ledger.check("rewards.estimate", each["id"], each["reward"], None)
        self._compare_tasks(tasks, kept)
        self._posed += tasks

    def _verify_labels(
        self, asked: list[Record], tasks: list[Record], rollouts: list[Record]
    ) -> None:
        votes = self._verify_votes(asked, rollouts, self.settings["label"]["samples"])
        labelled = {task["message"]: task for task in tasks}
        is_filtered = self.settings["questionFilter"] == "rzero-compat"
        found = []
        for question in asked:
            agreement, majority, _ = votes[question["id"]]
            if majority is None or (is_filtered and "text" in majority):
                continue
            found.append(question["message"])
            task = labelled.get(question["message"])
            if task is not None:
                self.ledger.check("votes.label", task["id"], task["outputs"], [majority])
                self.ledger.check(
                    "tasks.solve_rate", task["id"], task["solveRate"], agreement, TOLERANCE
                )
        about = f"step {rollouts[0]['step']}, labelled" if rollouts else "labelled"
        self.ledger.check("votes.label", about, [task["message"] for task in tasks], found)
        self._labelled += tasks

    def _verify_solutions(self, rollouts: list[Record]) -> None:
        """Trained answers are to questions of the iteration whose labels are in doubt, as many to
        each as the settings say, and are paid for the label."""
        settings, kept = self.settings, {task["id"] for task in self._kept()}
        samples = settings["solve"]["samples"]
        for each in rollouts:
            about = each["id"]
            first = rollouts[each["index"] - each["index"] % samples]["taskId"]
            self.ledger.check("questions.kept", about, each["taskId"] in kept, True)
            self.ledger.check("questions.kept", f"{about}, its group", each["taskId"], first)
            task, answer = self.tasks.get(each["taskId"] or ""), last_boxed(each["text"])
            self._compare_answer(each, answer)
            agrees = each["verdict"]["outcome"] == "passed"
            label = (task or {"outputs": []})["outputs"]
            try:
                right = answer is not None and bool(label) and self._same(label[0], answer)
                verdict = "passed" if right else "invalid" if answer is None else "failed"
                self.ledger.check("solutions.verdict", about, each["verdict"]["outcome"], verdict)
            except Undecided:
                self.ledger.skip("solutions.verdict", WHY_UNDECIDED)
            reward = float(agrees)
            if settings["solveReward"] != "agreement":
                reward = 0.9 * agrees + 0.1 * (THINKS.search(each["text"]) is not None)
            self.ledger.check("rewards.solver", about, each["reward"], reward, TOLERANCE)
        self._verify_advantages(self._by_place(rollouts, samples))

    def _verify_rated(self, rated: list[Record]) -> None:
        """A share of the solver's answers may be paid by a user; each prompt is a group."""
        for each in rated:
            verify_rating(self.ledger, each)
        if self._by_prompt:
            verify_prompt_advantages(self.ledger, rated)
            return
        groups: dict[str, list[Record]] = defaultdict(list)
        for each in rated:
            groups[each["taskId"]].append(each)
        self._verify_advantages(list(groups.values()))

    def _kept(self) -> list[Record]:
        """Both ends of the window included; it grows where fewer are in it than are needed."""
        settings, needed = self.settings["label"], self.settings["solve"]["prompts"]
        low, high = settings["window"]
        for times in range(settings["widenTimes"] + 1):
            ends = low - times * settings["widenBy"], high + times * settings["widenBy"]
            kept = [
                task
                for task in self._labelled
                if ends[0] - ROUNDING <= task["solveRate"] <= ends[1] + ROUNDING
            ]
            if len(kept) >= needed:
                break
        return kept

    def _read_questions(self, asked: list[Record], check: bool = True) -> list[str | None]:
        texts = [
            read_question(each["text"], self.settings["parser"] == "rzero-compat") for each in asked
        ]
        if check:
            for each, text in zip(asked, texts, strict=True):
                self._compare_reading(each, text, None)
        return texts

    def _compare_reading(self, rollout: Record, text: str | None, reason: str | None) -> None:
        verdict = rollout["verdict"]
        stored = [rollout["formatOk"], rollout["answer"], verdict["outcome"]]
        outcome = "passed" if text is not None and reason is None else "invalid"
        self.ledger.check(
            "questions.read", rollout["id"], stored, [text is not None, text, outcome]
        )
        if reason is not None:
            self.ledger.check(
                "questions.read", f"{rollout['id']}, reason", verdict["reason"], reason
            )

    def _compare_tasks(self, tasks: list[Record], read: dict[str, str | None]) -> None:
        """Each question that counts is a task, and nothing else is."""
        stored = {task["rolloutId"]: task["message"] for task in tasks}
        for rollout_id in sorted(stored.keys() | read.keys()):
            self.ledger.check(
                "tasks.read", rollout_id, stored.get(rollout_id), read.get(rollout_id)
            )

    def _compare_answer(self, rollout: Record, answer: str | None) -> None:
        stored = [rollout["formatOk"], rollout["answer"]]
        self.ledger.check("votes.read", rollout["id"], stored, [answer is not None, answer])

    def _verify_votes(
        self, asked: list[Record], rollouts: list[Record], count: int
    ) -> dict[str, tuple[float | None, str | None, float]]:
        """By question: the share of the biggest class, its first answer, and the share of samples
        without one."""
        given: dict[str, list[Record]] = defaultdict(list)
        for each in rollouts:
            if each["purpose"] == "estimate":
                given[each["taskId"]].append(each)
                self.ledger.check("rewards.estimate", each["id"], each["reward"], None)
        for unknown in given.keys() - {task["id"] for task in asked}:
            self.ledger.check("estimates.number", unknown, "answers", "a question of the step")
        return {
            task["id"]: self._verify_vote(task["id"], given[task["id"]], count) for task in asked
        }

    def _verify_vote(
        self, about: str, samples: list[Record], count: int
    ) -> tuple[float | None, str | None, float]:
        if not samples:
            self.ledger.skip("estimates.number", "a question that fits into no prompt")
            return None, None, 1.0
        self.ledger.check("estimates.number", about, len(samples), count)
        is_outside = self.settings["abstentions"] == "outside"
        answers = []
        for each in samples:
            answer = last_boxed(each["text"])
            self._compare_answer(each, answer)
            answers.append(answer if is_outside else answer or NONE)
        try:
            biggest = self._biggest(answers)
            for place, each in enumerate(samples):
                silent = each["answer"] is None
                found = "passed" if place in biggest else "invalid" if silent else "failed"
                self.ledger.check("votes.agreement", each["id"], each["verdict"]["outcome"], found)
        except Undecided:
            self.ledger.skip("votes.agreement", WHY_UNDECIDED)
            biggest = [
                place
                for place, each in enumerate(samples)
                if each["verdict"]["outcome"] == "passed"
            ]
        voting = sum(answer is not None for answer in answers)
        majority = answers[biggest[0]] if biggest else None
        return (
            len(biggest) / voting if voting else None,
            majority if is_outside or majority != NONE else None,
            1 - voting / len(samples),
        )

    def _biggest(self, answers: list[str | None]) -> list[int]:
        """Places of the answers of the biggest class; of equally big ones the first. Raises
        Undecided."""
        classes: list[list[int]] = []
        for place, answer in enumerate(answers):
            if answer is None:
                continue
            for known in classes:
                if self._same(str(answers[known[0]]), answer):
                    known.append(place)
                    break
            else:
                classes.append([place])
        return max(classes, key=len, default=[])

    def _same(self, one: str, other: str) -> bool:
        """Texts, and whole numbers; whether other answers are the same is left to mathematics."""
        if one == other:
            return True
        if self.settings["equality"] == "rzero-compat" and "no " in one and "no " in other:
            return True
        if WHOLE.fullmatch(one) and WHOLE.fullmatch(other):
            return int(one) == int(other)
        raise Undecided

    @staticmethod
    def _by_place(batch: list[Record], size: int) -> list[list[Record]]:
        groups: dict[int, list[Record]] = defaultdict(list)
        for each in batch:
            groups[each["index"] // size].append(each)
        return list(groups.values())

    def _verify_advantages(self, groups: list[list[Record]]) -> None:
        """(r - mean) / (deviation + 1e-6) of a group; the deviation counts as at least the
        floor."""
        is_floored = self.settings["advantages"] == "floored"
        floor = self.settings["deviationFloor"] if is_floored else 0.0
        for group in groups:
            rewards = [each["reward"] for each in group]
            mean = sum(rewards) / len(rewards)
            square = sum((reward - mean) ** 2 for reward in rewards) / max(1, len(rewards) - 1)
            alike = len(set(rewards)) == 1
            for each in group:
                found = (each["reward"] - mean) / (max(square**0.5, floor) + 1e-6)
                self.ledger.check(
                    "rewards.advantage",
                    each["id"],
                    each["advantage"],
                    0.0 if alike else found,
                    TOLERANCE,
                )


WHY_UNDECIDED = "answers that only mathematics could compare"
WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
