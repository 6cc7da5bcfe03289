"""Budgets, in tokens: a busy machine takes longer and ends with the same weights."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .model import Architecture


@dataclass(frozen=True)
class Preset:
    """`tokens` and `batch_tokens` count real tokens, without padding."""

    name: str
    tokens: int
    batch_tokens: int
    muon_rate: float = 8e-3
    adam_rate: float = 1.5e-3
    warm_up_steps: int = 200
    constant_until: float = 0.40  # of the budget; then linear down to `final_factor`
    final_factor: float = 0.02
    mix_start: float = 0.0  # where in the corpus's course of shares this leg begins
    questions: bool = False  # whether R-Zero's questions are among the samples
    prompt_weight: float = 0.1  # loss on the prompt, against 1.0 on the completion
    chunk_samples: int = 3_000  # samples drawn and sorted by length at a time
    checkpoint_seconds: float = 150.0
    report_steps: int = 50
    seed: int = 20261120
    architecture: Architecture = field(default_factory=Architecture)


PRESETS = {
    # Tests: the loss falls, files have the right shape; nothing is learnt.
    "smoke": Preset(
        "smoke",
        tokens=15_000,
        batch_tokens=500,
        warm_up_steps=5,
        chunk_samples=60,
        report_steps=10,
        architecture=Architecture(width=64, layers=2, heads=2, key_value_heads=1, feed_forward=128),
    ),
    # From nothing: small batches, because the number of steps decides when arithmetic clicks.
    "cpu": Preset("cpu", tokens=16_000_000, batch_tokens=2_000),
    # Further legs from finished weights: more of everything once arithmetic has clicked, then small
    # steps against the slips of sampling at temperature 1. What ships is all three.
    "cpu-further": Preset(
        "cpu-further",
        tokens=13_000_000,
        batch_tokens=3_000,
        muon_rate=6e-3,
        adam_rate=1.2e-3,
        warm_up_steps=100,
        seed=20261121,
    ),
    "cpu-finish": Preset(
        "cpu-finish",
        tokens=3_000_000,
        batch_tokens=3_000,
        muon_rate=3e-3,
        adam_rate=6e-4,
        warm_up_steps=20,
        constant_until=0.2,
        mix_start=0.6,
        seed=20261122,
    ),
    # A leg from the finished policy into a folder of its own: it plays R-Zero as well.
    "cpu-questions": Preset(
        "cpu-questions",
        tokens=7_000_000,
        batch_tokens=3_000,
        muon_rate=6e-3,
        adam_rate=1.2e-3,
        warm_up_steps=100,
        mix_start=0.6,
        questions=True,
        seed=20261127,
    ),
    # One GPU for a few minutes: the same model, seven times the data, larger batches.
    "cuda": Preset(
        "cuda",
        tokens=160_000_000,
        batch_tokens=16_000,
        muon_rate=1.2e-2,
        adam_rate=2e-3,
        chunk_samples=20_000,
    ),
}


def preset_named(name: str, tokens: int | None = None) -> Preset:
    """A preset, with another token budget where given; ValueError lists the names."""
    if name not in PRESETS:
        raise ValueError(f"there is no preset '{name}'; choose one of {', '.join(PRESETS)}")
    return PRESETS[name] if tokens is None else replace(PRESETS[name], tokens=tokens)
