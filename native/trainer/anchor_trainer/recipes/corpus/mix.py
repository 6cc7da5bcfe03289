"""Shares of the task kinds over a training run.

Early on drills dominate, because copying and arithmetic must click first; later the share of
conduct rises, because guidance about requests was not learnt at small shares and a separate second
stage costs skill.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .arithmetic import arithmetic, drill
from .choices import choice
from .conduct import memory, request
from .errors import error_prediction, error_proposal
from .proposing import induction_proposal, proposal
from .questions import question_answer, question_proposal
from .samples import Sample
from .solving import abduction, deduction, induction

EARLY_END = 0.45  # of the token budget; between the two the shares move linearly
LATE_START = 0.60

# generator: (early share, late share)
SHARES: dict[Callable[[Random], Sample], tuple[float, float]] = {
    deduction: (0.24, 0.18),
    abduction: (0.16, 0.14),
    induction: (0.16, 0.19),
    error_prediction: (0.03, 0.03),
    proposal: (0.10, 0.13),
    induction_proposal: (0.04, 0.04),
    error_proposal: (0.02, 0.02),
    arithmetic: (0.06, 0.04),
    drill: (0.08, 0.02),
    request: (0.08, 0.13),
    memory: (0.03, 0.05),
    choice: (0.00, 0.03),
}


# Of the leg that teaches R-Zero's questions, which follows the others; the rest is as above, so
# that nothing learnt there is lost.
QUESTION_SHARES: dict[Callable[[Random], Sample], float] = {
    question_proposal: 0.15,
    question_answer: 0.35,
}


def shares_at(progress: float) -> list[float]:
    """Share of every generator when `progress` (0 to 1) of the token budget is spent."""
    late = min(1.0, max(0.0, (progress - EARLY_END) / (LATE_START - EARLY_END)))
    return [early + (final - early) * late for early, final in SHARES.values()]


def policy_sample(rng: Random, progress: float) -> Sample:
    """One training sample of the policy at this point of the run."""
    return rng.choices(list(SHARES), shares_at(progress))[0](rng)


def questions_sample(rng: Random, progress: float) -> Sample:
    """One training sample of the leg that teaches questions beside everything else."""
    if rng.random() < sum(QUESTION_SHARES.values()):
        return rng.choices(list(QUESTION_SHARES), list(QUESTION_SHARES.values()))[0](rng)
    return policy_sample(rng, progress)
