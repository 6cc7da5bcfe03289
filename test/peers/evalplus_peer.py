"""Runs EvalPlus reference solutions without any sandbox, one task after the other in one process.

Usage: evalplus_peer.py HumanEvalPlus.jsonl[.gz]. First computes the expected outputs of every task;
then answers each line of task ids (JSON list) with the seconds that executing their programs on
all inputs and comparing took, as {"wall", "cpu", "passed"}.
"""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
import sys
import time


def outputs(task: dict) -> list:
    """What the reference returns for every input, of base and plus."""
    results = []
    for part in ("base_input", "plus_input"):
        namespace: dict = {}
        exec(task["prompt"] + task["canonical_solution"], namespace)
        function = namespace[task["entry_point"]]
        results.append([function(*copy.deepcopy(given)) for given in task[part]])
    return results


def grade(task: dict, expected: list, inputs: tuple[list, list]) -> bool:
    for given, wanted in zip(inputs, expected, strict=True):
        namespace: dict = {}
        exec(task["prompt"] + task["canonical_solution"], namespace)
        function = namespace[task["entry_point"]]
        for arguments, answer in zip(given, wanted, strict=True):
            out = function(*arguments)
            if out != answer and not (isinstance(answer, float) and abs(out - answer) < 1e-6):
                return False
    return True


def main() -> None:
    open_file = gzip.open if sys.argv[1].endswith(".gz") else open
    with open_file(sys.argv[1], "rt") as file:
        tasks = {task["task_id"]: task for task in map(json.loads, file)}
    talk = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        expected = {name: outputs(task) for name, task in tasks.items()}
    print("ready", file=talk, flush=True)
    for line in sys.stdin:
        names = json.loads(line)
        fresh = {
            name: copy.deepcopy((tasks[name]["base_input"], tasks[name]["plus_input"]))
            for name in names
        }
        wall, cpu = time.perf_counter(), time.process_time()
        with contextlib.redirect_stdout(sys.stderr):
            passed = sum(grade(tasks[name], expected[name], fresh[name]) for name in names)
        told = {
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "passed": passed,
        }
        print(json.dumps(told), file=talk, flush=True)


if __name__ == "__main__":
    main()
