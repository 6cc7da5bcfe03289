"""Train the supervisor: the policy's weights, fine-tuned on review records.

Its weights are its own from the first step on: a reviewer must not change with the policy it
reviews.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from ..export_gguf import export_folder
from .corpus.samples import Sample
from .evaluation.card import write_supervisor_card
from .evaluation.run import load_subject
from .reviewing.agreement import Agreement, agreements
from .reviewing.raw_items import RawItem, raw_item
from .reviewing.records import ReviewRecord, load_records, review_records, save_records
from .reviewing.rollout_items import rollout_items
from .training.export import export_model
from .training.files import sha256
from .training.loop import Training, prepare_cpu
from .training.presets import Preset

SEED = 404
FILE_NAME = "supervisor.f16.gguf"


@dataclass(frozen=True)
class SupervisorPreset:
    """`written` items have injected defects, `rollouts` are completions of the policy itself."""

    name: str
    written: int
    rollouts: int
    held_out: int
    training: Preset


SUPERVISOR_PRESETS = {
    "smoke": SupervisorPreset(
        "smoke",
        300,
        20,
        60,
        Preset(
            "supervisor-smoke",
            tokens=20_000,
            batch_tokens=2_000,
            warm_up_steps=2,
            chunk_samples=100,
            report_steps=5,
            seed=SEED,
        ),
    ),
    # The words of a review are new to the policy: the embedding needs the full rate again.
    "cpu": SupervisorPreset(
        "cpu",
        14_000,
        3_000,
        1_500,
        Preset(
            "supervisor-cpu",
            tokens=2_200_000,
            batch_tokens=2_000,
            muon_rate=6e-3,
            adam_rate=2e-3,
            warm_up_steps=50,
            constant_until=0.3,
            prompt_weight=0.02,
            seed=SEED,
        ),
    ),
    "cuda": SupervisorPreset(
        "cuda",
        60_000,
        6_000,
        1_500,
        Preset(
            "supervisor-cuda",
            tokens=20_000_000,
            batch_tokens=16_000,
            muon_rate=6e-3,
            adam_rate=2e-3,
            warm_up_steps=50,
            constant_until=0.3,
            prompt_weight=0.02,
            chunk_samples=20_000,
            seed=SEED,
        ),
    ),
}


@dataclass(frozen=True)
class SupervisorRun:
    preset: SupervisorPreset
    device: str
    policy: Path
    out: Path
    work: Path
    # Exported checkpoints of runs that started from `policy`: whose texts agreement is measured on.
    evolved: tuple[Path, ...] = ()

    @property
    def folder(self) -> Path:
        """The trained model as a transformers folder; only its GGUF form ships."""
        return self.work / "model"

    @property
    def seen(self) -> Path:
        """The records trained on, so that a measurement keeps clear of them."""
        return self.work / "records.jsonl"


def _written(draw: str, count: int) -> list[RawItem]:
    rng = Random(f"{SEED}/{draw}")
    return [raw_item(rng) for _ in range(count)]


def fresh_records(count: int, preset: SupervisorPreset) -> list[ReviewRecord]:
    """At most `count` records with injected defects, without texts that the training of `preset`
    draws the same way."""
    known = {record.user for record in review_records(_written("written", preset.written))}
    drawn = review_records(_written("fresh", count))
    return [record for record in drawn if record.user not in known]


def training_records(run: SupervisorRun) -> list[ReviewRecord]:
    items = _written("written", run.preset.written)
    subject, _ = load_subject(run.policy, run.device)
    return review_records(items + rollout_items(subject, f"{SEED}/rollouts", run.preset.rollouts))


def held_out_records(run: SupervisorRun) -> dict[str, list[ReviewRecord]]:
    """Records of fresh draws by origin, without texts seen in training."""
    known = {record.user for record in load_records(run.seen)}
    subject, _ = load_subject(run.policy, run.device)
    drawn = {
        "injected": _written("held-out", run.preset.held_out),
        "policy-written": rollout_items(
            subject, f"{SEED}/held-out-rollouts", run.preset.held_out // 2
        ),
    }
    if run.evolved:
        each = run.preset.held_out // len(run.evolved)
        drawn["evolving policy"] = [
            item
            for folder in run.evolved
            for item in rollout_items(
                load_subject(folder, run.device)[0], f"{SEED}/evolved/{folder.name}", each
            )
        ]
    return {
        name: [record for record in review_records(items) if record.user not in known]
        for name, items in drawn.items()
    }


def train_supervisor(
    run: SupervisorRun, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> None:
    """Draw and label records, fine-tune, export the model folder and its f16 GGUF."""
    prepare_cpu()
    subject, facts = load_subject(run.policy)
    if not run.seen.exists():
        save_records(run.seen, training_records(run))
    records = load_records(run.seen)
    say(
        f"supervisor, preset {run.preset.name}: {len(records)} records, "
        f"{run.preset.training.tokens / 1e6:.1f} M tokens on {run.device}"
    )
    preset = replace(run.preset.training, architecture=subject.model.shape)

    def draw(rng: Random, progress: float) -> Sample:
        return rng.choice(records).sample()

    training = Training(
        preset, subject.tokenizer, draw, device=run.device, start=subject.model.state_dict()
    )
    training.run(run.work / "checkpoint.safetensors", say, clock)
    export_model(
        training.model,
        training.tokenizer,
        run.folder,
        {
            "recipe": "supervisor",
            "preset": run.preset.name,
            "seed": SEED,
            "policy": facts,
            "policy_sha256": sha256(run.policy / "model.safetensors"),
            "tokens": training.progress.tokens,
            "device": run.device,
            "training_seconds": round(training.progress.seconds),
        },
    )
    run.out.mkdir(parents=True, exist_ok=True)
    export_folder(run.folder, run.out / FILE_NAME, "f16", "anchor-supervisor")
    say(f"exported {run.out / FILE_NAME} after {training.progress.seconds / 60:.1f} minutes")


def describe_supervisor(
    run: SupervisorRun, say: Callable[[str], None]
) -> dict[str, list[Agreement]]:
    """Measure the trained folder against the rubric on held-out records and write its card."""
    subject, facts = load_subject(run.folder, run.device)
    found = {}
    for name, records in held_out_records(run).items():
        found[name] = list(agreements(subject, records))
        for agreement in found[name]:
            say(f"{name:15} {agreement.name:42} {agreement.share}")
    write_supervisor_card(run.out, FILE_NAME, facts, len(load_records(run.seen)), found)
    return found
