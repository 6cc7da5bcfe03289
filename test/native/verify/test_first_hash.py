"""What of a configuration stands in the hash before step 1."""

from __future__ import annotations

from typing import Any

import pytest

from anchor_verify.chains import initial_hash

MARK = "Material follows <<{{delimiter}}."


def _hash(supervision: dict[str, Any], **policy: str) -> str:
    config = {
        "framework": {"name": "rzero"},
        "generation": {},
        "policy": {"model": "embedded-policy"} | policy,
        "supervision": {"model": "embedded-supervisor", "merge": "guidance"} | supervision,
    }
    return initial_hash(config, "c", "w", None, [])


def _texts(**more: str) -> dict[str, Any]:
    return {"wordingPrompts": {"summary": "", "merge": ""} | more}


@pytest.mark.parametrize("worded", [{"merge": "model"}, {"summary": "model"}])
def test_a_system_text_for_wording_counts_where_a_model_words_lines(worded: dict[str, str]) -> None:
    without = _hash(worded | _texts())
    assert _hash(worded | _texts(system=MARK)) != without
    assert _hash(worded | _texts(system="  ")) == without


def test_a_system_text_for_wording_counts_for_nothing_where_lines_are_counted_by_rule() -> None:
    assert _hash(_texts(system=MARK)) == _hash(_texts())
    assert _hash(_texts(summary="{{findings}}")) != _hash(_texts())


def test_where_weights_lie_while_others_work_counts_for_nothing() -> None:
    assert _hash({}, offload="always") == _hash({}, offload="never") == _hash({})
    assert _hash({}, device="cuda") != _hash({})


def test_asking_of_plans_without_a_program_is_what_a_run_does_that_says_nothing_of_them() -> None:
    assert _hash({"nothingToCompare": "ask"}) == _hash({})
    assert _hash({"nothingToCompare": "say"}) != _hash({})
