"""The trainer's process with one fault in it, chosen by name; everything else is the real one.

python faulty_trainer.py FAULT
"""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import sys
import time

from anchor_trainer import process_guard

descriptor = process_guard.take_standard_output()
process_guard.fix_environment()
process_guard.die_with_parent()

import torch  # noqa: E402

from anchor_trainer import server  # noqa: E402
from anchor_trainer.training import update as update_module  # noqa: E402

METHODS = server.METHODS


def instead(name: str, action):
    """Calls `action` with the real handler and its arguments whenever the method is asked."""
    method = METHODS[name]
    METHODS[name] = dataclasses.replace(
        method, handler=lambda *given: action(method.handler, *given)
    )


def raising(error: Exception):
    def action(real, *given):
        raise error

    return action


def doing(deed):
    def action(real, *given):
        deed()
        return real(*given)

    return action


def write_raw(data: bytes) -> None:
    time.sleep(0.2)  # what the writer still holds goes first
    os.write(descriptor, data)


def hang() -> None:
    while True:  # heartbeats come from another thread and go on
        time.sleep(1)


def not_finite() -> None:
    real = update_module.token_loss
    update_module.token_loss = lambda *given: real(*given) * math.nan


def gradients_explode() -> None:
    real = update_module.token_loss
    update_module.token_loss = lambda *given: real(*given) * math.inf


def lose_a_field() -> None:
    def action(real, *given):
        finish = real(*given)

        def without_version():
            result = finish()
            del result["version"]
            return result

        return without_version

    instead("save", action)


def answer_twice() -> None:
    def action(real, session, params, request_id):
        result = real(session, params, request_id)
        session.writer.result(request_id, result)
        return result

    instead("update", action)


cpu_out_of_memory = RuntimeError(
    "[enforce fail at alloc_cpu.cpp:121] . DefaultCPUAllocator: can't allocate memory"
)
FAULTS = {
    "oom-in-update": lambda: instead("update", raising(torch.OutOfMemoryError("tried 9 GiB"))),
    "memory-error": lambda: instead("generate", raising(MemoryError())),
    "cpu-allocation": lambda: instead("update", raising(cpu_out_of_memory)),
    "killed-for-memory": lambda: instead(
        "update", doing(lambda: os.kill(os.getpid(), signal.SIGKILL))
    ),
    "crashes": lambda: instead("update", doing(lambda: os.kill(os.getpid(), signal.SIGSEGV))),
    "not-finite": not_finite,
    "gradients-explode": gradients_explode,
    "surprise": lambda: instead("update", raising(ZeroDivisionError("division by zero"))),
    "garbage-line": lambda: instead("update", doing(lambda: write_raw(b"loss: nan??\n"))),
    "half-line": lambda: instead(
        "update", doing(lambda: (write_raw(b'{"jsonrpc": "2.0", "id'), os._exit(0)))
    ),
    "exits": lambda: instead("save", doing(lambda: os._exit(0))),
    "closes-its-output": lambda: instead("update", doing(lambda: os.close(descriptor))),
    "hangs": lambda: instead("update", doing(hang)),
    "loses-a-field": lose_a_field,
    "answers-twice": answer_twice,
    "prints": lambda: instead("update", doing(lambda: print("x" * 100_000))),
    "never-starts": lambda: sys.exit("no such module"),
}

FAULTS[sys.argv[1]]()
raise SystemExit(server.serve(descriptor))
