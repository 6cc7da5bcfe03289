"""Batches of samples of similar length, drawn in chunks fixed by seed and chunk number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor

from ..corpus.samples import Sample

Draw = Callable[[Random, float], Sample]


@dataclass(frozen=True)
class Batch:
    """`tokens` [rows, length + 1]; `weights` [rows, length] belong to the predicted tokens."""

    tokens: Tensor
    weights: Tensor
    completion: Tensor  # bool [rows, length]
    real_tokens: int


def build_batch(rows: list[tuple[list[int], list[int]]], prompt_weight: float) -> Batch:
    """Pad on the right with token 0, whose weight is 0."""
    length = max(len(prompt) + len(completion) for prompt, completion in rows)
    tokens = torch.zeros(len(rows), length, dtype=torch.long)
    weights = torch.zeros(len(rows), length)
    for index, (prompt, completion) in enumerate(rows):
        total = len(prompt) + len(completion)
        tokens[index, :total] = torch.tensor(prompt + completion)
        weights[index, : len(prompt)] = prompt_weight
        weights[index, len(prompt) : total] = 1.0
    weights = weights[:, 1:].contiguous()
    return Batch(tokens, weights, weights == 1.0, sum(len(p) + len(c) for p, c in rows))


def draw_chunk(
    draw: Draw,
    tokenizer: Tokenizer,
    *,
    seed: int,
    chunk: int,
    progress: float,
    samples: int,
    batch_tokens: int,
    prompt_weight: float,
) -> list[Batch]:
    """`samples` samples as batches in random order; a batch holds about `batch_tokens` tokens."""
    rng = Random(f"{seed}/{chunk}")
    drawn = [draw(rng, progress) for _ in range(samples)]
    prompts = tokenizer.encode_batch_fast([sample.prompt for sample in drawn])
    completions = tokenizer.encode_batch_fast([sample.completion for sample in drawn])
    rows = [
        (prompt.ids, completion.ids)
        for prompt, completion in zip(prompts, completions, strict=True)
    ]
    rows.sort(key=lambda row: len(row[0]) + len(row[1]) + rng.random() * 8)
    batches: list[Batch] = []
    current: list[tuple[list[int], list[int]]] = []
    longest = 0
    for row in rows:
        length = len(row[0]) + len(row[1])
        if current and max(longest, length) * (len(current) + 1) > batch_tokens:
            batches.append(build_batch(current, prompt_weight))
            current, longest = [], 0
        current.append(row)
        longest = max(longest, length)
    batches.append(build_batch(current, prompt_weight))
    rng.shuffle(batches)
    return batches
