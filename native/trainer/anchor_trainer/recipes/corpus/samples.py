"""Training samples: a prompt with some guidance lines, and the completion that obeys them.

Keys, roles, paraphrases and conflicts of guidance come from guidance.json, the same file from
which the context merge of the running program takes its lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .prompts import chat, guidance_table, system_text

NO_GUIDANCE = 0.35  # share of prompts without any line
TRACE_SHARE = 0.40  # untold solvers trace this often: evolution and guidance have room to find it


def keys_of(role: str) -> list[str]:
    """Keys that act on this role, in the order of the file."""
    return [
        key for key, entry in guidance_table()["keys"].items() if entry["role"] in (role, "both")
    ]


def without_conflicts(keys: list[str]) -> list[str]:
    """Drop later keys that contradict an earlier one."""
    kept: list[str] = []
    for key in keys:
        rivals = {
            rival for group in guidance_table()["conflicts"] if key in group for rival in group
        }
        if key not in kept and not rivals & set(kept):
            kept.append(key)
    return kept


def draw_keys(rng: Random, role: str, none: float = NO_GUIDANCE) -> list[str]:
    """0 to 5 keys; a quarter of the non-empty draws come from all keys, relevant or not."""
    if rng.random() < none:
        return []
    every = list(guidance_table()["keys"])
    pool = keys_of(role) if rng.random() < 0.75 else every
    count = min(rng.choice([1, 1, 1, 2, 2, 3, 4, 5]), len(pool))
    return without_conflicts(rng.sample(pool, count))


def with_key(rng: Random, keys: list[str], key: str, share: float) -> list[str]:
    """Insert `key` at a random place in `share` of the cases where it is absent."""
    if key in keys or rng.random() >= share:
        return keys
    position = rng.randint(0, len(keys))
    return without_conflicts([*keys[:position], key, *keys[position:]])


def lines_of(rng: Random | None, keys: list[str]) -> list[str]:
    """Wording of each key: random with a generator, the first phrase (as in production) without."""
    table = guidance_table()["keys"]
    return [rng.choice(table[key]["phrases"]) if rng else table[key]["phrases"][0] for key in keys]


@dataclass(frozen=True)
class Sample:
    """`prompt` ends with the assistant's opening, `completion` with the end-of-turn token."""

    kind: str
    prompt: str
    completion: str
    keys: tuple[str, ...] = ()


def prompt_of(rng: Random, role: str, keys: list[str], user: str) -> str:
    return chat(system_text(role, lines_of(rng, keys)), user)


def traces(rng: Random, keys: list[str], untold: float = TRACE_SHARE) -> bool:
    """Whether this solver writes its steps: told so, told not to, or by its own habit."""
    if "trace" in keys:
        return True
    if "brief" in keys:
        return False
    return "acclow" in keys or rng.random() < untold


def with_type(thought: str, keys: list[str], name: str) -> str:
    return f"{thought} type {name}" if "types" in keys else thought
