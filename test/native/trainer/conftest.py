"""Shared models and processes; module scope where tests only read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "peers"))

from anchor_trainer.model import config as model_config
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
def as_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models take the road of large ones."""
    monkeypatch.setattr(model_config, "SMALL_MODEL", 0)


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
def started() -> TrainerProcess:
    """What `trainer` is; a module that asks of the process itself starts a whole one instead."""
    return TrainerProcess.forked()


@pytest.fixture(scope="module")
def trainer(
    started: TrainerProcess,
    models: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TrainerProcess]:
    """One loaded trainer per module, for tests that leave the weights alone."""
    started.hello(tmp_path_factory.mktemp("run"))
    started.load(models("qwen2-gqa"))
    yield started
    started.close()
