"""The texts that hashes and draws are taken over (docs/verify.md, "Texts that are hashed")."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal

from .findings import Json

TWO_53 = float(2**53)


def sha256(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def number(value: float | int) -> str:
    """A number as JSON writes it in JavaScript: shortest digits, an exponent outside of 1e-7 to
    1e21."""
    if isinstance(value, int) and abs(value) < 2**53:
        return str(value)
    value = float(value)
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    minus = "-" if sign else ""
    point = len(text) + exponent  # places before the decimal point
    if -6 < point <= 21:
        if exponent >= 0:
            return minus + text + "0" * exponent
        if point > 0:
            return f"{minus}{text[:point]}.{text[point:]}"
        return f"{minus}0.{'0' * -point}{text}"
    mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
    return f"{minus}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonical(value: Json) -> str:
    """JSON without white space, keys in the order of their UTF-16 code units."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(canonical, value))}]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return f"{{{','.join(f'{canonical(key)}:{canonical(value[key])}' for key in keys)}}}"


def digest_of(domain: str, records: list[Json]) -> str:
    """What an event attests: one canonical line for the domain and each record."""
    return sha256("\n".join([domain, *map(canonical, records)]) + "\n")


def uniform(seed: int, *path: str | int) -> float:
    """The draw in [0, 1) that `path` names: the first 53 bits of SHA-256 over its JSON (decision
    002)."""
    text = json.dumps([seed, *path], ensure_ascii=False, separators=(",", ":"))
    return (int(sha256(text)[:16], 16) >> 11) / TWO_53
