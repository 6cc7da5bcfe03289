"""What a weight set is loaded with in tests: small, on the processor, by one thread."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anchor_trainer.load_spec import LoadSpec
from anchor_trainer.params import Params
from anchor_trainer.training.spec import parse_train


def load_spec(model: Path, train: Mapping[str, Any], **more: Any) -> LoadSpec:
    """`train` as in a request; `more` are fields of LoadSpec that are to be others."""
    settings: dict[str, Any] = {
        "name": "policy",
        "max_seq_tokens": 64,
        "max_concurrent": 4,
        "device": "cpu",
        "threads": 1,
        "seed": 0,
        "reference": "none",
        "resume": None,
        "thinking": False,
        **more,
    }
    return LoadSpec(model=model, train=parse_train(Params(dict(train))), **settings)
