"""Checked access to the parameters of a request: every complaint names the field.

Unknown fields are ignored (a newer engine may send them); known ones must have the right type
and range, without conversion.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

from .errors import TrainerError

# Seeds travel as JSON numbers, which hold whole numbers exactly up to here.
LARGEST_WHOLE = 2**53 - 1
_REQUIRED: Any = object()


class Params:
    """One JSON object of a request; `path` is how messages call it, e.g. `items[3]`."""

    def __init__(self, raw: object, path: str = "params") -> None:
        if not isinstance(raw, dict):
            raise TrainerError("badRequest", f"{path} must be an object.")
        self.raw: dict[str, Any] = raw
        self.path = path

    def refuse(self, field: str, wanted: str) -> NoReturn:
        found = repr(self.raw[field]) if field in self.raw else "missing"
        if len(found) > 80:
            found = found[:77] + "..."
        raise TrainerError(
            "badRequest",
            f"{self.path}.{field} must be {wanted}, but it is {found}.",
            detail={"field": f"{self.path}.{field}"},
        )

    def has(self, field: str) -> bool:
        return self.raw.get(field) is not None

    def _get(self, field: str, default: Any, wanted: str) -> Any:
        value = self.raw.get(field)
        if value is None:
            if default is _REQUIRED:
                self.refuse(field, wanted)
            return default
        return value

    def get_str(self, field: str, default: Any = _REQUIRED, empty: bool = False) -> Any:
        value = self._get(field, default, "a text")
        if value is default and default is not _REQUIRED:
            return default
        if not isinstance(value, str) or (not value and not empty):
            self.refuse(field, "a text" if empty else "a text that is not empty")
        if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            self.refuse(field, "valid Unicode (it holds half of a surrogate pair)")
        return value

    def get_int(
        self, field: str, default: Any = _REQUIRED, low: int = 0, high: int = LARGEST_WHOLE
    ) -> Any:
        wanted = f"a whole number from {low} to {high}"
        value = self._get(field, default, wanted)
        if value is default and default is not _REQUIRED:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.refuse(field, wanted)
        return value

    def get_float(
        self,
        field: str,
        default: Any = _REQUIRED,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> Any:
        wanted = "a finite number"
        if low > -math.inf or high < math.inf:
            wanted = f"a number from {low:g} to {high:g}".replace(" to inf", " upwards")
        value = self._get(field, default, wanted)
        if value is default and default is not _REQUIRED:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.refuse(field, wanted)
        if not math.isfinite(value) or not low <= value <= high:
            self.refuse(field, wanted)
        return float(value)

    def get_bool(self, field: str, default: bool) -> bool:
        value = self._get(field, default, "true or false")
        if not isinstance(value, bool):
            self.refuse(field, "true or false")
        return value

    def get_choice(self, field: str, options: tuple[str, ...], default: Any = _REQUIRED) -> Any:
        wanted = "one of " + ", ".join(options)
        value = self._get(field, default, wanted)
        if value not in options and value is not default:
            self.refuse(field, wanted)
        return value

    def get_object(self, field: str, optional: bool = False) -> Params:
        value = self._get(field, {} if optional else _REQUIRED, "an object")
        if not isinstance(value, dict):
            self.refuse(field, "an object")
        return Params(value, f"{self.path}.{field}")

    def get_objects(self, field: str, empty: bool = False) -> list[Params]:
        wanted = "a list of objects" if empty else "a list of at least one object"
        value = self._get(field, _REQUIRED, wanted)
        if not isinstance(value, list) or (not value and not empty):
            self.refuse(field, wanted)
        return [Params(one, f"{self.path}.{field}[{at}]") for at, one in enumerate(value)]

    def get_strs(self, field: str, default: Any = _REQUIRED) -> Any:
        value = self._get(field, default, "a list of texts")
        if value is default and default is not _REQUIRED:
            return default
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self.refuse(field, "a list of texts that are not empty")
        return value

    def get_token_ids(self, field: str, vocab: int) -> list[int]:
        wanted = f"a list of token ids from 0 to {vocab - 1}"
        value = self._get(field, _REQUIRED, wanted)
        if not isinstance(value, list) or not value:
            self.refuse(field, wanted)
        for one in value:
            if not isinstance(one, int) or isinstance(one, bool) or not 0 <= one < vocab:
                self.refuse(field, wanted)
        return value
