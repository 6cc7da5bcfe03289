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
from .checkpoints import WEIGHTS, folder_of, kept
from .findings import Ledger
from .lab import Lab, Record
from .prompts import Chat, Prompts

TOLERANCE = 1e-4
"""Of the mean log-probability of an answer. A CPU's float32 differs from the packed pass of the
sampler by less than 4e-7."""

RULE = "rollouts.logp"
POLICY = "policy"


def choose(lab: Lab, run: Record, count: int) -> dict[int, list[Record]]:
    """`count` responses of the steps whose starting weights are still there, by step, the same ones
    each time."""
    there = [each["step"] for each in kept(lab, run) if each["role"] == POLICY]
    steps = [step + 1 for step in there if step < run["committed_steps"]]
    if not steps:
        return {}
    found = [
        (uniform(run["config"]["seed"], "verify", step, row["id"]), step, row["id"])
        for step in steps
        for row in lab.rows(
            "SELECT id FROM rollouts WHERE run_id = ? AND step = ?", run["id"], step
        )
    ]
    chosen: dict[int, set[str]] = defaultdict(set)
    for _, step, rollout_id in sorted(found)[:count]:
        chosen[step].add(rollout_id)
    return {
        step: [each for each in lab.rollouts(run["id"], step) if each["id"] in ids]
        for step, ids in sorted(chosen.items())
    }


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
    before = {each["step"]: each for each in kept(lab, run) if each["role"] == POLICY}
    if run["config"]["policy"].get("device") == "cuda":
        ledger.skip(RULE, "answers that a graphics card wrote", sum(map(len, chosen.values())))
        return
    for step, rollouts in chosen.items():
        context = lab.context(run["id"], step)
        folder = folder_of(lab, run, before[step - 1])
        if context is None or not (folder / "config.json").is_file():
            ledger.skip(RULE, "weights that cannot be read", len(rollouts))
            continue
        if not (folder / WEIGHTS).is_file():
            ledger.skip(RULE, "an adapter beside frozen weights", len(rollouts))
            continue
        scorer = Scorer(folder)
        for rollout in rollouts:
            _verify_score(ledger, run, prompts, scorer, rollout, context)
            advance(1)


def _verify_score(
    ledger: Ledger, run: Record, prompts: Prompts, scorer: Scorer, rollout: Record, context: Record
) -> None:
    system = prompts.system(rollout, context)
    why = prompts.why_not(rollout)
    text = None if why or system is None else scorer.chat.rendered(system, rollout["user"])
    if text is None:
        ledger.skip(RULE, why or "a chat template that renders otherwise")
        return
    answer = scorer.chat.ids(rollout["text"])
    if rollout["finish"] == "stop":
        answer.append(scorer.end)
    if len(answer) != rollout["newTokens"]:
        ledger.skip(RULE, "a text that is tokenised otherwise than it was sampled")
        return
    found = scorer.mean(scorer.chat.ids(text), answer, temperature_of(run["config"], rollout))
    ledger.check(RULE, rollout["id"], rollout["logpMean"], found, TOLERANCE)


def temperature_of(config: Record, rollout: Record) -> float:
    """Probabilities of an answer are taken at the temperature that it was sampled at."""
    generation = config.get("generation") or config["azr"]
    roles = generation.get("roles") or {}
    if rollout["purpose"] == "estimate":
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
    """The weights of one checkpoint."""

    def __init__(self, folder: Path) -> None:
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
        self._model = loaded.eval()
        self.end = int(self._model.config.eos_token_id)

    def mean(self, prompt: list[int], answer: list[int], temperature: float) -> float:
        """Mean log-probability of the answer's tokens."""
        torch = self._torch
        with torch.no_grad():
            logits = self._model(torch.tensor([prompt + answer])).logits[0]
        logps = torch.log_softmax(logits[len(prompt) - 1 : -1].float() / temperature, -1)
        each = logps.gather(1, torch.tensor(answer)[:, None])
        return float(each.double().mean())
