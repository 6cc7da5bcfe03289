"""How far the supervisor agrees with the rubric on held-out records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..evaluation.asking import Subject
from ..evaluation.intervals import Share, share
from .records import ReviewRecord


@dataclass(frozen=True)
class Agreement:
    name: str
    share: Share


def _read(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text.removesuffix("<|im_end|>"))
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("issues"), list) else None


def agreements(subject: Subject, records: list[ReviewRecord]) -> Iterator[Agreement]:
    """Greedy, without a grammar: overall, by phase, recall of every issue, and false alarms."""
    texts = subject.answer([record.sample().prompt for record in records], temperature=0.0)
    answers = [_read(text) for text in texts]
    named = [tuple(answer["issues"]) if answer else None for answer in answers]
    hits = [record.issues == issues for record, issues in zip(records, named, strict=True)]
    yield Agreement("valid JSON without a grammar", share([a is not None for a in answers]))
    yield Agreement("same issues", share(hits))
    yield Agreement(
        "whole answer identical",
        share(
            [
                text == record.label + "<|im_end|>"
                for text, record in zip(texts, records, strict=True)
            ]
        ),
    )
    for phase in dict.fromkeys(record.phase for record in records):
        yield Agreement(
            f"same issues, {phase}",
            share(
                [hit for hit, record in zip(hits, records, strict=True) if record.phase == phase]
            ),
        )
    yield Agreement(
        "no issue found where there is none",
        share(
            [
                issues == ()
                for record, issues in zip(records, named, strict=True)
                if not record.issues
            ]
        ),
    )
    for issue in sorted({issue for record in records for issue in record.issues}):
        yield Agreement(
            f"recall of {issue}",
            share(
                [
                    issues is not None and issue in issues
                    for record, issues in zip(records, named, strict=True)
                    if issue in record.issues
                ]
            ),
        )
