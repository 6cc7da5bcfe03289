"""Graded jobs: their time, what they may write, and how their bytes are read."""

from __future__ import annotations

from guards.model import Guard
from mutants import Edit

_TIMER, _CALLS, _VALUES = (
    f"inside/grading/{name}.py" for name in ("call_timer", "calls", "values")
)
_REQUESTS, _READING = "host/grading/requests.py", "host/grading/reports.py"
_BROKEN = "test_grading::test_no_broken_report_is_whole"
_TYPES = "test_grading_values::test_a_value_of_another_type_is_told_as_what_it_compares_as"


def _graded(name: str, test: str, *edits: Edit) -> Guard:
    return Guard(name, "L3", test if "::" in test else f"test_grading::{test}", edits)


GRADING: tuple[Guard, ...] = (
    _graded(
        "a call's own time",
        "test_a_call_has_its_own_time_and_the_next_ones_go_on",
        (_TIMER, "os.kill(self._pid, signal.SIGALRM)", "pass"),
    ),
    _graded(
        "sleeping counts",
        "test_sleeping_takes_time_as_working_does",
        (_TIMER, "os.kill(self._pid, signal.SIGALRM)", "pass"),
    ),
    _graded(
        "late reports do not count",
        "test_a_report_that_comes_long_after_its_limit_is_a_timeout[alarmIgnored]",
        (_TIMER, "self.late.append((self._lines, self._spent() - allowed))", "pass"),
    ),
    _graded(
        "a digest excuses its own telling only",
        "test_a_digest_excuses_what_telling_it_took_and_seconds_at_most[honest]",
        (_READING, "min(seconds, _MAX_TELLING_S) if digests", "99.0 if digests"),
    ),
    _graded(
        "a digest excuses seconds at most",
        "test_a_digest_excuses_what_telling_it_took_and_seconds_at_most[forgedForLonger]",
        (_READING, "min(seconds, _MAX_TELLING_S)", "seconds"),
    ),
    _graded(
        "only a digest takes time to tell",
        "test_a_digest_excuses_what_telling_it_took_and_seconds_at_most[forgedForSmall]",
        (_READING, "if digests else None", ""),
    ),
    _graded(
        "a late body leaves nothing",
        "test_a_body_that_ignores_its_alarm_leaves_nothing_to_call",
        (_READING, "if 0 in outcome.late and body is not None:", "if False:"),
    ),
    _graded(
        "only a bell is a time-out",
        "test_a_class_that_takes_a_name_is_told_as_an_error",
        (
            _READING,
            'error["type"] == "TimeoutException" and alarmed',
            'error["type"] == "TimeoutException"',
        ),
    ),
    _graded(
        "only Python's MemoryError is one",
        "test_a_class_that_takes_a_name_is_told_as_an_error",
        ("host/interpret.py", ' and error.get("own") is not True', ""),
    ),
    _graded(
        "printing is discarded",
        "test_printing_costs_nothing_and_reaches_nothing",
        (_CALLS, "()\n    _be_quiet()\n", "()\n"),
    ),
    _graded(
        "nothing runs after graded calls",
        "test_nothing_of_a_graded_program_runs_after_its_last_call",
        (_CALLS, "    _exit(0)\n", "    sys.exit(0)\n"),
        ("inside/warm_worker.py", "except BaseException as error:", "except OSError as error:"),
    ),
    _graded(
        "gold does not enter a graded job",
        "test_a_graded_job_names_no_expected_answer",
        (
            _REQUESTS,
            '"stopOnError": self.stop_on_error,',
            '"stopOnError": self.stop_on_error, "expected": 1,',
        ),
    ),
    _graded(
        "a graded report is bounded",
        "test_more_than_the_report_may_hold_ends_the_job",
        ("inside/watchdog.py", 'limits.get("reportBytes", REPORT_BYTES)', "64 << 20"),
    ),
    _graded(
        "graded reports in order",
        f"{_BROKEN}[#6]",
        (_READING, "        forged = True", "        pass"),
        (_READING, "if ended:\n                raise", "if False:\n                raise"),
        (
            _READING,
            '            else:\n                raise ValueError("out of order")',
            "            else:\n                ended = True",
        ),
    ),
    Guard(
        "parts of a report",
        "L3",
        f"{_BROKEN}[#19]",
        (("host/interpret.py", "MAX_PARTS = 200_000", "MAX_PARTS = 20_000_000"),),
        "interpret.MAX_PARTS",
    ),
    Guard(
        "parts of all lines of a report",
        "L3",
        "test_grading::test_calls_that_are_small_each_may_not_be_too_large_together",
        (("host/interpret.py", "MAX_REPORT_PARTS = 1_000_000", "MAX_REPORT_PARTS = 1 << 40"),),
        "interpret.MAX_REPORT_PARTS",
    ),
    Guard(
        "digits of a number in a report",
        "L3",
        f"{_BROKEN}[#20]",
        (("host/interpret.py", "_MAX_DIGITS = 64", "_MAX_DIGITS = 1 << 40"),),
    ),
    Guard(
        "depth of a value in a report",
        "L3",
        f"{_BROKEN}[#23]",
        (("host/interpret.py", "_MAX_DEPTH = 200", "_MAX_DEPTH = 400"),),
    ),
    Guard(
        "size of a reply",
        "L3",
        "test_grading::test_an_answer_that_no_line_can_hold_is_the_jobs_own_fault",
        (("host/protocol.py", "MAX_REPLY = 18 << 20", "MAX_REPLY = 720 << 20"),),
        "protocol.MAX_REPLY",
    ),
    _graded(
        "nothing follows a graded end",
        f"{_BROKEN}[#14]",
        (_READING, "if ended:\n                raise", "if False:\n                raise"),
    ),
    _graded(
        "graded answers belong to their call",
        f"{_BROKEN}[#7]",
        (_READING, 'told.get("call") != index\n        or ', ""),
    ),
    _graded(
        "a lying list is no list",
        f"{_TYPES}[listEqualToAll]",
        (_VALUES, "decides is base or", "True or"),
    ),
    _graded(
        "a lying int is no int",
        f"{_TYPES}[intEqualToAll]",
        (_VALUES, "if kind is int:", "if isinstance(value, int):"),
    ),
    _graded(
        "types are told apart by identity",
        f"{_TYPES}[metaclass]",
        (_VALUES, "any(entry is wanted for entry in types)", "wanted in types"),
    ),
    _graded(
        "who equals everything is found out",
        f"{_TYPES}[equalToAll]",
        (
            _VALUES,
            "            if not _bool(value == decoy):\n                return False",
            "            return False",
        ),
    ),
)
