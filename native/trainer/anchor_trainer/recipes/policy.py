"""Train the policy from nothing: tokenizer, training loop, export."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .corpus.mix import policy_sample
from .training.export import export_model
from .training.loop import Training, prepare_cpu
from .training.presets import Preset
from .training.tokenizer import load_tokenizer, save_tokenizer, train_tokenizer

TOKENIZER_SEED = 7


@dataclass(frozen=True)
class PolicyRun:
    """`work` holds the tokenizer and the checkpoint, `out` the finished folder."""

    preset: Preset
    device: str
    out: Path
    work: Path

    @property
    def checkpoint(self) -> Path:
        return self.work / "checkpoint.safetensors"


def open_training(run: PolicyRun) -> Training:
    """A fresh training, or the one `run.work` holds a checkpoint of."""
    if not (run.work / "tokenizer.json").exists():
        save_tokenizer(train_tokenizer(TOKENIZER_SEED), run.work, run.preset.architecture.context)
    training = Training(run.preset, load_tokenizer(run.work), policy_sample, device=run.device)
    if run.checkpoint.exists():
        training.resume(run.checkpoint)
    return training


def export_policy(training: Training, run: PolicyRun) -> None:
    progress, preset = training.progress, run.preset
    export_model(training.model, training.tokenizer, run.out, {
        "recipe": "policy", "preset": preset.name, "seed": preset.seed,
        "tokens": progress.tokens, "steps": progress.step, "device": run.device,
        "training_seconds": round(progress.seconds), "completion_loss": round(progress.loss, 4)})


def train_policy(run: PolicyRun, say: Callable[[str], None],
                 clock: Callable[[], float] = time.monotonic) -> Training:
    """Train to the end of the preset's budget and export; resumes a run that was cut off."""
    prepare_cpu()
    training = open_training(run)
    done = training.progress.tokens
    say(f"policy, preset {run.preset.name}: {run.preset.tokens / 1e6:.1f} M tokens on {run.device}"
        + (f", resuming at {done / 1e6:.2f} M" if done else ""))
    training.run(run.checkpoint, say, clock)
    export_policy(training, run)
    say(f"exported to {run.out} after {training.progress.seconds / 60:.1f} minutes of training")
    return training
