"""A sandbox with a hole is found by the self-test, and then nothing is executed.

Each case copies the runner, takes one protection out of the copy, and starts it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from client import RUNNER, Broker, Refused

NO_FILTER = ("inside/jail.py", "kernel.install_filter(build_filter(machine, os.getpid()))", "pass")
NO_LANDLOCK = ("inside/jail.py", "kernel.landlock_restrict(ruleset)", "pass")
NO_MEMORY_LIMIT = ("inside/jail.py", "(resource.RLIMIT_AS, memory),", "")
NO_SCOPE = ("inside/landlock.py", "scoped = 3 if abi >= 6 else 0", "scoped = 0")
NO_TCP_RULES = ("inside/landlock.py", "network = 3 if abi >= 4 else 0", "network = 0")
OLD_TMP = ("inside/jail.py", 'kernel.mount("tmpfs", "/tmp", "tmpfs", quiet, TMP_OPTIONS)', "pass")
HOST_TMP = ("host/launch.py", '"--tmpfs", "/tmp"', '"--bind", "/tmp", "/tmp"')
ANY_CLONE = ("inside/seccomp.py", '"clone": _threads_only()', '"clone": _return(_ALLOW)')
ANY_KILL = ("inside/seccomp.py", '"kill": _one_of(0, (own_pid,))', '"kill": _return(_ALLOW)')


def allow(*calls: str) -> tuple[str, str, str]:
    """Put more calls on the x86-64 allow list."""
    return "inside/syscalls.py", "read=0 ", "read=0 " + " ".join(calls) + " "


SABOTAGE = {
    "noFilterL3": ("L3", [NO_FILTER], {"fork"}),
    "noFilterL2": ("L2", [NO_FILTER], {"fork", "chmod", "unshare", "ptrace"}),
    "noLandlock": ("L2", [NO_LANDLOCK], {"readCanary", "writeCanary", "hostRoot"}),
    "noMemoryLimitL3": ("L3", [NO_MEMORY_LIMIT], {"memory"}),
    "noMemoryLimitL2": ("L2", [NO_MEMORY_LIMIT], {"memory"}),
    "anyCloneL3": ("L3", [ANY_CLONE], {"fork"}),
    "anyKill": ("L2", [ANY_KILL, NO_SCOPE], {"kill"}),
    "execAllowed": ("L3", [allow("execve=59")], {"exec"}),
    "ptraceAllowed": ("L3", [allow("ptrace=101")], {"ptrace"}),
    "chmodAllowed": ("L2", [allow("chmod=90")], {"chmod"}),
    "unshareAllowed": ("L3", [allow("unshare=272")], {"unshare"}),
    "socketsAllowed": (
        "L2",
        [allow("socket=41", "connect=42"), NO_SCOPE, NO_TCP_RULES],
        {"connect", "abstractSocket"},
    ),
    "hostTmpShown": ("L3", [OLD_TMP, HOST_TMP], {"readCanary", "writeCanary"}),
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the sabotage edits the x86-64 table")
@pytest.mark.parametrize("name", SABOTAGE)
def test_a_hole_disables_execution(tmp_path: Path, name: str) -> None:
    level, edits, expected = SABOTAGE[name]
    runner = tmp_path / "runner"
    shutil.copytree(RUNNER, runner, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new in edits:
        text = (runner / file).read_text()
        assert old in text, f"{file} no longer holds what this case takes out"
        (runner / file).write_text(text.replace(old, new, 1))
    broker = Broker(runner)
    hello = broker.ask("hello", level=level, workers=1, hashSeeds=[0])
    failed = {probe["probe"] for probe in hello["selfTest"] if not probe["ok"]}
    assert expected <= failed and not hello["executionAllowed"]
    assert all(probe in hello["why"] for probe in failed)
    for verb in ({"op": "run", "program": ""}, {"op": "parse", "program": ""}):
        with pytest.raises(Refused) as refused:
            broker.ask(**verb)
        assert refused.value.kind == "executionDisabled"
    broker.close()


def test_every_probe_is_shown_to_be_able_to_fail() -> None:
    from host.probes import PROBES

    assert set().union(*(expected for _, _, expected in SABOTAGE.values())) == set(PROBES)


def test_the_intact_sandbox_passes_all_twelve(level: str) -> None:
    broker = Broker()
    hello = broker.ask("hello", level=level, workers=1, hashSeeds=[0])
    assert [probe["ok"] for probe in hello["selfTest"]] == [True] * 12, hello["why"]
    broker.close()


def test_without_bubblewrap_l3_is_refused_with_the_command_to_install_it() -> None:
    broker = Broker(environment={"PATH": "/nonexistent"})
    hello = broker.ask("hello", level="L3")
    assert not hello["executionAllowed"] and "apt-get install -y bubblewrap" in hello["why"]
    with pytest.raises(Refused, match="apt-get install -y bubblewrap"):
        broker.run("def f(): return 1")
    broker.close()


def test_auto_falls_back_to_l2_and_says_why() -> None:
    broker = Broker(environment={"PATH": "/nonexistent"})
    hello = broker.ask("hello", level="auto", workers=1, hashSeeds=[0])
    assert (hello["level"], hello["executionAllowed"]) == ("L2", True)
    assert "bubblewrap is not installed" in hello["why"]
    assert broker.run("def f(): return 1")["level"] == "L2"
    broker.close()


def test_only_folders_of_dead_self_tests_are_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from host import selftest

    monkeypatch.setattr(selftest.tempfile, "tempdir", str(tmp_path))
    dead = "anchor-selftest-4194305-abc"  # one more than the kernel's largest process number
    kept = {f"anchor-selftest-{os.getpid()}-abc", "anchor-selftest-notes", "anchor-probe-5xrBmH"}
    for name in {dead, *kept}:
        (tmp_path / name).mkdir()
    with selftest.Bait() as bait:
        assert {path.name for path in tmp_path.iterdir()} == {*kept, bait.folder.name}
    assert {path.name for path in tmp_path.iterdir()} == kept
