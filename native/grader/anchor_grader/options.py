"""The fields of a comparison request, checked one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import GraderError

TARGETS = ("latex", "expr")


@dataclass(frozen=True)
class Pair:
    """Two texts and how they are read and compared; the defaults are math-verify's own.

    `boxed`: each text is an answer by itself and is put into a box before it is parsed, as AZR
    does; otherwise both are searched for their answers. `box_first`: a box counts more than what a
    sentence calls the final answer. `tolerance`: two real numbers that differ by no more are equal.
    """

    gold: str
    answer: str
    seconds: float
    boxed: bool = True
    targets: tuple[str, ...] = TARGETS
    box_first: bool = False
    float_rounding: int = 6
    numeric_precision: int = 15
    strict: bool = True
    set_relations: bool = False
    tolerance: float | None = None


def read_pair(params: dict[str, Any]) -> Pair:
    """Raises GraderError `badRequest` naming the field."""
    fields: dict[str, tuple[str, Callable[[str, object], Any]]] = {
        "gold": ("gold", _text),
        "answer": ("answer", _text),
        "seconds": ("seconds", _seconds),
        "boxed": ("boxed", _truth),
        "targets": ("targets", _targets),
        "boxFirst": ("box_first", _truth),
        "floatRounding": ("float_rounding", _digits),
        "numericPrecision": ("numeric_precision", _digits),
        "strict": ("strict", _truth),
        "setRelations": ("set_relations", _truth),
        "tolerance": ("tolerance", _tolerance),
    }
    unknown = next((name for name in params if name not in fields), None)
    if unknown is not None:
        raise GraderError("badRequest", f'A comparison has no field "{unknown}".')
    missing = next((name for name in ("gold", "answer", "seconds") if name not in params), None)
    if missing is not None:
        raise GraderError("badRequest", f'A comparison needs the field "{missing}".')
    return Pair(**{fields[name][0]: fields[name][1](name, value) for name, value in params.items()})


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise GraderError("badRequest", f'The field "{name}" must be a text.')
    return value


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise GraderError("badRequest", f'The field "{name}" must be true or false.')
    return value


def _seconds(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 3600:
        raise GraderError(
            "badRequest", f'The field "{name}" must be a number of seconds up to 3600.'
        )
    return float(value)


def _tolerance(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e300:
        raise GraderError("badRequest", f'The field "{name}" must be a number from 0 on.')
    return float(value)


def _digits(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
        raise GraderError("badRequest", f'The field "{name}" must be a whole number from 0 to 100.')
    return value


def _targets(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or any(one not in TARGETS for one in value):
        raise GraderError(
            "badRequest", f'The field "{name}" must be a list of {" and ".join(TARGETS)}.'
        )
    return tuple(value)
