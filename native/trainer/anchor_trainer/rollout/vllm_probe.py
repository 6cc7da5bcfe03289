"""Whether vLLM answers with the weights that were handed over: a fixed text, scored by both."""

from __future__ import annotations

import numpy as np
import torch

from ..model.language_model import LanguageModel
from ..model.tokenizer import PolicyTokenizer
from ..training.logprobs import ScoredSequence, all_logprobs
from .vllm_process import WorkerLost

TEXT = "def f(x):\n    return x + 1\n\nThe quick brown fox jumps over the lazy dog. 2 + 3 = 5"
MOST_TOKENS = 32
# Most that the two may differ over the probe, in nats: at one token in fp32, on average in bf16,
# whose numbers of the size of a logit are 0.06 apart.
WITHIN = {torch.float32: 1e-3, torch.bfloat16: 0.1}
# An update that moves the probe by so many times the usual difference can be told from none.
TELLING = 10


class Probe:
    """`ids` are the tokens that both score."""

    def __init__(self, tokenizer: PolicyTokenizer) -> None:
        self.ids = tokenizer.encode(TEXT)[:MOST_TOKENS]
        # What the trainer said of them under the version before, and how near vLLM was to it.
        self._before: tuple[np.ndarray, float] | None = None

    def compare(self, weights: LanguageModel, version: int, theirs: np.ndarray) -> None:
        """Raises WorkerLost where other weights answer than the trainer's.

        `theirs` are vLLM's log-probabilities, float64 [tokens - 1].
        """
        ids = torch.tensor(self.ids)
        (scored,) = all_logprobs(weights, [ScoredSequence(ids, 1)], len(ids), len(ids))
        ours = scored.double().cpu().numpy()
        if theirs.shape != ours.shape or not np.isfinite(theirs).all():
            raise WorkerLost("vLLM gave no log-probabilities of the probe.")
        gaps, dtype = np.abs(theirs - ours), weights.compute_dtype
        gap = float(gaps.max() if dtype == torch.float32 else gaps.mean())
        if gap > WITHIN[dtype]:
            raise WorkerLost(
                f"After the weights of version {version} were handed over, vLLM's "
                f"log-probabilities of a fixed text are {gap:.2g} nats from the trainer's, and "
                f"{WITHIN[dtype]:g} is the most that is taken for rounding."
            )
        near = float(gaps.mean())
        if self._before is not None:
            old, usual = self._before
            moved, stale = np.abs(ours - old).mean(), np.abs(theirs - old).mean()
            if moved > TELLING * usual and stale < near:
                raise WorkerLost(f"vLLM still answers with the weights before version {version}.")
        self._before = (ours, near)
