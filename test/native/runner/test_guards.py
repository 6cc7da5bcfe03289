"""Every protection can be missed: taken out of a copy of the runner, a test of this folder fails.

guards/ holds the table, one row per protection with the test that notices its absence.
"""

from __future__ import annotations

import os
import platform
import re
from collections import Counter
from pathlib import Path

import pytest

from guards import GUARDS, NOT_GUARDS
from guards.model import Guard
from mutants import RUNNER, NamedTest, NotSeen, Refuses, copy_runner, run_named

_WORDS = {
    "jail": r"(?:resource|kernel)\.(RLIMIT_\w+|CLONE_NEW\w+|MS_\w+)|\b(size=|nr_inodes=)",
    "launch": r'"(--[a-z][\w-]*|-[A-Za-z])"',
    "driver": r"^    (_exit)\(",
    "landlock": r"abi >= (\d) else 0|\((\d), 1\d\)",
    "seccomp": r'^        "(\w+)": _|"(clock_\w+)"|"(get\w+|sched_\w+)": \d',
}
_CONSTANTS = r"^((?:MAX_\w+|\w+_BYTES))\s*="
_CALLS = (
    r"\b(die_with_parent|drop_capabilities|landlock_restrict|install_filter|closerange|setsid"
    r"|environ\.clear|madvise|check_frame|_set_trace|_set_profile|_set_recursion_limit)"
    r"\(|kernel\.(PR_SET_\w+)"
)


# All of them take minutes: `npm test` asks a few of every table, `npm run test:full` the others.
EVERY = 40
SAMPLED = [
    pytest.param(guard, marks=() if index % EVERY == 0 else pytest.mark.full)
    for index, guard in enumerate(GUARDS)
]


def protections_in_the_code() -> set[str]:
    """Every place that protects something, as file.word; .2 and so on where it comes again."""
    found: Counter[str] = Counter()
    for path in sorted(RUNNER.rglob("*.py")):
        text = re.sub(r'^\s*(def |#).*$|"""(?:.|\n)*?"""', "", path.read_text(), flags=re.M)
        calls = "" if path.stem in ("kernel", "boot") else _CALLS
        for pattern in filter(None, (_WORDS.get(path.stem), _CONSTANTS, calls)):
            for match in re.finditer(pattern, text, re.M):
                word = next(group for group in match.groups() if group)
                found[f"{path.stem}.{word}"] += 1
    return {
        name if index == 0 else f"{name}.{index + 1}"
        for name, count in found.items()
        for index in range(count)
    }


def test_every_protection_in_the_code_has_a_row_and_every_row_a_protection() -> None:
    listed = [word for guard in GUARDS for word in guard.covers.split()] + list(NOT_GUARDS)
    found = protections_in_the_code()
    assert not found - set(listed), "a protection without a row in guards/"
    assert not set(listed) - found, "a row for what is not there any more"
    assert len(listed) == len(set(listed)), "two rows for one place"


def test_no_two_rows_have_one_name(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nprotections with a mutation check: {len(GUARDS)}")
    assert len({guard.name for guard in GUARDS}) == len(GUARDS) >= 100


def test_every_row_finds_what_it_takes_out() -> None:
    texts = {str(path.relative_to(RUNNER)): path.read_text() for path in RUNNER.rglob("*.py")}
    edits = [(guard.name, edit) for guard in GUARDS for edit in (*guard.masks, *guard.edits)]
    assert [(name, old) for name, (file, old, _) in edits if old not in texts[file]] == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the rows name x86-64 calls")
@pytest.mark.parametrize("guard", SAMPLED, ids=lambda guard: guard.name)
def test_without_it_the_named_test_fails(tmp_path: Path, guard: Guard) -> None:
    if guard.needs_root and os.geteuid() != 0:
        pytest.skip("only root changes who a program runs as")
    try:
        take_it_out(tmp_path, guard)
    except NotSeen as skipped:
        assert os.geteuid() != 0, f"{guard.test} was skipped: {skipped}"
        pytest.skip(str(skipped))


def take_it_out(tmp_path: Path, guard: Guard) -> None:
    """AssertionError when the named test passes without the protection, or fails with it."""
    named = NamedTest.read(guard.test)
    keep = guard.self_test
    if guard.masks:
        alone = copy_runner(tmp_path, guard.masks, keep)
        assert run_named(named, guard.level, alone, True) is None, "it does not hold by itself"
    weakened = copy_runner(tmp_path, (*guard.masks, *guard.edits), keep)
    try:
        noticed = run_named(named, guard.level, weakened, False)
    except Refuses:
        assert guard.closed, "the level does not start, so the test says nothing"
        return
    assert noticed is not None, f"{guard.test} does not notice that this is gone"
    assert not guard.closed, "the level starts without it"
    print(f"{guard.name}: {guard.test}: {noticed.splitlines()[0][:150]}")
