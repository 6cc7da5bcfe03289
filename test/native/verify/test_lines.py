"""Lines of a context that a model wrote, joined or kept: what each has to rest on."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any, cast

import pytest

from anchor_verify.contexts import Contexts
from anchor_verify.findings import Ledger
from anchor_verify.packs import Pack
from anchor_verify.rules import RUN_RULES
from anchor_verify.supervision import verify_wordings

STEP = 3
TOPIC, OTHER, URGENT = "solver: trace_error", "solver: no_trace", "solver: unsafe_comply"


def _reviews(*names: str, step: int = STEP, issue: str = "trace_error") -> list[dict[str, Any]]:
    return [{"id": f"{step}/{name}", "step": step, "issues": [issue]} for name in names]


def _line(name: str, topic: str, reviews: list[str], last: int, **other: Any) -> dict[str, Any]:
    made_of = other.pop("made_of", [f"{last}/solve/1"])
    return {
        "id": name,
        "text": f"Words of {topic}.",
        "key": None,
        "enteredStep": int(name.split(".")[0]),
        "lastSupportedStep": last,
        "support": len(reviews),
        "reviewIds": reviews,
        "worded": {"topic": topic, "from": made_of, "wording": "model"},
    } | other


def _wording(**by_topic: list[str]) -> dict[str, Any]:
    topics = {"trace": TOPIC, "none": OTHER, "unsafe": URGENT}
    return {
        "kind": "summary",
        "lines": [
            {
                "id": f"{STEP}/solve/{index}",
                "topic": topics[topic],
                "sources": sources,
                "text": f"Words of {topics[topic]}.",
                "wording": "model",
            }
            for index, (topic, sources) in enumerate(by_topic.items(), 1)
        ],
    }


def _differing(
    before: list[dict[str, Any]],
    after: list[dict[str, Any]],
    wording: dict[str, Any],
    reviews: list[dict[str, Any]],
    points: list[dict[str, Any]] | None = None,
    **settings: Any,
) -> dict[str, str]:
    """The first difference of each rule that differs, and what it is about."""
    run = {
        "config": {
            "framework": {"name": "azr"},
            "supervision": {
                "summary": "model",
                "merge": "model",
                "minimumSupport": 2,
                "expirySteps": 6,
            }
            | settings,
        }
    }
    ledger = Ledger(RUN_RULES)
    contexts = Contexts(ledger, run, cast(Pack, SimpleNamespace(find=lambda _: None)))
    points = (
        points
        if points is not None
        else [
            {"issue": each["topic"].rpartition(": ")[2], "reviewIds": each["sources"]}
            for each in wording["lines"]
        ]
    )
    gone = {each["id"] for each in before} - {each["id"] for each in after}
    removed = [{"id": each, "reason": "model"} for each in sorted(gone)]
    contexts.verify_update(
        STEP,
        {"lines": before},
        {"lines": after, "removed": removed},
        reviews,
        [{"points": points}],
        [wording],
    )
    return {
        name: tally.first.about for name, tally in ledger.tallies.items() if tally.first is not None
    }


OLD = [
    _line("2.1", TOPIC, ["1/a", "1/b", "1/c"], 1),
    _line("3.1", OTHER, ["2/a", "2/b"], 2),
]
FOUND = [*_reviews("a", "b"), *_reviews("u", issue="unsafe_comply")]
WORDING = _wording(trace=["3/a", "3/b"], unsafe=["3/u"])
JOINED = _line(
    "4.2",
    TOPIC,
    ["1/a", "1/b", "1/c", "3/a", "3/b", "2/a", "2/b", "3/u"],
    STEP,
    support=2,
    made_of=["2.1", "3.1", "3/solve/2"],
)


def test_a_line_joined_of_a_renewed_one_an_old_one_and_a_new_one_rests_on_all_of_them() -> None:
    assert _differing(OLD, [JOINED], WORDING, FOUND) == {}


@pytest.mark.parametrize(
    ("change", "about"),
    [
        ({"support": 3}, "support"),
        ({"support": 1}, "support"),
        ({"lastSupportedStep": 2}, "renewed"),
        ({"enteredStep": 3}, "entered"),
        ({"reviewIds": [each for each in JOINED["reviewIds"] if each != "2/b"]}, None),
        ({"reviewIds": [*JOINED["reviewIds"], "3/x"]}, "3/x, of the step"),
        ({"worded": JOINED["worded"] | {"from": ["2.1", "9.9", "3.1", "3/solve/2"]}}, "made of"),
    ],
)
def test_what_a_joined_line_says_of_itself_is_checked(
    change: dict[str, Any], about: str | None
) -> None:
    found = _differing(OLD, [JOINED | change], WORDING, FOUND)
    name = "line 4.2 of context 4"
    assert found == {"contexts.lineage": name if about is None else f"{name}, {about}"}


def test_a_line_in_new_words_that_nobody_renewed_stands_as_its_source_did() -> None:
    again = _line("4.1", OTHER, ["2/a", "2/b"], 2, made_of=["3.1"], text="Other words.")
    nothing = _wording()
    assert _differing(OLD, [OLD[0], again], nothing, []) == {}
    newer = again | {"lastSupportedStep": 1}
    assert _differing(OLD, [OLD[0], newer], nothing, []) == {
        "contexts.lineage": "line 4.1 of context 4, supported"
    }


def test_one_review_brings_a_line_only_about_safety() -> None:
    one = _line("4.1", OTHER, ["3/n"], STEP, made_of=["3/solve/1"])
    found = _differing([], [one], _wording(none=["3/n"]), _reviews("n", issue="no_trace"))
    assert found == {"contexts.support": "line 4.1 of context 4"}
    urgent = _line("4.1", URGENT, ["3/u"], STEP, made_of=["3/solve/1"])
    assert _differing([], [urgent], _wording(unsafe=["3/u"]), FOUND) == {}


def test_a_line_that_lives_long_keeps_those_that_caused_it_and_the_newest() -> None:
    names = [f"{index:02}" for index in range(45)]
    old = _line("2.1", TOPIC, [f"1/{each}" for each in names[:40]], 1)
    reviews = _reviews(*names)
    kept = [*old["reviewIds"][:10], *(f"3/{each}" for each in names[15:])]
    renewed = old | {"reviewIds": kept, "support": 45, "lastSupportedStep": STEP}
    wording = _wording(trace=[each["id"] for each in reviews])
    assert _differing([old], [renewed], wording, reviews) == {}
    less = renewed | {"reviewIds": kept[1:]}
    assert _differing([old], [less], wording, reviews) == {
        "contexts.lineage": "line 2.1 of context 4"
    }


def test_a_line_that_stays_is_made_of_what_it_was() -> None:
    other = copy.deepcopy(OLD[1])
    other["worded"]["from"] = ["2/solve/9"]
    assert _differing(OLD, [OLD[0], other], _wording(), []) == {
        "contexts.lineage": "line 3.1 of context 4, made of"
    }


def test_lines_of_the_words_of_reviews_are_held_to_their_own_sources() -> None:
    plain = [{k: v for k, v in each.items() if k != "worded"} for each in OLD]
    joined = JOINED | {
        "reviewIds": [*OLD[0]["reviewIds"], *OLD[1]["reviewIds"], "3/a", "3/b"],
        "support": 3,
        "worded": JOINED["worded"] | {"from": ["2.1", "3.1", "4.1"]},
    }
    wording = _wording(trace=["3/a", "3/b"])
    assert _differing(plain, [joined], wording, FOUND, summary="rule") == {}
    for support in (0, 4):
        found = _differing(plain, [joined | {"support": support}], wording, FOUND, summary="rule")
        assert found == {"contexts.lineage": "line 4.2 of context 4, support"}


def test_guidance_is_not_looked_for_where_a_model_words_the_summaries() -> None:
    entering = _line("4.1", TOPIC, ["3/a", "3/b"], STEP, made_of=["3/solve/1"])
    found = _differing([], [entering], _wording(trace=["3/a", "3/b"]), FOUND, merge="guidance")
    assert found == {}


FREE = "solver: exampl special tabl"


@pytest.mark.parametrize(
    ("sources", "differs"),
    [
        (["3/none", "3/other"], False),
        (["3/none", "3/named"], True),  # it found something else, which has a name
        (["3/none", "3/failing"], True),  # the verifier did not pass its work
        (["3/none", "3/leaking"], True),  # it was quarantined
        (["3/none", "3/elsewhere"], True),
    ],
)
def test_a_line_of_findings_without_a_name_rests_on_such_reviews(sources, differs):
    def review(name: str, *issues: str, **other: Any) -> dict[str, Any]:
        review = {"batch": "b", "status": "done", "phase": "thought", "rolloutId": "passed"}
        return review | {"id": f"3/{name}", "issues": list(issues)} | other

    reviews = [
        review("none"),
        review("other", "other"),
        review("named", "no_trace"),
        review("failing", rolloutId="failed"),
        review("leaking", status="quarantined"),
        review("elsewhere", batch="c"),
    ]
    points = [
        {"issue": issue, "reviewIds": [f"3/{name}"]}
        for issue, name in (("other", "other"), ("no_trace", "named"))
    ]
    rollouts = [{"id": name, "verdict": {"outcome": name}} for name in ("passed", "failed")]
    line = {"id": "3/b/1", "topic": FREE, "sources": sources}
    ledger = Ledger(RUN_RULES)
    verify_wordings(
        ledger,
        {"config": {"supervision": {"summaryScope": "verified"}}},
        rollouts,
        reviews,
        [{"batch": "b", "points": points}],
        [{"kind": "summary", "batch": "b", "lines": [line]}],
    )
    assert (ledger.tallies["summaries.lineage"].first is not None) == differs


def test_a_finding_without_a_name_may_bring_a_line_though_no_point_counts_it():
    wording = _wording(trace=["3/a", "3/b"])
    wording["lines"][0]["topic"] = FREE
    reviews = [{"id": f"3/{name}", "step": STEP, "issues": []} for name in "ab"]
    line = _line("4.1", FREE, ["3/a", "3/b"], STEP, made_of=["3/solve/1"])
    line["text"] = wording["lines"][0]["text"]
    assert _differing([], [line], wording, reviews, points=[]) == {}
