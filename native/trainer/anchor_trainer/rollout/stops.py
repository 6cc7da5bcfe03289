"""Where a stop string ends a row."""

from __future__ import annotations

import numpy as np

from ..model.tokenizer import PolicyTokenizer

# A stop string is looked for in the text of this many last tokens; each token has >= 1 byte, so
# longer stop strings widen the window.
WINDOW = 8


class Stops:
    """Looks for stop strings in new tokens of rows.

    The text of a row is read only where its last token can be the end of one: reading that of every
    row at every token takes longer than a small model does.
    """

    def __init__(self, tokenizer: PolicyTokenizer, vocab: int) -> None:
        self._tokenizer = tokenizer
        self._vocab = vocab
        # Tokens that can be the last of one [V], by the strings of an item.
        self._can_end: dict[tuple[str, ...], np.ndarray] = {}

    def reached(self, stops: tuple[str, ...], new_ids: np.ndarray) -> bool:
        """Whether the last of a row's new tokens completes one of its stop strings."""
        if not stops:
            return False
        if stops not in self._can_end:
            last = {stop[-1] for stop in stops}
            self._can_end[stops] = self._tokenizer.tokens_with(last, self._vocab)
        if not self._can_end[stops][new_ids[-1]]:
            return False
        window = WINDOW + max(len(stop.encode()) for stop in stops)
        tail = self._tokenizer.decode(new_ids[-window:].tolist())
        return any(stop in tail for stop in stops)
