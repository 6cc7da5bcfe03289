"""The bytes of each phase of a weight set: what it and others keep, and what it works with.

Figures are bytes of tensors, held against what PyTorch allocates by the tests, and a reserve for
everything else of the process.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from .memory_needs import Needs
from .model.config import ModelConfig, is_small
from .model.language_model import Precision
from .model.loading import ModelFiles
from .model.nf4 import COMPUTED_IN, QUANTIZED_AT_ONCE, nf4_bytes
from .rollout.scheduler import FEWEST_SLOTS, PREFILL_TOKENS
from .training.optimizer import AdamW
from .training.trained import FP32_BYTES, TRAINED

# Of transformers and PEFT, where a model is run by the library's class.
RESERVE_LIBRARY = 130_000_000
# Of the process that samples by vLLM, beside its weights, keys and values: 0.7 GB were resident in
# it on a CPU with a model of 3 million parameters. What it takes on a card was not measured.
RESERVE_VLLM_CUDA = 2_500_000_000
RESERVE_VLLM_CPU = 800_000_000
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


Phases = dict[str, dict[str, int]]


def phase_bytes(needs: Needs, others: Collection[Needs] = ()) -> dict[str, int]:
    """Bytes of each phase, with what every process needs and what other sets keep meanwhile."""
    return {name: sum(uses.values()) for name, uses in phases_of(needs, others).items()}


def kept_bytes(needs: Needs) -> dict[str, int]:
    """What a set keeps whatever is done, by use."""
    count, trained = needs.config.parameter_count(), TRAINED.get(needs.train.mode)
    lora = needs.train.lora is not None
    # Weights are there once, but for fp32 masters beside what is computed with.
    copies = needs.cuda and not lora and needs.train.precision == "master32"
    kept = {"weights": needs.weight_bytes + (FP32_BYTES * count if copies else 0)}
    if lora:
        kept["adapter"] = FP32_BYTES * needs.trained
    if needs.reference and not lora:
        kept["reference"] = kept["weights"]
    elif needs.stages:
        kept["reference"] = FP32_BYTES * needs.trained
    if trained is not None:
        kept["optimizer"] = AdamW.moment_bytes(needs.trained, needs.train)
    return kept


def _vllm_bytes(needs: Needs) -> tuple[int, int]:
    """Of the process that samples, asleep and awake.

    On a card it gives back all but its context while it sleeps; on a CPU it does not sleep.
    """
    if not needs.vllm:
        return 0, 0
    reserve = RESERVE_VLLM_CUDA if needs.cuda else RESERVE_VLLM_CPU
    awake = reserve + needs.number_bytes * needs.config.parameter_count() + vllm_kv_bytes(needs)
    return reserve if needs.cuda else awake, awake


def _answering(needs: Needs) -> int:
    """What a set takes while it answers, beside what it keeps."""
    asleep, awake = _vllm_bytes(needs)
    return awake - asleep if needs.vllm else sum(_rollout(needs).values())


def _kept_by(others: Iterable[Needs], base: tuple[ModelFiles, Precision] | None) -> int:
    """What other sets keep beside one that stands on `base`; a shared base is there once."""
    counted, total = {base}, 0
    for one in others:
        kept = kept_bytes(one)
        if one.base is not None and one.base in counted:
            del kept["weights"]
        counted.add(one.base)
        total += sum(kept.values()) + _vllm_bytes(one)[0]
    return total


def phases_of(needs: Needs, others: Collection[Needs]) -> Phases:
    trained = TRAINED.get(needs.train.mode)
    asleep, awake = _vllm_bytes(needs)
    library = any(one.library is not None for one in (needs, *others))
    stays = {**kept_bytes(needs), "reserve": needs.reserve + (RESERVE_LIBRARY if library else 0)}
    if others:
        stays["resident"] = _kept_by(others, needs.base)
    answering = _rollout(needs)
    if needs.vllm:
        stays["vllm"], answering = asleep, {"vllm": awake}
    beside = [one for one in others if one.train.mode not in TRAINED]
    if beside:
        answering["answering"] = sum(map(_answering, beside))
    phases: Phases = {
        # The largest tensor is there as it is read and as it is kept.
        "load": {**stays, "reading": max(FP32_BYTES * _largest(needs.config), _quantizing(needs))},
        "rollout": {**stays, **answering},
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


def disk_bytes(needs: Needs) -> dict[str, int]:
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
    if needs.train.lora is not None or needs.adapter:
        # A layer's answer, what the adapter adds to it, scaled, and the sum, beside the gate; what
        # the adapter adds is in fp32, which takes twice the room beside bf16 numbers.
        wide = 4 if needs.number_bytes == FP32_BYTES else 6
        read = wide * (config.feed_forward + config.hidden) + 2 * config.head_dim
    else:
        read = 4 * config.feed_forward + 3 * config.hidden + 3 * q + 3 * kv + 2 * config.head_dim
        if needs.number_bytes != FP32_BYTES:
            read += config.hidden  # as much again: the norm of bf16 numbers is computed in fp32
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
