"""Which stage a step of R-Zero is, and what follows from that alone."""

from __future__ import annotations

from math import ceil

from .lab import Record


def place_of(settings: Record, step: int) -> tuple[str, int, int]:
    """Stage and iteration of a step, and its place in the stage, all from 1: the challenger's
    training, questions in parts, their labels in as many, the solver's training."""
    parts = ceil(settings["pose"]["questions"] / settings["pose"]["perStep"])
    lengths = [
        ("challenge", settings["challenge"]["steps"]),
        ("pose", parts),
        ("label", parts),
        ("solve", settings["solve"]["steps"]),
    ]
    iteration, left = divmod(step - 1, sum(length for _, length in lengths))
    for stage, length in lengths:
        if left < length:
            return stage, iteration + 1, left + 1
        left -= length
    raise AssertionError(step)


def is_frozen(config: Record, step: int) -> bool:
    """Whether a step leaves the context as it is: those that only ask and label do."""
    framework = config["framework"]
    return framework["name"] == "rzero" and place_of(framework, step)[0] in ("pose", "label")


def reviewed_answers(settings: Record, rollout: Record) -> list[str]:
    """The phases of a response beside the plan and thought that it has."""
    if rollout["purpose"] == "propose":
        return ["task"] if rollout["batch"] == "challenge" else []
    if rollout["purpose"] == "estimate":
        is_shown = rollout["batch"] == "challenge" and rollout["sample"] == 0
        return ["output"] if is_shown else []
    is_first = rollout["index"] % settings["solve"]["samples"] == 0
    return ["task", "output"] if is_first and rollout["taskType"] == "question" else ["output"]
