"""Predicting the memory of a run before anything is allocated."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch

from .model.config import ModelConfig
from .training.spec import TrainSpec
from .training.trained import FP32_BYTES, TRAINED

# Allocator overhead, library workspaces and the interpreter; measured order of magnitude.
RESERVE_CUDA = 1_500_000_000
RESERVE_CPU = 700_000_000
USABLE_SHARE = 0.95


def plan_memory(
    config: ModelConfig,
    train: TrainSpec,
    *,
    longest: int,
    concurrent: int,
    reference: bool,
    device: str,
    resident: dict[str, int],
    total_bytes: int | None,
) -> dict[str, Any]:
    """Bytes by purpose, whether they fit, and what would save how much.

    `resident` are the bytes of weight sets that stay loaded on the same device, by name.
    `total_bytes` stands for another machine's card; otherwise this machine's device is asked.
    """
    cuda = device == "cuda" or (device == "auto" and torch.cuda.is_available())
    total = total_bytes if total_bytes is not None else _device_bytes(cuda)
    count = config.parameter_count()
    compute_bytes = 2 if cuda else 4
    trained = TRAINED.get(train.mode)
    training = trained is not None
    copies = compute_bytes * count * (cuda + reference)
    bytes_by_use = {
        "weights": FP32_BYTES * count + copies,
        **(
            {"grads": 0, "optimizer": 0}
            if trained is None
            else trained.footprint(count, compute_bytes)
        ),
        "activations": _activations(config, train, compute_bytes) if training else 0,
        # Logits, their log-softmax and its gradient, all fp32.
        "logitChunk": 12 * train.logit_chunk * config.vocab if training else 0,
        "kv": concurrent * longest * kv_bytes_per_token(config, compute_bytes),
        "reserve": RESERVE_CUDA if cuda else RESERVE_CPU,
    }
    if resident:
        bytes_by_use["resident"] = sum(resident.values())
    per_row = longest * kv_bytes_per_token(config, compute_bytes)
    # Sampling and training take turns: key/value slots and activations are not needed together,
    # but both stay allocated, so they are counted together.
    fixed = sum(bytes_by_use.values()) - bytes_by_use["kv"]
    room = int(total * USABLE_SHARE) - fixed
    needed = sum(bytes_by_use.values())
    return {
        "fits": needed <= total * USABLE_SHARE,
        "device": "cuda" if cuda else "cpu",
        "totalBytes": total,
        "neededBytes": needed,
        "bytes": bytes_by_use,
        "kvTokens": max(room, 0) // kv_bytes_per_token(config, compute_bytes),
        "maxConcurrent": max(room, 0) // per_row,
        "suggestions": _suggestions(
            config, train, bytes_by_use, concurrent, per_row, reference, resident
        ),
    }


def kv_bytes_per_token(config: ModelConfig, number_bytes: int) -> int:
    return config.layers * 2 * config.kv_heads * config.head_dim * number_bytes


def _activations(config: ModelConfig, train: TrainSpec, number_bytes: int) -> int:
    """What the backward pass keeps of one packed row."""
    heads = (2 * config.heads + 2 * config.kv_heads) * config.head_dim
    layer = 8 * config.hidden + 4 * config.feed_forward + 2 * heads
    kept = layer + config.layers * config.hidden if train.grad_checkpoint else layer * config.layers
    return train.pack_tokens * kept * number_bytes


def _suggestions(
    config: ModelConfig,
    train: TrainSpec,
    used: dict[str, int],
    concurrent: int,
    per_row: int,
    reference: bool,
    resident: dict[str, int],
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"change": f"unload: {name}", "saves": size} for name, size in resident.items()
    ]
    training = train.mode in TRAINED
    if training and not train.grad_checkpoint:
        number_bytes = 4 if used["grads"] == 4 * config.parameter_count() else 2
        layers = train.pack_tokens * number_bytes * config.layers * config.hidden
        found.append(
            {"change": "train.gradCheckpoint: true", "saves": max(used["activations"] - layers, 0)}
        )
    if training and train.pack_tokens > 2048:
        found.append(
            {
                "change": f"train.packTokens: {train.pack_tokens // 2}",
                "saves": used["activations"] // 2,
            }
        )
    if concurrent > 1:
        half = concurrent // 2
        found.append(
            {"change": f"rollout.maxConcurrent: {half}", "saves": (concurrent - half) * per_row}
        )
    if reference:
        found.append({"change": "reference: none", "saves": used["weights"] // 2})
    return sorted(found, key=lambda one: -one["saves"])


def _device_bytes(cuda: bool) -> int:
    if cuda and torch.cuda.is_available():
        return torch.cuda.mem_get_info()[1]
    if sys.platform == "win32":
        return 16 * 2**30  # the standard library cannot ask; the engine sends card.totalBytes
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
