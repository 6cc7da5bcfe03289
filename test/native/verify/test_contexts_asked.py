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
            {"weights_sha256": "w"} if "checkpoints" in query else {"hash": "a"}
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
