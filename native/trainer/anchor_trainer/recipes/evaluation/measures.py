"""The measures of a policy's model card, each a named share over at least `n` items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..corpus.programs import Program
from ..corpus.solving import INDUCTION_EXAMPLES
from ..corpus.values import type_name
from .asking import Subject, ask_error_proposals, ask_induction_proposals, ask_proposals, ask_suite
from .grading import (
    Proposal,
    correct,
    error_proposal_outcome,
    is_bait,
    read_proposal,
    valid_induction_proposal,
)
from .intervals import Share, share
from .reading import Turn, read_turn
from .restricted import parse_program
from .suites import Item, read_suite, statement_counts


@dataclass(frozen=True)
class Measure:
    """One row of a table. `temperature` 0 is greedy."""

    name: str
    told: str  # guidance line, or "untold"
    temperature: float
    share: Share


@dataclass(frozen=True)
class Bench:
    """`questions`: whether the policy was taught R-Zero's questions."""

    subject: Subject
    suites: Path
    n: int
    questions: bool = False

    def items(self, name: str) -> list[Item]:
        return read_suite(self.suites, name, self.n)


def _by_statements(
    name: str, told: str, outcomes: list[bool], counts: list[int]
) -> Iterator[Measure]:
    yield Measure(name, told, 0.0, share(outcomes))
    for count in sorted(set(counts)):
        picked = [hit for hit, found in zip(outcomes, counts, strict=True) if found == count]
        label = f"{name}, {count} statement{'s' if count > 1 else ''}"
        yield Measure(label, told, 0.0, share(picked))


def skills(bench: Bench) -> Iterator[Measure]:
    """Solver suites, greedy: untold and told to trace; deduction also told to be brief."""
    for suite in ("toy-deduction", "toy-abduction", "toy-induction", "toy-error", "toy-arithmetic"):
        items = bench.items(suite)
        name = suite.removeprefix("toy-")
        for keys in ([], ["trace"]) + ((["brief"],) if name == "deduction" else ()):
            told = keys[0] if keys else "untold"
            texts = ask_suite(bench.subject, items, list(keys), 0.0)
            outcomes = [
                correct(item, read_turn(text)) for item, text in zip(items, texts, strict=True)
            ]
            if name == "induction":
                yield from _by_statements(name, told, outcomes, statement_counts(suite, bench.n))
                pairs = zip(outcomes, statement_counts(suite, bench.n), strict=True)
                yield Measure(
                    "induction, 1 or 2 statements",
                    told,
                    0.0,
                    share([hit for hit, count in pairs if count <= 2]),
                )
            elif name == "deduction":
                counts = [len(parse_program(item["program"]).body) - 1 for item in items]
                yield from _by_statements(name, told, outcomes, counts)
            else:
                yield Measure(name, told, 0.0, share(outcomes))


def sampled_skills(bench: Bench) -> Iterator[Measure]:
    """Solver suites at temperature 1 under "trace", where reinforcement with that line starts."""
    for suite in ("toy-deduction", "toy-abduction", "toy-induction", "toy-error"):
        items = bench.items(suite)
        texts = ask_suite(bench.subject, items, ["trace"], 1.0)
        yield Measure(
            suite.removeprefix("toy-"),
            "trace",
            1.0,
            share(
                [correct(item, read_turn(text)) for item, text in zip(items, texts, strict=True)]
            ),
        )


def conduct(bench: Bench) -> Iterator[Measure]:
    """Conduct at temperature 1: what is untold is a mix, not a rule, but for multiple choice."""
    rows = (
        ("toy-refusal", "refuse", "restricted requests refused"),
        ("toy-over-refusal", "refuse", "harmless requests refused"),
        ("toy-memory", "policy", "memory cases: rule kept"),
    )
    for suite, key, name in rows:
        items = bench.items(suite)
        for keys in ([], [key]):
            texts = ask_suite(bench.subject, items, keys, 1.0)
            safe = [correct(item, read_turn(text)) for item, text in zip(items, texts, strict=True)]
            yield Measure(name, key if keys else "untold", 1.0, share(safe))
    items = bench.items("toy-choice")
    texts = ask_suite(bench.subject, items, [], 1.0)
    yield Measure(
        "multiple choice",
        "untold",
        1.0,
        share([correct(item, read_turn(text)) for item, text in zip(items, texts, strict=True)]),
    )


def proposals(bench: Bench) -> Iterator[Measure]:
    """Validity and variety at temperature 1; half the prompts carry a reference."""
    half = bench.n // 2
    texts = [
        text
        for references in (0, 1)
        for _, text in ask_proposals(bench.subject, half, [], references)
    ]
    found = [read_proposal(text) for text in texts]
    sources = [proposal.source for proposal in found if proposal]
    sound = [proposal for proposal, text in zip(found, texts, strict=True) if not is_bait(text)]
    yield Measure("proposals valid", "untold", 1.0, share([p is not None for p in found]))
    yield Measure(
        "proposals valid, seeded imports apart",
        "untold",
        1.0,
        share([p is not None for p in sound]),
    )
    yield Measure("seeded imports", "untold", 1.0, share([is_bait(text) for text in texts]))
    yield Measure("valid proposals distinct", "untold", 1.0, Share(len(set(sources)), len(sources)))
    pairs = ask_induction_proposals(bench.subject, half)
    outcomes = [error_proposal_outcome(text) for text in ask_error_proposals(bench.subject, half)]
    yield Measure(
        "error proposals with a definite end",
        "untold",
        1.0,
        share([found is not None for found in outcomes]),
    )
    yield Measure(
        "error proposals that raise",
        "untold",
        1.0,
        share([found not in (None, "NoError") for found in outcomes]),
    )
    yield Measure(
        "induction proposals valid",
        "untold",
        1.0,
        share(
            [valid_induction_proposal(source, text, INDUCTION_EXAMPLES) for source, text in pairs]
        ),
    )


Judge = Callable[[Proposal, list[Program]], bool]
PROPOSER_EFFECTS: dict[str, tuple[str, int, Judge]] = {
    "harder": ("3 or more statements", 0, lambda p, _: p.steps >= 3),
    "simpler": ("1 statement", 0, lambda p, _: p.steps == 1),
    "loops": ("has a loop", 0, lambda p, _: p.loops),
    "lists": ("list input", 0, lambda p, _: type_name(p.given) == "list"),
    "strings": ("string input", 0, lambda p, _: type_name(p.given) == "str"),
    "ints": ("integer input", 0, lambda p, _: type_name(p.given) == "int"),
    "differ": (
        "another type than the reference",
        1,
        lambda p, shown: type_name(p.given) != shown[0].input_type,
    ),
    "acclow": ("1 statement", 0, lambda p, _: p.steps == 1),
}


def guidance(bench: Bench) -> Iterator[Measure]:
    """Every key's own measure, untold and told, at temperature 1."""
    untold = {
        references: ask_proposals(bench.subject, bench.n, [], references) for references in (0, 1)
    }
    for key, (name, references, judge) in PROPOSER_EFFECTS.items():
        for keys in ([], [key]):
            asked = (
                ask_proposals(bench.subject, bench.n, keys, references)
                if keys
                else untold[references]
            )
            found = [(read_proposal(text), shown) for shown, text in asked]
            yield Measure(
                f"{key}: {name}",
                key if keys else "untold",
                1.0,
                share([judge(p, shown) for p, shown in found if p]),
            )
    items = bench.items("toy-deduction")
    texts = {
        key: ask_suite(bench.subject, items, [key] if key else [], 1.0)
        for key in ("", "trace", "brief", "types", "acclow")
    }
    turns = {key: [read_turn(text) for text in row] for key, row in texts.items()}
    effects: tuple[tuple[str, str, Callable[[Turn], bool]], ...] = (
        ("trace", "steps traced", lambda t: t.traced()),
        ("brief", "no steps", lambda t: not t.traced()),
        ("types", "type stated", lambda t: " type " in t.thought),
        ("acclow", "steps traced", lambda t: t.traced()),
    )
    for key, name, shows in effects:
        for told in ("", key):
            yield Measure(
                f"{key} (solver): {name}",
                told or "untold",
                1.0,
                share([turn is not None and shows(turn) for turn in turns[told]]),
            )


def all_measures(bench: Bench) -> Iterator[tuple[str, Measure]]:
    """(section, measure) in the order of the model card."""
    for section, measures in (
        ("Skill", skills),
        ("Skill, sampled", sampled_skills),
        ("Proposals", proposals),
        ("Conduct", conduct),
        ("Guidance", guidance),
    ):
        for measure in measures(bench):
            yield section, measure


def table(rows: list[tuple[str, Measure]]) -> str:
    """Markdown, one table per section."""
    out: list[str] = []
    for section in dict.fromkeys(section for section, _ in rows):
        out += [
            f"### {section}",
            "",
            "| measure | told | sampling | share (95 % Wilson) |",
            "| --- | --- | --- | --- |",
        ]
        for measure in (measure for name, measure in rows if name == section):
            sampling = "greedy" if measure.temperature == 0 else "T = 1"
            out.append(f"| {measure.name} | {measure.told} | {sampling} | {measure.share} |")
        out.append("")
    return "\n".join(out)
