"""Raw material of the writer's training: findings to word, and lines of one subject to merge.

The application turns each into the question that production asks and the line that the rule would
write. A share of the composed sentences is held out by hash, so that a measurement can ask what the
writer does with words it has seen in other company only.
"""

from __future__ import annotations

import hashlib
from random import Random
from typing import Any

from ..corpus.prompts import guidance_table
from .raw_items import RawItem

ISSUES = (
    *("bad_syntax", "unsafe_call", "invalid", "duplicate", "trivial", "plan_mismatch"),
    *("trace_error", "no_trace", "unsafe_comply", "policy_shortcut", "wrong_format"),
    *("type_error", "format_failures", "timeouts", "low_accuracy", "high_accuracy"),
)
ROLES = ("proposer", "solver", "assistant")
KINDS = ("named", "free", "guidance", "composed")
SHARES = (15, 10, 40, 35)

_VERBS = ("Use", "Prefer", "Avoid", "Keep", "Write", "Check", "Propose", "Show", "State", "Match")
_ADJECTIVES = ("short", "long", "other", "simple", "safe", "small", "clear", "new", "same", "sound")
_OBJECTS = (
    *("programs", "loops", "lists", "strings", "steps", "types", "tasks", "plans", "answers"),
    *("inputs", "outputs", "rules", "references", "names", "words", "numbers"),
)
_SUBJECTS = ("plan", "program", "answer", "reasoning", "task", "response", "input", "step")
_FAULTS = (
    *("is too long", "is too short", "has no type", "breaks the rules", "repeats a step"),
    *("does not end", "is not clear", "has another form", "names no input", "is out of order"),
)
HELD_OUT_BUCKETS = 8


def is_held_out(sentence: str) -> bool:
    """One composed sentence in `HELD_OUT_BUCKETS` never reaches training."""
    return hashlib.sha256(sentence.encode()).digest()[0] % HELD_OUT_BUCKETS == 0


def _sentence(rng: Random, held_out: bool, *, fault: bool) -> str:
    while True:
        text = (
            f"The {rng.choice(_SUBJECTS)} {rng.choice(_FAULTS)}."
            if fault
            else f"{rng.choice(_VERBS)} {rng.choice(_ADJECTIVES)} {rng.choice(_OBJECTS)}."
        )
        if is_held_out(text) == held_out:
            return text


def _merged(rng: Random, texts: list[str]) -> RawItem:
    step = rng.randint(1, 200)
    lines: list[dict[str, Any]] = [
        {
            "text": text,
            # Half of the lines are new: a subject with nothing new has no reason to be asked about.
            "enteredStep": step + 1 if rng.random() < 0.5 else max(1, step - rng.randint(0, 40)),
            "support": rng.randint(1, 30),
        }
        for text in texts
    ]
    return {"kind": "merge", "seed": rng.getrandbits(31), "step": step, "lines": lines}


def _guidance_lines(rng: Random) -> list[str]:
    """Lines of one subject: phrases of keys that exclude each other, or both phrases of one key."""
    table = guidance_table()
    keys = rng.choice(table["conflicts"]) if rng.random() < 0.7 else [rng.choice([*table["keys"]])]
    phrases = [phrase for key in keys for phrase in table["keys"][key]["phrases"]]
    if len(phrases) == 1:
        return _guidance_lines(rng)
    return rng.sample(phrases, min(len(phrases), rng.choice([2, 2, 3])))


def raw_wording(rng: Random, kind: str = "", held_out: bool = False) -> RawItem:
    """One question; `kind` of `KINDS` is drawn by `SHARES` where none is given."""
    kind = kind or rng.choices(KINDS, SHARES)[0]
    if kind == "guidance":
        return _merged(rng, _guidance_lines(rng))
    if kind == "composed":
        count = rng.choice([2, 2, 3])
        texts = {_sentence(rng, held_out, fault=False) for _ in range(count)}
        return _merged(rng, sorted(texts)) if len(texts) > 1 else raw_wording(rng, kind, held_out)
    asked = {"kind": "summary", "seed": rng.getrandbits(31), "role": rng.choice(ROLES)}
    if kind == "named":
        return asked | {"issue": rng.choice(ISSUES)}
    return asked | {"issue": None, "finding": _sentence(rng, held_out, fault=True)}
