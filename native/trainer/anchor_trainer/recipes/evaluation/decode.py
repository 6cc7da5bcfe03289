"""Batched decoding with a key-value cache for evaluation; finished rows leave the batch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from ..training.model import Block, TrainingModel, attend, rotate

Cache = list[tuple[Tensor, Tensor]]  # per layer: keys and values [rows, groups, capacity, width]


def _heads(block: Block, hidden: Tensor, cosine: Tensor, sine: Tensor) -> tuple[Tensor, ...]:
    """Query, key and value [rows, heads, length, width] of normalised hidden states."""
    shape = block.shape
    normed = F.rms_norm(hidden, (shape.width,), block.attention_norm, shape.epsilon)
    parts = block.query_key_value(normed).unflatten(-1, (-1, shape.head_width)).transpose(1, 2)
    turned = shape.heads + shape.key_value_heads
    rotated = rotate(parts[:, :turned], cosine, sine)
    return rotated[:, : shape.heads], rotated[:, shape.heads :], parts[:, turned:]


def _finish(block: Block, hidden: Tensor, mixed: Tensor) -> Tensor:
    shape = block.shape
    hidden = hidden + block.attention_out(mixed.transpose(1, 2).flatten(2))
    normed = F.rms_norm(hidden, (shape.width,), block.feed_forward_norm, shape.epsilon)
    gate, up = block.gate_up(normed).chunk(2, -1)
    fed: Tensor = block.down(F.silu(gate) * up)
    return hidden + fed


def _logits(model: TrainingModel, hidden: Tensor) -> Tensor:
    normed = F.rms_norm(hidden, (model.shape.width,), model.norm, model.shape.epsilon)
    return F.linear(normed, model.embedding)


def _read_prompts(
    model: TrainingModel, tokens: Tensor, lengths: Tensor, capacity: int
) -> tuple[Tensor, Cache]:
    """Prompts padded on the right -> logits of the next token, and the filled cache."""
    rows, longest = tokens.shape
    hidden, cache = F.embedding(tokens, model.embedding), []
    for block in model.layers():
        query, key, value = _heads(block, hidden, model.cosine[:longest], model.sine[:longest])
        room = (0, 0, 0, capacity - longest)
        cache.append((F.pad(key, room), F.pad(value, room)))
        hidden = _finish(block, hidden, attend(query, key, value))
    last = hidden[torch.arange(rows, device=tokens.device), lengths - 1]
    return _logits(model, last), cache


def _read_token(model: TrainingModel, tokens: Tensor, lengths: Tensor, cache: Cache) -> Tensor:
    """Append one token per row at position `lengths`; logits of the token after it."""
    rows, reach = torch.arange(len(tokens), device=tokens.device), int(lengths.max()) + 1
    beyond = torch.arange(reach, device=tokens.device)[None] > lengths[:, None]
    hidden = F.embedding(tokens, model.embedding)[:, None]
    cosine, sine = model.cosine[lengths][:, None, None], model.sine[lengths][:, None, None]
    for block, (keys, values) in zip(model.layers(), cache, strict=True):
        query, key, value = _heads(block, hidden, cosine, sine)
        keys[rows, :, lengths], values[rows, :, lengths] = key[:, :, 0], value[:, :, 0]
        groups = keys.shape[1]
        folded = query[:, :, 0].unflatten(1, (groups, -1))
        scores = folded @ keys[:, :, :reach].mT * block.shape.head_width**-0.5
        scores = scores.masked_fill(beyond[:, None, None], float("-inf"))
        mixed = torch.softmax(scores, -1) @ values[:, :, :reach]
        hidden = _finish(block, hidden, mixed.flatten(1, 2)[:, :, None])
    return _logits(model, hidden[:, 0])


@torch.no_grad()
def complete(
    model: TrainingModel,
    prompts: list[list[int]],
    *,
    end: int,
    limit: int = 200,
    temperature: float = 0.0,
    seed: int = 0,
    rows: int = 64,
) -> list[list[int]]:
    """Continue each prompt until `end` (included) or `limit` tokens; greedy at temperature 0.

    Prompts of similar length share a batch; sampling is reproducible for the same call.
    """
    generator = torch.Generator(model.embedding.device).manual_seed(seed)
    order = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
    results: list[list[int]] = [[] for _ in prompts]
    for start in range(0, len(order), rows):
        _complete_batch(
            model, prompts, order[start : start + rows], results, end, limit, temperature, generator
        )
    return results


def _complete_batch(
    model: TrainingModel,
    prompts: list[list[int]],
    members: list[int],
    results: list[list[int]],
    end: int,
    limit: int,
    temperature: float,
    generator: torch.Generator,
) -> None:
    device = model.embedding.device
    lengths = torch.tensor([len(prompts[index]) for index in members], device=device)
    longest = int(lengths.max())
    tokens = torch.tensor(
        [prompts[index] + [0] * (longest - len(prompts[index])) for index in members], device=device
    )
    capacity = min(longest + limit, model.shape.context)
    logits, cache = _read_prompts(model, tokens, lengths, capacity)
    for count in range(capacity - longest):
        if temperature > 0:
            chances = torch.softmax(logits / temperature, -1)
            chosen = torch.multinomial(chances, 1, generator=generator)[:, 0]
        else:
            chosen = logits.argmax(-1)
        for index, token in zip(members, chosen.tolist(), strict=True):
            results[index].append(token)
        going = (chosen != end).nonzero()[:, 0]
        if len(going) == 0 or count == capacity - longest - 1:
            return
        if len(going) < len(members):
            members = [members[place] for place in going.tolist()]
            lengths, chosen = lengths[going], chosen[going]
            cache = [(keys[going], values[going]) for keys, values in cache]
        logits = _read_token(model, chosen, lengths, cache)
        lengths = lengths + 1
