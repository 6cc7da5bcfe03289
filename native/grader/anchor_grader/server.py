"""Answers one request after the other until standard input ends."""

from __future__ import annotations

import platform
import sys
import time
from typing import Any

from .comparing import check_versions, compare, warm_up
from .errors import GraderError
from .options import read_pair
from .process_limits import ProcessorTimer
from .protocol import PROTOCOL_MAJOR, PROTOCOL_MINOR, PROTOCOL_NAME, Writer, lines, parse_request


def serve(descriptor: int, limits: dict[str, Any]) -> int:
    writer = Writer(descriptor)
    for line in lines(sys.stdin.buffer):
        number: int | None = None
        try:
            number, method, params = parse_request(line)
            writer.result(number, _answer(method, params, limits))
        except GraderError as error:
            writer.error(number, error)
        except BrokenPipeError:
            break
    return 0


def _answer(method: str, params: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    if method == "hello":
        return _hello(limits)
    if method == "compare":
        pair = read_pair(params)
        before = time.process_time()
        with ProcessorTimer(pair.seconds):
            verdict = compare(pair)
        return {**verdict, "processorMs": (time.process_time() - before) * 1000}
    raise GraderError("badRequest", f'There is no method "{method}"; there are hello and compare.')


def _hello(limits: dict[str, Any]) -> dict[str, Any]:
    versions = check_versions()
    warm_up()
    return {
        "protocol": PROTOCOL_NAME,
        "major": PROTOCOL_MAJOR,
        "minor": PROTOCOL_MINOR,
        "python": platform.python_version(),
        "versions": versions,
        "limits": limits,
    }
