"""
A sample of answers scored again: log-probabilities of the stored tokens under the checkpoint of
the step before, with the prompt and context as sent, by transformers' plain class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .canonical import uniform
from .checkpoints import ADAPTER, WEIGHTS, folder_of
from .findings import Ledger
from .lab import Lab, Record
from .prompts import Chat, Prompts

TOLERANCE = 1e-4
"""Of the mean log-probability of an answer. A CPU's float32 differs from the packed pass of the
sampler by less than 4e-7."""

RULE = "rollouts.logp"


def choose(lab: Lab, run: Record, count: int) -> dict[int, list[Record]]:
    """`count` responses of the steps whose starting weights are still there, by step, the same ones
    each time."""
    weights = Weights(lab, run)
    steps = [
        step
        for step in range(1, int(run["committed_steps"]) + 1)
        if any(weights.before(step, role) is not None for role in weights.roles)
    ]
    found = [
        (uniform(run["config"]["seed"], "verify", step, row["id"]), step, row["id"])
        for step in steps
        for row in lab.rows(
            "SELECT id, role FROM rollouts WHERE run_id = ? AND step = ?", run["id"], step
        )
        if weights.before(step, weights.role_of(row["role"])) is not None
    ]
    chosen: dict[int, set[str]] = defaultdict(set)
    for _, step, rollout_id in sorted(found)[:count]:
        chosen[step].add(rollout_id)
    return {
        step: [each for each in lab.rollouts(run["id"], step) if each["id"] in ids]
        for step, ids in sorted(chosen.items())
    }


class Weights:
    """Which checkpoint an answer was written with. A role's weights are those of its last
    checkpoint; a step that trains another one leaves them as they are."""

    def __init__(self, lab: Lab, run: Record) -> None:
        self._all = lab.checkpoints(run["id"])
        self.roles = sorted({each["role"] for each in self._all})

    def role_of(self, speaker: str) -> str:
        """The weights that speak as proposer, solver or assistant."""
        apart = {"proposer": "challenger", "solver": "solver", "assistant": "solver"}
        return self.roles[0] if len(self.roles) == 1 else apart[speaker]

    def before(self, step: int, role: str) -> Record | None:
        """The checkpoint that a step began with; None where its files are gone."""
        earlier = [each for each in self._all if each["role"] == role and each["step"] < step]
        last = max(earlier, key=lambda each: each["step"], default=None)
        return None if last is None or last["removedAt"] is not None else last

    def first(self, role: str) -> Record | None:
        """What the role began with, and what an adapter stands beside."""
        found = [each for each in self._all if each["role"] == role and each["step"] == 0]
        return found[0] if found and found[0]["removedAt"] is None else None


def verify_scores(
    ledger: Ledger,
    lab: Lab,
    run: Record,
    prompts: Prompts,
    chosen: dict[int, list[Record]],
    advance: Callable[[int], None],
) -> None:
    if not chosen:
        ledger.skip(RULE, "no checkpoint is kept that an answer was written with")
    config = run["config"]
    total = sum(map(len, chosen.values()))
    if config["policy"].get("device") == "cuda":
        ledger.skip(RULE, "answers that a graphics card wrote", total)
        return
    precision = config.get("train", {}).get("precision", "float32")
    if precision != "float32":
        ledger.skip(RULE, f"weights that are computed with in {precision}", total)
        return
    weights = Weights(lab, run)
    scorers: dict[Path, Scorer | None] = {}
    for step, rollouts in chosen.items():
        context = lab.context(run["id"], step)
        for rollout in sorted(rollouts, key=lambda each: str(each["role"])):
            role = weights.role_of(rollout["role"])
            checkpoint, first = weights.before(step, role), weights.first(role)
            assert checkpoint is not None
            folder = folder_of(lab, run, checkpoint)
            if folder not in scorers:
                scorers.clear()  # one model in memory at a time
                base = None if first is None else folder_of(lab, run, first)
                scorers[folder] = _scorer(folder, base)
            scorer = scorers[folder]
            if scorer is None or context is None:
                ledger.skip(RULE, "weights that cannot be read")
            else:
                _verify_score(ledger, run, prompts, scorer, rollout, context)
            advance(1)


def _scorer(folder: Path, first: Path | None) -> Scorer | None:
    """The weights of a checkpoint, whole or an adapter beside those the run began with."""
    if (folder / WEIGHTS).is_file() and (folder / "config.json").is_file():
        return Scorer(folder)
    if (folder / ADAPTER).is_file() and first is not None and (first / WEIGHTS).is_file():
        return Scorer(first, folder)
    return None


def _verify_score(
    ledger: Ledger, run: Record, prompts: Prompts, scorer: Scorer, rollout: Record, context: Record
) -> None:
    system = prompts.system(rollout, context)
    why = prompts.why_not(rollout)
    text = None if why or system is None else scorer.chat.rendered(system, rollout["user"])
    if text is None:
        ledger.skip(RULE, why or "a chat template that renders otherwise")
        return
    answers = [
        each
        for each in _sampled(scorer, run["config"], rollout)
        if len(each) == rollout["newTokens"]
    ]
    if not answers:
        ledger.skip(RULE, "a text that is tokenised otherwise than it was sampled")
        return
    prompt, temperature = scorer.chat.ids(text), temperature_of(run["config"], rollout)
    stored = rollout["logpMean"]
    found = min(
        (scorer.mean(prompt, answer, temperature) for answer in answers),
        key=lambda mean: abs(mean - stored),
    )
    ledger.check(RULE, rollout["id"], stored, found, TOLERANCE)


CLOSING = "</answer>"
"""Under the lenient reader a code answer is stopped at it, and it is no part of the stored text."""


def _sampled(scorer: Scorer, config: Record, rollout: Record) -> list[list[int]]:
    """What may have been sampled: the text and, where it was not cut off, what ended it. Where a
    stop string can have ended it, records do not tell which of the two did."""
    text = rollout["text"]
    if rollout["finish"] != "stop":
        return [scorer.chat.ids(text)]
    reader = (config.get("framework") or {}).get("reader")
    ended = [scorer.chat.ids(text + CLOSING)] if reader == "lenient" else []
    return [[*scorer.chat.ids(text), scorer.end], *ended]


def temperature_of(config: Record, rollout: Record) -> float:
    """Probabilities of an answer are taken at the temperature that it was sampled at."""
    generation = config.get("generation") or config["azr"]
    roles = generation.get("roles") or {}
    if rollout["purpose"] == "estimate":
        votes = config["framework"].get("vote" if rollout["batch"] == "challenge" else "label", {})
        if votes.get("temperature") is not None:
            return float(votes["temperature"])
        if config["framework"].get("estimateSampling") == "greedy":
            return 1.0
        named = ["estimator", "solver"]
    else:
        named = [rollout["role"]]
    for role in named:
        own = (roles.get(role) or {}).get("temperature")
        if own is not None:
            return float(own)
    return float(generation["temperature"])


class Scorer:
    """The weights of one checkpoint; with an adapter, those of PEFT's own class around them."""

    def __init__(self, folder: Path, adapter: Path | None = None) -> None:
        import torch
        from transformers import AutoModelForCausalLM
        from transformers.utils import logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        torch.set_num_threads(1)
        self._torch = torch
        self.chat = Chat(folder)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            str(folder), dtype=torch.float32, local_files_only=True, use_safetensors=True
        )
        self.end = int(loaded.config.eos_token_id)
        if adapter is not None:
            from peft import PeftModel

            loaded = PeftModel.from_pretrained(loaded, str(adapter))
        self._model = loaded.eval()

    def mean(self, prompt: list[int], answer: list[int], temperature: float) -> float:
        """Mean log-probability of the answer's tokens."""
        torch = self._torch
        with torch.no_grad():
            logits = self._model(torch.tensor([prompt + answer])).logits[0]
        logps = torch.log_softmax(logits[len(prompt) - 1 : -1].float() / temperature, -1)
        each = logps.gather(1, torch.tensor(answer)[:, None])
        return float(each.double().mean())
