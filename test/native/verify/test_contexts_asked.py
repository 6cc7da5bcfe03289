"""The context that an evaluation asked under."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from anchor_verify.evaluations import Evaluations
from anchor_verify.findings import Ledger, Tally
from anchor_verify.lab import Lab
from anchor_verify.rules import EVALUATION_RULES
from anchor_verify.sandbox import Sandbox

RULE = "evaluations.weights"


def _weights(asked: dict[str, Any], stored: str) -> Tally:
    """What the rule says of a checkpoint asked under a context; that of the lab has the hash a."""
    lab = SimpleNamespace(
        rows=lambda query, *_: [
            {"role": "policy", "weights_sha256": "w"} if "checkpoints" in query else {"hash": "a"}
        ]
    )
    ledger = Ledger(EVALUATION_RULES)
    evaluations = Evaluations(ledger, cast(Lab, lab), Path(), lambda: cast(Sandbox, None))
    row = {"id": "eval-1", "run_id": "run-1", "step": 2, "weights_sha256": "w"}
    evaluations._verify_weights(
        row | {"context_hash": stored, "plan": json.dumps({"context": asked})}
    )
    return ledger.tallies[RULE]


def test_a_context_of_a_run_has_the_hash_that_the_run_stored() -> None:
    of_run = {"hash": "a", "runId": "run-1", "step": 3}
    assert _weights(of_run, "a").differing == 0
    assert _weights(of_run, "b").differing == 1


def test_a_context_that_is_no_runs_has_the_hash_that_was_planned() -> None:
    own = {"hash": "c", "runId": None, "step": None}
    assert _weights(own, "c").differing == 0
    assert sum(_weights(own, "c").skipped.values()) == 1
    assert _weights(own, "b").differing == 1


def test_weights_asked_at_a_step_of_another_role_are_the_newest_of_the_solver() -> None:
    rows = [
        {"role": "challenger", "weights_sha256": "c0"},
        {"role": "solver", "weights_sha256": "s0"},
        {"role": "solver", "weights_sha256": "s13"},
        {"role": "challenger", "weights_sha256": "c16"},
    ]
    lab = SimpleNamespace(rows=lambda *_: rows)
    for asked, differing in (("s13", 0), ("c16", 1), ("s0", 1)):
        ledger = Ledger(EVALUATION_RULES)
        evaluations = Evaluations(ledger, cast(Lab, lab), Path(), lambda: cast(Sandbox, None))
        evaluations._verify_weights(
            {"id": "e", "run_id": "r", "step": 16, "weights_sha256": asked, "plan": None}
        )
        assert ledger.tallies[RULE].differing == differing, asked
