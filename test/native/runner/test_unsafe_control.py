"""The corpus proves something: without the sandbox, many of the same attacks succeed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from client import Broker
from conftest import start
from corpus import load_attacks
from test_attacks import run_attack

# Attacks that end or wait on nothing but their limits say nothing about a sandbox.
_ONLY_LIMITS = ("resources.", "exhausting.", "crashing.", "harness.", "inject.")


@pytest.fixture(scope="module")
def unsafe() -> Iterator[Broker]:
    broker = start("unsafe")
    yield broker
    broker.close()
    for left in ("/tmp/link", "/dev/shm/left-behind"):
        Path(left).unlink(missing_ok=True)


@pytest.mark.full
def test_at_least_60_attacks_succeed_without_a_sandbox(unsafe: Broker) -> None:
    loose, skipped = [], []
    for attack in load_attacks():
        if attack.name.startswith(_ONLY_LIMITS):
            continue
        if attack.skip_unsafe:
            skipped.append(f"{attack.name} ({attack.skip_unsafe})")
            continue
        _, breaches = run_attack(unsafe, attack)
        if breaches:
            loose.append(attack.name)
    print(f"\nnot contained without a sandbox: {len(loose)}: {', '.join(loose)}")
    print(f"not run without a sandbox: {', '.join(skipped)}")
    assert len(loose) >= 60


def test_every_unsafe_result_says_so(unsafe: Broker) -> None:
    assert unsafe.run("def f(): return 1")["level"] == "unsafe"
