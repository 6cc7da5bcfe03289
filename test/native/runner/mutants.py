"""Copies of the runner with one protection taken out, and named tests run against them.

The product has no switch to weaken it: a protection goes by editing the text of a copy. The copy
also leaves the self-test out, which would rightly refuse to start most of them.
"""

from __future__ import annotations

import importlib
import inspect
import os
import platform
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
RUNNER = HERE.parents[2] / "native" / "runner"
Edit = tuple[str, str, str]  # file below native/runner, text that is there, text instead
NO_SELF_TEST: Edit = (
    "host/service.py",
    'probes = [] if pool.level == "unsafe" else await run_self_test(pool)',
    "probes: list = []",
)
_ANSWER_LIMIT_S = 6  # a mutant that never answers is a failed test too
_PATIENCE_S = 3
_LONG = {"cpuSeconds": 6, "wallSeconds": 6}  # what is left running by a mutant ends by itself


def copy_runner(folder: Path, edits: tuple[Edit, ...], self_test: bool = False) -> Path:
    """A copy below `folder` with these edits; AssertionError when one finds nothing to replace."""
    runner = folder / "runner"
    shutil.rmtree(runner, ignore_errors=True)
    shutil.copytree(RUNNER, runner, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new in edits if self_test else (NO_SELF_TEST, *edits):
        text = (runner / file).read_text()
        assert old in text, f"{file} no longer holds {old!r}, which this mutation takes out"
        (runner / file).write_text(text.replace(old, new, 1))
    return runner


def _is_ours(name: str) -> bool:
    return name.startswith("test_") or name.partition(".")[0] in (
        "host",
        "inside",
        "client",
        "bait",
        "corpus",
        "forgeries",
        "sight",
        "conftest",
    )


@contextmanager
def modules_of(runner: Path) -> Iterator[Callable[[str], ModuleType]]:
    """Imports test modules anew, so that all they import of the runner is this copy's."""
    kept = {name: module for name, module in sys.modules.items() if _is_ours(name)}
    for name in kept:
        del sys.modules[name]
    sys.path.insert(0, str(runner))
    try:
        client = importlib.import_module("client")
        client.RUNNER = runner
        yield importlib.import_module
    finally:
        sys.path.remove(str(runner))
        for name in [name for name in sys.modules if _is_ours(name)]:
            del sys.modules[name]
        sys.modules.update(kept)


@dataclass(frozen=True)
class NamedTest:
    """file::function[case] of this folder, as pytest shows it without the level."""

    module: str
    function: str
    case: str

    @classmethod
    def read(cls, text: str) -> NamedTest:
        module, _, rest = text.partition("::")
        function, _, case = rest.partition("[")
        return cls(module, function, case.removesuffix("]"))

    def find(self, module: ModuleType) -> tuple[Callable, dict[str, object]]:
        """The function and the arguments of the case; AssertionError when there is none."""
        function = getattr(module, self.function, None)
        assert function is not None, f"{self.module} has no test {self.function}"
        marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
        if not marks:
            assert not self.case, f"{self.function} has no cases"
            return function, {}
        assert len(marks) == 1, f"{self.function} has cases of several kinds"
        names = [name.strip() for name in marks[0].args[0].split(",")]
        for index, values in enumerate(marks[0].args[1]):
            if self.case in (_id(marks[0].kwargs.get("ids"), index, values), f"#{index}"):
                return function, dict(
                    zip(names, values if len(names) > 1 else (values,), strict=True)
                )
        raise AssertionError(f"{self.function} has no case {self.case}")


def _id(ids: object, index: int, values: object) -> str:
    if callable(ids):
        return ids(values)
    return ids[index] if isinstance(ids, (list, tuple)) else str(values)


class Refuses(Exception):
    """The mutant executes no program at all; the message says what it did instead."""


class NotSeen(Exception):
    """The named test skipped itself; the message is its reason."""


def run_named(named: NamedTest, level: str, runner: Path, expect_pass: bool) -> str | None:
    """Run one test against a runner: None when it passes, else what it said. Where it is expected
    to fail, it is not given much time to wait for an answer or for an end that never comes.

    Refuses when the runner executes nothing, NotSeen when the test was skipped: neither shows
    anything about the test.
    """
    with modules_of(runner) as load:
        module = load(named.module)
        if not expect_pass:
            module.PATIENCE_S, module.LONG = _PATIENCE_S, _LONG
        function, arguments = named.find(module)
        wanted = inspect.signature(function).parameters.keys() - arguments.keys()
        plain: dict[str, object] = {
            "level": level,
            "machine": platform.machine(),
            "tmp_path": runner.parent / "nested",
        }
        arguments |= {name: plain[name] for name in wanted & plain.keys()}
        if not wanted & {"broker", "own", "sight", "resting"}:
            return _outcome(function, arguments)
        seeds = 2 if named.module == "test_determinism" else 1
        with _broker(load, level, 2 if "own" in wanted else 1, seeds) as broker:
            arguments |= dict.fromkeys(wanted & {"broker", "own"}, broker)
            if not expect_pass:
                load("client").ANSWER_LIMIT_S = _ANSWER_LIMIT_S
            if "sight" in wanted:
                arguments["sight"] = load("sight").look(broker, level)
            if "resting" in wanted:
                arguments["resting"] = _rest(load("client"), broker)
            return _outcome(function, arguments)


@contextmanager
def _broker(
    load: Callable[[str], ModuleType], level: str, workers: int, hash_seeds: int
) -> Iterator[object]:
    client, bait = load("client"), load("bait")
    broker = client.Broker(environment={**os.environ, "SECRET_OF_THE_ENGINE": bait.CANARY})
    try:
        seeds = [0, 4242][:hash_seeds]
        hello = broker.ask("hello", level=level, workers=workers, hashSeeds=seeds)
        if not hello["executionAllowed"]:
            raise Refuses(hello["why"])
        plain = broker.run("def f(): return 'fine'")
        if plain["calls"][0].get("value") != ["s", "fine"]:
            raise Refuses(f"no program runs: {plain}")
        yield broker
    finally:
        below = _handles(client.descendants(broker.process.pid))
        broker.process.kill()
        broker.process.wait()
        for handle in below:  # what a weakened runner leaves behind is ours to end
            try:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            except ProcessLookupError:
                pass
            os.close(handle)


def _handles(pids: list[int]) -> list[int]:
    """A handle of each process that is still there: a number alone may soon be another's."""
    found = []
    for pid in pids:
        try:
            found.append(os.pidfd_open(pid))
        except ProcessLookupError:
            continue
    return found


def _rest(client: ModuleType, broker: object) -> int:
    """Processes of a broker between jobs, once their number stands still."""
    seen = [0, -1]
    while seen[-1] != seen[-2]:
        time.sleep(0.1)
        seen.append(len(client.descendants(broker.process.pid)))
    return seen[-1]


def _outcome(function: Callable, arguments: dict[str, object]) -> str | None:
    inspect.signature(function).bind(**arguments)  # a test called wrongly would fail for nothing
    try:
        function(**arguments)
    except pytest.skip.Exception as skipped:
        raise NotSeen(str(skipped)) from None
    except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - any failure counts
        return f"{type(failure).__name__}: {failure}"
    return None
