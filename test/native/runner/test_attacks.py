"""Every attack ends as expected and leaves nothing changed outside, at both levels."""

from __future__ import annotations

import json
import time

import pytest

from bait import CANARY, Bait
from client import Broker, Refused, descendants
from corpus import Attack, count_kinds, load_attacks, matches, verdict

ATTACKS = load_attacks()
LIMITS = {"cpuSeconds": 1, "wallSeconds": 0.6, "memoryBytes": 256 << 20}
# A job's wall time leaves out what it waited for a processor, but never grows more than eightfold.
LONGEST_S = 8 * LIMITS["wallSeconds"]
# What a job can hold of a secret: its source, an argument, its output and its result.
SECRET_JOB = f"def f(x):\n    print(x)\n    return '{CANARY}' + x"
NOTICE_S = 25  # from the limit to the reply: milliseconds, unless the broker too is kept waiting


def run_attack(broker: Broker, attack: Attack) -> tuple[str, list[str]]:
    """The verdict, and every way in which the attack was not contained."""
    with Bait() as bait:
        if attack.before == "secret":
            for _ in range(2):  # what the first leaves is there when the one after next is made
                broker.run(SECRET_JOB, ["s", CANARY])
        elif attack.before == "twice":
            broker.run(attack.program, *bait.arguments(), limits=LIMITS)
        started = time.monotonic()
        try:
            result = broker.run(attack.program, *bait.arguments(), limits=LIMITS)
        except Refused as refusal:
            return f"refused request: {refusal}", [f"the broker gave up: {refusal}"]
        took = time.monotonic() - started
        seen, breaches = verdict(result), bait.damage()
        if not matches(seen, attack.expected):
            breaches.append(f"ended as {seen[:120]}, expected {' or '.join(attack.expected)}")
        if CANARY in json.dumps(result):
            breaches.append("the canary's text came out")
        if took > LONGEST_S + NOTICE_S:
            breaches.append(f"took {took:.1f} s")
    return seen, breaches


def settled_processes(broker: Broker, wanted: int) -> int:
    """How many processes the broker has, once the next warm worker stands (or after 2 s)."""
    deadline = time.monotonic() + 2
    while True:
        count = len(descendants(broker.process.pid))
        if count == wanted or time.monotonic() > deadline:
            return count
        time.sleep(0.01)


@pytest.fixture(scope="module")
def resting(broker: Broker) -> int:
    """Processes of a broker between jobs: its zygotes and one warm worker each."""
    broker.run("def f(): return 1")
    time.sleep(0.5)
    return len(descendants(broker.process.pid))


def test_the_corpus_is_large_enough(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = count_kinds(ATTACKS, level)
    with capsys.disabled():
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        print(f"\nattack programs at {level}: {kinds.total()} ({told})")
    assert kinds.total() >= 125


def test_no_two_attacks_are_the_same() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert len({attack.program for attack in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_contained(broker: Broker, level: str, resting: int, attack: Attack) -> None:
    if not attack.applies(level):
        pytest.skip(f"aims at something only {attack.only} has")
    _, breaches = run_attack(broker, attack)
    left = settled_processes(broker, resting)
    if left != resting:
        breaches.append(f"{left} processes instead of {resting}")
    assert not breaches


def test_the_next_job_is_unharmed_after_all_of_them(broker: Broker) -> None:
    assert verdict(broker.run("def f(): return 'fine'")) == "ok=fine"
    assert broker.ask("stats")["respawned"] == 0
