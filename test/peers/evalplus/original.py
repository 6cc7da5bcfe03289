"""Grades programs with the published package evalplus, in its own environment.

Usage: original.py CACHE_FOLDER LEAST_SECONDS FACTOR, with HUMANEVAL_OVERRIDE_PATH and
MBPP_OVERRIDE_PATH set. Reads all programs of mutants.py from standard input, one JSON a line;
prints {"ready": version} once the expected outputs are known, then {"id", "base", "plus",
"seconds"} for each. The package's own functions do all of it.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import time
import types

os.environ["XDG_CACHE_HOME"] = sys.argv[1]
# Imported by the package at its top for generating answers and for another benchmark; not called.
for name, members in {"datasets": ["load_dataset"], "evalplus.codegen": ["run_codegen"]}.items():
    stand_in = types.ModuleType(name)
    for member in members:
        setattr(stand_in, member, None)
    sys.modules[name] = stand_in

from evalplus.data import (  # noqa: E402
    get_human_eval_plus,
    get_human_eval_plus_hash,
    get_mbpp_plus,
    get_mbpp_plus_hash,
)
from evalplus.eval._special_oracle import MBPP_OUTPUT_NOT_NONE_TASKS  # noqa: E402
from evalplus.evaluate import check_correctness, get_groundtruth  # noqa: E402


def main() -> None:
    talk, sys.stdout = sys.stdout, sys.stderr
    least, factor = float(sys.argv[2]), float(sys.argv[3])
    programs = [json.loads(line) for line in sys.stdin]
    readers = {
        "humaneval": (get_human_eval_plus, get_human_eval_plus_hash, []),
        "mbpp": (get_mbpp_plus, get_mbpp_plus_hash, MBPP_OUTPUT_NOT_NONE_TASKS),
    }
    problems, expected = {}, {}
    for dataset in {row["dataset"] for row in programs}:
        read, hash_of, not_none = readers[dataset]
        wanted = {row["task"] for row in programs}
        chosen = {name: task for name, task in read().items() if name in wanted}
        problems.update(chosen)
        expected.update(get_groundtruth(chosen, f"{hash_of()}-{len(chosen)}", not_none))
    print(json.dumps({"ready": importlib.metadata.version("evalplus")}), file=talk, flush=True)
    for row in programs:
        began = time.perf_counter()
        verdict = check_correctness(
            row["dataset"],
            0,
            problems[row["task"]],
            row["program"],
            expected[row["task"]],
            fast_check=True,
            min_time_limit=least,
            gt_time_limit_factor=factor,
        )
        told = {
            "id": row["id"],
            "base": verdict["base"][0],
            "plus": verdict["plus"][0],
            "seconds": time.perf_counter() - began,
        }
        print(json.dumps(told), file=talk, flush=True)


if __name__ == "__main__":
    main()
