"""Fine-tune the policy's weights on records and export them as GGUF: supervisor and writer alike.

Their weights are their own from the first step on: who reviews must not change with the policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from ..export_gguf import export_folder
from .corpus.samples import Sample
from .evaluation.run import load_subject
from .reviewing.records import ReviewRecord
from .training.export import export_model
from .training.files import sha256
from .training.loop import Training
from .training.presets import Preset

SMOKE = Preset(
    "smoke",
    tokens=20_000,
    batch_tokens=2_000,
    warm_up_steps=2,
    chunk_samples=100,
    report_steps=5,
)
# The words of a review are new to the policy: the embedding needs the full rate again.
CPU = Preset(
    "cpu",
    tokens=2_200_000,
    batch_tokens=2_000,
    muon_rate=6e-3,
    adam_rate=2e-3,
    warm_up_steps=50,
    constant_until=0.3,
    prompt_weight=0.02,
)


@dataclass(frozen=True)
class FineTuning:
    """`recipe` and `preset` name it in the facts of the model, `training` says how long and how."""

    recipe: str
    preset: str
    training: Preset
    device: str
    policy: Path
    work: Path
    gguf: Path

    @property
    def folder(self) -> Path:
        """The trained model as a transformers folder; only its GGUF form ships."""
        return self.work / "model"


def fine_tune(
    job: FineTuning,
    records: list[ReviewRecord],
    say: Callable[[str], None],
    clock: Callable[[], float],
) -> None:
    """Resumes from the checkpoint in `job.work`; writes the model folder and its f16 GGUF."""
    subject, facts = load_subject(job.policy)
    say(
        f"{job.recipe}, preset {job.preset}: {len(records)} records, "
        f"{job.training.tokens / 1e6:.1f} M tokens on {job.device}"
    )

    def draw(rng: Random, progress: float) -> Sample:
        return rng.choice(records).sample()

    preset = replace(job.training, architecture=subject.model.shape)
    training = Training(
        preset, subject.tokenizer, draw, device=job.device, start=subject.model.state_dict()
    )
    training.run(job.work / "checkpoint.safetensors", say, clock)
    export_model(
        training.model,
        training.tokenizer,
        job.folder,
        {
            "recipe": job.recipe,
            "preset": job.preset,
            "seed": job.training.seed,
            "policy": facts,
            "policy_sha256": sha256(job.policy / "model.safetensors"),
            "tokens": training.progress.tokens,
            "device": job.device,
            "training_seconds": round(training.progress.seconds),
        },
    )
    job.gguf.parent.mkdir(parents=True, exist_ok=True)
    export_folder(job.folder, job.gguf, "f16", f"anchor-{job.recipe}")
    say(f"exported {job.gguf} after {training.progress.seconds / 60:.1f} minutes")
