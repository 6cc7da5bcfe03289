"""Runs one program in an already sealed process and reports each call as soon as it is known.

Report lines on descriptor 3, ASCII JSON, one per line:
  {"module": null | {"type", "line"?}}                    the module body ended, or failed
  {"call": k, "pass": p, "value": frame}                  call k returned
  {"call": k, "pass": p, "error": {"type", "line"?}}      call k raised
  {"end": true}                                           nothing else will follow
The program shares this process and can write such lines itself. That is by design harmless: the
expected answers are not here, so a forged line is a wrong answer, or a break of the order that the
host checks. A nonce would not help, since a program can read it from our frames.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

from inside.clock import shift_clock
from inside.decode import decode_frame
from inside.encode import encode_frame

REPORT_FD = 3
PROGRAM_NAME = "<program>"

_write, _exit = os.write, os._exit
_type, _isinstance, _get_name = type, isinstance, type.__dict__["__name__"].__get__
_memory_error = MemoryError
_set_trace, _set_profile, _set_recursion_limit = sys.settrace, sys.setprofile, sys.setrecursionlimit
_recursion_limit = sys.getrecursionlimit
_encode, _decode, _compile, _exec, _eval = encode_frame, decode_frame, compile, exec, eval
_REPORT_RECURSION = 1_000  # frames of 64 levels need about 200


def send_line(text: str) -> None:
    """Write one report line; the pipe blocks, so a slow reader slows only this job."""
    data = text.encode("ascii", "replace") + b"\n"
    while data:
        data = data[_write(REPORT_FD, data) :]


def describe_error(error: BaseException) -> str:
    """Type name and line of the program as JSON. The host sanitises the name again. own: a class
    that is called MemoryError and is not."""
    name = "".join(c for c in _get_name(_type(error)) if c.isascii() and (c.isalnum() or c == "_"))
    line = 0
    found: Any = error
    if _isinstance(found, SyntaxError) and found.filename == PROGRAM_NAME:
        line = found.lineno or 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PROGRAM_NAME:
            line = trace.tb_lineno or line
        trace = trace.tb_next
    own = ',"own":true' if name == "MemoryError" and _type(error) is not _memory_error else ""
    return '{"type":"%s"%s%s}' % (name[:80], ',"line":%d' % line if line > 0 else "", own)


def _restore_interpreter() -> None:
    """Undo what a program may have set that would run in, or starve, the code that reports."""
    _set_trace(None)
    _set_profile(None)
    if _recursion_limit() < _REPORT_RECURSION:  # a higher one is the program's to keep
        _set_recursion_limit(_REPORT_RECURSION)


def _load_program(job: dict[str, Any]) -> types.ModuleType | None:
    """Run the module body; None (after reporting) when it failed."""
    name = "__main__" if job.get("main") else "program"
    module = types.ModuleType(name)
    sys.modules["__main__"] = sys.modules[name] = module
    try:
        _exec(_compile(job["program"], PROGRAM_NAME, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as leaving:
        # A script may end itself; a module that a function is wanted from may not.
        if not (job.get("main") and leaving.code in (None, 0)):
            _fail_module(leaving)
            return None
    except BaseException as error:  # noqa: BLE001 - a program raises what it likes
        _fail_module(error)
        return None
    _restore_interpreter()
    send_line('{"module":null}')
    return module


def _fail_module(error: BaseException) -> None:
    _restore_interpreter()
    send_line('{"module":%s}' % describe_error(error))


def _one_call(job: dict[str, Any], call: dict[str, Any], namespace: dict[str, Any]) -> str:
    if "expression" in call:
        source = _compile(call["expression"], "<expression>", "eval", dont_inherit=True)
        return _encode(_eval(source, namespace))
    arguments = [_decode(frame) for frame in call["args"]]
    named = {key: _decode(frame) for key, frame in call.get("kwargs", {}).items()}
    value = namespace[job["entry"]](*arguments, **named)
    _set_trace(None)  # here and not by a call: a trace function of the program would see the call
    return _encode(value)


def run_program(job: dict[str, Any]) -> None:
    """Everything a 'run' job asks for, then leave without giving the program another moment:
    threads, exit handlers and finalizers of the program never run."""
    if job.get("shiftClock"):
        shift_clock()
    output = sys.stdout
    module = _load_program(job)
    if module is not None:
        _run_calls(job, module.__dict__)
    try:
        output.flush()
    except BaseException:  # noqa: BLE001 - closed or broken by the program
        pass  # what it printed is lost, its answers are not
    send_line('{"end":true}')
    _exit(0)


def _run_calls(job: dict[str, Any], namespace: dict[str, Any]) -> None:
    for turn in range(job["passes"]):
        for index, call in enumerate(job["calls"]):
            head = '{"call":%d,"pass":%d,' % (index, turn)
            try:
                text = _one_call(job, call, namespace)
            except BaseException as error:  # noqa: BLE001 - a program raises what it likes
                _restore_interpreter()
                send_line('%s"error":%s}' % (head, describe_error(error)))
                if job.get("stopOnError"):
                    return
            else:
                _restore_interpreter()
                send_line('%s"value":%s}' % (head, text))
