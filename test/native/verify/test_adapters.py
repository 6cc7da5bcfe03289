"""Checkpoints that an answer was written with, and the hash of weights with an adapter."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from anchor_verify.checkpoints import tensors_sha256, verify_checkpoints
from anchor_verify.findings import Ledger
from anchor_verify.lab import Lab
from anchor_verify.prompts import Prompts
from anchor_verify.rules import RUN_RULES
from anchor_verify.scoring import RULE, Weights, verify_scores

RUN: dict[str, Any] = {"id": "a", "folder": "runs/a", "config": {"policy": {}}}


def _lab(folder: Path, checkpoints: list[dict[str, Any]]) -> Lab:
    return cast(
        Lab,
        SimpleNamespace(
            folder=folder, checkpoints=lambda _run: checkpoints, context=lambda _run, _step: {}
        ),
    )


def _checkpoint(step: int, role: str = "policy", **more: Any) -> dict[str, Any]:
    return {"step": step, "role": role, "removedAt": None, "folder": f"step-{step}"} | more


def test_an_adapter_without_its_base_is_passed_over_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "runs/a/checkpoints/step-1"
    folder.mkdir(parents=True)
    for name in ("config.json", "adapter_config.json", "adapter_model.safetensors"):
        (folder / name).write_text("{}")
    lab = _lab(tmp_path, [_checkpoint(1)])
    ledger = Ledger([(RULE, "", "")])
    rollout = {"role": "solver"}
    chosen: dict[int, list[dict[str, Any]]] = {2: [{"id": "2/x/0"} | rollout]}
    verify_scores(ledger, lab, RUN, cast(Prompts, None), chosen, lambda _scored: None)
    assert ledger.tallies[RULE].skipped == {"weights that cannot be read": 1}


def test_weights_of_fewer_bits_are_passed_over_with_the_reason(tmp_path: Path) -> None:
    ledger = Ledger([(RULE, "", "")])
    run = RUN | {"config": {"policy": {}, "train": {"precision": "nf4"}}}
    chosen: dict[int, list[dict[str, Any]]] = {1: [{}, {}]}
    lab = _lab(tmp_path, [_checkpoint(0)])
    verify_scores(ledger, lab, run, cast(Prompts, None), chosen, lambda _scored: None)
    assert ledger.tallies[RULE].skipped == {"weights that are computed with in nf4": 2}


def test_a_role_speaks_with_its_last_checkpoint_before_the_step(tmp_path: Path) -> None:
    roles = [("challenger", 0), ("solver", 0), ("challenger", 1), ("solver", 4)]
    checkpoints = [_checkpoint(step, role) for role, step in roles]
    checkpoints[2]["removedAt"] = "2026-01-01T00:00:00.000Z"
    weights = Weights(_lab(tmp_path, checkpoints), RUN)
    assert weights.role_of("proposer") == "challenger"
    assert weights.before(1, "challenger") == checkpoints[0]
    assert weights.before(2, "challenger") is None
    assert weights.before(4, "solver") == checkpoints[1]
    assert weights.before(5, "solver") == checkpoints[3]


def test_the_hash_of_weights_with_an_adapter_is_that_of_both(tmp_path: Path) -> None:
    folder = tmp_path / "runs/a/checkpoints/step-1"
    folder.mkdir(parents=True)
    values = b"\0\0\x80?"
    header = {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    told = json.dumps(header).encode()
    adapter = folder / "adapter_model.safetensors"
    adapter.write_bytes(len(told).to_bytes(8, "little") + told + values)
    assert tensors_sha256(adapter) == hashlib.sha256(values).hexdigest()
    base = "b" * 64
    both = hashlib.sha256(f"{base}{tensors_sha256(adapter)}".encode()).hexdigest()
    (folder / "trainer.json").write_text(json.dumps({"baseSha256": base, "weightsSha256": both}))
    more = {"files": [], "bytes": 0}
    first = _checkpoint(0, removedAt="2026-01-01T00:00:00.000Z", weightsSha256=base)
    for stored, differing in ((both, 0), (base, 2)):
        ledger = Ledger(RUN_RULES)
        lab = _lab(tmp_path, [first, _checkpoint(1, weightsSha256=stored, **more)])
        verify_checkpoints(ledger, lab, RUN, {}, lambda _done: None)
        assert ledger.tallies["checkpoints.weights"].differing == differing
