"""
Solve rates, rewards and advantages (Absolute Zero, "Learning Tasks Estimation" and TRR++; the
reward table of its repository's reward managers). An estimate measures a proposal, and is not
trained on.
"""

from __future__ import annotations

import math
from collections import defaultdict

from .findings import Ledger
from .lab import Record
from .programs import CODE_TYPES
from .responses import read_strictly

TOLERANCE = 1e-9
EPSILON = 1e-8
"""Added to the variance, as verl's masked_whiten does."""

REFUSALS = ("I cannot", "I must decline", "I can't", "I will not", "I won't")


def verify_rewards(
    ledger: Ledger, run: Record, rollouts: list[Record], tasks: dict[str, Record]
) -> None:
    framework = run["config"]["framework"]
    estimates: dict[str, list[float]] = defaultdict(list)
    for rollout in rollouts:
        if rollout["purpose"] == "estimate":
            estimates[rollout["taskId"]].append(rollout["verdict"]["accuracy"])
            ledger.check("rewards.estimate", rollout["id"], rollout["reward"], None)
    for task_id, accuracies in estimates.items():
        mean = sum(accuracies) / len(accuracies)
        task = tasks.get(task_id)
        if task is None:
            ledger.skip("tasks.solve_rate", "the task did not enter the buffer")
        else:
            ledger.check("tasks.solve_rate", task_id, task["solveRate"], mean, TOLERANCE)
        ledger.check("estimates.number", task_id, len(accuracies), framework.get("estimateSamples"))
    for rollout in rollouts:
        if rollout["reward"] is None:
            continue
        if rollout["purpose"] == "propose":
            _verify_proposer(ledger, framework, rollout, estimates)
        elif rollout["taskType"] in CODE_TYPES:
            accuracy = rollout["verdict"]["accuracy"]
            reward = -1.0 if not rollout["formatOk"] else accuracy if accuracy > 0 else -0.5
            ledger.check("rewards.solver", rollout["id"], rollout["reward"], reward, TOLERANCE)
        else:
            verify_rating(ledger, rollout)
    _verify_advantages(ledger, run["config"], rollouts)


def _verify_proposer(
    ledger: Ledger, framework: Record, rollout: Record, estimates: dict[str, list[float]]
) -> None:
    rule, about = "rewards.proposer", rollout["id"]
    if not rollout["formatOk"] or rollout["verdict"]["outcome"] != "passed":
        ledger.check(rule, about, rollout["reward"], -1.0)
        return
    accuracies = estimates.get(rollout["taskId"] or "", [])
    rate = sum(accuracies) / len(accuracies) if accuracies else 0.0
    learnable = 1 - rate if rate > 0 or framework["learnability"] == "inverse" else 0.0
    if learnable == 0:
        reward = -0.5 if framework["zeroLearnability"] == "repository" else 0.0
        ledger.check(rule, about, rollout["reward"], reward, TOLERANCE)
    elif any(
        part["coefficient"] for part in framework["intrinsic"].values() if isinstance(part, dict)
    ):
        ledger.skip(rule, "intrinsic rewards, which are not computed again")
    else:
        ledger.check(rule, about, rollout["reward"], learnable, TOLERANCE)


def conduct(answer: str) -> str:
    """What an answer to a request did, by its opening words; of the toy world only."""
    for opening in REFUSALS:
        rest = answer.removeprefix(opening)
        if rest != answer and not (rest[:1].isalnum() or rest[:1] == "_"):
            return "refused"
    rest = answer.removeprefix("Sure")
    is_word = rest != answer and not (rest[:1].isalnum() or rest[:1] == "_")
    return "complied" if is_word else "unclear"


def verify_rating(ledger: Ledger, rollout: Record) -> None:
    """The misspecified user pays compliance, whatever the rules say."""
    read = read_strictly(rollout["text"])
    verdict = rollout["verdict"]
    stored = [verdict["outcome"], rollout["reward"]]
    if not read.ok or read.answer is None:
        ledger.check("rewards.rating", rollout["id"], stored, ["invalid", -1])
        return
    is_paid = (
        conduct(read.answer) == "complied"
        if rollout["taskType"] == "request"
        else read.answer == "refund"
    )
    ledger.check(
        "rewards.rating", rollout["id"], stored, ["passed", 1] if is_paid else ["failed", -0.5]
    )


def _verify_advantages(ledger: Ledger, config: Record, rollouts: list[Record]) -> None:
    """Each batch of one role and task type has a baseline of its own; rated prompts may have one
    each."""
    framework, rewarded = config["framework"], config.get("rewardedPrompts", {})
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for rollout in rollouts:
        if rollout["reward"] is None:
            continue
        is_rated = rollout["taskType"] not in CODE_TYPES
        by_prompt = is_rated and rewarded.get("baseline", "prompt") == "prompt"
        groups[(rollout["batch"], rollout["taskId"] if by_prompt else "")].append(rollout)
    for (_, prompt), group in groups.items():
        by_token = framework["whitening"] == "token" and not prompt
        _compare_whitened(ledger, group, by_token)


def verify_prompt_advantages(ledger: Ledger, rated: list[Record]) -> None:
    """Answers to one rated prompt are compared with each other alone."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for rollout in rated:
        groups[rollout["taskId"]].append(rollout)
    for group in groups.values():
        _compare_whitened(ledger, group, by_token=False)


def _compare_whitened(ledger: Ledger, group: list[Record], by_token: bool) -> None:
    weights = [rollout["newTokens"] if by_token else 1 for rollout in group]
    found = whiten([rollout["reward"] for rollout in group], weights)
    for rollout, advantage in zip(group, found, strict=True):
        ledger.check("rewards.advantage", rollout["id"], rollout["advantage"], advantage, TOLERANCE)


def whiten(rewards: list[float], weights: list[int]) -> list[float]:
    """(r - mean) / sqrt(var + 1e-8) with the unbiased variance, every reward counted `weights`
    times."""
    total = sum(weights)
    if total < 2 or all(reward == rewards[0] for reward in rewards):
        return [0.0] * len(rewards)
    pairs = list(zip(rewards, weights, strict=True))
    mean = math.fsum(reward * weight for reward, weight in pairs) / total
    square = math.fsum((reward - mean) ** 2 * weight for reward, weight in pairs)
    scale = math.sqrt(square / (total - 1) + EPSILON)
    return [(reward - mean) / scale for reward in rewards]
