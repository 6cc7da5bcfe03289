"""Answers that an adapter wrote beside frozen weights are passed over, with the reason."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from anchor_verify.findings import Ledger
from anchor_verify.lab import Lab
from anchor_verify.prompts import Prompts
from anchor_verify.scoring import RULE, verify_scores


def test_scores_under_an_adapter_are_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "runs/a/checkpoints/step-1"
    folder.mkdir(parents=True)
    for name in ("config.json", "adapter_config.json", "adapter_model.safetensors"):
        (folder / name).write_text("{}")
    checkpoint = {"step": 1, "role": "policy", "removedAt": None, "folder": "step-1"}
    lab = SimpleNamespace(
        folder=tmp_path, checkpoints=lambda _run: [checkpoint], context=lambda _run, _step: {}
    )
    ledger = Ledger([(RULE, "", "")])
    run: dict[str, Any] = {"id": "a", "folder": "runs/a", "config": {"policy": {}}}
    chosen: dict[int, list[dict[str, Any]]] = {2: [{"id": "2/x/0"}, {"id": "2/x/1"}]}
    verify_scores(ledger, cast(Lab, lab), run, cast(Prompts, None), chosen, lambda _scored: None)
    assert ledger.tallies[RULE].skipped == {"an adapter beside frozen weights": 2}
