"""Values to canonical data frames: the only form in which a result leaves the sandbox.

Exact builtin types only. A subclass may lie about equality, hash or repr, so it is refused rather
than looked into. Everything used here is bound before user code runs; a program that still forges
a frame has only written down another answer, and the host compares it like any other.
"""

from __future__ import annotations

import struct
from json.encoder import encode_basestring_ascii as _quote
from typing import Any

MAX_DEPTH = 64
MAX_NODES = 20_000
MAX_INT_BITS = 20_000
MAX_STRING = 100_000  # characters of a str, bytes of a bytes
MAX_FRAME_CHARS = 1 << 20

_type, _len, _sorted, _pack = type, len, sorted, struct.pack
_none, _bool, _int, _float, _complex = type(None), bool, int, float, complex
_str, _bytes, _list, _tuple, _set, _frozenset, _dict = str, bytes, list, tuple, set, frozenset, dict
_bit_length, _join = int.bit_length, str.join
_items = dict.items


class UnsupportedType(Exception):
    """The value, or something in it, is not of an exact builtin type."""


class ResultTooLarge(Exception):
    """The value is deeper, longer or larger than a frame may be."""


_Unsupported, _TooLarge = UnsupportedType, ResultTooLarge


def _float_hex(value: float) -> str:
    # One NaN: its sign and payload depend on the instruction that made it, not on the program.
    return _pack(">d", value).hex() if value == value else "7ff8000000000000"


def _walk(value: Any, depth: int, budget: list[int]) -> str:
    budget[0] -= 1
    if budget[0] < 0 or depth > MAX_DEPTH:
        raise _TooLarge()
    kind = _type(value)
    if kind is _none:
        return '["n"]'
    if kind is _bool:
        return '["b",true]' if value else '["b",false]'
    if kind is _int:
        if _bit_length(value) > MAX_INT_BITS:
            raise _TooLarge()
        return '["i","%s0x%x"]' % ("-" if value < 0 else "", -value if value < 0 else value)
    if kind is _float:
        return '["f","%s"]' % _float_hex(value)
    if kind is _complex:
        return '["z","%s","%s"]' % (_float_hex(value.real), _float_hex(value.imag))
    if kind is _str:
        if _len(value) > MAX_STRING:
            raise _TooLarge()
        return '["s",%s]' % _quote(value)
    if kind is _bytes:
        if _len(value) > MAX_STRING:
            raise _TooLarge()
        return '["y","%s"]' % value.hex()
    return _walk_container(value, kind, depth, budget)


def _walk_container(value: Any, kind: type, depth: int, budget: list[int]) -> str:
    if kind is _list or kind is _tuple:
        parts = [_walk(item, depth + 1, budget) for item in value]
        return '["%s",[%s]]' % ("l" if kind is _list else "t", _join(",", parts))
    if kind is _set or kind is _frozenset:
        parts = _sorted([_walk(item, depth + 1, budget) for item in value])
        return '["%s",[%s]]' % ("S" if kind is _set else "F", _join(",", parts))
    if kind is _dict:
        parts = [
            "[%s,%s]" % (_walk(key, depth + 1, budget), _walk(item, depth + 1, budget))
            for key, item in _items(value)
        ]
        return '["d",[%s]]' % _join(",", parts)
    raise _Unsupported()


def encode_frame(value: Any) -> str:
    """The frame of a value as one line of ASCII JSON.

    UnsupportedType or ResultTooLarge where it has none. Sets are sorted by their elements' text,
    so two equal sets have one frame; dicts keep insertion order.
    """
    text = _walk(value, 1, [MAX_NODES])
    if _len(text) > MAX_FRAME_CHARS:
        raise _TooLarge()
    return text
