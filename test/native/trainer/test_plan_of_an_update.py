"""What one step of a real model takes at its peak, beside what was planned for it."""

from __future__ import annotations

import sys

import pytest

from step_memory import measured
from test_trainer_parking import PUBLIC, needs_public

ROWS, TOKENS, PROMPT = 4, 256, 64


@pytest.mark.full
@needs_public
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the peak of a process")
@pytest.mark.parametrize("method", ["lora", "full"])
def test_the_largest_phase_takes_what_was_planned(method: str) -> None:
    phases = [*measured(PUBLIC, method, ROWS, TOKENS, PROMPT, checkpointing=True)]
    planned = max(bytes_ for _, bytes_, _, _ in phases)
    took = max(bytes_ for _, _, bytes_, _ in phases)
    assert took == pytest.approx(planned, rel=0.05)
