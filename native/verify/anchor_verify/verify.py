"""One run or one evaluation, rule by rule."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .canonical import uniform
from .chains import StepChain, verify_events
from .checkpoints import folder_of, kept, verify_checkpoints
from .contexts import Contexts
from .evaluations import Evaluations, evaluation_of
from .findings import Json, Ledger
from .lab import Lab, Record
from .leaks import Leaks
from .material import Material
from .packs import Pack
from .programs import Programs
from .prompts import Chat, Prompts
from .questions import Questions
from .rewards import verify_rewards
from .rules import EVALUATION_RULES, RUN_RULES
from .sandbox import Sandbox
from .scoring import choose, verify_scores
from .supervision import (
    origins_of,
    verify_reviews,
    verify_summaries,
    verify_times,
    verify_wordings,
)

UNUSED_TASKS = 64
"""Of the tasks that a run began with and never solved, so many are run again: they may be
thousands."""

LONGEST = 400
"""Characters of a value that a report shows of a difference."""


class Sandboxes:
    """One sandbox for each way of setting it up; none before a program is to be run."""

    def __init__(self, broker: Path) -> None:
        self._broker = broker
        self._open: dict[str, Sandbox] = {}

    def by(self, settings: Record) -> Sandbox:
        key = json.dumps(settings, sort_keys=True)
        if key not in self._open:
            self._open[key] = Sandbox(self._broker, settings)
        return self._open[key]

    def close(self) -> None:
        for each in self._open.values():
            each.close()


@dataclass
class Request:
    lab: Lab
    resources: Path
    """Holds prompts/ and suites/."""
    sandboxes: Sandboxes
    sample: int
    """Answers that are scored again."""
    advance: Callable[[int], None]


def work_of_run(request: Request, run_id: str) -> int:
    """How many units `verify_run` will advance by, about."""
    lab = request.lab
    row = lab.one("SELECT count(*) AS n FROM rollouts WHERE run_id = ?", run_id)
    assert row is not None
    return int(row["n"]) + len(kept(lab, lab.run(run_id))) + request.sample


def work_of_evaluation(request: Request, evaluation_id: str) -> int:
    row = evaluation_of(request.lab, evaluation_id)
    query = "SELECT count(*) AS n FROM evaluation_items WHERE evaluation_key = ?"
    found = request.lab.one(query, row["key"])
    assert found is not None
    return int(found["n"])


def verify_run(request: Request, run_id: str) -> Record:
    begun = time.monotonic()
    lab = request.lab
    run = upcast(lab.run(run_id))
    ledger = Ledger(RUN_RULES)
    _Run(request, ledger, run).verify()
    return report_of("run", run_id, run["name"], ledger, time.monotonic() - begun)


def verify_evaluation(request: Request, evaluation_id: str) -> Record:
    begun = time.monotonic()
    row = evaluation_of(request.lab, evaluation_id)
    ledger = Ledger(EVALUATION_RULES)
    verify_events(ledger, request.lab, None)
    suites = request.resources / "suites"
    evaluations = Evaluations(ledger, request.lab, suites, lambda: request.sandboxes.by({}))
    evaluations.verify(row, request.advance)
    title = f"{row['suite']}, {row['model']}"
    return report_of("evaluation", evaluation_id, title, ledger, time.monotonic() - begun)


class _Run:
    """What is carried from step to step."""

    def __init__(self, request: Request, ledger: Ledger, run: Record) -> None:
        self.request, self.ledger, self.run = request, ledger, run
        lab = request.lab
        self.lab, self.id = lab, run["id"]
        config = run["config"]
        self.questions: Questions | None = None
        self.programs: Programs | None = None
        if config["framework"]["name"] == "rzero":
            self.questions = Questions(ledger, run)
        else:
            sandbox = request.sandboxes.by(config["sandbox"])
            self.programs = Programs(ledger, sandbox, config["framework"])
        pack = Pack(request.resources / "prompts", config["policy"]["promptPack"])
        self.contexts = Contexts(ledger, run, pack)
        self.leaks = Leaks(ledger, lab, run)
        prompts = request.resources / "prompts"
        self.material = Material(ledger, Pack(prompts, "compact"), Pack(prompts, "full"))
        self.prompts = Prompts(ledger, run, pack, self._chat())
        self.checkpoints = {(each["step"], each["role"]): each for each in lab.checkpoints(self.id)}
        self.steps: dict[int, Record] = {}
        self.sent = lab.sent_prompts(self.id)
        self.unused: list[Record] = []

    def _chat(self) -> Chat | None:
        for checkpoint in kept(self.lab, self.run):
            folder = folder_of(self.lab, self.run, checkpoint)
            if (folder / "tokenizer.json").is_file() and (
                folder / "tokenizer_config.json"
            ).is_file():
                return Chat(folder)
        return None

    def verify(self) -> None:
        chain = StepChain(
            self.ledger,
            self.lab,
            self.lab.run(self.id),
            verify_events(self.ledger, self.lab, self.id),
        )
        self._begin()
        for step in range(1, self.run["committed_steps"] + 1):
            self._verify_step(step, chain)
        self._end()
        verify_checkpoints(self.ledger, self.lab, self.run, self.steps, self.request.advance)
        if self.request.sample == 0:
            self.ledger.skip("rollouts.logp", "no answer was asked for (--sample 0)")
            return
        chosen = choose(self.lab, self.run, self.request.sample)
        verify_scores(self.ledger, self.lab, self.run, self.prompts, chosen, self.request.advance)

    def _begin(self) -> None:
        if self.programs is not None:
            self._take_first_tasks(self.programs)
        context = self.lab.context(self.id, 1)
        if context is not None:
            self.contexts.verify_text(context, self.prompts.tokens_of(context["text"]))

    def _take_first_tasks(self, programs: Programs) -> None:
        for task in self.lab.tasks(self.id, 0):
            programs.keep_task(task)
        seed = self.run["config"]["seed"]
        first = sorted(
            programs.tasks.values(),
            key=lambda task: uniform(seed, "verify", 0, task["id"]),
        )
        for task in first[:UNUSED_TASKS]:
            programs.take_task(task)
        self.unused = first[UNUSED_TASKS:]

    def _verify_step(self, number: int, chain: StepChain) -> None:
        lab, ledger, run = self.lab, self.ledger, self.run
        step = lab.step(self.id, number)
        before, after = lab.context(self.id, number), lab.context(self.id, number + 1)
        if step is None or before is None or after is None:
            ledger.check("steps.chain", f"step {number}", "missing", "a step and its contexts")
            return
        self.steps[number] = step
        tasks, rollouts = lab.tasks(self.id, number), lab.rollouts(self.id, number)
        reviews, summaries = lab.reviews(self.id, number), lab.summaries(self.id, number)
        wordings = lab.wordings(self.id, number)
        parts = {
            "tasks": tasks,
            "rollouts": rollouts,
            "reviews": reviews,
            "summaries": summaries,
            "wordings": wordings,
            "generations": self.sent.records(number),
            "next": after,
            "checkpoint": self.checkpoints.get((number, step["role"])),
        }
        chain.follow(
            step, parts, lab.metrics(self.id, number), lab.metrics(self.id, number, "timing")
        )
        ledger.check("prompts.context", f"step {number}", step["context_hash"], before["hash"])
        if self.questions is not None:
            self.questions.verify_step(step, tasks, rollouts)
            self._verify_prompts(rollouts, before, self.questions.tasks)
        if self.programs is not None:
            verify_only_stage(ledger, run, step)
            self._verify_programs(self.programs, tasks, rollouts)
            self._verify_prompts(rollouts, before, self.programs.tasks)
            verify_rewards(ledger, run, rollouts, self.programs.tasks)
        verify_reviews(ledger, lab, run, number, rollouts, reviews)
        self._verify_material(number, rollouts, tasks, reviews)
        verify_times(ledger, step, rollouts, reviews, self.sent.times(number))
        verify_summaries(ledger, run, number, rollouts, reviews, summaries)
        verify_wordings(ledger, run, rollouts, reviews, summaries, wordings)
        self.contexts.verify_text(after, self.prompts.tokens_of(after["text"]))
        self.contexts.verify_update(number, before, after, reviews, summaries, wordings)
        self.leaks.verify(after)
        self.request.advance(len(rollouts))

    def _verify_programs(
        self, programs: Programs, tasks: list[Record], rollouts: list[Record]
    ) -> None:
        programs.verify_origins(tasks, rollouts)
        for task in tasks:
            programs.keep_task(task)
            programs.take_task(task)
        used = {rollout["taskId"] for rollout in rollouts}
        for task in [task for task in self.unused if task["id"] in used]:
            programs.take_task(task)
        self.unused = [task for task in self.unused if task["id"] not in used]
        for rollout in rollouts:
            programs.take_rollout(rollout)
        programs.finish()

    def _verify_prompts(
        self, rollouts: list[Record], context: Record, tasks: dict[str, Record]
    ) -> None:
        for rollout in rollouts:
            solved = tasks.get(rollout["taskId"] or "")
            self.prompts.verify(rollout, context, solved, self.sent.of(rollout["id"]))

    def _verify_material(
        self, step: int, rollouts: list[Record], tasks: list[Record], reviews: list[Record]
    ) -> None:
        if self.programs is None:
            self.ledger.skip("reviews.material", "reviews of questions in words", len(reviews))
            return
        responses = {rollout["id"]: rollout for rollout in rollouts}
        batches = {rollout["batch"]: rollout for rollout in reversed(rollouts)}
        became = {task["rolloutId"]: task for task in tasks}
        origins = origins_of(self.run, step, reviews)
        for review in reviews:
            origin = str(origins.get(review["id"], review["id"]))
            name, _, _ = origin.rpartition("#")
            rollout = responses.get(name)
            batch = rollout or batches[name.partition("/")[2]]
            task = None
            if rollout is not None and rollout["purpose"] == "propose":
                task = became.get(name)
            elif rollout is not None:
                task = self.programs.tasks.get(rollout["taskId"] or "")
            self.material.verify(review, rollout, task, batch)

    def _end(self) -> None:
        if self.programs is not None:
            self.programs.finish()
        if self.unused:
            self.ledger.skip(
                "tasks.gold", "first tasks that no step used, beyond a sample", len(self.unused)
            )


def verify_only_stage(ledger: Ledger, run: Record, step: Record) -> None:
    """Frameworks of one stage and one role."""
    stage = "practice" if run["config"]["framework"]["name"] == "fixed-tasks" else "self-play"
    stored = [step["stage"], step["iteration"], step["role"]]
    ledger.check("steps.place", f"step {step['step']}", stored, [stage, 1, "policy"])


def upcast(run: Record) -> Record:
    """A configuration as the first versions stored it, read in today's words; hashes are taken over
    what is stored."""
    config = dict(run["config"])
    if isinstance(config.get("framework"), str):
        azr = dict(config.get("azr", {}))
        names = ("temperature", "topP", "maxPromptTokens", "maxNewTokens")
        config["generation"] = {name: azr.pop(name) for name in names if name in azr}
        name = config["framework"]
        config["framework"] = {"name": name} | azr | config.get("frameworkSettings", {})
    if "pressure" in config:
        config["rewardedPrompts"] = config["pressure"]
    return run | {"config": config}


def report_of(kind: str, identity: str, title: str, ledger: Ledger, seconds: float) -> Record:
    rules: list[Json] = []
    for tally in ledger.tallies.values():
        first = tally.first
        if first is not None:
            stored, recomputed = _shown(first.stored, first.recomputed)
        rules.append(
            {
                "rule": tally.rule,
                "says": tally.says,
                "source": tally.source,
                "checked": tally.checked,
                "differing": tally.differing,
                "first": None
                if first is None
                else {"about": first.about, "stored": stored, "recomputed": recomputed},
                "further": tally.further,
                "skipped": [{"why": why, "count": count} for why, count in tally.skipped.items()],
            }
        )
    return {
        "kind": kind,
        "id": identity,
        "title": title,
        "seconds": seconds,
        "checked": sum(rule["checked"] for rule in rules),
        "differing": ledger.differing,
        "rules": rules,
    }


def _shown(stored: Json, recomputed: Json) -> tuple[str, str]:
    """Both values as texts, long ones from shortly before the place where they part."""
    left, right = (
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
        for each in (stored, recomputed)
    )
    if max(len(left), len(right)) <= LONGEST:
        return left, right
    parting = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    start = max(0, parting - LONGEST // 4)
    cut = "…" if start > 0 else ""
    return f"{cut}{left[start : start + LONGEST]}", f"{cut}{right[start : start + LONGEST]}"
