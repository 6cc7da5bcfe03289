"""Compares messages with the examples of test/wire, which both sides of a wire are held against.

Figures and texts in an example are examples; names and kinds of values are the contract.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "wire"


def read_examples(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text())


def differences(given: object, example: object, where: str = "") -> list[str]:
    """Names and kinds of values in which two messages differ.

    null stands for any kind; each element of a list is like one of the example's.
    """
    if isinstance(given, dict) and isinstance(example, dict):
        odd = [f"{where}.{name} on one side only" for name in given.keys() ^ example.keys()]
        both = given.keys() & example.keys()
        return odd + [d for n in both for d in differences(given[n], example[n], f"{where}.{n}")]
    if isinstance(given, list) and isinstance(example, list):
        found = [[differences(one, like, f"{where}[]") for like in example] for one in given]
        return [d for each in found if each and [] not in each for d in min(each, key=len)]
    if given is None or example is None or type(given) is type(example):
        return []
    return [f"{where} is {type(given).__name__}, in the example {type(example).__name__}"]


def words(message: object, keys: tuple[str, ...]) -> list[object]:
    """What a message says under these keys, in order: words that the other side switches on."""
    if isinstance(message, dict):
        own = [message[key] for key in keys if key in message]
        return own + [word for one in message.values() for word in words(one, keys)]
    return (
        [word for one in message for word in words(one, keys)] if isinstance(message, list) else []
    )
