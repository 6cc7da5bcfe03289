"""What a graded call returned, as data: like inside.encode, but nothing is refused.

A public benchmark compares with `==`, where a Counter equals a dict and a Decimal a float. So a
value of another type is told as the plain data it compares as, with its type's name; one whose own
`__eq__` decides is only described. A value too large to carry is told by a digest that is the same
for equal values. The expected answer is not here, so all of this can be forged to no use.

  ["x", type, frame or null, mark]   mark: "" compares as the frame; "inexact": as a number near it;
                                     "claims": says it equals anything; "custom": its type decides;
                                     "opaque": equal to no plain data
  ["h", digest]                      SHA-256 of the value's key, or "nan" where it equals nothing
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from json.encoder import encode_basestring_ascii as _quote
from typing import Any

from inside.encode import _float_hex
from inside.grading.digest import digest_of

_DEPTH, _NODES, _TEXT, _INT_BITS = 64, 5_000, 20_000, 20_000
_modules = sys.modules
_type, _len, _sorted, _bool, _id = type, len, sorted, bool, id
_mro_of = type.__dict__["__mro__"].__get__
_name_of = type.__dict__["__name__"].__get__
_dict_of = type.__dict__["__dict__"].__get__
_PLAIN = (int, float, complex, str, bytes, list, tuple, set, frozenset, dict)
_KEYS: type = type({}.keys())
_ITEMS: type = type({}.items())
_SLOT = type(int.__eq__)
# Their own __eq__ steps back in front of a plain dict, so they compare as one.
_STEPS_BACK = (Counter, OrderedDict)
_READ: dict[type, Callable[[Any], object]] = {
    int: lambda value: int.__add__(value, 0),
    float: lambda value: float.__add__(value, 0.0),
    complex: lambda value: complex.__add__(value, 0j),
    str: str.__str__,
    bytes: lambda value: bytes(memoryview(value)),
    list: lambda value: [*list.__iter__(value)],
    tuple: lambda value: (*tuple.__iter__(value),),
    set: lambda value: {*set.__iter__(value)},
    frozenset: lambda value: {*frozenset.__iter__(value)},
    dict: lambda value: dict(dict.items(value)),
}


class TooLarge(Exception):
    """The value is to be told by its digest."""


class _Decoy:
    """Equal to nothing but itself; only what claims to equal everything claims to equal this."""


_DECOYS = (
    _Decoy(),
    0x5EED_0F_A_DEC0,
    -1.6180339,
    "not \x00 an answer",
    ("a", "decoy", 3),
    [["decoy"]],
    {"decoy": None},
    None,
)
_TooLarge, _Fraction, _Decimal = TooLarge, Fraction, Decimal


def observe(value: Any) -> str:
    """The frame of any value, as one line of ASCII JSON. Never raises but for the program's own
    code (an __eq__ that is asked) and for want of memory."""
    try:
        return _walk(value, 1, [_NODES])
    except _TooLarge:
        return '["h","%s"]' % digest_of(value, plain_of)


def _walk(value: Any, depth: int, budget: list[int]) -> str:
    budget[0] -= 1
    if budget[0] < 0:
        raise _TooLarge()
    kind = _type(value)
    if value is None:
        return '["n"]'
    if kind is bool:
        return '["b",true]' if value else '["b",false]'
    if kind is int:
        if int.bit_length(value) > _INT_BITS:
            raise _TooLarge()
        return '["i","%s0x%x"]' % ("-" if value < 0 else "", -value if value < 0 else value)
    if kind is float:
        return '["f","%s"]' % _float_hex(value)
    if kind is str or kind is bytes:
        if _len(value) > _TEXT:
            raise _TooLarge()
        return '["s",%s]' % _quote(value) if kind is str else '["y","%s"]' % value.hex()
    if kind is complex:
        return '["z","%s","%s"]' % (_float_hex(value.real), _float_hex(value.imag))
    if depth > _DEPTH:
        return '["x","TooDeep",null,"opaque"]'
    tag = _TAGS.get(_id(kind))  # by identity: a metaclass may say that its types equal others
    if tag is not None:
        return _container(value, tag, depth, budget)
    return _other(value, kind, depth, budget)


_TAGS = {id(list): "l", id(tuple): "t", id(set): "S", id(frozenset): "F", id(dict): "d"}


def _container(value: Any, tag: str, depth: int, budget: list[int]) -> str:
    if tag == "d":
        parts = [
            "[%s,%s]" % (_walk(key, depth + 1, budget), _walk(item, depth + 1, budget))
            for key, item in dict.items(value)
        ]
    else:
        parts = [_walk(item, depth + 1, budget) for item in value]
    if tag in "SF":
        parts = _sorted(parts)
    return '["%s",[%s]]' % (tag, ",".join(parts))


def _other(value: Any, kind: type[Any], depth: int, budget: list[int]) -> str:
    found, plain, mark = plain_of(value)
    frame = _walk(plain, depth, budget) if found else "null"
    name = "".join(c for c in _name_of(kind) if c.isascii() and (c.isalnum() or c == "_"))
    return '["x","%s",%s,"%s"]' % (name[:80], frame, mark)


def plain_of(value: Any) -> tuple[bool, object, str]:
    """Whether a value that is no plain data compares as plain data, that data, and the mark."""
    kind = _type(value)
    if kind is _Decimal or kind is _Fraction:
        return _number(value)
    if kind is _KEYS or kind is _ITEMS:
        return True, {*value}, ""
    if kind is bytearray:
        return True, bytes(value), ""
    mro = _mro_of(kind)
    decides = next(base for base in mro if "__eq__" in _dict_of(base))
    for base in _PLAIN:
        if _holds(mro, base) and (decides is base or _holds(_STEPS_BACK, decides)):
            return True, _READ[base](value), ""
    if _type(_dict_of(decides)["__eq__"]) is _SLOT:  # of a type written in C, which tells the truth
        if _holds(mro, getattr(_modules.get("numpy"), "generic", None)):
            plain = value.item()
            known = _type(plain) is bool or _type(plain) in _PLAIN
            return (True, plain, "") if known else (False, None, "opaque")
        return False, None, "opaque"
    return False, None, "claims" if _claims_everything(value) else "custom"


def _holds(types: tuple[type, ...], wanted: type | None) -> bool:
    return any(entry is wanted for entry in types)


def _number(value: Decimal | Fraction) -> tuple[bool, object, str]:
    try:
        over, under = value.as_integer_ratio()
    except (ValueError, OverflowError):  # the not-a-number and the infinities of Decimal
        return True, float(value), ""
    if under == 1:
        return True, over, ""
    try:
        near = over / under
    except OverflowError:
        return False, None, "opaque"
    return True, near, "" if near.as_integer_ratio() == (over, under) else "inexact"


def _claims_everything(value: Any) -> bool:
    for decoy in _DECOYS:
        try:
            if not _bool(value == decoy):
                return False
        except BaseException:  # noqa: BLE001 - the value is the program's, and so is its ==
            return False
    return True
