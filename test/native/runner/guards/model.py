"""The form of a row, and short ways to write the common ones."""

from __future__ import annotations

from dataclasses import dataclass

from mutants import Edit

ATTACK = "test_attacks::test_an_attack_is_contained"
SEALED = "test_sealed::"
ANY_TEST = "test_attacks::test_the_next_job_is_unharmed_after_all_of_them"


@dataclass(frozen=True)
class Guard:
    """One protection, and the test that fails at this level once the edits take it out.

    covers: the places in the code it stands for, as test_guards.py finds them (file.word).
    masks: take out what would cover for it. With those alone the test still passes, so that the
    protection is seen to hold by itself. closed: without it the level does not start at all, so
    that every test of the level fails. self_test: the copy keeps the self-test.
    """

    name: str
    level: str
    test: str
    edits: tuple[Edit, ...]
    covers: str = ""
    masks: tuple[Edit, ...] = ()
    closed: bool = False
    self_test: bool = False
    needs_root: bool = False


def attack(
    name: str, level: str, case: str, edit: Edit, covers: str = "", masks: tuple[Edit, ...] = ()
) -> Guard:
    """A protection that an attack of the corpus meets."""
    return Guard(name, level, f"{ATTACK}[{case}]", (edit,), covers, masks)


def sealed(
    name: str,
    level: str,
    test: str,
    edit: Edit,
    covers: str = "",
    masks: tuple[Edit, ...] = (),
    needs_root: bool = False,
) -> Guard:
    """A protection that is seen from outside, because others would cover for it."""
    return Guard(name, level, SEALED + test, (edit,), covers, masks, needs_root=needs_root)


def more_calls(*pairs: str) -> Edit:
    """More calls on the x86-64 allow list."""
    return "inside/syscalls.py", "read=0 ", "read=0 " + " ".join(pairs) + " "
