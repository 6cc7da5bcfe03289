"""One broker per level for all tests of a level: they must be able to share it, since runs do."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
for path in (HERE, HERE.parents[2] / "native" / "runner"):
    if str(path) not in sys.path:
        sys.path.insert(0, str(path))

from bait import CANARY  # noqa: E402
from client import Broker  # noqa: E402

LEVELS = ("L3", "L2")
# They end by their time or memory, stay inside the job, or ask the broker, the same at both levels.
IN_TURN = re.compile(
    r"test_attacks\.py.*-(exhausting|resources|harness|crashing|inject)\.|test_(grading|grading_stdin|broker)\.py"
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`npm test` asks each of these at one level, in turn; `npm run test:full` at the other."""
    cases: dict[str, dict[str, pytest.Item]] = {}
    for item in items:
        level = getattr(item, "callspec", None) and item.callspec.params.get("level")
        if level and IN_TURN.search(item.nodeid):
            cases.setdefault(item.nodeid.replace(level, ""), {})[level] = item
    for index, at in enumerate(cases.values()):
        if len(at) == len(LEVELS):
            at[LEVELS[index % len(LEVELS)]].add_marker(pytest.mark.full)


def start(level: str, workers: int = 1, hash_seeds: tuple[int, ...] = (0, 4242)) -> Broker:
    if level == "L3":
        assert shutil.which("bwrap"), "bubblewrap is missing: apt-get install -y bubblewrap"
    broker = Broker(environment={**os.environ, "SECRET_OF_THE_ENGINE": CANARY})
    hello = broker.ask("hello", level=level, workers=workers, hashSeeds=hash_seeds)
    assert hello["executionAllowed"], hello["why"]
    return broker


@pytest.fixture(scope="session", params=LEVELS)
def level(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def broker(level: str) -> Iterator[Broker]:
    started = start(level)
    yield started
    started.close()
