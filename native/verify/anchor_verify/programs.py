"""
Verdicts and golds, found by running the stored programs again in the sandbox (Absolute Zero,
validator and verifier). A proposal becomes a task when its program is allowed, runs the same each
time and gives a value that can be written down; a solution is right when its value is the gold's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from concurrent.futures import Future

from .findings import Json, Ledger
from .lab import Record
from .responses import blocks, program_text, read_as_original, read_strictly, value_text
from .sandbox import Sandbox
from .values import NotALiteral, arguments_of, frame_of, loosely_same, python_of, same, value_of

CODE_TYPES = ("abduction", "deduction", "induction", "error")
LIMITS_MET = ("timeout", "memory", "output", "died", "notRun")
"""Ends of a job or call that depend on the machine's speed or memory; no verdict is held against
them."""


class LimitMet(Exception):
    """A limit of the sandbox cut a program off, so that its verdict says nothing about the
    record."""


class Programs:
    """Everything of one run that is known by executing something."""

    def __init__(self, ledger: Ledger, sandbox: Sandbox, framework: Record) -> None:
        self.ledger, self.sandbox, self.settings = ledger, sandbox, framework
        self.same = same if framework["verifier"] == "strict" else loosely_same
        self.as_original = framework["verifier"] == "azr-compat"
        self.tasks: dict[str, Record] = {}
        self._jobs: dict[tuple[str, str, tuple[str, ...]], Future[Record]] = {}
        self._due: list[Callable[[], None]] = []
        self._answers: dict[str, list[str]] = {}

    def finish(self) -> None:
        """Waits for what was asked of the sandbox and compares it; then what is known of programs
        is forgotten."""
        for program, answers in self._answers.items():
            self.begin("run", program, tuple(answers))
        for compare in self._due:
            compare()
        self._due.clear()
        self._jobs.clear()
        self._answers.clear()

    def begin(self, operation: str, program: str, calls: tuple[str, ...]) -> Future[Record] | None:
        """A job of the sandbox, one for equal requests. None where the arguments cannot be written
        as values."""
        key = (operation, program, calls)
        if key not in self._jobs:
            try:
                asked = [_call(text) for text in calls]
            except NotALiteral:
                return None
            self._jobs[key] = getattr(self.sandbox, operation)(program, asked)
        return self._jobs[key]

    def begin_answer(self, program: str, answer: str) -> Callable[[], Record] | None:
        """One of several answers to the same program: they share a job. Its result, to be asked for
        after `finish` has begun them."""
        try:
            _call(answer)
        except NotALiteral:
            return None
        answers = self._answers.setdefault(program, [])
        if answer not in answers:
            answers.append(answer)

        def result() -> Record:
            shared = self._jobs[("run", program, tuple(answers))].result()
            try:
                return result_of(shared, answers.index(answer))
            except LimitMet:  # of one of them, or of all together
                alone = self.begin("run", program, (answer,))
                assert alone is not None
                return result_of(alone.result(), 0)

        return result

    def keep_task(self, task: Record) -> None:
        """Keeps a task for whoever solves it."""
        self.tasks[task["id"]] = task

    def verify_origins(self, tasks: list[Record], rollouts: list[Record]) -> None:
        """Each proposed task of a step names the proposal that it came from, which names the
        task."""
        proposed = {each["id"]: each["taskId"] for each in rollouts if each["purpose"] == "propose"}
        for task in tasks:
            if task["origin"] == "proposal":
                origin = proposed.get(task["rolloutId"] or "")
                self.ledger.check("tasks.read", f"{task['id']}, response", origin, task["id"])

    def take_task(self, task: Record) -> None:
        """Holds the outputs of a task against what its program gives."""
        if task["taskType"] not in CODE_TYPES:
            return
        # A proposal is run under each hash seed anyway.
        operation = "check" if task["origin"] == "proposal" else "run"
        job = self.begin(operation, whole_program(task), tuple(task["inputs"]))
        self._due.append(lambda: self._compare_golds(task, job))

    def _compare_golds(self, task: Record, job: Future[Record] | None) -> None:
        for place, stored in enumerate(task["outputs"]):
            about = task["id"] if len(task["outputs"]) == 1 else f"{task['id']}, output {place}"
            if job is None:
                self.ledger.check("tasks.gold", about, stored, "inputs that are no values")
                continue
            try:
                found = result_of(job.result(), place)
            except LimitMet:
                self.ledger.skip("tasks.gold", "a limit of the sandbox was met")
                continue
            if task["taskType"] == "error":
                name = found["error"]["type"] if found["status"] == "error" else "NoError"
                self.ledger.check("tasks.gold", about, stored, name)
            elif found["status"] != "ok":
                self.ledger.check("tasks.gold", about, stored, _ended(found))
            elif equals_text(stored, found["value"]):
                self.ledger.check("tasks.gold", about, stored, stored)
            else:
                self.ledger.check("tasks.gold", about, stored, repr(python_of(found["value"])))

    def take_rollout(self, rollout: Record) -> None:
        """Holds how a response was read, and its verdict, against what it says and does."""
        if rollout["taskType"] not in CODE_TYPES:
            return
        self._compare_reading(rollout)
        if rollout["purpose"] == "propose":
            self._take_proposal(rollout)
        else:
            self._take_solution(rollout)

    def _compare_reading(self, rollout: Record) -> None:
        reader = reader_of(self.settings)
        if reader == "azr-compat":
            self._compare_original_reading(rollout)
            return
        if reader != "strict":
            self.ledger.skip("responses.read", f"the reader {reader}")
            return
        read = read_strictly(rollout["text"])
        about = rollout["id"]
        if rollout["formatOk"] or read.ok:
            for name, found in (
                ("formatOk", read.ok),
                ("plan", read.plan),
                ("thought", read.thought),
                ("answer", read.answer),
            ):
                self.ledger.check("responses.read", f"{about}, {name}", rollout[name], found)
        else:
            self.ledger.check("responses.read", f"{about}, formatOk", rollout["formatOk"], read.ok)

    def _compare_original_reading(self, rollout: Record) -> None:
        """Plan and thought are this program's own and read alike by both readers. An induction
        without a program breaks the form as well."""
        ok, answer = read_as_original(rollout["text"])
        solves = rollout["purpose"] == "solve" and rollout["taskType"] == "induction"
        if solves and (answer is None or program_text(answer, self.as_original) is None):
            ok = False
        stored = [rollout["formatOk"], rollout["answer"] or None]
        self.ledger.check("responses.read", rollout["id"], stored, [ok, answer or None])

    def _take_proposal(self, rollout: Record) -> None:
        rule, about, stored = "proposals.verdict", rollout["id"], rollout["verdict"]["outcome"]
        keeps_broken = reader_of(self.settings) == "azr-compat" and rollout["answer"] is not None
        if not rollout["formatOk"] and not keeps_broken:
            self.ledger.check(rule, about, stored, "invalid")
            return
        if not rollout["formatOk"] and self.settings["validator"] == "azr-compat":
            self.ledger.skip(rule, "a broken form under azr-compat")
            return
        proposal = self._read_proposal(rollout)
        if proposal is None:
            self.ledger.check(rule, about, stored, "invalid")
            return
        program, inputs, message = proposal
        task = self.tasks.get(rollout["taskId"] or "")
        if task is not None and task["rolloutId"] == about:
            written = {"program": program, "inputs": inputs, "message": message}
            # A task has its inputs in the writing of its pack, whatever that of the proposal was.
            if self.settings["validator"] != "azr-compat" and _same_calls(task["inputs"], inputs):
                written["inputs"] = task["inputs"]
            for name, text in written.items():
                self.ledger.check("tasks.read", f"{task['id']}, {name}", task[name], text)
        if not self._allowed(program):
            self.ledger.check(rule, about, stored, "invalid")
            return
        job = self.begin("check", program, tuple(inputs))
        is_error = rollout["taskType"] == "error"

        def compare() -> None:
            try:
                found = job is not None and self._is_task(job.result(), len(inputs), is_error)
            except LimitMet:
                self.ledger.skip(rule, "a limit of the sandbox was met")
                return
            self.ledger.check(rule, about, stored, "passed" if found else "invalid")

        self._due.append(compare)

    def _read_proposal(self, rollout: Record) -> tuple[str, list[str], str | None] | None:
        answer = rollout["answer"] or ""
        inputs = [text.strip() for text in blocks(answer, "input")]
        if rollout["taskType"] == "induction":
            count, messages = self.settings["inductionInputs"], blocks(answer, "message")
            given = given_program(rollout["user"])
            if len(inputs) < count or not messages or given is None:
                return None
            return given, inputs[-count:], messages[0].strip()
        program = program_text(answer)
        return None if program is None or not inputs else (program, inputs[:1], None)

    def _allowed(self, program: str) -> bool:
        """One function f, and no module of the list anywhere in an import."""
        try:
            tree = ast.parse(program)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        names = [each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        if "f" not in names or (self.settings["rejectMultipleFunctions"] and len(names) > 1):
            return False
        banned = set(self.settings["bannedModules"])
        return not any(banned & set(name.split(".")) for name in _imported(tree))

    def _is_task(self, job: Record, calls: int, may_fail: bool) -> bool:
        longest = self.settings["maxLiteralChars"]
        if self.settings["validator"] == "strict" and not job["deterministic"]:
            return False
        for place in range(calls):
            found = result_of(job, place)
            if found["status"] != "ok":
                if may_fail and found["status"] == "error":
                    continue
                return False
            too_long = len(repr(python_of(found["value"]))) > longest
            if self.settings["validator"] == "strict" and too_long:
                return False
        return True

    def _take_solution(self, rollout: Record) -> None:
        rule = "estimates.verdict" if rollout["purpose"] == "estimate" else "solutions.verdict"
        if rollout["purpose"] != "estimate" and not rollout["formatOk"]:
            self._compare_verdict(rule, rollout, "invalid", 0)
            return
        task = self.tasks.get(rollout["taskId"] or "")
        if task is None:
            self.ledger.skip(rule, "the task was not kept")
            return
        answer = rollout["answer"]
        if answer is None:
            self._compare_verdict(rule, rollout, "failed", 0)
            return
        judge = self._judge(task, answer)
        if judge is None:
            self.ledger.skip(rule, "azr-compat, and an answer that is no value")
            return

        def compare() -> None:
            try:
                accuracy = judge()
            except LimitMet:
                self.ledger.skip(rule, "a limit of the sandbox was met")
                return
            self._compare_verdict(rule, rollout, "passed" if accuracy == 1 else "failed", accuracy)

        self._due.append(compare)

    def _compare_verdict(self, rule: str, rollout: Record, outcome: str, accuracy: float) -> None:
        verdict = rollout["verdict"]
        stored = [verdict["outcome"], verdict["accuracy"]]
        self.ledger.check(rule, rollout["id"], stored, [outcome, accuracy])

    def _judge(self, task: Record, answer: str) -> Callable[[], float] | None:
        """How much of a task an answer solves, known once the sandbox has answered."""
        match task["taskType"]:
            case "abduction":
                result = self.begin_answer(whole_program(task), self._said(answer, "input"))
                if result is None:
                    return (lambda: 0.0) if self.same is same else None
                return lambda: float(self._gives(result(), task["outputs"][0]))
            case "deduction":
                return self._judge_value(self._said(answer, "output"), task["outputs"][0])
            case "error":
                said = value_text(answer, "output")
                return lambda: float(said == task["outputs"][0])
            case _:
                return self._judge_program(task, program_text(answer, self.as_original))

    def _said(self, answer: str, kind: str) -> str:
        return value_text(answer, kind, self.as_original)

    def _judge_value(self, said: str, gold: str) -> Callable[[], float] | None:
        try:
            frame = frame_of(value_of(said))
        except NotALiteral:
            return (lambda: 0.0) if self.same is same else None
        return lambda: float(self.same(frame, frame_of(value_of(gold))))

    def _judge_program(self, task: Record, program: str | None) -> Callable[[], float]:
        """Shown are the first half of the pairs; the rest decides."""
        if program is None:
            return lambda: 0.0
        shown = len(task["inputs"]) // 2
        hidden = task["outputs"][shown:]
        job = self.begin("run", program, tuple(task["inputs"][shown:]))

        def judge() -> float:
            if job is None:
                return 0.0
            found = [result_of(job.result(), place) for place in range(len(hidden))]
            right = [self._gives(each, gold) for each, gold in zip(found, hidden, strict=True)]
            share = sum(right) / len(right)
            how = self.settings["inductionReward"]
            return (
                share if how == "accuracy" else float(share == 1 if how == "binary" else share > 0)
            )

        return judge

    def _gives(self, found: Record, gold: str) -> bool:
        return found["status"] == "ok" and self.same(found["value"], frame_of(value_of(gold)))


def reader_of(settings: Record) -> str:
    """The reader that belongs to the validator where none is named."""
    return str(settings.get("reader") or settings["validator"])


def whole_program(task: Record) -> str:
    """A program with the imports that were kept apart from it."""
    missing = [line for line in task["imports"] if line not in task["program"]]
    return "\n".join([*missing, task["program"]])


def given_program(user: str) -> str | None:
    """The program that a proposer of inputs was shown: a fenced block, or all that follows the word
    in the compact pack."""
    fenced = blocks(user, "python")
    if fenced:
        return fenced[-1]
    _, found, program = user.partition("program:\n")
    return program if found else None


def equals_text(literal: str, frame: Json) -> bool:
    try:
        return same(frame_of(value_of(literal)), frame) or _both_nan(literal, frame)
    except NotALiteral:
        return False


def _both_nan(literal: str, frame: Json) -> bool:
    return bool(literal == "nan" and frame == ["f", "7ff8000000000000"])


def _same_calls(texts: list[str], others: list[str]) -> bool:
    try:
        return [_call(text) for text in texts] == [_call(text) for text in others]
    except NotALiteral:
        return False


def _call(text: str) -> Json:
    positional, named = arguments_of(text)
    return {
        "args": [frame_of(value) for value in positional],
        **({"kwargs": {name: frame_of(value) for name, value in named.items()}} if named else {}),
    }


def result_of(job: Record, place: int) -> Record:
    """What became of one call; an error of the body is one of every call. Raises LimitMet."""
    if job["status"] in LIMITS_MET:
        raise LimitMet
    if job["status"] != "ok" and place >= len(job["calls"]):
        return {"status": "error", "error": job.get("error") or {"type": job["status"]}}
    call: Record = job["calls"][place]
    if call["status"] == "notRun" and job["status"] == "error":
        return {"status": "error", "error": job["error"]}
    if call["status"] in LIMITS_MET:
        raise LimitMet
    return call


def _ended(call: Record) -> str:
    return f"{call['status']}: {call.get('error', {}).get('type', '')}"


def _imported(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [node.module or "", *(alias.name for alias in node.names)]
    return names
