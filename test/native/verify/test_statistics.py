"""What the prompt of an exec review says of its batch."""

from __future__ import annotations

from typing import Any

import pytest

from anchor_verify.findings import Ledger
from anchor_verify.rules import RUN_RULES
from anchor_verify.supervision import _verify_statistics


def _differing(said: str, batch: list[dict[str, Any]]) -> int:
    shown = f"n {len(batch)}; accuracy {said}; invalid 100%; format failures 0%; timeouts 0%"
    ledger = Ledger(RUN_RULES)
    _verify_statistics(ledger, {"id": "1/propose/exec", "prompt": shown}, batch)
    return ledger.tallies["reviews.statistics"].differing


@pytest.mark.parametrize(("said", "differing"), [("unrated", 0), ("0%", 1), ("50%", 1)])
def test_a_batch_of_proposals_of_which_none_was_measured_has_no_rate(
    said: str, differing: int
) -> None:
    proposal = {
        "purpose": "propose",
        "role": "proposer",
        "formatOk": True,
        "verdict": {"outcome": "invalid", "reason": "syntax"},
    }
    assert _differing(said, [proposal, proposal]) == differing
