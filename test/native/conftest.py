"""Makes the Python packages of native/ importable and keeps numerics on one thread."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"

for package in ("trainer", "grader", "verify"):
    sys.path.insert(0, str(NATIVE / package))
# Set before torch or numpy load: one thread is what makes CPU results repeatable, and the machine
# is shared.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from anchor_trainer import process_guard  # noqa: E402

process_guard.fix_environment()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full: left to `npm run test:full`")
