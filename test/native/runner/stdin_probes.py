"""Ways to read standard input, and what two published judges let them read.

`stdin_table.json` holds what LiveCodeBench at 28fef95e and AZR's copy of it at a82124e gave each
of these programs on each of these inputs: what it printed, or the exception that ended it. It is
recorded again from checkouts of the two with

    python stdin_probes.py LIVECODEBENCH_CHECKOUT AZR_CHECKOUT
"""

from __future__ import annotations

import json
import sys
from multiprocessing import Process, Queue
from pathlib import Path

TABLE = Path(__file__).with_name("stdin_table.json")
INPUTS = ("", "1", "1\n", "1\n2", "1\n2\n", "1\n\n2\n", "\n1\n2\n", " 1 2 \n3\r\n\u0663\n")

_LOOP = "r = []\nfor line in {}: r.append(line)\nprint(repr(r))"
_UNTIL = "r = []\nline = {0}\nwhile line:\n    r.append(line)\n    line = {0}\nprint(repr(r))"
_CAUGHT = "r = []\ntry:\n    while True: r.append({})\nexcept {}: pass\nprint(repr(r))"
_VALUE = "print(repr({}))"
WAYS: dict[str, str] = {
    "input once": _VALUE.format("input()"),
    "input twice": _VALUE.format("(input(), input())"),
    "input three times": _VALUE.format("(input(), input(), input())"),
    "input to EOFError": _CAUGHT.format("input()", "EOFError"),
    "input to any end": _CAUGHT.format("input()", "Exception"),
    "prompted": _VALUE.format("input('n? ')"),
    "sys.stdin.read": "import sys\n" + _VALUE.format("sys.stdin.read()"),
    "sys.stdin.read twice": "import sys\n" + _VALUE.format("(sys.stdin.read(), sys.stdin.read())"),
    "sys.stdin.read of two": "import sys\n" + _VALUE.format("sys.stdin.read(2)"),
    "sys.stdin.readline": "import sys\n" + _VALUE.format("sys.stdin.readline()"),
    "sys.stdin.readline twice": "import sys\n"
    + _VALUE.format("(sys.stdin.readline(), sys.stdin.readline())"),
    "sys.stdin.readline of one": "import sys\n" + _VALUE.format("sys.stdin.readline(1)"),
    "sys.stdin.readline while true": "import sys\n" + _UNTIL.format("sys.stdin.readline()"),
    "iter of sys.stdin.readline": "import sys\n" + _VALUE.format('[*iter(sys.stdin.readline, "")]'),
    "sys.stdin.readlines": "import sys\n" + _VALUE.format("sys.stdin.readlines()"),
    "for in sys.stdin": "import sys\n" + _LOOP.format("sys.stdin"),
    "list of sys.stdin": "import sys\n" + _VALUE.format("list(sys.stdin)"),
    "next of sys.stdin": "import sys\n" + _VALUE.format("next(sys.stdin)"),
    "input = sys.stdin.readline": "import sys\ninput = sys.stdin.readline\n"
    + _VALUE.format("(input(), input())"),
    "input then sys.stdin.read": "import sys\n" + _VALUE.format("(input(), sys.stdin.read())"),
    "sys.stdin.readline then input": "import sys\n"
    + _VALUE.format("(sys.stdin.readline(), input())"),
    "buffer.read": "import sys\n" + _VALUE.format("sys.stdin.buffer.read()"),
    "buffer.readline twice": "import sys\n"
    + _VALUE.format("(sys.stdin.buffer.readline(), sys.stdin.buffer.readline())"),
    "buffer.readlines": "import sys\n" + _VALUE.format("sys.stdin.buffer.readlines()"),
    "for in buffer": "import sys\n" + _LOOP.format("sys.stdin.buffer"),
    "sys.stdin.fileno": "import os, sys\n" + _VALUE.format("os.read(sys.stdin.fileno(), 9)"),
    "from sys import stdin, read": "from sys import stdin\n" + _VALUE.format("stdin.read()"),
    "from sys import stdin, readline": "from sys import stdin\n"
    + _VALUE.format("(stdin.readline(), stdin.readline())"),
    "from sys import stdin, to the end": "from sys import stdin\n"
    + _CAUGHT.format("stdin.readline()", "StopIteration"),
    "from sys import stdin, readlines": "from sys import stdin\n"
    + _VALUE.format("stdin.readlines()"),
    "from sys import stdin, for": "from sys import stdin\n" + _LOOP.format("stdin"),
    "bare stdin": _VALUE.format("(stdin.readline(), stdin.read())"),
    "bare open": _VALUE.format("open(0).read()"),
    "builtins.open": "import builtins\n" + _VALUE.format("builtins.open(0).read()"),
    "builtins.open, lines": "import builtins\nfile = builtins.open(0)\n"
    "r = [file.readline(), *file]\nagain = builtins.open(0)\n"
    + _VALUE.format("(r, again is file, file.readlines())"),
}


def _recorded(checkout: str, queue: Queue[dict[str, list[str]]]) -> None:
    """In a process of its own, as the original has it: its standard input is empty."""
    sys.path.insert(0, checkout)
    from lcb_runner.evaluation import testing_util as judge

    table = {}
    for name, program in WAYS.items():
        made = judge.compile_code(judge.make_function(judge.clean_if_name(program)), 9)
        table[name] = [_outcome(judge, made.wrapped_function, text) for text in INPUTS]
    queue.put(table)


def _outcome(judge: object, program: object, text: str) -> str:
    with judge.Capturing() as printed:
        try:
            judge.call_method(program, text)
        except Exception as error:  # noqa: BLE001 - as the judge does
            return type(error).__name__
    return printed[0]


def record(livecodebench: str, azr: str) -> None:
    tables = {}
    for judge, checkout in (
        ("livecodebench", livecodebench),
        ("azr", f"{azr}/evaluation/code_eval/coding/LiveCodeBench"),
    ):
        queue: Queue[dict[str, list[str]]] = Queue()
        process = Process(target=_recorded, args=(checkout, queue))
        process.start()
        tables[judge] = queue.get()
        process.join()
    TABLE.write_text(json.dumps(tables, indent=1) + "\n")


if __name__ == "__main__":
    record(*sys.argv[1:])
