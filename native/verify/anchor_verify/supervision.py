"""
What a supervisor was asked and what became of it: gates (ANCHOR Eq. 5), statistics of a batch,
times, and the summaries (Eq. 6), which may rest on reviews of work that the verifier passed and
on nothing else (Appendix A.2).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable

from .canonical import uniform
from .findings import Ledger
from .lab import Lab, Record
from .stages import reviewed_answers

PERCENTAGES = re.compile(
    r"n (\d+); accuracy (\w+)%?(?: \w+)?; invalid (\d+)%(?: \w+)?; "
    r"format failures (\d+)%(?: \w+)?; timeouts (\d+)%"
)

OTHER = "other"
"""A finding of its own kind, which its words alone describe."""


def phases_of(framework: Record, rollout: Record) -> list[str]:
    """What of a trained response is reviewed: a part that is blank is not, and a proposal's output
    is its task."""
    if framework["name"] == "rzero":
        own = reviewed_answers(framework, rollout)
        if not own:
            return []
    elif rollout["purpose"] == "estimate":
        return []
    else:
        own = ["task"] if rollout["purpose"] == "propose" else ["output"]
    written = [phase for phase in ("plan", "thought") if (rollout[phase] or "").strip()]
    return own + written


def verify_reviews(
    ledger: Ledger, lab: Lab, run: Record, step: int, rollouts: list[Record], reviews: list[Record]
) -> None:
    config = run["config"]["supervision"]
    source = source_of(lab, config)
    is_yoked = config["reviewer"] == "yoked"
    seed = (run if source is None else source)["config"]["seed"]
    chances = config["phases"]
    stored = {review["id"]: review for review in reviews}
    batches: dict[str, list[Record]] = defaultdict(list)
    for rollout in rollouts:
        batches[rollout["batch"]].append(rollout)
    items = [
        (f"{rollout['id']}#{phase}", f"{rollout['batch']}/{rollout['index']}", phase)
        for rollout in rollouts
        for phase in phases_of(run["config"]["framework"], rollout)
    ] + [(f"{step}/{batch}#exec", f"{batch}/exec", "exec") for batch in batches]
    if config.get("retry") == "enforce":
        ledger.skip("reviews.gate", "answers that are generated once more", len(items))
    elif is_yoked and source is None:
        ledger.skip("reviews.gate", "the run whose reviews these are is gone", len(items))
    elif config.get("maxReviewsPerPhase") is not None:
        places = {review_id: (item, phase) for review_id, item, phase in items}
        for review_id in stored:
            item, phase = places.get(review_id, ("", "task"))
            drawn = item != "" and uniform(seed, "gate", step, item, phase) < chances[phase]
            ledger.check("reviews.gate", review_id, "a review", "a review" if drawn else "none")
        ledger.skip("reviews.gate", "items beyond a cap of reviews", len(items) - len(stored))
    else:
        for review_id, item, phase in items:
            drawn = uniform(seed, "gate", step, item, phase) < chances[phase]
            ledger.check("reviews.gate", review_id, review_id in stored, drawn)
        known = {review_id for review_id, _, _ in items}
        for review_id in stored.keys() - known:
            ledger.check("reviews.gate", review_id, "a review", "nothing to review")
    if is_yoked:
        _verify_yoked(ledger, lab, source, step, reviews)
    written = origins_of(run, step, reviews)
    for review in reviews:
        about = review["id"]
        ledger.check(
            "reviews.gate", f"{about}, p", review["gateProbability"], chances[review["phase"]]
        )
        if review["phase"] == "exec":
            origin = written.get(about) or str(about)
            batch = origin.partition("/")[2].removesuffix("#exec")
            _verify_statistics(ledger, review, batches[batch])
        is_leaking = len(review["leaks"]) > 0
        ledger.check("reviews.quarantine", about, review["status"] == "quarantined", is_leaking)


def source_of(lab: Lab, config: Record) -> Record | None:
    """The run whose reviews a yoked run has, and whose seed says what is reviewed."""
    if config["reviewer"] != "yoked":
        return None
    row = lab.one("SELECT id, config FROM runs WHERE id = ?", config["reviewerSettings"]["run"])
    return None if row is None else {"id": row["id"], "config": json.loads(row["config"])}


def _verify_yoked(
    ledger: Ledger, lab: Lab, source: Record | None, step: int, reviews: list[Record]
) -> None:
    """Each place has what the other run's review of it says."""
    if source is None:
        ledger.skip("reviews.control", "the run whose reviews these are is gone", len(reviews))
        return
    there = {
        review["id"]: review
        for review in lab.reviews(source["id"], step)
        if review["status"] == "done"
    }
    for review in reviews:
        if review["reviewer"] != "yoked" or review["prompt"] == "":
            ledger.skip("reviews.control", "a person's answer, or one that nobody was asked for")
            continue
        is_answered = review["status"] in ANSWERED
        found = there.get(review["id"])
        ledger.check("reviews.control", review["id"], is_answered, found is not None)
        if is_answered and found is not None:
            ledger.check(
                "reviews.control", f"{review['id']}, what it says", _said(review), _said(found)
            )


ANSWERED = ("done", "quarantined")


def _said(review: Record) -> list[object]:
    return [review["decision"], review["issues"], review["feedback"]]


def origins_of(run: Record, step: int, reviews: list[Record]) -> dict[str, str]:
    """Where reviews are shuffled, for each the id of the item that it was written about; else
    nothing, as each is of its own."""
    if run["config"]["supervision"].get("placing") != "shuffled":
        return {}
    return written_about(run["config"]["seed"], step, reviews)


def written_about(seed: int, step: int, reviews: list[Record]) -> dict[str, str]:
    """For each review of a run that shuffles them, the id of the item it was written about: within
    a phase, the items in the order of batch and index have the reviews in the order of draws."""
    origin: dict[str, str] = {}
    for phase in sorted({review["phase"] for review in reviews}):
        places = sorted(
            (review["batch"], _index_of(review), review["id"])
            for review in reviews
            if review["phase"] == phase and review["status"] in ANSWERED
        )
        drawn = sorted(
            places,
            key=lambda place: uniform(
                seed,
                "shuffle",
                step,
                f"{place[0]}/exec" if phase == "exec" else f"{place[0]}/{place[1]}",
                phase,
            ),
        )
        origin |= {place[2]: other[2] for place, other in zip(places, drawn, strict=True)}
    return origin


def _index_of(review: Record) -> int:
    return 0 if review["rolloutId"] is None else int(review["rolloutId"].split("/")[2])


def _verify_statistics(ledger: Ledger, review: Record, batch: list[Record]) -> None:
    """What the prompt of an exec review says of the batch."""
    shown = PERCENTAGES.search(review["prompt"])
    if shown is None:
        ledger.skip("reviews.statistics", "a prompt without the percentages")
        return
    work = [rollout for rollout in batch if rollout["purpose"] != "estimate"]
    verdicts = [rollout["verdict"] for rollout in work]
    if work[0]["purpose"] == "propose":
        by_task: dict[str, list[float]] = defaultdict(list)
        for rollout in batch:
            if rollout["purpose"] == "estimate":
                by_task[rollout["taskId"]].append(rollout["verdict"]["accuracy"])
        shares = [sum(each) / len(each) for each in by_task.values()]
    else:
        shares = [float(verdict["outcome"] == "passed") for verdict in verdicts]
    # Where no proposal was measured there is no rate.
    accuracy = str(_percent(sum(shares), len(shares))) if shares else "unrated"
    is_broken = [not rollout["formatOk"] for rollout in work]
    is_invalid = [
        verdict["outcome"] == "invalid" and rollout["purpose"] == "propose"
        for verdict, rollout in zip(verdicts, work, strict=True)
    ]
    n, said, *others = shown.groups()
    found = [len(work), _percent(sum(is_invalid), len(work)), _percent(sum(is_broken), len(work))]
    found.append(_percent(sum(verdict["reason"] == "timeout" for verdict in verdicts), len(work)))
    if work[0]["role"] != "assistant":  # whose rating is misspecified, and is not shown
        ledger.check("reviews.statistics", f"{review['id']}, accuracy", said.rstrip("%"), accuracy)
    ledger.check("reviews.statistics", review["id"], [int(n), *map(int, others)], found)


def _percent(part: float, whole: int) -> int:
    return int(100 * part / whole + 0.5)


def verify_times(
    ledger: Ledger,
    step: Record,
    rollouts: list[Record],
    reviews: list[Record],
    written: dict[str, str],
) -> None:
    """Nothing is reviewed before it was written, and all of it within the step. `written`: the time
    of each response by its id."""
    begun, ended = step["started_at"], step["finished_at"]
    last: dict[str, str] = {}
    for rollout in rollouts:
        at = written.get(rollout["id"])
        if at is None:
            ledger.skip("records.times", "the time of a response is not stored")
            continue
        last[rollout["batch"]] = max(at, last.get(rollout["batch"], ""))
        ledger.check("records.times", rollout["id"], begun <= at <= ended, True)
    for review in reviews:
        at = review["createdAt"]
        ledger.check("records.times", review["id"], begun <= at <= ended, True)
        about = written.get(review["rolloutId"] or "") or (
            last.get(review["batch"]) if review["rolloutId"] is None else None
        )
        if about is not None:
            ledger.check(
                "records.times", f"{review['id']}, after what it reviews", at >= about, True
            )


def verify_summaries(
    ledger: Ledger,
    run: Record,
    step: int,
    rollouts: list[Record],
    reviews: list[Record],
    summaries: list[Record],
) -> None:
    scope = run["config"]["supervision"]["summaryScope"]
    counts = _counting(run, rollouts)
    by_batch: dict[str, list[Record]] = defaultdict(list)
    for review in reviews:
        if review["status"] == "done":
            by_batch[review["batch"]].append(review)
    told = {summary["batch"] for summary in summaries}
    if reviews:
        for batch in by_batch:
            ledger.check("summaries.scope", f"{step}/{batch}", batch in told, True)
    for summary in summaries:
        about = f"{step}/{summary['batch']}"
        done = by_batch[summary["batch"]]
        eligible = [review for review in done if counts(review)]
        ledger.check("summaries.scope", f"{about}, scope", summary["scope"], scope)
        ledger.check("summaries.scope", f"{about}, reviewed", summary["reviewed"], len(done))
        ledger.check("summaries.scope", f"{about}, counted", summary["eligible"], len(eligible))
        _verify_points(ledger, about, summary, eligible)


def _counting(run: Record, rollouts: list[Record]) -> Callable[[Record], bool]:
    """Whether summaries of a run count a review that was written."""
    scope = run["config"]["supervision"]["summaryScope"]
    passed = {each["id"] for each in rollouts if each["verdict"]["outcome"] == "passed"}
    return lambda review: (
        scope == "all" or review["phase"] == "exec" or review["rolloutId"] in passed
    )


def _verify_points(ledger: Ledger, about: str, summary: Record, eligible: list[Record]) -> None:
    """Every finding of a counted review stands in the summary, under its issue, and nothing else
    does."""
    found: dict[str, set[str]] = defaultdict(set)
    words = {}
    for review in eligible:
        words[review["id"]] = review["feedback"]
        for issue in review["issues"]:
            found[issue].add(review["id"])
    stored: dict[str, set[str]] = defaultdict(set)
    for point in summary["points"]:
        name = f"{about}, {point['issue']}"
        ids = point["reviewIds"]
        stored[point["issue"]].update(ids)
        ledger.check("summaries.points", f"{name}, count", point["count"], len(set(ids)))
        single = [each for each in eligible if each["id"] in ids and len(each["issues"]) == 1]
        for review in single:
            ledger.check(
                "summaries.points",
                f"{name}, words of {review['id']}",
                point["feedback"],
                review["feedback"],
            )
    for issue in sorted(found.keys() | stored.keys()):
        ledger.check(
            "summaries.points",
            f"{about}, {issue}",
            sorted(stored[issue]),
            sorted(found[issue]),
        )
    lines = [f"- {p['count']} x {p['issue']}: {p['feedback']}" for p in summary["points"]]
    head = f"{summary['batch']}: {summary['reviewed']} reviewed, {summary['eligible']} counted"
    text = "\n".join([f"{head}.", *lines]) if lines else f"{head}, nothing to report."
    ledger.check("summaries.points", f"{about}, text", summary["text"], text)


def verify_wordings(
    ledger: Ledger,
    run: Record,
    rollouts: list[Record],
    reviews: list[Record],
    summaries: list[Record],
    wordings: list[Record],
) -> None:
    """A line that a model wrote of a summary rests on reviews that the summary counts, all of one
    kind of finding: those of an issue, or such as name none and are alike in their words."""
    counts = _counting(run, rollouts)
    free: dict[str, set[str]] = defaultdict(set)
    for review in reviews:
        if review["status"] == "done" and counts(review) and set(review["issues"]) <= {OTHER}:
            free[review["batch"]].add(review["id"])
    resting = {
        summary["batch"]: {
            point["issue"]: set(point["reviewIds"]) for point in _joined(summary["points"])
        }
        for summary in summaries
    }
    for wording in wordings:
        if wording["kind"] != "summary":
            continue
        batch = wording["batch"]
        for line in wording["lines"]:
            issue = line["topic"].rpartition(": ")[2]
            named = {} if issue == OTHER else resting.get(batch, {})
            ledger.check(
                "summaries.lineage",
                line["id"],
                sorted(set(line["sources"]) - named.get(issue, free[batch])),
                [],
            )


def _joined(points: list[Record]) -> list[Record]:
    together: dict[str, Record] = {}
    for point in points:
        known = together.setdefault(point["issue"], {"issue": point["issue"], "reviewIds": []})
        known["reviewIds"] = [*known["reviewIds"], *point["reviewIds"]]
    return list(together.values())
