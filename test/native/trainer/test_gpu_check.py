"""The check for graphics cards, tried in small on a CPU: that its parts run, not what they say."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from trainer_process import CHECKOUT, environment

CHECK = CHECKOUT / "test" / "peers" / "gpu_check" / "check.py"


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHECK), *args],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=CHECKOUT,
    )


@pytest.mark.full
def test_every_part_gives_figures_and_a_finished_one_is_not_taken_again(tmp_path):
    out = tmp_path / "figures.json"
    small = ("--device", "cpu", "--shrink", "64", "--out", str(out))
    first = run(*small, "--part", "parity")
    assert first.returncode == 0, first.stderr
    begun = json.loads(out.read_text())["parts"]
    done = run(*small)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = json.loads(out.read_text())["parts"]
    assert parts["parity"] == begun["parity"]
    assert list(parts) == ["parity", "mismatch", "memory", "decoding", "training", "step"]
    for name, part in parts.items():
        assert part["failed"] is None
        assert part["figures"], name
    # A trial says nothing of speed, so no goal of speed is judged by it.
    speed = [one for name in ("decoding", "training", "step") for one in parts[name]["figures"]]
    assert {one["met"] for one in speed} == {None}
    cosine = next(one for one in parts["parity"]["figures"] if "cosine" in one["what"])
    assert 0.999 < cosine["value"] <= 1.0001


@pytest.mark.full
@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--device", "cpu"), "on a CPU the parts can only be tried"),
        (("--shrink", "0", "--device", "cpu"), "--shrink takes a whole number from 1"),
        (("--part", "everything"), "invalid choice"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(args, sentence):
    refused = run(*args)
    assert refused.returncode == 2
    assert sentence in refused.stderr
