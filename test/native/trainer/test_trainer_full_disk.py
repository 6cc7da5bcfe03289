"""A full disk costs one request: a sentence, nothing half-written, nothing applied twice."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess

import pytest

from trainer_process import TrainerProcess, prompts


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 800 kB, or None where this user may not mount one."""
    mount = tmp_path / "small"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=800k", "tmpfs", str(mount)]
    mounted = (
        os.geteuid() == 0
        and shutil.which("mount") is not None
        and subprocess.run(command, capture_output=True).returncode == 0
    )
    yield mount if mounted else None
    if mounted:
        subprocess.run(["umount", "-l", str(mount)], check=True)


@pytest.fixture(scope="module")
def trainer():
    one = TrainerProcess()
    yield one
    one.close()


def says_disk_full(error):
    assert error.kind == "diskFull" and error.data["retryable"]
    assert error.message.startswith("The disk is full: ")
    assert "nothing was left half-written" in error.message


def test_a_checkpoint_or_export_that_does_not_fit_leaves_no_trace(
    trainer, models, small_disk, tmp_path
):
    if small_disk is None:
        pytest.skip("a small file system can only be mounted as root; see the next test")
    trainer.hello(tmp_path / "run")
    trainer.load(models("qwen2-gqa"))
    # Weights need 0.33 MB and moments 0.67 MB: the first file fits, the second does not.
    says_disk_full(trainer.fails("save", dir=str(small_disk / "checkpoint")))
    assert list(small_disk.iterdir()) == []
    (small_disk / "filler").write_bytes(b"\0" * 700_000)
    export = {"format": "gguf", "quant": "f32", "file": str(small_disk / "policy.gguf")}
    says_disk_full(trainer.fails("export", **export))
    assert [path.name for path in small_disk.iterdir()] == ["filler"]
    assert trainer.call("save", dir=str(tmp_path / "roomy"))["version"] == 0


def test_a_write_beyond_a_size_limit_is_a_full_disk_too(models, start, tmp_path):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    trainer = start(preexec_fn=limit)
    trainer.hello(tmp_path / "run")
    trainer.load(models("qwen2-gqa"))
    says_disk_full(trainer.fails("save", dir=str(tmp_path / "checkpoint")))
    assert [path.name for path in tmp_path.iterdir() if "checkpoint" in path.name] == []


def test_an_update_whose_journal_line_found_no_room_is_applied_once(
    trainer, models, small_disk, tmp_path
):
    if small_disk is None:
        pytest.skip("a small file system can only be mounted as root")
    trainer.hello(tmp_path / "undisturbed")
    trainer.load(models("qwen2-gqa"))
    trainer.update("s0/update", 0, trainer.generate("s0/w1", prompts(4)))
    expected = trainer.weights(tmp_path / "expected")

    trainer.hello(small_disk / "run")
    trainer.load(models("qwen2-gqa"))
    rollouts = trainer.generate("s0/w1", prompts(4))
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space left"):
        filler.write_bytes(b"\0" * 2_000_000)
    items = [
        {"rolloutId": one["rolloutId"], "advantage": 1.0 if at % 2 else -0.5}
        for at, one in enumerate(rollouts)
    ]
    request = {"opId": "s0/update", "expectVersion": 0, "items": items, "loss": {"kind": "pg-clip"}}
    request["loss"] |= {"clipLow": 0.2, "clipHigh": 0.28}
    says_disk_full(trainer.fails("update", **request))
    assert (small_disk / "run" / "journal.jsonl").read_bytes() == b""
    filler.unlink()
    assert trainer.call("update", **request)["version"] == 1
    assert trainer.weights(tmp_path / "after") == expected
    assert len((small_disk / "run" / "journal.jsonl").read_text().splitlines()) == 1
