"""
The supervision context C_t (ANCHOR Eq. 7): its text and hash, the way from each line through a
summary to reviews of the step before, and the rules of decision 009 that say which lines enter,
stay and leave.
"""

from __future__ import annotations

import json
from pathlib import Path

from .canonical import sha256
from .findings import Ledger
from .guidance import GENERAL, GENERAL_WORDS, GUIDANCE, SAFETY_ISSUES
from .lab import Record
from .lineage import (
    KEPT_CAUSES,
    KEPT_RENEWALS,
    Findings,
    findings_by_key,
    findings_by_topic,
    unique,
)
from .packs import Pack
from .stages import is_frozen


def is_fixed(line: Record) -> bool:
    """Set by the configuration for the whole run; no review brings, renews or removes it."""
    return str(line["id"]).startswith("fixed.")


class Contexts:
    """Follows the contexts of one run from C_1 on."""

    def __init__(self, ledger: Ledger, run: Record, pack: Pack) -> None:
        self.ledger, self.pack = ledger, pack
        self.config = run["config"]
        self.settings = self.config["supervision"]
        self.fixed = self.settings.get("fixedContext", [])
        every = self.settings.get("guidance") == "every"
        self.guidance = GUIDANCE | (GENERAL if every else {})
        self.reviewed: dict[str, Record] = {}
        trained = pack.find("guidance.json")
        self.trained: Record = (
            json.loads(Path(trained).read_text("utf-8"))
            if trained
            else {"keys": {}, "conflicts": []}
        )

    def verify_text(self, context: Record, count: int | None) -> None:
        """The hash is that of the text, and the text is that of the lines. `count`: its tokens as
        the policy's tokenizer counts them."""
        about = f"context {context['step']}"
        text = context["text"]
        self.ledger.check("contexts.text", f"{about}, hash", context["hash"], sha256(text))
        if self.settings.get("contextText", "reviews") == "filler":
            self.ledger.skip("contexts.text", "neutral text in the place of the lines")
        else:
            lines = [line["text"] for line in context["lines"]]
            self.ledger.check("contexts.text", about, text, self.pack.context(lines))
        fixed = [line["text"] for line in context["lines"] if is_fixed(line)]
        self.ledger.check("contexts.text", f"{about}, fixed lines", fixed, self.fixed)
        if count is not None:
            self.ledger.check("contexts.text", f"{about}, tokens", context["tokens"], count)
        self.ledger.check(
            "contexts.budget",
            f"{about}, lines",
            len(context["lines"]) <= max(self.settings["contextLines"], len(self.fixed)),
            True,
        )
        if not self.fixed:
            self.ledger.check(
                "contexts.budget",
                f"{about}, tokens",
                context["tokens"] <= self.settings["contextTokens"],
                True,
            )

    def verify_update(
        self,
        step: int,
        before: Record,
        after: Record,
        reviews: list[Record],
        summaries: list[Record],
        wordings: list[Record],
    ) -> None:
        self.reviewed |= {review["id"]: review for review in reviews}
        if is_frozen(self.config, step):
            for name in ("lines", "text", "hash", "tokens"):
                about = f"context {step + 1}, {name} of a step that leaves it"
                self.ledger.check("contexts.lineage", about, after[name], before[name])
            return
        counted = {
            each for summary in summaries for p in summary["points"] for each in p["reviewIds"]
        }
        # A finding that names no issue has no point; the line that a model made of it names it.
        counted |= {
            each
            for wording in wordings
            if wording["kind"] == "summary"
            for line in wording["lines"]
            for each in line["sources"]
        }
        old = {line["id"]: line for line in before["lines"] if not is_fixed(line)}
        new = {line["id"]: line for line in after["lines"] if not is_fixed(line)}
        is_by_model = self.settings.get("summary", "rule") == "model"
        is_by_key = not is_by_model and self.settings["merge"] == "guidance"
        findings = (
            findings_by_topic(step, wordings)
            if is_by_model
            else findings_by_key(step, summaries, self.guidance)
            if is_by_key
            else None
        )
        for line in new.values():
            self._verify_line(step, line, old, findings, counted)
        self._verify_leaving(step, old, new, after["removed"])
        if is_by_key:
            self._verify_guidance(step, new)
        for line in new.values():
            if "worded" in line:
                self._verify_worded(step, line, old, wordings)

    def _verify_line(
        self,
        step: int,
        line: Record,
        old: dict[str, Record],
        findings: Findings | None,
        counted: set[str],
    ) -> None:
        """`findings`: those of the step; none where nothing stored says which line a finding is."""
        rule, about = "contexts.lineage", f"line {line['id']} of context {step + 1}"
        own = old.get(line["id"])
        made_of = line.get("worded", {}).get("from", [])
        parents = [old[each] for each in made_of if each in old] if own is None else [own]
        known = unique(*(each["reviewIds"] for each in parents))
        new = [each for each in line["reviewIds"] if each not in known]
        entered = step + 1 if own is None else own["enteredStep"]
        self.ledger.check(rule, f"{about}, entered", line["enteredStep"], entered)
        is_renewed = line["lastSupportedStep"] == step
        self.ledger.check(rule, f"{about}, renewed", is_renewed, len(new) > 0)
        for review_id in new:
            review = self.reviewed.get(review_id)
            is_of_step = review is not None and review["step"] == step
            self.ledger.check(rule, f"{about}, {review_id}, of the step", is_of_step, True)
            self.ledger.check(
                rule, f"{about}, {review_id}, in a summary", review_id in counted, True
            )
        if findings is None:
            self._verify_bounds(about, line, parents, new)
        else:
            standing = findings.standing(line, own, parents)
            self.ledger.check(rule, about, sorted(line["reviewIds"]), sorted(standing.reviews))
            self.ledger.check(rule, f"{about}, support", line["support"], standing.support)
            last = line["lastSupportedStep"]
            self.ledger.check(rule, f"{about}, supported", last, standing.last)
        if own is None:
            brought = (
                [each.reviews for each in findings.brought(line)]
                if findings
                else [new] * (not parents)
            )
            for reviews in brought:
                self.ledger.check("contexts.support", about, self._is_enough(reviews), True)

    def _is_enough(self, reviews: list[str]) -> bool:
        issues = {
            issue for each in reviews for issue in self.reviewed.get(each, {}).get("issues", [])
        }
        return len(reviews) >= self.settings["minimumSupport"] or bool(issues & set(SAFETY_ISSUES))

    def _verify_bounds(
        self, about: str, line: Record, parents: list[Record], new: list[str]
    ) -> None:
        """A line that a rule took from the words of reviews: what its own sources say of it."""
        rule = "contexts.lineage"
        full = KEPT_CAUSES + KEPT_RENEWALS
        known = unique(*(each["reviewIds"] for each in parents))
        if len(line["reviewIds"]) < full:
            lost = [each for each in known if each not in line["reviewIds"]]
            self.ledger.check(rule, f"{about}, sources that went", lost, [])
        most = max((each["support"] for each in parents), default=0)
        stored, is_joined = line["support"], len(line.get("worded", {}).get("from", [])) > 1
        if not new:
            last = max(each["lastSupportedStep"] for each in parents) if parents else 0
            kept_as = [last, most]
            self.ledger.check(rule, about, [line["lastSupportedStep"], stored], kept_as)
        elif is_joined:
            is_between = 1 <= stored <= max(most, len(new)) or len(new) >= KEPT_RENEWALS
            self.ledger.check(rule, f"{about}, support", is_between, True)
        elif len(new) < KEPT_RENEWALS:
            self.ledger.check(rule, f"{about}, support", stored, len(new))
        else:
            self.ledger.check(rule, f"{about}, support", stored >= len(new), True)

    def _verify_leaving(
        self, step: int, old: dict[str, Record], new: dict[str, Record], removed: list[Record]
    ) -> None:
        rule, expiry = "contexts.leaving", self.settings["expirySteps"]
        frozen = [each for each in range(1, step + 1) if is_frozen(self.config, each)]
        gone = {each["id"]: each["reason"] for each in removed}
        for line_id, line in old.items():
            about = f"line {line_id} after step {step}"
            renewed = line_id in new and new[line_id]["lastSupportedStep"] == step
            supported = line["lastSupportedStep"]
            left_alone = sum(each > supported for each in frozen)
            is_over = step - supported - left_alone >= expiry
            if line_id in new:
                self.ledger.check(rule, f"{about}, expired", is_over and not renewed, False)
                self.ledger.check(rule, f"{about}, said to be gone", line_id in gone, False)
            else:
                self.ledger.check(rule, f"{about}, is accounted for", line_id in gone, True)
                if gone.get(line_id) == "expired":
                    self.ledger.check(rule, f"{about}, expired", is_over, True)

    def _verify_guidance(self, step: int, new: dict[str, Record]) -> None:
        """By rule alone: a line has the words of its key, and no two contradict each other."""
        for line_id, line in new.items():
            about = f"line {line_id} of context {step + 1}"
            key = line["key"] or ""
            phrases = self.trained["keys"].get(key, {}).get("phrases", [GENERAL_WORDS.get(key, "")])
            self.ledger.check("contexts.lineage", f"{about}, words", line["text"], phrases[0])
        keys = [line["key"] for line in new.values()]
        for group in self.trained["conflicts"]:
            together = [key for key in keys if key in group]
            self.ledger.check("contexts.conflicts", f"context {step + 1}", len(together) <= 1, True)

    def _verify_worded(
        self, step: int, line: Record, old: dict[str, Record], wordings: list[Record]
    ) -> None:
        """What a model made a line of is there: lines of the context before, and of summaries."""
        rule, about = "contexts.lineage", f"line {line['id']} of context {step + 1}"
        if line["id"] in old:
            made_before = old[line["id"]].get("worded")
            self.ledger.check(rule, f"{about}, made of", line["worded"], made_before)
            return
        written = {
            each["id"]
            for wording in wordings
            if wording["kind"] == "summary"
            for each in wording["lines"]
        }
        # Where a rule took the words of reviews, no record keeps the lines that might have entered.
        is_kept = self.settings.get("summary", "rule") == "model"
        unknown = [
            each
            for each in line["worded"]["from"]
            if each not in old
            and each not in written
            and (is_kept or not each.startswith(f"{step + 1}."))
        ]
        self.ledger.check(rule, f"{about}, made of", unknown, [])
        for wording in wordings:
            for each in wording["lines"] if wording["kind"] == "merge" else []:
                if each["id"] == line["id"]:
                    self.ledger.check(rule, f"{about}, as written", line["text"], each["text"])
