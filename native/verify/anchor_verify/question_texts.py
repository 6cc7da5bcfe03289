"""What a challenger's and a solver's texts hold: questions in tags and boxed answers (R-Zero)."""

from __future__ import annotations

import re
import unicodedata

THINKS = re.compile(r"<think>.*?</think>.*?\\boxed\{.*?\}", re.S)
OPENING, CLOSING = "<question>", "</question>"


def read_question(text: str, as_original: bool) -> str | None:
    """The text between the last pair of tags, which a boxed answer follows; None for what breaks
    the form. The original is content without a box, and takes the first opening for the begin."""
    last = None
    at = 0
    while (opened := text.find(OPENING, at)) >= 0:
        closed = text.find(CLOSING, opened + len(OPENING))
        if closed < 0:
            break
        at = closed + len(CLOSING)
        begin = opened if as_original else text.rfind(OPENING, 0, closed)
        last = text[begin + len(OPENING) : closed].strip()
    if not last:
        return None
    return last if as_original or last_boxed(text[at:]) else None


def last_boxed(text: str) -> str | None:
    """What the last box whose braces close holds; None without one, or where it is empty."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for brace in re.finditer(r"[{}]", text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closing[opened.pop()] = brace.start()
    for box in reversed(list(re.finditer(r"\\boxed\s*(?=\{)", text))):
        if box.end() in closing:
            return text[box.end() + 1 : closing[box.end()]].strip() or None
    return None


def key_of(question: str) -> str:
    """Under which two questions are the same: whatever their case, and the spaces around what is
    neither letter nor number."""
    text = " ".join(unicodedata.normalize("NFKC", question).lower().split())
    kept: list[str] = []
    for place, letter in enumerate(text):
        beside = text[max(0, place - 1) : place] + text[place + 1 : place + 2]
        if letter == " " and any(unicodedata.category(each)[0] not in "LN" for each in beside):
            continue
        kept.append(letter)
    return "".join(kept)
