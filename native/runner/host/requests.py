"""Reads requests: every field checked once, at the door, with a sentence that names the field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from host.errors import RunnerError
from host.frames import BadFrame, check_frame
from host.limits import Limits, read_limits

MAX_PROGRAM_CHARS = 4 << 20
MAX_CALLS = 10_000
MAX_PROGRAMS = 10_000
MAX_STDIN_CHARS = 4 << 20


@dataclass(frozen=True)
class RunRequest:
    program: str
    entry: str | None
    calls: list[dict[str, Any]]
    limits: Limits
    hash_seed: int
    stop_on_error: bool
    stdin: str
    main: bool

    def job(self, passes: int = 1, shift_clock: bool = False) -> dict[str, Any]:
        """The part that enters the sandbox. Nothing here tells what answer is hoped for."""
        return {
            "kind": "run",
            "program": self.program,
            "entry": self.entry,
            "calls": self.calls,
            "passes": passes,
            "stopOnError": self.stop_on_error,
            "shiftClock": shift_clock,
            "stdin": self.stdin,
            "main": self.main,
        }


def _bad(message: str) -> RunnerError:
    return RunnerError("badRequest", message)


def _text(request: dict[str, Any], name: str, limit: int, default: str | None = None) -> str:
    value = request.get(name, default)
    if not isinstance(value, str) or len(value) > limit:
        raise _bad(f"{name} must be a text of at most {limit:,} characters.")
    return value


def _flag(request: dict[str, Any], name: str) -> bool:
    value = request.get(name, False)
    if not isinstance(value, bool):
        raise _bad(f"{name} must be true or false.")
    return value


def _read_call(call: object, index: int) -> dict[str, Any]:
    if not isinstance(call, dict):
        raise _bad(f"calls[{index}] must be an object.")
    if call.keys() == {"expression"} and isinstance(call["expression"], str):
        return {"expression": call["expression"]}
    named = call.get("kwargs", {})
    if (
        not call.keys() <= {"args", "kwargs"}
        or not isinstance(call.get("args"), list)
        or not isinstance(named, dict)
    ):
        raise _bad(
            f"calls[{index}] must be {{args: [frame, ...], kwargs?}} or {{expression: text}}."
        )
    for frame in (*call["args"], *named.values()):
        try:
            check_frame(frame)
        except BadFrame as error:
            raise _bad(f"calls[{index}] holds an argument that is no frame: {error}.") from None
    return {"args": call["args"], "kwargs": named}


def read_run(request: dict[str, Any], hash_seeds: list[int]) -> RunRequest:
    """RunnerError 'badRequest' for the first field that is wrong."""
    calls = request.get("calls", [])
    if not isinstance(calls, list) or len(calls) > MAX_CALLS:
        raise _bad(f"calls must be a list of at most {MAX_CALLS:,} calls.")
    checked = [_read_call(call, index) for index, call in enumerate(calls)]
    entry = request.get("entry")
    if entry is not None and not isinstance(entry, str):
        raise _bad("entry must be the name of a function.")
    if entry is None and any("args" in call for call in checked):
        raise _bad("entry is missing: calls with args need the name of a function.")
    hash_seed = request.get("hashSeed", hash_seeds[0])
    if hash_seed not in hash_seeds:
        raise _bad(f"hashSeed must be one of {hash_seeds}, as given to hello.")
    return RunRequest(
        _text(request, "program", MAX_PROGRAM_CHARS),
        entry,
        checked,
        read_limits(request.get("limits")),
        hash_seed,
        _flag(request, "stopOnError"),
        _text(request, "stdin", MAX_STDIN_CHARS, ""),
        _flag(request, "main"),
    )


def read_programs(request: dict[str, Any]) -> list[str]:
    """The programs of a parse request: one as 'program', or many as 'programs'."""
    if "programs" not in request:
        return [_text(request, "program", MAX_PROGRAM_CHARS)]
    return _texts(request, "programs")


def read_distance(request: dict[str, Any]) -> tuple[str, list[str]]:
    """A program, and the references it is held against."""
    return _text(request, "program", MAX_PROGRAM_CHARS), _texts(request, "references")


def _texts(request: dict[str, Any], name: str) -> list[str]:
    texts = request.get(name)
    if (
        not isinstance(texts, list)
        or len(texts) > MAX_PROGRAMS
        or not all(isinstance(text, str) and len(text) <= MAX_PROGRAM_CHARS for text in texts)
    ):
        raise _bad(f"{name} must be a list of at most {MAX_PROGRAMS:,} texts.")
    return texts


@dataclass(frozen=True)
class HelloRequest:
    workers: int
    level: str
    hash_seeds: list[int]


def read_hello(request: dict[str, Any]) -> HelloRequest:
    """Defaults: 2 workers, level auto, hash seeds 0 and 4242."""
    workers = request.get("workers", 2)
    if not isinstance(workers, int) or isinstance(workers, bool) or not 1 <= workers <= 64:
        raise _bad("workers must be a whole number from 1 to 64.")
    level = request.get("level", "auto")
    if level not in ("auto", "L3", "L2", "unsafe"):
        raise _bad("level must be auto, L3, L2 or unsafe.")
    seeds = request.get("hashSeeds", [0, 4242])
    if (
        not isinstance(seeds, list)
        or not 1 <= len(seeds) <= 4
        or not all(
            isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**32
            for seed in seeds
        )
        or len(set(seeds)) != len(seeds)
    ):
        raise _bad("hashSeeds must be one to four different whole numbers below 2^32.")
    return HelloRequest(workers, level, seeds)
