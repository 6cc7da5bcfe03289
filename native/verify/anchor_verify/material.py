"""
What a reviewer was shown (ANCHOR Eq. 4): the work of its phase and the task as far as the agent had
it. The answer of a task is never among it: a solver's review shows the half of the task that the
solver saw, and a proposal's review no output.
"""

from __future__ import annotations

import re

from .findings import Json, Ledger
from .lab import Record
from .packs import Pack
from .programs import CODE_TYPES
from .responses import blocks

RULE = "reviews.material"
SHOWN = 6
"""Inputs of a proposal and pairs of an induction that are shown at most."""

CUT = " [cut]"
TAMED = re.compile(
    r"[^\n\t\x20-\x7e]|<[|/]?\w|\[/?INST\]|<</?SYS|"
    r"^[ \t]*(assistant|system|user|human|supervisor|reviewer)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
"""Text that may be shown otherwise than it is stored: nothing in it may look like a turn of a chat
or be invisible."""

BARE = re.compile(r"phase: (\w+)\ntype: ([^\n]*)\n(.*?)facts: ([^\n]*)", re.DOTALL)
MARK = re.compile(r" Mark: (\w+)\n(.*)\n\nComputed facts: ([^\n]*)", re.DOTALL)
FACTS = re.compile(r"Computed facts: ([^\n]*)")

Field = tuple[str, str]


class Material:
    """Prompts of reviews of code tasks and rated prompts."""

    def __init__(self, ledger: Ledger, compact: Pack, full: Pack) -> None:
        self.ledger = ledger
        self.systems = {
            "compact": compact.fill("review-system"),
            "full": full.fill("review-system"),
        }

    def verify(
        self, review: Record, rollout: Record | None, task: Record | None, batch: Record
    ) -> None:
        """`rollout`: what was reviewed, None of a whole batch. `task`: the one that was solved, or
        that a proposal became. `batch`: a response of the batch."""
        prompt = str(review["prompt"])
        if review["reviewer"] == "yoked":
            self.ledger.skip(RULE, "a review of another run, which was shown that run's work")
            return
        if prompt == "":
            self.ledger.skip(RULE, "a review that nobody was asked for")
            return
        system, _, user = prompt.partition("\n\n")
        form = "compact"
        if system != self.systems["compact"]:
            form = "full"
            system = str(self.systems["full"])
            user = prompt.removeprefix(f"{system}\n\n")
        about = review["id"]
        self.ledger.check(RULE, f"{about}, instructions", prompt, f"{system}\n\n{user}")
        shown = _bare(user, review, batch) if form == "compact" else _fenced(user, review["phase"])
        if shown is None:
            self.ledger.check(RULE, f"{about}, form", user, "the form of its pack")
            return
        fields, facts = shown
        wanted: list[Field] = []
        if rollout is not None:
            if rollout["purpose"] == "propose" and task is None:
                self.ledger.skip(RULE, "a proposal that became no task")
                return
            wanted = fields_of(review["phase"], rollout, task)
            if form == "full" and not rollout["formatOk"] and rollout["text"].strip() != "":
                wanted.append(("text as written", rollout["text"]))
        self._verify_facts(about, review["phase"], rollout, facts)
        if CUT in user or any(TAMED.search(text) for _, text in wanted):
            self.ledger.skip(RULE, "material that was cut, or made harmless to be shown")
            return
        if form == "compact":
            written = "".join(f"{_line(field)}\n" for field in wanted)
            stored: Json = _without_references(str(fields)) if _is_task(review) else fields
            self.ledger.check(RULE, about, stored, written)
        else:
            stored = [
                field for field in fields if not (_is_task(review) and field[0] == "reference")
            ]
            self.ledger.check(RULE, about, stored, wanted)

    def _verify_facts(self, about: str, phase: str, rollout: Record | None, facts: str) -> None:
        """Of the computed facts those that are records: the verdict on a proposal, the form of an
        answer."""
        if rollout is None:
            return
        if phase == "task":
            stated = re.search(r"(?:^|; )((?:in)?valid)\b", facts)
            found = "valid" if rollout["verdict"]["outcome"] == "passed" else "invalid"
        elif phase == "output":
            stated = re.match(r"format (ok|broken)", facts)
            found = "ok" if rollout["formatOk"] else "broken"
        else:
            return
        said = facts if stated is None else stated.group(1)
        self.ledger.check(RULE, f"{about}, facts", said, found)


def fields_of(phase: str, rollout: Record, task: Record | None) -> list[Field]:
    """What is shown of a response, but for references: in the order in which it stands."""
    fields: list[tuple[str, str | None]] = []
    is_program = task is not None and task["taskType"] == "induction"
    is_proposal = rollout["purpose"] == "propose"
    if task is not None and task["taskType"] not in CODE_TYPES:
        fields.append(("request", task["message"]))
    elif task is not None and is_program and not is_proposal:
        half = len(task["inputs"]) // 2
        pairs = list(zip(task["inputs"], task["outputs"], strict=True))[:half][:SHOWN]
        fields.append(("examples", "\n".join(f"f({given})={result}" for given, result in pairs)))
        fields.append(("message", task["message"]))
    elif task is not None:
        fields.append(("program", task["program"]))
        if is_proposal or task["taskType"] != "abduction":
            inputs = written_inputs(rollout, task) if is_proposal else task["inputs"]
            fields.append(("input", " | ".join(inputs[:SHOWN])))
        if not is_proposal and task["taskType"] == "abduction":
            fields.append(("output", task["outputs"][0]))
        fields.append(("message", task["message"]))
    if phase in ("plan", "thought"):
        fields.append((phase, rollout[phase]))
    if phase == "output" or (phase == "plan" and is_program and not is_proposal):
        fields.append(("answer", rollout["answer"]))
    return [(label, text) for label, text in fields if text is not None and text != ""]


def written_inputs(rollout: Record, task: Record) -> list[str]:
    """Those of a proposal as it wrote them; its task has them in the writing of its pack."""
    written = [text.strip() for text in blocks(rollout["answer"] or "", "input")]
    kept = written[-len(task["inputs"]) :] if task["taskType"] == "induction" else written[:1]
    return kept or list(task["inputs"])


def _line(field: Field) -> str:
    label, text = field
    return f"{label}:\n{text}" if "\n" in text else f"{label}: {text}"


def _is_task(review: Record) -> bool:
    return bool(review["phase"] == "task")


def _bare(user: str, review: Record, batch: Record) -> tuple[Json, str] | None:
    """The fields of a compact prompt as they stand there, and its facts."""
    found = BARE.fullmatch(user)
    kind = str(batch["taskType"])
    if review["phase"] == "exec":
        kind = f"{kind} {batch['role']}"
    if found is None or found.group(1, 2) != (review["phase"], kind):
        return None
    return found.group(3), found.group(4)


def _without_references(fields: str) -> str:
    """Those of a compact prompt come first, and a program follows them."""
    start = re.search(r"^program: ?", fields, re.MULTILINE)
    return fields if start is None else fields[start.start() :]


def _fenced(user: str, phase: str) -> tuple[Json, str] | None:
    """The fields of a full prompt, which stand between marks, and its facts."""
    if not user.startswith(f"Phase: {phase}."):
        return None
    if phase == "exec":
        counted = FACTS.search(user)
        return None if counted is None else ([], counted.group(1))
    found = MARK.search(user)
    if found is None:
        return None
    mark = re.escape(found.group(1))
    fence = re.compile(rf"<<{mark} ([^>\n]+)>>\n(.*?)\n<<{mark} end>>\n?", re.DOTALL)
    fields = fence.findall(f"{found.group(2)}\n")
    return fields, found.group(3)
