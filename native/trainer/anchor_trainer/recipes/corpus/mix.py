"""Shares of the task kinds over a training run.

Early on drills and short traces dominate, because copying and arithmetic must click first; later
the share of conduct rises, because guidance about requests was not learnt at small shares and a
separate second stage costs skill. Detailed traces come last: they rest on copying.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .arithmetic import arithmetic, drill
from .conduct import memory, request
from .proposing import induction_proposal, proposal
from .samples import Sample
from .solving import abduction, deduction, induction

EARLY_END = 0.45  # of the token budget; between the two the shares move linearly
LATE_START = 0.60
DETAIL_START = 0.65  # from here on traces write out sequences and loop counters too

# generator: (early share, late share)
SHARES: dict[Callable[..., Sample], tuple[float, float]] = {
    deduction: (0.27, 0.22),
    abduction: (0.13, 0.13),
    induction: (0.11, 0.12),
    proposal: (0.11, 0.13),
    induction_proposal: (0.04, 0.04),
    arithmetic: (0.07, 0.06),
    drill: (0.13, 0.04),
    request: (0.10, 0.19),
    memory: (0.04, 0.07),
}


TRACED = (deduction, abduction, induction)


def shares_at(progress: float) -> list[float]:
    """Share of every generator when `progress` (0 to 1) of the token budget is spent."""
    late = min(1.0, max(0.0, (progress - EARLY_END) / (LATE_START - EARLY_END)))
    return [early + (final - early) * late for early, final in SHARES.values()]


def policy_sample(rng: Random, progress: float) -> Sample:
    """One training sample of the policy at this point of the run."""
    return mixed_sample(rng, progress, detailed=progress >= DETAIL_START)


def mixed_sample(rng: Random, progress: float, detailed: bool) -> Sample:
    """One sample of the mix at this point of the run, with short or detailed traces."""
    draw = rng.choices(list(SHARES), shares_at(progress))[0]
    return draw(rng, detailed) if draw in TRACED else draw(rng)
