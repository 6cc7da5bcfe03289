"""Runs one graded program in an already sealed process: every test in turn, each told at once.

Report lines on descriptor 3, ASCII JSON, one per line:
  {"module": null | {"type", "line"?}}
  {"call": k, "value": frame, "seconds": s}            also with "also": frame | null where asked
  {"call": k, "error": {"type", "line"?}, "seconds": s}
  the last two with "running": true where a thread was started that the call did not wait for, and
  a value with "telling": s where telling it took more than a tenth of a second
  {"end": true}
As for any job the expected answers are not here, so a forged line is only a wrong answer.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from json.encoder import encode_basestring_ascii as _quote
from typing import Any

from inside.driver import _restore_interpreter, describe_error, send_line
from inside.grading.packages import allow_packages
from inside.grading.programs import Call, Prepare, load_function, load_method, load_script
from inside.grading.threads import watch_threads
from inside.grading.values import observe
from inside.grading.withheld import withhold

_exit, _processor_time, _observe = os._exit, time.process_time, observe
_RUNNING = ("", ',"running":true')
_TELLING_S = 0.1
_in_time = [False]  # whether the program is running, so that an alarm is for it


class TimeoutException(Exception):
    """The call has had its time. Benchmarks know the exception by this name."""


def _ring(*_: object) -> None:
    if _in_time[0]:
        raise TimeoutException()


def _be_quiet() -> None:
    """What a graded program prints is nobody's answer: it must cost nothing and reach nothing."""
    nowhere = os.open("/dev/null", os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _load(job: dict[str, Any]) -> tuple[Call, Prepare] | None:
    """What to call and how its arguments are made; None (after reporting) when there is nothing."""
    try:
        _in_time[0] = True
        if job["mode"] == "function":
            loaded = load_function(job["program"], job["entry"])
        elif job["mode"] == "method":
            loaded = load_method(job["program"], job["entry"])
        else:
            loaded = load_script(job["program"], job["stdinKind"])
        _in_time[0] = False
    except BaseException as error:  # noqa: BLE001 - a program raises what it likes
        _in_time[0] = False
        _restore_interpreter()
        send_line('{"module":%s}' % describe_error(error))
        return None
    _restore_interpreter()
    send_line('{"module":null}')
    return loaded


def _also(job: dict[str, Any], value: Any, arguments: list[Any]) -> str:
    """A second thing to tell of a call: the arguments after it, or the value taken as a set."""
    if job["also"] == "arguments":
        return ',"also":%s' % _observe(arguments)
    if job["also"] == "set":
        try:
            return ',"also":%s' % _observe({*value})
        except TypeError:
            return ',"also":null'
    return ""


def _text(value: str) -> str:
    """What a script printed, whole: lines are compared, so a digest would not do."""
    return '["s",%s]' % _quote(value)


def grade_program(job: dict[str, Any]) -> None:
    """Everything a 'grade' job asks for, then leave without giving the program another moment."""
    signal.signal(signal.SIGALRM, _ring)
    allow_packages()
    _be_quiet()
    left_running = watch_threads(job["program"])
    withhold(job["withheld"], job["program"])
    loaded = _load(job)
    if loaded is not None:
        _grade_calls(job, *loaded, left_running)
    send_line('{"end":true}')
    _exit(0)


def _grade_calls(
    job: dict[str, Any], call: Call, prepare: Prepare, left_running: Callable[[], bool]
) -> None:
    show: Callable[[Any], str] = _text if job["mode"] == "script" else _observe
    for index, test in enumerate(job["calls"]):
        began = _processor_time()
        try:
            arguments = prepare(test)
            _in_time[0] = True
            began = _processor_time()
            value = call(arguments)
            _in_time[0] = False  # telling a large value is not the program's time
            ended = _processor_time()
            spent = ended - began
            running = left_running()
            told = '"value":%s%s' % (show(value), _also(job, value, arguments))
            telling = _processor_time() - ended
        except BaseException as error:  # noqa: BLE001 - a program raises what it likes
            _in_time[0] = False
            spent = _processor_time() - began
            _restore_interpreter()
            told = '"error":%s%s' % (describe_error(error), _RUNNING[left_running()])
            send_line('{"call":%d,%s,"seconds":%.6f}' % (index, told, spent))
            if job["stopOnError"]:
                return
        else:
            _restore_interpreter()
            told += _RUNNING[running]
            if telling > _TELLING_S:
                told += ',"telling":%.6f' % telling
            send_line('{"call":%d,%s,"seconds":%.6f}' % (index, told, spent))
