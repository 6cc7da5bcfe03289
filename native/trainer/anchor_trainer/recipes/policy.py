"""Train the policy, from nothing or further: tokenizer, training loop, export."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from .corpus.mix import policy_sample, questions_sample
from .training.export import export_model, load_exported
from .training.files import sha256
from .training.loop import Training, prepare_cpu
from .training.presets import Preset
from .training.tokenizer import load_tokenizer, save_tokenizer, train_tokenizer

TOKENIZER_SEED = 7


@dataclass(frozen=True)
class PolicyRun:
    """`work` holds the tokenizer and the checkpoint, `out` the finished folder.

    `start` is a model folder whose weights and tokenizer are trained further; None = from nothing.
    """

    preset: Preset
    device: str
    out: Path
    work: Path
    start: Path | None = None

    @property
    def checkpoint(self) -> Path:
        return self.work / "checkpoint.safetensors"


TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")


def _tokenizer(run: PolicyRun) -> Tokenizer:
    if not (run.work / "tokenizer.json").exists():
        if run.start is None:
            save_tokenizer(
                train_tokenizer(TOKENIZER_SEED), run.work, run.preset.architecture.context
            )
        else:
            run.work.mkdir(parents=True, exist_ok=True)
            for name in TOKENIZER_FILES:
                shutil.copyfile(run.start / name, run.work / name)
    return load_tokenizer(run.work)


def open_training(run: PolicyRun) -> Training:
    """A fresh training, or the one `run.work` holds a checkpoint of.

    ValueError where the start folder has another architecture than the preset.
    """
    start = None
    if run.start is not None:
        model, _ = load_exported(run.start)
        if model.shape != run.preset.architecture:
            raise ValueError(
                f"{run.start} has another architecture than preset "
                f"'{run.preset.name}'; choose the folder of a policy it trained"
            )
        start = model.state_dict()
    draw = questions_sample if run.preset.questions else policy_sample
    training = Training(run.preset, _tokenizer(run), draw, device=run.device, start=start)
    if run.checkpoint.exists():
        training.resume(run.checkpoint)
    return training


def legs(folder: Path) -> list[dict[str, Any]]:
    """Training legs behind a model folder, first one first."""
    _, facts = load_exported(folder)
    earlier = facts.pop("earlier_legs", [])
    return [*earlier, facts | {"weights_sha256": sha256(folder / "model.safetensors")}]


def export_policy(training: Training, run: PolicyRun) -> None:
    progress, preset = training.progress, run.preset
    export_model(
        training.model,
        training.tokenizer,
        run.out,
        {
            "recipe": "policy",
            "preset": preset.name,
            "seed": preset.seed,
            "tokens": progress.tokens,
            "steps": progress.step,
            "device": run.device,
            "training_seconds": round(progress.seconds),
            "completion_loss": round(progress.loss, 4),
            "earlier_legs": [] if run.start is None else legs(run.start),
        },
    )


def train_policy(
    run: PolicyRun, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> Training:
    """Train to the end of the preset's budget and export; resumes a run that was cut off."""
    prepare_cpu()
    training = open_training(run)
    done = training.progress.tokens
    say(
        f"policy, preset {run.preset.name}: {run.preset.tokens / 1e6:.1f} M tokens on {run.device}"
        + (f", resuming at {done / 1e6:.2f} M" if done else "")
    )
    training.run(run.checkpoint, say, clock)
    export_policy(training, run)
    say(f"exported to {run.out} after {training.progress.seconds / 60:.1f} minutes of training")
    return training
