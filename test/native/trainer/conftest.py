"""Shared models and processes; module scope where tests only read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
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
    running: list[TrainerProcess] = []

    def begin(*command: str, **popen: object) -> TrainerProcess:
        running.append(TrainerProcess(command, **popen))
        return running[-1]

    yield begin
    for one in running:
        one.close()


@pytest.fixture(scope="module")
def trainer(
    models: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TrainerProcess]:
    """One loaded trainer per module, for tests that leave the weights alone."""
    one = TrainerProcess()
    one.hello(tmp_path_factory.mktemp("run"))
    one.load(models("qwen2-gqa"))
    yield one
    one.close()
