"""A digest of a value too large to carry, the same for values that Python calls equal.

1, 1.0 and True give one digest, sets and dicts do not depend on order, and whatever holds a
not-a-number equals nothing ("nan"). Lists of numbers or texts, and lists of such lists, the common
case, are read at the speed of C.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator
from itertools import chain, islice
from math import isnan
from typing import Any

from inside.encode import _float_hex

_NODES = 3_000_000  # about three seconds of walking; a larger value is told as "huge"
_DEPTH = 200
_NUMBERS, _SEQUENCES = {int, float, bool, complex}, {list, tuple}
_AT_ONCE = 65_536
_sha256, _sorted, _type = hashlib.sha256, sorted, type
PlainOf = Callable[[object], tuple[bool, object, str]]


class _HoldsNan(Exception):
    """It equals nothing."""


class _OtherType(Exception):
    """A part is no plain data; it may still compare as some."""


class _Unreadable(Exception):
    """Too many parts, too deep, or a part that is no data."""


def digest_of(value: Any, plain_of: PlainOf) -> str:
    """64 hexadecimal digits, or "nan" (equals nothing) or "huge" (cannot be told)."""
    try:
        try:
            return _hash(value)
        except _OtherType:
            return _hash(_as_plain(value, 1, [_NODES], plain_of))
    except _HoldsNan:
        return "nan"
    except _Unreadable:
        return "huge"


def _hash(value: Any) -> str:
    sha = _sha256()
    if not _add_levels(sha, value):
        sha = _sha256(_key(value, 1, [_NODES]))
    return sha.hexdigest()


def _add_levels(sha: hashlib._Hash, value: Any) -> bool:
    """Hash lists and tuples whose innermost parts all lie equally deep and are numbers that are
    doubles, or texts; False for other values. Equal values take the same way. The innermost level,
    which may hold a hundred million parts, is never copied."""
    level, kinds = [value], {_type(value)}
    for _ in range(_DEPTH):
        if not kinds <= _SEQUENCES:
            return False
        sha.update(
            bytes(kind is tuple for kind in map(_type, level))
            if len(kinds) > 1
            else b"L"
            if kinds == {list}
            else b"T"
        )
        sha.update(array("q", map(len, level)).tobytes())
        kinds = {*map(_type, chain.from_iterable(level))}
        if not kinds or not kinds <= _SEQUENCES:
            return _add_leaves(sha, chain.from_iterable(level), kinds)
        level = [*chain.from_iterable(level)]
    return False


def _add_leaves(sha: hashlib._Hash, leaves: Iterator[Any], kinds: set[type]) -> bool:
    if kinds != {str} and not kinds <= _NUMBERS:
        return False
    while part := [*islice(leaves, _AT_ONCE)]:
        if kinds == {str}:
            sha.update(b"s" + array("q", map(len, part)).tobytes())
            sha.update("".join(part).encode("utf-8", "surrogatepass"))
            continue
        if complex in kinds:
            part = [
                leaf.real if _type(leaf) is complex and leaf.imag == 0 else leaf for leaf in part
            ]
        try:
            doubles = [*map(float, part)]
        except (OverflowError, TypeError):  # an int beyond doubles, a number with two parts
            return False
        if any(map(isnan, doubles)):
            raise _HoldsNan()
        if doubles != part:
            return False
        sha.update(b"d" + array("d", map((0.0).__add__, doubles)).tobytes())  # -0.0 becomes 0.0
    return True


def _real(value: float) -> bytes:
    if value != value:
        raise _HoldsNan()
    if value in (float("inf"), float("-inf")) or value != int(value):
        return b"f" + _float_hex(value).encode()
    return b"i%x" % int(value)


def _key(value: Any, depth: int, budget: list[int]) -> bytes:
    budget[0] -= 1
    if budget[0] < 0 or depth > _DEPTH:
        raise _Unreadable()
    kind = _type(value)
    if value is None:
        return b"n"
    if kind is bool or kind is int:
        return b"i%x" % value
    if kind is float:
        return _real(value)
    if kind is complex:
        return (
            _real(value.real)
            if value.imag == 0
            else b"z" + _real(value.real) + b"," + _real(value.imag)
        )
    if kind is str:
        text: bytes = value.encode("utf-8", "surrogatepass")
        return b"s%d:" % len(text) + text
    if kind is bytes:
        data: bytes = value
        return b"y%d:" % len(data) + data
    if kind is list or kind is tuple:
        parts = [_key(item, depth + 1, budget) for item in value]
        return (b"[" if kind is list else b"(") + b",".join(parts) + b"]"
    if kind is set or kind is frozenset:
        return b"{" + b",".join(_sorted(_key(item, depth + 1, budget) for item in value)) + b"}"
    if kind is dict:
        pairs = [
            _key(name, depth + 1, budget) + b"=" + _key(item, depth + 1, budget)
            for name, item in value.items()
        ]
        return b"d" + b",".join(_sorted(pairs)) + b"D"
    raise _OtherType()


def _as_plain(value: Any, depth: int, budget: list[int], plain_of: PlainOf) -> object:
    """A copy with the plain data that parts of other types compare as."""
    budget[0] -= 1
    if budget[0] < 0 or depth > _DEPTH:
        raise _Unreadable()
    kind = _type(value)
    if kind in (list, tuple, set, frozenset):
        return kind([_as_plain(item, depth + 1, budget, plain_of) for item in value])
    if kind is dict:
        return {
            _as_plain(name, depth + 1, budget, plain_of): _as_plain(
                item, depth + 1, budget, plain_of
            )
            for name, item in value.items()
        }
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return value
    found, plain, mark = plain_of(value)
    if not found or mark:
        raise _Unreadable()
    return _as_plain(plain, depth + 1, budget, plain_of)
