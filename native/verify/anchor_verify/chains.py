"""The chain of events of a lab and the chain of steps of a run (decisions 001 and 003)."""

from __future__ import annotations

import json
from pathlib import PurePosixPath, PureWindowsPath

from .canonical import canonical, digest_of, sha256
from .findings import Json, Ledger
from .lab import Lab, Record

CHAIN_START = "0" * 64
ATTESTED = ("run.created", "run.initialised", "step.committed")


def verify_events(ledger: Ledger, lab: Lab, run_id: str | None) -> dict[str, list[Record]]:
    """Follows the chain of the whole lab. Gives the events that attest records of `run_id`, by
    kind."""
    seq, head = 0, CHAIN_START
    found: dict[str, list[Record]] = {kind: [] for kind in ATTESTED}
    for row in lab.events():
        body = json.loads(row["body"])
        content = {"seq": row["seq"], "at": row["at"], "runId": row["run_id"], "kind": row["kind"]}
        hashed = sha256(f"anchor-event-v1{head}{canonical(content | {'body': body})}")
        about = f"event {row['seq']}"
        seq += 1
        ledger.check("events.chain", about, row["seq"], seq)
        ledger.check("events.chain", about, row["prev"], head)
        ledger.check("events.chain", about, row["hash"], hashed)
        seq, head = row["seq"], row["hash"]
        if row["run_id"] == run_id and row["kind"] in found:
            found[row["kind"]].append(body)
    return found


class StepChain:
    """Step hashes of one run, from the configuration on."""

    def __init__(
        self, ledger: Ledger, lab: Lab, run: Record, events: dict[str, list[Record]]
    ) -> None:
        self.ledger, self.run, self.lab = ledger, run, lab
        self.committed = {body["step"]: body for body in events["step.committed"]}
        self.previous: str | None = None
        first = [each for each in lab.checkpoints(run["id"]) if each["step"] == 0]
        self.roles = len(first)
        self._begin(events, first)

    def _begin(self, events: dict[str, list[Record]], first: list[Record]) -> None:
        run, lab = self.run, self.lab
        for body in events["run.created"]:
            attested = digest_of("anchor-run-config-v1", [run["config"]])
            self.ledger.check(
                "records.attested", "the configuration", body["configSha256"], attested
            )
        context, tasks = lab.context(run["id"], 1), lab.tasks(run["id"], 0)
        if context is None or not first:
            return
        for body in events["run.initialised"]:
            attested = digest_of(
                "anchor-initial-records-v1", [context, *tasks, *map(_checkpoint, first)]
            )
            self.ledger.check("records.attested", "step 0", body["recordsSha256"], attested)
        self.previous = initial_hash(
            run["config"],
            context["hash"],
            first[0]["weightsSha256"],
            run["supervisor_sha256"],
            tasks,
        )

    def follow(self, step: Record, parts: dict[str, Json], metrics: Json, timings: Json) -> None:
        """One step. Later steps are checked from the stored hash, so that one difference is told
        once."""
        number, about = step["step"], f"step {step['step']}"
        checkpoint = parts["checkpoint"]
        content = [
            "anchor-step-v1",
            self.previous,
            number,
            step["context_hash"],
            None if checkpoint is None else checkpoint["weightsSha256"],
            parts["tasks"],
            [_without_level(rollout) for rollout in parts["rollouts"]],
            [_untimed(review) for review in parts["reviews"]],
            parts["summaries"],
            parts["next"],
            *self._place_of(step, checkpoint),
            *([[_untimed(each) for each in parts["wordings"]]] if parts["wordings"] else []),
        ]
        if self.previous is None:
            self.ledger.skip("steps.chain", "what the run began with is not stored")
        else:
            self.ledger.check("steps.chain", about, step["step_hash"], sha256(canonical(content)))
        self.previous = step["step_hash"]
        event = self.committed.get(number)
        if event is None:
            self.ledger.check("records.attested", about, None, "an event that tells of the step")
            return
        told = {"contextHash": step["context_hash"], "stepHash": step["step_hash"]}
        told |= {"weightsSha256": step["weights_sha256"], "nextContextHash": parts["next"]["hash"]}
        for name, stored in told.items():
            self.ledger.check("records.attested", f"{about}, {name}", stored, event[name])
        record = {
            "step": number,
            "startedAt": step["started_at"],
            "finishedAt": step["finished_at"],
            "contextHash": step["context_hash"],
            "weightsSha256": step["weights_sha256"],
            "stepHash": step["step_hash"],
            "timings": timings,
            "metrics": metrics,
            **_place(step, self.run["config"]),
        }
        records = [
            record,
            *(
                each
                for name in ("tasks", "rollouts", "reviews", "summaries", "wordings")
                for each in parts[name]
            ),
            parts["next"],
            None if checkpoint is None else _checkpoint(checkpoint),
            *([parts["generations"]] if parts["generations"] else []),
        ]
        self.ledger.check(
            "records.attested",
            about,
            event["recordsSha256"],
            digest_of("anchor-step-records-v1", records),
        )

    def _place_of(self, step: Record, checkpoint: Record | None) -> list[Record]:
        """Where a step stands counts where there are several roles to train."""
        if self.roles == 1:
            return []
        role = None if checkpoint is None else checkpoint["role"]
        return [{"stage": step["stage"], "iteration": step["iteration"], "role": role}]


def _place(step: Record, config: Record) -> Record:
    """Stage, iteration and role count only where they are not what every step once had."""
    framework = config.get("framework", "azr")
    name = framework if isinstance(framework, str) else framework.get("name", "azr")
    usual = {"stage": "practice" if name == "fixed-tasks" else "self-play", "iteration": 1}
    usual["role"] = "policy"
    return {key: step[key] for key, value in usual.items() if step[key] != value}


def _checkpoint(record: Record) -> Record:
    kept = {key: value for key, value in record.items() if key not in ("removedAt", "role")}
    return kept if record["role"] == "policy" else kept | {"role": record["role"]}


def _untimed(record: Record) -> Record:
    return {key: value for key, value in record.items() if key not in ("createdAt", "milliseconds")}


def _without_level(rollout: Record) -> Record:
    verdict = {key: value for key, value in rollout["verdict"].items() if key != "sandboxLevel"}
    return rollout | {"verdict": verdict}


GENERATION = ("temperature", "topP", "maxPromptTokens", "maxNewTokens")
"""Settings that the first versions had in the section `azr`."""

AZR_DEFAULTS: Record = {
    "estimateSamples": 4,
    "references": 1,
    "referenceSampling": "uniform",
    "inductionInputs": 6,
    "taskChoice": "newest-first",
    "estimateSampling": "sampled",
    "zeroLearnability": "repository",
    "learnability": "one-minus",
    "bufferFilter": "all",
    "rejectDuplicates": False,
    "intrinsic": {
        **{
            name: {"coefficient": 0, "max": 1}
            for name in ("complexity", "editDistance", "halstead", "answerDiversity")
        },
        "combine": "sum",
    },
}
"""What the section `azr` held for frameworks without a proposer, which read none of it."""


def initial_hash(
    config: Record, context: str, weights: str, supervisor: str | None, tasks: list[Record]
) -> str:
    """The chain's value before step 1 (docs/verify.md, "Before step 1")."""
    tasks_sha256 = sha256(canonical(tasks))
    left_out = ("name", "preset", "evaluation", "supervision", "framework", "generation")
    rest = {key: value for key, value in config.items() if key not in left_out}
    if "rewardedPrompts" in rest:
        rest["pressure"] = rest.pop("rewardedPrompts")
    rest |= _framework_view(config)
    rest = {name: _without_paths(value, tasks_sha256) for name, value in rest.items()}
    reviewing = config["supervision"]
    later = ("contextText", "fixedContext", "nothingToCompare", "reviewerSettings")
    supervision = {key: value for key, value in reviewing.items() if key not in later}
    supervision["model"] = _without_path(supervision["model"], supervisor)
    if reviewing.get("contextText", "reviews") != "reviews":
        supervision["contextText"] = reviewing["contextText"]
    if reviewing.get("fixedContext"):
        supervision["fixedContext"] = reviewing["fixedContext"]
    if reviewing.get("nothingToCompare", "ask") != "ask":
        supervision["nothingToCompare"] = reviewing["nothingToCompare"]
    if "reviewerSettings" in reviewing:
        supervision["reviewerSettings"] = _without_paths(reviewing["reviewerSettings"], supervisor)
    if "wordingPrompts" in supervision:
        supervision["wordingPrompts"] = _used_texts(reviewing)
    # Where weights lie while others work decides nothing.
    policy = {key: value for key, value in config["policy"].items() if key != "offload"}
    policy["model"] = _without_path(policy["model"], weights)
    repeatable = rest | {"policy": policy, "supervision": supervision}
    return sha256(canonical(["anchor-run-v1", repeatable, weights, context]))


def _used_texts(reviewing: Record) -> Record:
    """Texts of one's own for wording; the system text where a model is asked with it."""
    texts: Record = reviewing["wordingPrompts"]
    is_asked = "model" in (reviewing.get("summary"), reviewing.get("merge"))
    if is_asked and texts.get("system", "").strip():
        return texts
    return {name: text for name, text in texts.items() if name != "system"}


def _framework_view(config: Record) -> Record:
    """The settings of a framework in the shape that the first versions stored them in."""
    framework = config["framework"]
    if isinstance(framework, str):  # stored in that shape
        return {"framework": framework}
    generation = dict(config["generation"])
    roles = generation.pop("roles", None)
    if any(
        value is not None for role in (roles or {}).values() for value in role.values()
    ):  # roles without anything of their own say what their absence says
        generation["roles"] = roles
    if framework["name"] not in ("azr", "fixed-tasks"):
        return {"framework": framework, "generation": generation}
    name, settings = framework["name"], {k: v for k, v in framework.items() if k != "name"}
    own = {key: settings.pop(key) for key in ("tasks",) if key in settings}
    azr = (AZR_DEFAULTS if name == "fixed-tasks" else {}) | settings | generation
    return {
        "framework": name,
        "azr": azr,
        **({"frameworkSettings": own} if own else {}),
    }


def _without_path(value: Json, content: str | None) -> Json:
    is_path = isinstance(value, str) and (
        PurePosixPath(value).is_absolute() or PureWindowsPath(value).is_absolute()
    )
    return content if is_path else value


def _without_paths(value: Json, content: str | None) -> Json:
    if not isinstance(value, dict):
        return value
    return {key: _without_path(each, content) for key, each in value.items()}
