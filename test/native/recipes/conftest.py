"""Makes the trainer's package importable, and keeps every test on one thread."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "native" / "trainer"))
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def resources() -> Path:
    return REPOSITORY / "resources"


@pytest.fixture(scope="session")
def tokenizer():
    """The tokenizer that ships with the policy."""
    from anchor_trainer.recipes.training.tokenizer import load_tokenizer

    return load_tokenizer(REPOSITORY / "resources" / "models" / "policy")
