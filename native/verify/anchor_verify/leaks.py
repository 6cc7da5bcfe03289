"""
Whether a line of a context states something of the work that it goes back to: a value of its task,
code of its task or its answer, or a call with values. Looked for in the plain text of the line,
from what is stored of the reviewed work (docs/verify.md, "Leaks"); how a review may give an answer
away in other words is the leak guard's matter, of which nothing is used here.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .contexts import is_fixed
from .findings import Ledger
from .lab import Lab, Record
from .programs import CODE_TYPES
from .supervision import origins_of, source_of
from .values import NotALiteral, arguments_of, value_of

RULE = "contexts.leaks"
GONE = "a review that is not stored, or of a run that is gone"

SHORTEST_VALUE = 3
"""Characters of a value that tells something, in canonical form."""

TELLING_DIGITS = 3
"""Digits of one that has no quotes and no brackets: 7, 42 or 3, 4 stand in any text by chance."""

SHORTEST_CODE = 12
"""Characters of a program's line that tells something, white space left out; shorter ones do so
together with what follows."""

QUOTES = re.compile('["`\u2018\u2019\u201c\u201d]')
INSIDE_WORDS = re.compile(r"(?<=\w)'(?=\w)")
LOOSE_SPACE = re.compile(r" (?=[^\w ])|(?<=[^\w ]) ")
ENCLOSING = re.compile(r"['\[\](){}]")
BARE = re.compile(r"['\[\](){},:\s]|\b(?:set|frozenset)\b(?=\()")
CODE_SIGN = re.compile(r"[()\[\]{}=+*/<>%]|:$")
"""What a line of a program has that words alone have not."""

FENCE = re.compile(r"```([\w-]*)[^\n`]*\n(.*?)(?:```|\Z)", re.S)
STATED_FENCE = re.compile(r"```[\w-]*\s*(.*?)```", re.S)
FENCED_SIGN = re.compile(r"[=\[\]{}+*/<>\d'\"]|\w\(")
PROGRAM_KINDS = ("python", "python3", "py", "")
VALUE_KINDS = ("input", "output")
ASSIGNED = re.compile(r"^\s*\w+\s*=\s*")
"""Before a value that a response gives a name to."""

NAMED_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\(")
LONGEST_CALL = 400


@dataclass(frozen=True)
class Work:
    """What is stored of the work that a review was written about, each with what it is."""

    values: list[tuple[str, str]]
    """Inputs and outputs of the task, and what the response gave."""
    code: list[tuple[str, str]]
    """Programs; and of a task in words its text, which is told as plainly."""


class Leaks:
    """Follows the lines of one run. A line is looked at where it enters, and again against the new
    reviews wherever it is renewed."""

    def __init__(self, ledger: Ledger, lab: Lab, run: Record) -> None:
        self.ledger, self.lab, self.run = ledger, lab, run
        self._looked: dict[tuple[str, str], set[str]] = {}
        self._origins: dict[str, dict[str, tuple[str, str]]] = {}

    def verify(self, context: Record) -> None:
        for line in context["lines"]:
            if is_fixed(line):
                continue
            text = str(line["text"])
            looked = self._looked.setdefault((line["id"], text), set())
            new = [each for each in line["reviewIds"] if each not in looked]
            if looked and not new:
                continue
            looked.update(new)
            found = self._found(text, new)
            without = text if found is None else f"a line without {found}"
            about = f"line {line['id']} of context {context['step']}"
            self.ledger.check(RULE, about, text, without)

    def _found(self, text: str, reviews: list[str]) -> str | None:
        """What the line states, and of which work; None where nothing is found."""
        works = [(each, self._work_of(each)) for each in reviews]
        for review_id, work in works:
            found = None if work is None else stated_of(text, work)
            if found is not None:
                return f"{found} of {review_id.partition('#')[0]}"
        return stated_anyway(text)

    def _work_of(self, review_id: str) -> Work | None:
        origin = self._origin_of(review_id)
        if origin is None:
            self.ledger.skip(RULE, GONE)
            return None
        run_id, item = origin
        name, _, phase = item.rpartition("#")
        if phase == "exec":
            self.ledger.skip(RULE, "a review of a batch, which was shown its statistics alone")
            return None
        rollout = self.lab.rollout(run_id, name)
        if rollout is None:
            self.ledger.skip(RULE, GONE)
            return None
        task_id = rollout["taskId"]
        return work_of(rollout, None if task_id is None else self.lab.task(run_id, task_id))

    def _origin_of(self, review_id: str) -> tuple[str, str] | None:
        """The run and the item that a review was written about: reviews may be shuffled, and a
        yoked run has those of another run's work."""
        step = review_id.partition("/")[0]
        if step not in self._origins:
            self._origins[step] = self._origins_of(int(step)) if step.isdigit() else {}
        return self._origins[step].get(review_id)

    def _origins_of(self, step: int) -> dict[str, tuple[str, str]]:
        source = source_of(self.lab, self.run["config"]["supervision"])
        reviews = self.lab.reviews(self.run["id"], step)
        placed = {"own": (self.run["id"], origins_of(self.run, step, reviews))}
        if source is not None:
            there = self.lab.reviews(source["id"], step)
            placed["yoked"] = (source["id"], origins_of(source, step, there))
        origins: dict[str, tuple[str, str]] = {}
        for review in reviews:
            of = placed.get("yoked" if review["reviewer"] == "yoked" else "own")
            if of is not None:
                origins[review["id"]] = (of[0], str(of[1].get(review["id"], review["id"])))
        return origins


def work_of(rollout: Record, task: Record | None) -> Work:
    """`task`: the one that was solved, or that a proposal became."""
    values: list[tuple[str, str]] = []
    code: list[tuple[str, str]] = []
    if task is not None:
        values += [("an output", text) for text in task["outputs"]]
        values += [("an input", text) for text in task["inputs"]]
        code.append(("the program", task["program"]))
        if task["taskType"] not in CODE_TYPES:
            code.append(("the task", task["message"] or ""))
    answer = str(rollout["answer"] or "")
    blocks = [*FENCE.findall(str(rollout["text"])), *FENCE.findall(answer)]
    values.append(("the answer", answer))
    written = [body for kind, body in blocks if kind in VALUE_KINDS]
    lines = [line for body in written for line in body.splitlines()]
    values += [("the answer", ASSIGNED.sub("", text)) for text in [*written, *lines]]
    code += [
        ("the response's program", body) for kind, body in blocks if kind.lower() in PROGRAM_KINDS
    ]
    return Work(values, code)


def stated_of(text: str, work: Work) -> str | None:
    """What of the work a text states; None where nothing is found."""
    plain = canonical(text)
    for name, stored in work.values:
        for form in forms_of(stored):
            if is_telling(form) and stands_in(form, plain):
                return f"{name} {form}"
    dense = squeezed(text)
    for name, program in work.code:
        for form in runs_of(program):
            is_code = name == "the task" or CODE_SIGN.search(form) is not None
            if is_code and form in dense:
                return f"{name} {form}"
    return None


def runs_of(program: str) -> Iterator[str]:
    """From each line on as many as tell something: a long one by itself, short ones together."""
    lines = [squeezed(line) for line in program.splitlines()]
    for start in range(len(lines)):
        run = ""
        for line in lines[start:]:
            run += line
            if len(run) >= SHORTEST_CODE:
                yield run
                break


def stated_anyway(text: str) -> str | None:
    """Code that no line has a reason to hold, whatever it is of: a fenced block with more than
    words in it, and a call with values of a function that is not Python's own."""
    for block in STATED_FENCE.finditer(text):
        if FENCED_SIGN.search(block.group(1)):
            return "a fenced block"
    return next((f"the call {each}" for each in calls_in(text)), None)


def calls_in(text: str) -> Iterator[str]:
    alike = QUOTES.sub("'", text)
    for call in NAMED_CALL.finditer(alike):
        if hasattr(builtins, call.group(1)) or keyword.iskeyword(call.group(1)):
            continue
        for closing in re.finditer(r"\)", alike[call.end() : call.end() + LONGEST_CALL]):
            inside = alike[call.end() : call.end() + closing.start()]
            try:
                positional, named = arguments_of(inside)
            except NotALiteral:
                continue
            if positional or named:
                yield f"{call.group(1)}({inside})"
            break


def forms_of(stored: str) -> set[str]:
    """The canonical forms of a value: as it was stored and as Python writes it; of several
    arguments also each by itself."""
    forms = {canonical(stored)}
    try:
        positional, named = arguments_of(stored)
        each = [repr(value) for value in positional]
        forms |= {canonical(", ".join(each)), *map(canonical, each)}
        forms |= {canonical(repr(value)) for value in named.values()}
    except NotALiteral:
        pass
    try:
        forms.add(canonical(repr(value_of(stored))))
    except NotALiteral:
        pass
    return forms


def is_telling(form: str) -> bool:
    """Not what stands in any text: a small number, a truth, nothing, or something empty."""
    if len(form) < SHORTEST_VALUE or BARE.sub("", form) == "":
        return False
    digits = sum(each.isdigit() for each in form)
    return digits >= TELLING_DIGITS or ENCLOSING.search(form) is not None


def stands_in(form: str, plain: str) -> bool:
    """Whether a text holds a value as a whole: 123 is not in 1234, in x123, in 1.123 or in 123 %,
    which is a share."""
    before = r"(?<![\w.])" if re.match(r"\w", form) else r"(?<!\d)" if form[0] == "-" else ""
    after = r"(?!\w|\.\d|%)" if re.search(r"\w$", form) else ""
    return re.search(f"{before}{re.escape(form)}{after}", plain) is not None


def canonical(text: str) -> str:
    """One kind of quotes, none inside words, and white space only between words or numbers."""
    alike = INSIDE_WORDS.sub("", QUOTES.sub("'", text))
    return LOOSE_SPACE.sub("", " ".join(alike.split()))


def squeezed(text: str) -> str:
    """One kind of quotes and no white space."""
    return "".join(QUOTES.sub("'", text).split())
