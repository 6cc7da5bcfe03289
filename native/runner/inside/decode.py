"""Canonical data frames back to Python values: how a call's arguments enter a program.

Never evaluates text. A fresh value is built for every call, so a program that changes its argument
in place cannot influence the next call.
"""

from __future__ import annotations

import struct
from typing import Any


class BadFrame(Exception):
    """Not a frame; the message names the tag that was met."""


def _float(text: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(text))[0]
    return value


def decode_frame(frame: list[Any]) -> object:
    """The value a parsed frame stands for. BadFrame for an unknown tag; TypeError for an unhashable
    set element or dict key."""
    tag = frame[0]
    if tag == "n":
        return None
    if tag == "b" or tag == "s":
        return frame[1]
    if tag == "i":
        return int(frame[1], 16)
    if tag == "f":
        return _float(frame[1])
    if tag == "z":
        return complex(_float(frame[1]), _float(frame[2]))
    if tag == "y":
        return bytes.fromhex(frame[1])
    if tag == "d":
        return {decode_frame(key): decode_frame(item) for key, item in frame[1]}
    build = {"l": list, "t": tuple, "S": set, "F": frozenset}.get(tag)
    if build is None:
        raise BadFrame(f"unknown tag {str(tag)[:20]}")
    return build(decode_frame(item) for item in frame[1])
