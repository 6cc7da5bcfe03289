"""From logits to tokens: temperature, top-k, top-p, and the behaviour log-probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Sampling:
    """How a request samples. Temperature 0 takes the likeliest token; top_k 0 means all."""

    temperature: float
    top_p: float
    top_k: int
    max_new_tokens: int
    stop: tuple[str, ...] = ()
    # Tokens of prompt and answer together, where that is less than the policy's context.
    max_seq_tokens: int | None = None


@dataclass(frozen=True)
class Sampled:
    """One token per row, on the host: ids int64 [B], logp and entropy float32 [B] in nats."""

    tokens: np.ndarray
    logp: np.ndarray
    entropy: np.ndarray


def sample(
    logits: torch.Tensor,
    temperature: np.ndarray,
    top_k: np.ndarray,
    top_p: np.ndarray,
    uniform: np.ndarray,
) -> Sampled:
    """Draws one token per row of fp32 `logits` [B, V] by inverting its distribution at `uniform`.

    `logp` is the log-softmax at the sampling temperature over the whole vocabulary (at
    temperature 1 for greedy rows), which is what the update's ratio is taken against.
    """
    greedy = temperature <= 0
    scale = torch.from_numpy(np.where(greedy, 1.0, temperature).astype(np.float32))
    logp = torch.log_softmax(logits / scale.to(logits.device).unsqueeze(1), dim=-1)
    probability = logp.exp()
    entropy = -(probability * logp).sum(-1)
    allowed = probability
    if (top_k > 0).any() or (top_p < 1).any():
        allowed = _cut(probability, top_k, top_p)
    # float64: over 150k tokens an fp32 running sum would lose the rare ones.
    cumulative = allowed.double().cumsum(-1)
    target = torch.from_numpy(uniform).to(logits.device) * cumulative[:, -1]
    tokens = (cumulative <= target.unsqueeze(1)).sum(-1)
    if greedy.any():
        rows = torch.from_numpy(greedy).to(logits.device)
        tokens = torch.where(rows, logits.argmax(-1), tokens)
    chosen = logp.gather(1, tokens.unsqueeze(1)).squeeze(1)
    return Sampled(tokens.cpu().numpy(), chosen.cpu().numpy(), entropy.cpu().numpy())


def likeliest(logits: torch.Tensor, temperature: float, most: int) -> list[tuple[int, float]]:
    """The `most` likeliest tokens after fp32 `logits` [V]: (id, log-probability as in `sample`)."""
    logp = torch.log_softmax(logits / (temperature if temperature > 0 else 1.0), dim=-1)
    top = torch.topk(logp, min(most, len(logp)))
    return list(zip(top.indices.tolist(), top.values.tolist(), strict=True))


def _cut(probability: torch.Tensor, top_k: np.ndarray, top_p: np.ndarray) -> torch.Tensor:
    """Zeroes what top-k and top-p exclude; ties are broken by token id, so runs agree."""
    vocab = probability.shape[1]
    values, ids = _may_stay(probability, top_k, top_p)
    ordered, order = torch.sort(values, dim=-1, descending=True, stable=True)
    rank = torch.arange(ordered.shape[1], device=ordered.device).unsqueeze(0)
    most = torch.from_numpy(np.where(top_k > 0, top_k, vocab)).to(ordered.device).unsqueeze(1)
    keep = rank < most
    within = ordered.double() * keep
    mass = torch.where(most < vocab, within.sum(-1, True), probability.double().sum(-1, True))
    # A token stays when the mass before it is below top_p, so that at least one always stays.
    before = within.cumsum(-1) / mass - within / mass
    keep &= before < torch.from_numpy(top_p).to(ordered.device).unsqueeze(1)
    cut = torch.zeros_like(probability)
    return cut.scatter_add(1, ids.gather(1, order), ordered * keep)


def _may_stay(
    probability: torch.Tensor, top_k: np.ndarray, top_p: np.ndarray
) -> tuple[torch.Tensor, torch.Tensor]:
    """Probabilities and ids, rising in each row, of all tokens that `_cut` may keep.

    Tokens rarer than (1 - top_p) / V have less than 1 - top_p together, so top-p excludes each of
    them; half of that leaves room for rounding. Shorter rows end in zeros. Sorting all of 150k
    tokens takes longer than the model does.
    """
    vocab = probability.shape[1]
    floor = np.where(top_k > 0, 0.0, 0.5 * (1 - top_p) / vocab).astype(np.float32)
    likely = probability >= torch.from_numpy(floor).to(probability.device).unsqueeze(1)
    counts = likely.sum(-1)
    rows, found = likely.nonzero(as_tuple=True)
    place = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[rows]
    values = probability.new_zeros(len(counts), int(counts.max()))
    ids = rows.new_zeros(values.shape)
    values[rows, place] = probability[rows, found]
    ids[rows, place] = found
    return values, ids
