"""The comparison itself: math-verify without its own timers.

They rely on a signal that hung arithmetic never sees.
"""

from __future__ import annotations

import importlib.metadata
import logging
from typing import Any

from .errors import GraderError
from .options import Pair

# Verdicts are only comparable under one version, so another one is refused instead of used.
PINNED = {"math-verify": "0.8.0", "latex2sympy2_extended": "1.10.2"}
REPORTED = ("sympy", "antlr4-python3-runtime")
REMEDY = "Run the set-up again."


def check_versions() -> dict[str, str]:
    """Versions of everything that decides a verdict.

    Raises GraderError `missingPackage` or `wrongVersion`.
    """
    found: dict[str, str] = {}
    for name in (*PINNED, *REPORTED):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError as error:
            raise GraderError(
                "missingPackage", f"The Python package {name} is not installed. {REMEDY}"
            ) from error
    for name, wanted in PINNED.items():
        if found[name] != wanted:
            raise GraderError(
                "wrongVersion",
                f"The Python package {name} is version {found[name]}, "
                f"but verdicts are made with {wanted}. {REMEDY}",
            )
    return found


def compare(pair: Pair) -> dict[str, Any]:
    """`equal`, and what became of both texts: parsed, text (kept as words) or nothing.

    A failure inside the comparison means "not equal" and is named in `problem`, as AZR counts it.
    """
    from math_verify import verify

    try:
        gold, answer = (_parse(text, pair) for text in (pair.gold, pair.answer))
        equal = verify(
            gold,
            answer,
            float_rounding=pair.float_rounding,
            numeric_precision=pair.numeric_precision,
            strict=pair.strict,
            allow_set_relation_comp=pair.set_relations,
            timeout_seconds=None,
        ) or (pair.tolerance is not None and _near(gold, answer, pair.tolerance))
    except Exception as error:  # noqa: BLE001 - whatever sympy raises, the verdict is the same
        _forget()
        return {
            "equal": False,
            "gold": "nothing",
            "answer": "nothing",
            "problem": type(error).__name__,
        }
    return {"equal": bool(equal), "gold": _form(gold), "answer": _form(answer), "problem": None}


def _parse(text: str, pair: Pair) -> list[Any]:
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse

    latex = (
        LatexExtractionConfig(boxed_match_priority=0) if pair.box_first else LatexExtractionConfig()
    )
    made = {"latex": latex, "expr": ExprExtractionConfig()}
    whole = "\\boxed{" + text + "}" if pair.boxed else text
    found: list[Any] = parse(whole, [made[name] for name in pair.targets], parsing_timeout=None)
    return found


def _near(gold: list[Any], answer: list[Any], tolerance: float) -> bool:
    """Whether both texts are one real number each and these differ by no more than the tolerance,
    rounding of the last digit aside."""
    from sympy import Expr

    numbers = []
    for parsed in (gold, answer):
        values = [one.evalf(20) for one in parsed if isinstance(one, Expr) and one.is_number]
        if not values or not values[0].is_real:
            return False
        numbers.append(values[0])
    allowed = tolerance + 1e-12 * max(abs(numbers[0]), abs(numbers[1]))
    return bool(abs(numbers[0] - numbers[1]) <= allowed)


def _form(parsed: list[Any]) -> str:
    if not parsed:
        return "nothing"
    return "text" if all(isinstance(one, str) for one in parsed) else "parsed"


def _forget() -> None:
    """After a failure for lack of memory, sympy's cache holds what filled it."""
    from sympy.core.cache import clear_cache

    clear_cache()


def warm_up() -> None:
    """Imports, compiles the patterns and proves that known pairs come out right.

    Raises GraderError `selfTest`.
    """
    logging.disable(logging.WARNING)  # it warns at every first use that its timers are off
    for gold, answer, wanted in (
        ("\\frac{1}{2}", "0.5", True),
        ("2", "3", False),
        ("x^2-1", "(x-1)(x+1)", True),
        ("(1,2)", "(2,1)", False),
    ):
        if compare(Pair(gold=gold, answer=answer, seconds=60))["equal"] is not wanted:
            raise GraderError(
                "selfTest", f"The comparison of {gold} with {answer} came out wrong. {REMEDY}"
            )
