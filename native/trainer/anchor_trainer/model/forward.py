"""The forward pass over packed sequences, used for prompts, log-probabilities and training.

Sequences lie one after another in a single row without padding. Attention is computed per
sequence, so a sequence never sees its neighbours and its numbers do not depend on them. A sequence
may branch: what several continuations have in common is then computed once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F

from .attention import KeyValueSink, Layout, PackedAttention, softcapped
from .config import ModelConfig
from .language_model import Answering

# Matrix libraries switch to another summation order below this many rows; padding up to it keeps
# a row's numbers independent of how many rows are computed with it.
MIN_ROWS = 4


def hidden_states(
    model: Answering,
    ids: torch.Tensor,
    layout: Layout | Sequence[int],
    *,
    sink: KeyValueSink | None = None,
    save_memory: bool = False,
) -> torch.Tensor:
    """Final hidden states [T, hidden] of packed sequences.

    `ids` is int64 [T]; `layout` says which of them belong together, and the lengths of sequences
    without branches are enough. Positions restart at 0 in every sequence.
    `save_memory` recomputes each layer in the backward pass instead of keeping its activations.
    """
    if not isinstance(layout, Layout):
        layout = Layout(layout)
    padding = MIN_ROWS - ids.shape[0]
    if padding > 0:
        # A row this short is one short sequence, or a few: the spare tokens are one more.
        ids = F.pad(ids, (0, padding))
        layout = Layout(
            [*layout.lengths, padding], [*layout.branches, ()] if layout.branches else ()
        )
    x = model.run(
        ids, layout.positions(ids.device), PackedAttention(layout, sink), save_memory=save_memory
    )
    return x[:-padding] if padding > 0 else x


def logits_of(model: Answering, hidden: torch.Tensor) -> torch.Tensor:
    """fp32 logits [T, vocab] of hidden states [T, hidden]."""
    return logits_from(model.head, hidden, model.config)


def logits_from(head: torch.Tensor, hidden: torch.Tensor, config: ModelConfig) -> torch.Tensor:
    """As `logits_of`, with an output matrix [vocab, hidden] of its own."""
    padding = max(MIN_ROWS - hidden.shape[0], 0)
    rows = F.pad(hidden, (0, 0, 0, padding)) if padding else hidden
    logits = F.linear(rows, head)[: hidden.shape[0]].float()
    if config.logit_scale != 1.0:
        logits = logits * config.logit_scale
    return softcapped(logits, config.logit_softcap)
