"""
What the findings of one step say of the lines of the next context: which they bring, which they
renew, and on what reviews a line that was joined of several rests (docs/verify.md, "Contexts").
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain

from .lab import Record

KEPT_CAUSES = 10
KEPT_RENEWALS = 30
"""A line that lives long keeps the reviews that caused it and the newest."""


@dataclass(frozen=True)
class Standing:
    """The reviews that a line names, how many of one step agree on it, and which step that is."""

    reviews: list[str]
    support: int
    last: int


@dataclass(frozen=True)
class Finding:
    """What reviews of the step agree on. `lines` are those of summaries that say so, `text` is the
    one of them that may enter; by rule alone there are neither."""

    reviews: list[str]
    lines: frozenset[str] = frozenset()
    text: str = ""


def kept(ids: list[str]) -> list[str]:
    if len(ids) <= KEPT_CAUSES + KEPT_RENEWALS:
        return ids
    return [*ids[:KEPT_CAUSES], *ids[-KEPT_RENEWALS:]]


def unique(*lists: list[str]) -> list[str]:
    return list(dict.fromkeys(chain(*lists)))


class Findings:
    """Those of a step, in the order in which a line looks for its own: by the topic of a line that
    a model wrote, else by the key of the guidance."""

    def __init__(self, step: int, found: dict[str, Finding], *, by_topic: bool) -> None:
        self.step, self.found, self.by_topic = step, found, by_topic

    def renewed(self, line: Record) -> Standing:
        """A line of the context before, as the step leaves it before any are joined."""
        finding = next((each for name, each in self.found.items() if self._is(line, name)), None)
        if finding is None:
            return Standing(line["reviewIds"], line["support"], line["lastSupportedStep"])
        together = unique(line["reviewIds"], finding.reviews)
        return Standing(kept(together), len(finding.reviews), self.step)

    def _is(self, line: Record, name: str) -> bool:
        if not self.by_topic:
            return bool(line["key"] == name)
        if line.get("worded", {}).get("topic") == name:
            return True
        return same_line_key(line["text"]) == same_line_key(self.found[name].text)

    def brought(self, line: Record) -> list[Finding]:
        """The findings that an entering line was made of."""
        if not self.by_topic:
            return [finding for name, finding in self.found.items() if name == line["key"]]
        sources = set(line.get("worded", {}).get("from", []))
        return [finding for finding in self.found.values() if finding.lines & sources]

    def standing(self, line: Record, own: Record | None, parents: list[Record]) -> Standing:
        """What a line of the next context has to rest on. `own`: the line of that id in the context
        before; `parents`: the lines of that context which an entering one was made of."""
        if own is not None:
            return self.renewed(own)
        entering = [
            Standing(kept(each.reviews), len(each.reviews), self.step)
            for each in self.brought(line)
        ]
        sources = [*map(self.renewed, parents), *entering]
        return Standing(
            unique(*(each.reviews for each in sources)),
            max((each.support for each in sources), default=0),
            max((each.last for each in sources), default=0),
        )


def findings_by_topic(step: int, wordings: list[Record]) -> Findings:
    """Those that the model worded. One that several batches made has the line that the model wrote,
    of these the one with the most reviews, of these the first."""
    by_topic: dict[str, list[Record]] = defaultdict(list)
    for wording in wordings:
        if wording["kind"] == "summary":
            for line in wording["lines"]:
                by_topic[line["topic"]].append(line)
    found = {}
    for topic, lines in sorted(by_topic.items()):
        best = min(lines, key=lambda x: (x["wording"] != "model", -len(x["sources"]), x["id"]))
        reviews = sorted({each for line in lines for each in line["sources"]})
        found[topic] = Finding(reviews, frozenset(line["id"] for line in lines), best["text"])
    return Findings(step, found, by_topic=True)


def findings_by_key(step: int, summaries: list[Record], guidance: dict[str, str]) -> Findings:
    """Those that bring guidance. `guidance`: the key of each issue that has one."""
    by_key: dict[str, set[str]] = defaultdict(set)
    for point in (point for summary in summaries for point in summary["points"]):
        if point["issue"] in guidance:
            by_key[guidance[point["issue"]]].update(point["reviewIds"])
    found = {key: Finding(sorted(reviews)) for key, reviews in by_key.items()}
    return Findings(step, found, by_topic=False)


def same_line_key(text: str) -> str:
    """Form under which two wordings count as the same line: letters and digits in lower case."""
    lowered = unicodedata.normalize("NFKC", text).lower()
    return " ".join(
        "".join(each if unicodedata.category(each)[0] in "LN" else " " for each in lowered).split()
    )
