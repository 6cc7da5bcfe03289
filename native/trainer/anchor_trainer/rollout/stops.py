"""Where a stop string ends a row."""

from __future__ import annotations

import numpy as np

from ..model.tokenizer import PolicyTokenizer
from .records import Rollout

# A stop string is looked for in the text of this many last tokens; each token has >= 1 byte, so
# longer stop strings widen the window.
WINDOW = 8


def text_of(tokenizer: PolicyTokenizer, rollout: Rollout, stops: tuple[str, ...] = ()) -> str:
    """The new text without its stop token, cut before the first stop string."""
    ids = rollout.new_ids.tolist()
    if ids and ids[-1] in tokenizer.eos_ids:
        ids = ids[:-1]
    text = tokenizer.decode(ids)
    found = [at for at in (text.find(stop) for stop in stops) if at >= 0]
    return text[: min(found)] if found else text


class Stops:
    """Looks for stop strings in new tokens of rows.

    The text of a row is read only where its last token can be the end of one: reading that of every
    row at every token takes longer than a small model does.
    """

    def __init__(self, tokenizer: PolicyTokenizer, vocab: int) -> None:
        self._tokenizer = tokenizer
        self._vocab = vocab
        self._numbers: dict[tuple[str, ...], int] = {}
        # Tokens that can be the last of one [V], by the number of an item's strings.
        self._can_end: list[np.ndarray] = []

    def number_of(self, stops: tuple[str, ...]) -> int:
        """How `may_end` calls these stop strings."""
        if stops not in self._numbers:
            last = {stop[-1] for stop in stops}
            table = np.zeros(self._vocab, bool)
            self._can_end.append(self._tokenizer.tokens_with(last, self._vocab) if last else table)
            self._numbers[stops] = len(self._numbers)
        return self._numbers[stops]

    def may_end(self, numbers: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        """For each row, bool [B]: whether its new token can be the end of one of its strings."""
        found = np.zeros(len(tokens), bool)
        for number in np.unique(numbers):
            found |= (numbers == number) & self._can_end[number][tokens]
        return found

    def reached(self, stops: tuple[str, ...], new_ids: np.ndarray) -> bool:
        """Whether the last of a row's new tokens, which may end one, completes a stop string."""
        window = WINDOW + max(len(stop.encode()) for stop in stops)
        tail = self._tokenizer.decode(new_ids[-window:].tolist())
        return any(stop in tail for stop in stops)
