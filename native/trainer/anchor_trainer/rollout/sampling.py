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


def _cut(probability: torch.Tensor, top_k: np.ndarray, top_p: np.ndarray) -> torch.Tensor:
    """Zeroes what top-k and top-p exclude; ties are broken by token id, so runs agree."""
    ordered, ids = torch.sort(probability, dim=-1, descending=True, stable=True)
    rank = torch.arange(ordered.shape[1], device=ordered.device).unsqueeze(0)
    most = np.where(top_k > 0, top_k, ordered.shape[1])
    keep = rank < torch.from_numpy(most).to(ordered.device).unsqueeze(1)
    within = ordered * keep
    share = within.double().cumsum(-1) / within.double().sum(-1, keepdim=True)
    # A token stays when the mass before it is below top_p, so that at least one always stays.
    before = share - within / within.double().sum(-1, keepdim=True)
    keep &= before < torch.from_numpy(top_p).to(ordered.device).unsqueeze(1)
    return torch.zeros_like(probability).scatter(1, ids, ordered * keep)
