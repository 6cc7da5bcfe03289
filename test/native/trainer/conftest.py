"""Shared models and processes; module scope where tests only read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tiny_models import build_model
from trainer_process import TrainerProcess


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Checkpoint folders by kind, each built once."""
    root = tmp_path_factory.mktemp("models")
    built: dict[str, Path] = {}

    def get(kind: str = "qwen2-gqa") -> Path:
        if kind not in built:
            built[kind] = build_model(root / kind, kind)
        return built[kind]

    return get


@pytest.fixture
def start() -> Iterator[Callable[..., TrainerProcess]]:
    """Starts trainer processes and ends them after the test."""
    with ExitStack() as running:

        def begin(*command: str, **popen: object) -> TrainerProcess:
            return running.enter_context(closing(TrainerProcess(command, **popen)))

        yield begin


@pytest.fixture
def fork() -> Iterator[Callable[[], TrainerProcess]]:
    """The same from a process that has imported PyTorch, where nothing is asked of the start."""
    with ExitStack() as running:
        yield lambda: running.enter_context(closing(TrainerProcess.forked()))


@pytest.fixture(scope="module")
def trainer(
    request: pytest.FixtureRequest,
    models: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TrainerProcess]:
    """One loaded trainer per module, for tests that leave the weights alone."""
    asks_of_process = request.module.__name__.endswith("test_trainer_protocol")
    one = TrainerProcess() if asks_of_process else TrainerProcess.forked()
    one.hello(tmp_path_factory.mktemp("run"))
    one.load(models("qwen2-gqa"))
    yield one
    one.close()
