"""What a policy that was taught questions can do: ask one with a right claim, and answer one."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..corpus.prompts import chat, question_system_text, render
from ..corpus.questions import HARD, USUAL_WORDINGS
from ..corpus.samples import lines_of
from .asking import Subject
from .bars import QUESTIONS_ASKED
from .intervals import Share, share
from .measures import Bench, Measure
from .suites import Item, operation_counts

_QUESTION = re.compile(r"<question>(.*?)</question>", re.DOTALL)
_BOX = re.compile(r"\\boxed\{([^{}]*)\}")
_ASKED = re.compile(r"(?:Compute|What is|Find the value of) ([0-9+*() -]+)[.?]")
LONGEST = 80  # characters of an expression that is computed
_USUAL = USUAL_WORDINGS[0].split(" ")[0]


@dataclass(frozen=True)
class Posed:
    """A question as a challenger asked it; `value` is None where it is no expression."""

    text: str
    claimed: str
    operations: int
    value: int | None


def boxed_answer(text: str) -> str | None:
    """The content of the last box; None without one."""
    found = _BOX.findall(text)
    return found[-1].strip() if found else None


_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def _value(expression: str) -> int | None:
    """Read as a tree and computed by hand: what a model wrote is never run."""

    def computed(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](computed(node.left), computed(node.right))
        raise ValueError("no sum, difference or product")

    try:
        return computed(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _asked(text: str) -> tuple[str, str] | None:
    question = _QUESTION.search(text)
    claimed = None if question is None else boxed_answer(text[question.end() :])
    if question is None or claimed is None or question[1].strip() == "":
        return None
    return question[1].strip(), claimed


def posed_question(text: str) -> str | None:
    """The question in a completion; None where it or the box behind it is missing."""
    found = _asked(text)
    return None if found is None else found[0]


def read_posed(text: str) -> Posed | None:
    """What a completion asks and claims; None where either is missing."""
    found = _asked(text)
    if found is None:
        return None
    asked, claimed = found
    match = _ASKED.fullmatch(asked)
    sum_of = match[1] if match and len(match[1]) <= LONGEST else None
    value = None if sum_of is None else _value(sum_of)
    operations = 0 if value is None else len(re.findall(r"[+*-]", match[1] if match else ""))
    return Posed(asked, claimed, operations, value)


def _ask(subject: Subject, count: int, keys: list[str]) -> list[Posed | None]:
    system = question_system_text("proposer", lines_of(None, keys))
    prompt = chat(system, render("propose-question"))
    return [read_posed(text) for text in subject.answer([prompt] * count, temperature=1.0)]


def _answers(
    subject: Subject, items: list[Item], keys: list[str], temperature: float
) -> list[bool]:
    system = question_system_text("solver", lines_of(None, keys))
    prompts = [chat(system, render("solve-question", question=item["question"])) for item in items]
    texts = subject.answer(prompts, temperature)
    return [boxed_answer(text) == item["answer"] for text, item in zip(texts, items, strict=True)]


def answering(bench: Bench) -> Iterator[Measure]:
    """Held-out expressions, under each guidance that acts on a solver; told to trace by length."""
    items, counts = bench.items("toy-questions"), operation_counts(bench.n)
    for told, temperature in (("", 0.0), ("", 1.0), ("trace", 0.0), ("trace", 1.0), ("brief", 1.0)):
        right = _answers(bench.subject, items, [told] if told else [], temperature)
        yield Measure("expressions computed", told or "untold", temperature, share(right))
        if (told, temperature) != ("trace", 0.0):
            continue
        for count in sorted(set(counts)):
            picked = [hit for hit, found in zip(right, counts, strict=True) if found == count]
            name = f"expressions of {count} operation{'s' if count > 1 else ''} computed"
            yield Measure(name, told, temperature, share(picked))


Judge = Callable[[Posed], bool]
EFFECTS: dict[str, tuple[str, Judge]] = {
    "harder": (f"{HARD} or more operations", lambda posed: posed.operations >= HARD),
    "simpler": ("1 operation", lambda posed: posed.operations == 1),
    "differ": ("another wording", lambda posed: not posed.text.startswith(_USUAL)),
    "acclow": ("1 operation", lambda posed: posed.operations == 1),
}


def asking(bench: Bench) -> Iterator[Measure]:
    """What is asked at temperature 1, and how guidance moves it."""
    untold = _ask(bench.subject, bench.n, [])
    found = [posed for posed in untold if posed]
    computed = [posed for posed in found if posed.value is not None]
    distinct = len({posed.text for posed in found})
    yield Measure("questions readable", "untold", 1.0, share([p is not None for p in untold]))
    yield Measure(
        "questions that a program can answer", "untold", 1.0, Share(len(computed), len(found))
    )
    yield Measure(
        "claimed answers right",
        "untold",
        1.0,
        share([posed.claimed == str(posed.value) for posed in computed]),
    )
    yield Measure("questions distinct", "untold", 1.0, Share(distinct, len(found)))
    for key, (name, judge) in EFFECTS.items():
        told = [posed for posed in _ask(bench.subject, bench.n, [key]) if posed]
        yield Measure(f"{key}: {name}", "untold", 1.0, share([judge(p) for p in found]))
        yield Measure(f"{key}: {name}", key, 1.0, share([judge(p) for p in told]))


def question_measures(bench: Bench) -> Iterator[tuple[str, Measure]]:
    """(section, measure), as the card has them behind all others; nothing of other policies."""
    if not bench.questions:
        return
    for section, measures in (("Questions answered", answering), (QUESTIONS_ASKED, asking)):
        for measure in measures(bench):
            yield section, measure
