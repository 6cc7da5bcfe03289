"""Runs pytest files of the checkout it was started in, one request after another.

A request is `{"tests": [...]}` on a line of the input, what came of it is a line on descriptor 3.
PyTorch is imported once, here; each run is a fork, which imports the packages under test anew.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

# Before torch loads: as test/native/conftest.py has it. A changed source of the same size in the
# same second would be taken for the one that was compiled, so nothing is compiled.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = True

import numpy  # noqa: E402, F401
import pytest  # noqa: E402
import torch  # noqa: E402, F401

ANSWERS = 3


class Outcomes:
    """Counts what passed, and keeps the names of what did not."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []
        self.problem: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problem = str(report.longrepr).splitlines()[-1]


def run(root: Path, tests: list[str]) -> dict[str, Any]:
    found = Outcomes()
    options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not full"]
    status = pytest.main([*options, *(str(root / test) for test in tests)], plugins=[found])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        found.problem = found.problem or f"pytest ended with status {int(status)}"
    return {"passed": found.passed, "failed": found.failed, "problem": found.problem}


def main() -> None:
    root = Path.cwd()
    for line in sys.stdin:
        tests = json.loads(line)["tests"]
        child = os.fork()
        if child == 0:
            answer = run(root, tests)
            os.write(ANSWERS, (json.dumps(answer) + "\n").encode())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            answer = {"passed": 0, "failed": [], "problem": f"pytest ended with status {status}"}
            os.write(ANSWERS, (json.dumps(answer) + "\n").encode())


if __name__ == "__main__":
    main()
