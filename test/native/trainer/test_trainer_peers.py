"""Benchmarks of the trainer that need nothing but it: that they run, not what they say."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trainer_process import CHECKOUT, environment

PEERS = CHECKOUT / "test" / "peers"
POLICY = CHECKOUT / "resources" / "models" / "policy"
OUR_STEP = f"""
from pathlib import Path
from support.our_step import OurStep
step = OurStep(Path({str(POLICY)!r}), [[1, 2, 3]] * 2, [[4, 6]] * 2, [[1.0, -1.0]] * 2, 1e-4)
print(step.run())
"""


@pytest.mark.full
@pytest.mark.parametrize(
    "program",
    [
        (str(PEERS / "scheduling_host.py"), "--model", str(POLICY)),
        (str(PEERS / "learning_by_method.py"), "--seeds", "1", "--updates", "10"),
        (str(PEERS / "rollouts_vs_generate.py"), "--model", str(POLICY), "--rounds", "1"),
        ("-c", OUR_STEP),
    ],
    ids=["scheduling", "methods", "rollouts", "step"],
)
def test_a_benchmark_measures_something(program):
    path = environment()["PYTHONPATH"] + f":{PEERS}"
    ran = subprocess.run(
        [sys.executable, *program],
        capture_output=True,
        text=True,
        env={**environment(), "PYTHONPATH": path},
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert any(one.isdigit() for one in ran.stdout)
