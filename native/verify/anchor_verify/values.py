"""Python literals as typed values: `True`, `1` and `1.0` are three, and so are `0.0` and `-0.0`
(native/runner/README.md, Frames)."""

from __future__ import annotations

import ast
import json
import math
import struct

from .findings import Json

NAMES = {"inf": math.inf, "nan": math.nan}


class NotALiteral(ValueError):
    """The text is no value that Python could write down."""


def value_of(text: str) -> object:
    """The value of a literal. Raises NotALiteral."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise NotALiteral(text) from error


def arguments_of(text: str) -> tuple[list[object], dict[str, object]]:
    """The arguments of a call as they stand between its brackets. Raises NotALiteral."""
    try:
        call = ast.parse(f"f({text}\n)", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise NotALiteral(text)
        keywords = {str(each.arg): _value(each.value) for each in call.keywords if each.arg}
        if len(keywords) != len(call.keywords):
            raise NotALiteral(text)
        return [_value(each) for each in call.args], keywords
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise NotALiteral(text) from error


def _value(node: ast.expr) -> object:
    """Constants, containers of them, signs, and the few calls that a repr of plain data may
    hold."""
    match node:
        case ast.Name(id=name) if name in NAMES:
            return NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _value(operand)
            if isinstance(value, bool) or not isinstance(value, int | float | complex):
                raise NotALiteral(ast.unparse(node))
            return -value
        case ast.List(elts=parts):
            return [_value(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(_value(part) for part in parts)
        case ast.Set(elts=parts):
            return {_value(part) for part in parts}
        case ast.Dict(keys=keys, values=values) if all(keys):
            return {
                _value(key): _value(value) for key, value in zip(keys, values, strict=True) if key
            }
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if len(args) <= 1:
            inner = _value(args[0]) if args else ()
            if name == "set":
                return set(inner)  # type: ignore[call-overload]
            if name == "frozenset":
                return frozenset(inner)  # type: ignore[call-overload]
            if name == "float" and isinstance(inner, str):
                return float(inner)
            raise NotALiteral(ast.unparse(node))
        case _:
            return ast.literal_eval(node)


def frame_of(value: object) -> Json:
    """The frame that the runner takes and gives for a value."""
    match value:
        case None:
            return ["n"]
        case bool():
            return ["b", value]
        case int():
            return ["i", hex(value)]
        case float():
            bits = "7ff8000000000000" if math.isnan(value) else struct.pack(">d", value).hex()
            return ["f", bits]
        case complex():
            return ["z", frame_of(value.real)[1], frame_of(value.imag)[1]]
        case bytes():
            return ["y", value.hex()]
        case str():
            return ["s", value]
        case list() | tuple():
            return ["l" if isinstance(value, list) else "t", [frame_of(part) for part in value]]
        case set() | frozenset():
            parts = sorted((frame_of(part) for part in value), key=_frame_text)
            return ["S" if isinstance(value, set) else "F", parts]
        case dict():
            return ["d", [[frame_of(key), frame_of(part)] for key, part in value.items()]]
    raise NotALiteral(type(value).__name__)


def _frame_text(frame: Json) -> str:
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))


def same(left: Json, right: Json) -> bool:
    """Whether two frames are one value: types and all; a dict's order is no part of it, and a NaN
    equals nothing."""
    return _unordered(left) == _unordered(right) and not _has_nan(left)


def _unordered(frame: Json) -> Json:
    tag = frame[0]
    if tag in ("l", "t"):
        return [tag, [_unordered(part) for part in frame[1]]]
    if tag in ("S", "F"):
        return [tag, sorted((_unordered(part) for part in frame[1]), key=_frame_text)]
    if tag == "d":
        pairs = [[_unordered(key), _unordered(part)] for key, part in frame[1]]
        return [tag, sorted(pairs, key=_frame_text)]
    return frame


def _has_nan(frame: Json) -> bool:
    if frame[0] == "f":
        return bool(frame[1] == "7ff8000000000000")
    return isinstance(frame[-1], list) and "7ff8000000000000" in _frame_text(frame)


def loosely_same(left: Json, right: Json) -> bool:
    """Python's own equality, as the original compares: 1 == 1.0 == True."""
    try:
        return bool(python_of(left) == python_of(right))
    except (TypeError, ValueError):
        return False


def python_of(frame: Json) -> object:
    """The value of a frame."""
    tag, *rest = frame
    match tag:
        case "n":
            return None
        case "i":
            return int(rest[0], 16)
        case "f":
            return float(struct.unpack(">d", bytes.fromhex(rest[0]))[0])
        case "z":
            real, imaginary = (struct.unpack(">d", bytes.fromhex(part))[0] for part in rest)
            return complex(real, imaginary)
        case "y":
            return bytes.fromhex(rest[0])
        case "l":
            return [python_of(part) for part in rest[0]]
        case "t":
            return tuple(python_of(part) for part in rest[0])
        case "S":
            return {python_of(part) for part in rest[0]}
        case "F":
            return frozenset(python_of(part) for part in rest[0])
        case "d":
            return {python_of(key): python_of(part) for key, part in rest[0]}
    return rest[0]
