"""How a policy is trained: the parts fixed at load, and those chosen per update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..model.adapter_folder import LARGEST_RANK, LoraSpec
from ..model.config import ModelConfig, is_small
from ..model.language_model import Precision
from ..params import Params

SMALL_LOGIT_CHUNK = 1024
# 128 MB in fp32. All of them for a row of 1,024 tokens and 152,000 words would be 2 GB with what
# is derived from them.
LOGITS_AT_ONCE = 1 << 25


@dataclass(frozen=True)
class TrainSpec:
    """Fixed at load. `pack_tokens` bounds one packed row, `logit_chunk` the rows of logits at once.

    `grad_checkpoint` recomputes each layer in the backward pass; None leaves it to the memory plan.
    `precision` is of the weights that are kept, `optimizer` tells what AdamW's moments are kept in.
    """

    mode: Literal["none", "full", "lora"]
    precision: Precision
    optimizer: Literal["adamw", "adamw8bit"]
    lr: float
    betas: tuple[float, float]
    eps: float
    weight_decay: float
    warmup_steps: int
    grad_clip: float
    grad_checkpoint: bool | None
    pack_tokens: int
    logit_chunk: int | None
    lora: LoraSpec | None = None

    @property
    def method(self) -> dict[str, str]:
        """What a checkpoint has to be gone on with."""
        return {"precision": self.precision, "optimizer": self.optimizer}

    def chunk_for(self, config: ModelConfig) -> int:
        """Rows of logits held at once: as asked, else what bounds their memory."""
        if self.logit_chunk is not None:
            return self.logit_chunk
        if is_small(config.parameter_count()):
            return SMALL_LOGIT_CHUNK
        fitting = max(LOGITS_AT_ONCE // config.vocab, 1)
        return min(1 << (fitting.bit_length() - 1), SMALL_LOGIT_CHUNK)


@dataclass(frozen=True)
class KlSpec:
    """A penalty on leaving the reference policy; estimators after Schulman (2020).

    `clamp` bounds a token's estimate to both sides; beyond it the estimate has no gradient.
    """

    coef: float
    estimator: Literal["k1", "k2", "k3"]
    clamp: float | None = None


@dataclass(frozen=True)
class LossSpec:
    """The clipped policy-gradient loss of one update; see `training.loss`."""

    level: Literal["token", "sequence"]
    clip_low: float
    clip_high: float
    dual_clip: float | None
    aggregation: str
    aggregation_size: int
    kl: KlSpec | None
    entropy_coef: float
    old_logprobs: Literal["sampler", "recompute"]
    temperature: float | None  # None: each rollout's own
    truncated_policy: Literal["drop", "keep"]
    tis: float | None  # the most by which a token's loss is multiplied; None: no correction


@dataclass(frozen=True)
class BatchSpec:
    """Sequences per optimizer step (0: all of them), passes over the batch, and their order."""

    mini_batch: int
    epochs: int
    shuffle: bool
    shuffle_seed: int


def parse_train(params: Params) -> TrainSpec:
    mode = params.get_choice("mode", ("none", "full", "lora"))
    precision = params.get_choice("precision", ("master32", "bf16", "nf4"), "master32")
    if precision == "nf4" and mode != "lora":
        # What is trained has to keep steps smaller than the distance of two numbers of four bits.
        params.refuse(
            "precision", "master32 or bf16, as nf4 is for frozen weights beside an adapter"
        )
    optim = params.get_object("optim", optional=True)
    optim.get_choice("schedule", ("constant",), "constant")
    return TrainSpec(
        mode=mode,
        precision=precision,
        optimizer=optim.get_choice("kind", ("adamw", "adamw8bit"), "adamw"),
        lr=optim.get_float("lr", 1e-6, low=0),
        betas=_betas(optim),
        eps=optim.get_float("eps", 1e-8, low=1e-16),
        weight_decay=optim.get_float("weightDecay", 0.0, low=0, high=1),
        warmup_steps=optim.get_int("warmupSteps", 0),
        grad_clip=optim.get_float("gradClip", 1.0, low=0),
        grad_checkpoint=params.get_bool("gradCheckpoint", False)
        if params.has("gradCheckpoint")
        else None,
        pack_tokens=params.get_int("packTokens", 1024, low=16),
        logit_chunk=params.get_int("logitChunk", None, low=1),
        lora=_lora(params.get_object("lora", optional=True)) if mode == "lora" else None,
    )


def _lora(params: Params) -> LoraSpec:
    return LoraSpec(
        rank=params.get_int("rank", 64, low=1, high=LARGEST_RANK),
        alpha=params.get_float("alpha", 128.0, low=1e-3, high=1e6),
        targets=params.get_choice("targets", ("all-linear", "attention"), "all-linear"),
    )


def _betas(optim: Params) -> tuple[float, float]:
    value = optim.raw.get("betas", [0.9, 0.999])
    valid = (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(one, (int, float)) and 0 <= one < 1 for one in value)
    )
    if not valid:
        optim.refuse("betas", "two numbers from 0 to below 1")
    return float(value[0]), float(value[1])


# Below this a distribution is a single token, and a ratio of its probabilities says nothing.
LOWEST_TEMPERATURE = 1e-3
AGGREGATIONS = ("token-mean", "seq-mean-token-mean", "seq-mean-token-sum")


def parse_loss(params: Params) -> LossSpec:
    params.get_choice("kind", ("pg-clip",))
    aggregation, size = "token-mean", 0
    if isinstance(params.raw.get("agg"), dict):
        table = params.get_object("agg")
        aggregation = "micro" if table.has("micro") else "const"
        size = table.get_int(aggregation, low=1)
    else:
        aggregation = params.get_choice("agg", AGGREGATIONS, "token-mean")
    kl = params.get_object("kl") if params.has("kl") else None
    tis = params.get_float("tis", None, low=1)
    if tis is not None and params.raw.get("oldLogprobs") != "recompute":
        params.refuse("tis", "used with oldLogprobs 'recompute' only, as it compares the two")
    return LossSpec(
        level=params.get_choice("level", ("token", "sequence"), "token"),
        clip_low=params.get_float("clipLow", 0.2, low=0, high=1),
        clip_high=params.get_float("clipHigh", 0.2, low=0),
        dual_clip=params.get_float("dualClip", None, low=1),
        aggregation=aggregation,
        aggregation_size=size,
        kl=None
        if kl is None
        else KlSpec(
            kl.get_float("coef", low=0),
            kl.get_choice("estimator", ("k1", "k2", "k3"), "k3"),
            kl.get_float("clamp", None, low=0),
        ),
        entropy_coef=params.get_float("entropyCoef", 0.0),
        old_logprobs=params.get_choice("oldLogprobs", ("sampler", "recompute"), "sampler"),
        temperature=_temperature(params),
        truncated_policy=params.get_choice("truncatedPolicy", ("drop", "keep"), "keep"),
        tis=tis,
    )


def _temperature(params: Params) -> float | None:
    """A number for all rollouts alike, or `sampled`: the one each was sampled at."""
    if params.raw.get("temperature") == "sampled":
        return None
    value: float = params.get_float("temperature", 1.0, low=LOWEST_TEMPERATURE, high=100)
    return value


def parse_batch(params: Params) -> BatchSpec:
    order = params.get_choice("order", ("given", "shuffle"), "given")
    return BatchSpec(
        mini_batch=params.get_int("miniBatch", 0),
        epochs=params.get_int("epochs", 1, low=1, high=100),
        shuffle=order == "shuffle",
        shuffle_seed=params.get_int("shuffleSeed", 0),
    )
