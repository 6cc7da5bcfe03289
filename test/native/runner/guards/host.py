"""The broker: who may start, what a request may hold, and how a job's bytes are read."""

from __future__ import annotations

from guards.model import Guard
from mutants import Edit

_REQUESTS, _READING, _FRAMES = "host/requests.py", "host/interpret.py", "host/frames.py"
_OPERATIONS, _CLOCK, _FIGURES = "host/operations.py", "inside/clock.py", "inside/figures.py"
_FOUND = "test_determinism::test_a_nondeterministic_program_is_found"


def _host(name: str, test: str, *edits: Edit, covers: str = "") -> Guard:
    return Guard(name, "L3", test, edits, covers)


def _frame(case: str, name: str, text: str, instead: str, covers: str = "") -> Guard:
    return _host(
        f"frames from a job: {name}",
        f"test_frames::test_a_frame_beyond_a_limit_is_refused_on_the_host[{case}]",
        (_FRAMES, text, instead),
        covers=covers,
    )


def _bound(case: str, name: str, text: str, instead: str) -> Guard:
    return _host(
        f"size of a request: {case}",
        f"test_run::test_a_request_beyond_a_bound_is_refused[{case}]",
        (_REQUESTS, f"{name} = {text}", f"{name} = {instead}"),
        covers=f"requests.{name}",
    )


HOST: tuple[Guard, ...] = (
    Guard(
        "a failed self-test disables execution",
        "L3",
        "test_selftest::test_a_hole_disables_execution[noFilterL3]",
        (("host/service.py", "self._allowed = not failed", "self._allowed = True"),),
        self_test=True,
    ),
    _host(
        "no level is taken silently",
        "test_selftest::test_without_bubblewrap_l3_is_refused_with_the_command_to_install_it",
        ("host/service.py", "else [wanted.level]", "else ['L3', 'unsafe']"),
    ),
    _host(
        "gold does not enter",
        "test_forgery::test_a_job_that_reaches_the_sandbox_names_no_expected_answer",
        (_REQUESTS, '"main": self.main,', '"main": self.main, "expected": 1,'),
    ),
    _host(
        "reports in order",
        "test_forgery::test_extra_frames_make_the_job_a_bad_frame",
        (
            _READING,
            "BadFrame):\n        result.forged = True",
            "BadFrame):\n        result.module = {}",
        ),
    ),
    _host(
        "nothing follows the end",
        "test_run::test_no_line_follows_the_end",
        (_READING, "if result.ended:", "if False:"),
    ),
    _host(
        "answers belong to their call",
        "test_run::test_no_broken_report_makes_a_call_ok[#5]",
        (_READING, 'if told.get("call") != index or told.get("pass") != turn:', "if False:"),
    ),
    _host(
        "names are made safe",
        "test_forgery::test_a_forged_exception_name_is_made_safe_to_show",
        (_READING, 'name if fit else "UnknownError"', "name"),
    ),
    _host(
        "floods have no results",
        "test_run::test_a_flood_leaves_no_results_not_even_those_before_it",
        (_READING, 'if outcome.verdict == "output" or report.flooded:', "if False:"),
    ),
    _host(
        "frames from a job are checked",
        "test_run::test_no_broken_report_makes_a_call_ok[#7]",
        (_READING, 'check_frame(told["value"])', "pass"),
        covers="interpret.check_frame",
    ),
    _frame("depth", "MAX_DEPTH", "MAX_DEPTH = 64", "MAX_DEPTH = 90", "frames.MAX_DEPTH"),
    _frame("nodes", "MAX_NODES", "MAX_NODES = 20_000", "MAX_NODES = 90_000", "frames.MAX_NODES"),
    _frame(
        "text", "MAX_STRING", "MAX_STRING = 100_000", "MAX_STRING = 900_000", "frames.MAX_STRING"
    ),
    _frame("int", "digits", "{1,5000}", "{1,9000}"),
    _frame("bytes", "bytes", "{0,100000}", "{0,900000}"),
    _host(
        "frames of a request are checked",
        "test_frames::test_a_request_with_a_malformed_frame_names_the_call",
        (_REQUESTS, "            check_frame(frame)", "            pass"),
        covers="requests.check_frame",
    ),
    _bound("program", "MAX_PROGRAM_CHARS", "4 << 20", "5 << 20"),
    _bound("calls", "MAX_CALLS", "10_000", "20_000"),
    _bound("stdin", "MAX_STDIN_CHARS", "4 << 20", "5 << 20"),
    _host(
        "size of a request: programs",
        "test_run::test_a_batch_of_too_many_programs_is_refused",
        (_REQUESTS, "MAX_PROGRAMS = 10_000", "MAX_PROGRAMS = 20_000"),
        covers="requests.MAX_PROGRAMS",
    ),
    _host(
        "size of a line",
        "test_broker::test_bad_lines_get_an_answer_and_do_not_end_the_broker",
        ("host/protocol.py", "MAX_LINE = 32 << 20", "MAX_LINE = 36 << 20"),
        covers="protocol.MAX_LINE",
    ),
    _host(
        "limits have a range",
        "test_run::test_a_limit_out_of_range_is_named[#2]",
        ("host/limits.py", '"memoryBytes": (96 * _MIB, ', '"memoryBytes": (0, '),
    ),
    _host(
        "a job runs under the seed it asked for",
        "test_determinism::test_the_hash_seed_is_really_the_one_asked_for",
        ("host/launch.py", '"PYTHONHASHSEED": str(hash_seed)', '"PYTHONHASHSEED": "0"'),
    ),
    _host(
        "a second hash seed",
        f"{_FOUND}[hashOfText]",
        (_OPERATIONS, "enumerate(hash_seeds[:2])", "enumerate(hash_seeds[:1] * 2)"),
    ),
    _host(
        "a second clock",
        f"{_FOUND}[year]",
        (_OPERATIONS, "position > 0, totals)", "False, totals)"),
    ),
    _host(
        "every clock of Python",
        f"{_FOUND}[kernelClock]",
        (_CLOCK, '(*_SINCE_SOMETHING, "clock_gettime")', "_SINCE_SOMETHING"),
    ),
    _host(
        "figures of files and disks",
        f"{_FOUND}[freeBlocks]",
        (_CLOCK, "**moved_figures(CLOCK_SHIFT_S), ", ""),
    ),
    _host(
        "numbers of processes",
        f"{_FOUND}[numberOfTheProcess]",
        (_FIGURES, "number(*which) + shift", "number(*which)"),
    ),
    _host(
        "dates of files",
        f"{_FOUND}[dateByTheImporter]",
        (_FIGURES, "(date + shift for date in dates)", "dates"),
        (_FIGURES, "told[name] += shift", "pass"),
    ),
    _host("numbers of files", f"{_FOUND}[numberOfAFile]", (_FIGURES, "inode + shift,", "inode,")),
    _host(
        "by every name",
        f"{_FOUND}[dateOfAFolder]",
        (_CLOCK, "in list(sys.modules.values())", "in (_imp, _thread, posix, time)"),
    ),
    _host(
        "by every set of functions",
        f"{_FOUND}[dateByASetOfFunctions]",
        (_CLOCK, "elif isinstance(value, set) and", "elif False and"),
    ),
    _host(
        "dates that the importer kept",
        f"{_FOUND}[dateThatTheFinderKept]",
        (_CLOCK, "sys.path_importer_cache.clear()", "pass"),
    ),
    _host(
        "a clock that is loaded anew",
        f"{_FOUND}[clockLoadedAnew]",
        (_CLOCK, "return loaded.get(name) or real(spec, *file)", "return real(spec, *file)"),
    ),
    _host(
        "a hidden module that is loaded anew",
        f"{_FOUND}[yearLoadedAnew]",
        (_CLOCK, "if name in _HIDDEN:", "if False:"),
    ),
    _host(
        "no other interpreter",
        f"{_FOUND}[clockOfAnotherInterpreter]",
        (_CLOCK, '("_interpreters", "_xxsubinterpreters", ', "("),
    ),
    _host(
        "no clock of identifiers",
        f"{_FOUND}[clockOfTheUuid]",
        (_CLOCK, '"_sqlite3", "_uuid"', '"_sqlite3"'),
    ),
    _host(
        "no clock of connections",
        f"{_FOUND}[clockOfAHandshake]",
        (_CLOCK, '"_uuid", "_ssl"', '"_uuid"'),
    ),
    _host(
        "no clock of the library",
        f"{_FOUND}[clockOfTheLibrary]",
        (_CLOCK, '"_datetime", "_ctypes", ', '"_datetime", '),
    ),
    _host(
        "no clock of the database",
        f"{_FOUND}[clockOfTheDatabase]",
        (_CLOCK, '"_ctypes", "_sqlite3"', '"_ctypes"'),
    ),
    _host(
        "every call twice",
        f"{_FOUND}[counter]",
        (_OPERATIONS, "request, seed, 2, position", "request, seed, 1, position"),
    ),
)
