"""Predicting the memory of a policy, phase by phase, before anything is allocated.

A phase needs what stays loaded and what it works with; the largest one decides whether a policy
fits. Figures are bytes of tensors, held against what PyTorch allocates by the tests, and a reserve
for everything else of the process.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from .model.adapter_folder import LoraSpec
from .model.config import ModelConfig, is_small
from .model.nf4 import COMPUTED_IN, QUANTIZED_AT_ONCE, nf4_bytes, obstacle
from .rollout.kv_cache import BLOCK, blocks_of
from .rollout.scheduler import FEWEST_SLOTS, PREFILL_TOKENS
from .training.optimizer import AdamW
from .training.spec import TrainSpec
from .training.trained import FP32_BYTES, TRAINED

if TYPE_CHECKING:
    from .model.library_costs import LibraryCosts

# Interpreter, libraries and their workspaces.
RESERVE_CUDA = 1_500_000_000
RESERVE_CPU = 400_000_000
# Of transformers and PEFT, where a model is run by the library's class.
RESERVE_LIBRARY = 130_000_000
# Of the process that samples by vLLM, beside its weights, keys and values: 0.7 GB were resident in
# it on a CPU with a model of 3 million parameters. What it takes on a card was not measured.
RESERVE_VLLM_CUDA = 2_500_000_000
RESERVE_VLLM_CPU = 800_000_000
# The rest is left to what the allocator cannot use and to other programs.
USABLE_SHARE = 0.95
# For each logit while a token is drawn, with top-p; top-k takes 70.
BYTES_PER_DRAWN_LOGIT = 44
# For each logit of a chunk that is recomputed in the backward pass (models below SMALL_MODEL).
BYTES_PER_TRAINED_LOGIT = 14.4
# What the norm of a bf16 number keeps beside it: an fp32 copy, and the result before its weight.
NORM_IN_BF16 = 2
# Of the gradient of all experts of a layer, while one after another is added to it.
EXPERT_COPIES = 3
# For each element that is quantized at a time, by the kernel's own copies.
BYTES_PER_QUANTIZED = 14
# Of the id of a prompt's token, while it is read.
BYTES_PER_ID = 8

SUGGESTED_LORA = LoraSpec(rank=16, alpha=32.0, targets="all-linear")

Phases = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Needs:
    """What is planned: a model, how it is trained, and its rows.

    `longest` and `concurrent` are tokens of a row and rows at a time; `cuda` computes in bf16, as
    do the precisions bf16 and nf4 everywhere. With `vllm` another process samples, with `stages`
    the reference is the weights at the start of a stage.
    """

    config: ModelConfig
    train: TrainSpec
    longest: int
    concurrent: int
    reference: bool
    cuda: bool
    vllm: bool = False
    stages: bool = False

    @functools.cached_property
    def library(self) -> LibraryCosts | None:
        """What transformers' class of the model costs; None where it is run by our own code."""
        if self.config.library_shapes is None and self.train.lora is None:
            return None
        from .model.library_costs import costs_of  # takes seconds, and small models do without

        return costs_of(self.config, self.train.lora, self.computed_in)

    @property
    def trained(self) -> int:
        """How many parameters are trained."""
        if self.library is not None and self.train.lora is not None:
            return self.library.adapter
        return self.config.parameter_count()

    @property
    def reserve(self) -> int:
        """What a process needs whatever it has loaded."""
        return RESERVE_CUDA if self.cuda else RESERVE_CPU

    @property
    def computed_in(self) -> torch.dtype:
        bf16 = self.cuda or self.train.precision != "master32"
        return torch.bfloat16 if bf16 else torch.float32

    @property
    def number_bytes(self) -> int:
        return self.computed_in.itemsize

    @property
    def quantized(self) -> tuple[int, ...]:
        """Parameters of each matrix that is kept in NF4."""
        if self.train.precision != "nf4" or self.library is None:
            return ()
        return self.library.linear

    @property
    def dequantized_bytes(self) -> int:
        """Of the largest of them while it is computed with."""
        return COMPUTED_IN.itemsize * max(self.quantized, default=0)

    @property
    def weight_bytes(self) -> int:
        """Of what is computed with."""
        rest = self.config.parameter_count() - sum(self.quantized)
        return self.number_bytes * rest + sum(map(nf4_bytes, self.quantized))

    @property
    def kv_bytes_per_token(self) -> int:
        config = self.config
        return config.layers * 2 * config.kv_heads * config.head_dim * self.number_bytes

    @property
    def kv_bytes_per_row(self) -> int:
        return blocks_of(self.longest) * BLOCK * self.kv_bytes_per_token


def plan_memory(needs: Needs, *, resident: dict[str, int], free: int) -> dict[str, Any]:
    """Bytes by phase and use, whether they fit, how many rows would, and what saves how much.

    `resident` are the bytes of weight sets that stay loaded on the same device, by name; `free` are
    those that they and this one may have together.
    """
    usable = int(free * USABLE_SHARE)
    chosen = _with_checkpointing_chosen(needs, usable - sum(resident.values()))
    phases = _phases(chosen, resident)
    needed = {name: sum(uses.values()) for name, uses in phases.items()}
    most = max(needed.values())
    kv = vllm_kv_bytes(needs) if needs.vllm else phases["rollout"]["kv"]
    room = usable - needed["rollout"] + kv
    return {
        "fits": most <= usable,
        "device": "cuda" if needs.cuda else "cpu",
        "freeBytes": usable,
        "neededBytes": most,
        "phases": phases,
        "kvTokens": max(room, 0) // needs.kv_bytes_per_token,
        "maxConcurrent": max(room, 0) // needs.kv_bytes_per_row,
        "gradCheckpoint": bool(chosen.train.grad_checkpoint),
        "disk": _disk(chosen),
        "obstacle": obstacle_to(chosen),
        "suggestions": _suggestions(chosen, resident, usable),
    }


def obstacle_to(needs: Needs) -> str | None:
    """Why it cannot be loaded whatever memory there is; None where nothing is known against it."""
    if needs.train.precision != "nf4":
        return None
    return obstacle(needs.config.raw, vllm=needs.vllm)


def plan_to_load(
    needs: Needs, *, resident: dict[str, int], free: int
) -> tuple[Needs, dict[str, Any]]:
    """What a load would make of it, and its plan: fewer rows at a time, and layers computed again.

    Neither changes what comes out, so both are chosen where they are enough. `rows` of the plan are
    those that are left.
    """
    planned = plan_memory(needs, resident=resident, free=free)
    fewest = min(needs.concurrent, FEWEST_SLOTS)
    rows = max(min(needs.concurrent, planned["maxConcurrent"]), fewest)
    chosen = replace(needs, concurrent=rows)
    planned = {**plan_memory(chosen, resident=resident, free=free), "rows": rows}
    train = replace(needs.train, grad_checkpoint=planned["gradCheckpoint"])
    return replace(chosen, train=train), planned


def _with_checkpointing_chosen(needs: Needs, usable: int) -> Needs:
    """Computing layers again costs their forward pass: chosen where nothing else fits."""
    if needs.train.grad_checkpoint is not None:
        return needs
    without = replace(needs, train=replace(needs.train, grad_checkpoint=False))
    if _most(without) <= usable:
        return without
    return replace(needs, train=replace(needs.train, grad_checkpoint=True))


def _most(needs: Needs) -> int:
    return max(phase_bytes(needs).values())


def phase_bytes(needs: Needs) -> dict[str, int]:
    """Bytes of each phase, with what every process needs and without other weight sets."""
    return {name: sum(uses.values()) for name, uses in _phases(needs, {}).items()}


def planned_bytes(needs: Needs) -> int:
    """What a policy needs at most, beside what every process needs."""
    return _most(needs) - needs.reserve


def _phases(needs: Needs, resident: dict[str, int]) -> Phases:
    count, trained = needs.config.parameter_count(), TRAINED.get(needs.train.mode)
    lora = needs.train.lora is not None
    # Weights are there once, but for fp32 masters beside what is computed with.
    copies = needs.cuda and not lora and needs.train.precision == "master32"
    stays = {"weights": needs.weight_bytes + (FP32_BYTES * count if copies else 0)}
    if lora:
        stays["adapter"] = FP32_BYTES * needs.trained
    if needs.reference and not lora:
        stays["reference"] = stays["weights"]
    elif needs.stages:
        stays["reference"] = FP32_BYTES * needs.trained
    if trained is not None:
        stays["optimizer"] = AdamW.moment_bytes(needs.trained, needs.train)
    stays["reserve"] = needs.reserve + (0 if needs.library is None else RESERVE_LIBRARY)
    if resident:
        stays["resident"] = sum(resident.values())
    beside = {}
    if needs.vllm:
        # On a card it gives back all but its context while it sleeps; on a CPU it does not sleep.
        awake = needs.number_bytes * count + vllm_kv_bytes(needs)
        reserve = RESERVE_VLLM_CUDA if needs.cuda else RESERVE_VLLM_CPU
        stays["vllm"] = reserve + (0 if needs.cuda else awake)
        beside = {"vllm": reserve + awake}
    phases: Phases = {
        # The largest tensor is there as it is read and as it is kept.
        "load": {**stays, "reading": max(FP32_BYTES * _largest(needs.config), _quantizing(needs))},
        "rollout": {**stays, **(beside if needs.vllm else _rollout(needs))},
        "save": dict(stays),
    }
    if trained is not None:
        gradients = {"grads": trained.gradient_bytes(needs.trained, needs.number_bytes)}
        scratch = AdamW.scratch_bytes(needs.trained, _longest_trained(needs), needs.train)
        phases["update"] = {**stays, **gradients, **_backward(needs)}
        phases["optimizer"] = {**stays, **gradients, "scratch": scratch}
    return phases


def _quantizing(needs: Needs) -> int:
    """Of a matrix as it is read, rounded and packed, the last twice, and what a slice takes."""
    largest = max(needs.quantized, default=0)
    slice_ = BYTES_PER_QUANTIZED * min(largest, QUANTIZED_AT_ONCE)
    return FP32_BYTES * largest + needs.dequantized_bytes + nf4_bytes(largest) + slice_


def _disk(needs: Needs) -> dict[str, int]:
    """Bytes of checkpoint 0, which is a whole model, and of each later one."""
    train = needs.train
    kept = FP32_BYTES if train.precision == "master32" else COMPUTED_IN.itemsize
    whole = kept * needs.config.parameter_count()
    if train.mode not in TRAINED:
        return {"first": whole, "each": whole}
    moments = AdamW.moment_bytes(needs.trained, train)
    if train.lora is not None:
        return {"first": whole, "each": FP32_BYTES * needs.trained + moments}
    return {"first": whole + moments, "each": whole + moments}


def _longest_trained(needs: Needs) -> int:
    """Elements of the largest tensor that is trained."""
    config, lora = needs.config, needs.train.lora
    if lora is None and config.library_shapes is not None:
        # As the files have them, but for experts, which the library keeps in one tensor.
        experts = 0 if needs.library is None else needs.library.experts
        return max(experts, *(math.prod(shape) for shape in config.library_shapes.values()))
    if lora is None:
        return _largest(config)
    return lora.rank * max(config.feed_forward, config.hidden, config.heads * config.head_dim)


def _largest(config: ModelConfig) -> int:
    return max(config.vocab * config.hidden, 2 * config.feed_forward * config.hidden)


def vllm_kv_bytes(needs: Needs) -> int:
    """Keys and values of all rows at their full length, and of one more, so that none waits."""
    return (needs.concurrent + 1) * needs.kv_bytes_per_row


def _rollout(needs: Needs) -> dict[str, int]:
    config = needs.config
    rows = max(needs.concurrent, FEWEST_SLOTS)
    q, kv = config.heads * config.head_dim, config.kv_heads * config.head_dim
    read = 4 * config.feed_forward + 3 * config.hidden + 3 * q + 3 * kv + 2 * config.head_dim
    if needs.number_bytes != FP32_BYTES:
        read += config.hidden  # as much again, as the norm of bf16 numbers is computed in fp32
    prompts = max(PREFILL_TOKENS, needs.longest) * (read * needs.number_bytes + BYTES_PER_ID)
    prompts += needs.dequantized_bytes
    drawing = rows * config.vocab * BYTES_PER_DRAWN_LOGIT
    return {"kv": rows * needs.kv_bytes_per_row, "sampling": max(prompts, drawing)}


def _backward(needs: Needs) -> dict[str, int]:
    """What a packed row keeps for its backward pass, and what the largest part of that needs."""
    config, train = needs.config, needs.train
    tokens = max(train.pack_tokens, needs.longest)
    layer = tokens * _kept_by_layer(needs)
    hidden = tokens * config.hidden * needs.number_bytes
    behind = 3 if needs.number_bytes == FP32_BYTES else 3 + NORM_IN_BF16
    kept = config.layers * (hidden if train.grad_checkpoint else layer) + behind * hidden
    frozen = train.lora is not None
    # Recomputed, a layer is in memory beside the gradients of its widest part.
    wide = tokens * config.feed_forward * FP32_BYTES  # an adapter's gradients are fp32
    if not frozen:
        experts = 0 if needs.library is None else EXPERT_COPIES * needs.library.experts
        matrix = max(config.feed_forward * config.hidden, experts)
        wide = (tokens * config.feed_forward + matrix) * needs.number_bytes
    recomputed = (layer if train.grad_checkpoint else 0) + wide + needs.dequantized_bytes
    words = 0 if frozen else config.vocab * config.hidden * needs.number_bytes
    rows = min(train.chunk_for(config), tokens)
    if is_small(config.parameter_count()) or config.logit_softcap is not None:
        head = (3 if config.tied else 1) * words + int(
            BYTES_PER_TRAINED_LOGIT * rows * config.vocab
        )
    else:
        logits = FP32_BYTES * rows * config.vocab
        if needs.number_bytes != FP32_BYTES:
            # The gradient of the output matrix is added up in fp32 and copied twice; a frozen one
            # is there in fp32 all the same.
            words += (1 if frozen else 2) * FP32_BYTES * config.vocab * config.hidden
        head = logits + max(words, logits)
    return {"activations": int(kept), "backward": int(max(head, recomputed))}


def _kept_by_layer(needs: Needs) -> float:
    """Bytes for each token that one layer keeps for its backward pass."""
    config, library = needs.config, needs.library
    if library is not None:
        # Of bf16 scores the softmax is in fp32, and kept in both.
        squares = library.squares * needs.longest * FP32_BYTES
        return (library.kept + squares) / config.layers
    # Counted in `model.layers`.
    q, kv = config.heads * config.head_dim, config.kv_heads * config.head_dim
    kept = 6 * config.hidden + 4 * config.feed_forward + 4 * q + 3 * kv + config.heads + 2
    kept += q + kv + config.heads + config.kv_heads if config.has_qk_norm else 0
    if needs.number_bytes != FP32_BYTES:
        normed = 2 * config.hidden + (q + kv if config.has_qk_norm else 0)
        kept += NORM_IN_BF16 * normed
    return kept * needs.number_bytes


def _suggestions(needs: Needs, resident: dict[str, int], usable: int) -> list[dict[str, Any]]:
    """Changes that lower the largest phase, with the bytes each saves.

    In the words of a run's configuration, which is where a person makes them. First another method
    where this one does not fit: of those that do the one that gives up least. Then what saves most.
    """
    train = needs.train
    others: list[tuple[str, Needs]] = []
    if train.mode in TRAINED:
        if not train.grad_checkpoint:
            others.append(
                (
                    "train.gradCheckpoint: on",
                    replace(needs, train=replace(train, grad_checkpoint=True)),
                )
            )
        if train.pack_tokens > needs.longest:
            half = max(train.pack_tokens // 2, needs.longest)
            others.append(
                (
                    f"train.packTokens: {half}",
                    replace(needs, train=replace(train, pack_tokens=half)),
                )
            )
    if needs.longest > BLOCK:
        half = needs.longest // 2
        others.append(
            (
                f"generation.maxPromptTokens + generation.maxNewTokens: {half}",
                replace(needs, longest=half),
            )
        )
    if needs.concurrent > FEWEST_SLOTS:
        half = max(needs.concurrent // 2, FEWEST_SLOTS)
        others.append((f"policy.maxConcurrent: {half}", replace(needs, concurrent=half)))
    if needs.reference:
        others.append(("train.kl: null", replace(needs, reference=False, stages=False)))
    own, beside = _most(needs), sum(resident.values())
    found: list[dict[str, Any]] = [
        {"change": f"unload: {name}", "saves": size} for name, size in resident.items()
    ]
    found += [{"change": change, "saves": own - _most(other)} for change, other in others]
    found = sorted((one for one in found if one["saves"] > 0), key=lambda one: -one["saves"])
    # Computing layers again changes nothing that is learnt, so another method comes after it.
    again = replace(needs, train=replace(train, grad_checkpoint=True))
    if train.mode not in TRAINED or _most(again) + beside <= usable:
        return found
    method = _method_that_fits(needs, usable - beside)
    return [{"change": method[0], "saves": own - method[1]}, *found] if method else found


def _method_that_fits(needs: Needs, room: int) -> tuple[str, int] | None:
    """The next method that fits, as a change and its bytes; the smallest one where none does.

    What an adapter keeps is counted by transformers, which takes seconds to import: only where
    nothing before it fits.
    """
    train = needs.train
    bf16, nf4 = "train.precision: bfloat16", "train.precision: nf4"
    eight = "train.optimizer: adamw8bit"
    lora = f"train.lora: {{rank: {SUGGESTED_LORA.rank}, alpha: {SUGGESTED_LORA.alpha:g}}}"
    shared: dict[str, Any] = {"grad_checkpoint": None}
    adapted: dict[str, Any] = {**shared, "mode": "lora", "lora": SUGGESTED_LORA}
    # The order of TRAIN_METHODS in electron/contract/runs/training.ts.
    methods: list[tuple[str, dict[str, Any]]] = [
        (bf16, {**shared, "precision": "bf16"}),
        (eight, {**shared, "optimizer": "adamw8bit"}),
        (f"{bf16} with {eight}", {**shared, "precision": "bf16", "optimizer": "adamw8bit"}),
        (lora, adapted),
        (f"{lora} with {bf16}", {**adapted, "precision": "bf16"}),
        (f"{lora} with {nf4}", {**adapted, "precision": "nf4"}),
    ]
    if train.mode == "lora":
        methods = [*methods[:3], (nf4, {**shared, "precision": "nf4"})]
    begun, smallest = _most(needs), None
    for change, settings in methods:
        other = _with_checkpointing_chosen(replace(needs, train=replace(train, **settings)), room)
        if obstacle_to(other) is not None:
            continue
        took = _most(other)
        if took <= room:
            return change, took
        if took < begun and (smallest is None or took < smallest[1]):
            smallest = (change, took)
    return smallest
