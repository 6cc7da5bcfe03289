"""What a job inherits, how it is watched and ended, and the code around the program."""

from __future__ import annotations

from guards.edits import DEAF, NO_SESSION, OUR_ENVIRONMENT
from guards.model import ANY_TEST, Guard, attack, sealed

_WORKER, _WATCHDOG, _DRIVER, _ENCODE = (
    f"inside/{name}.py" for name in ("warm_worker", "watchdog", "driver", "encode")
)
_LAUNCH = "host/launch.py"
_HOLDS = "test_a_job_holds_input_output_and_its_report_and_nothing_else"
_TO_THE_END = "test_broker::test_no_process_outlives_the_broker[SIGKILL]"
_LIMIT = "test_frames::test_a_limit_admits_its_own_value_and_no_more"
_FORGED = "test_forgery::test_a_forged_answer_is_not_accepted"


def _too_large(case: str, name: str, text: str, instead: str) -> Guard:
    return Guard(
        f"size of an answer: {name}",
        "L3",
        f"{_LIMIT}[{case}]",
        ((_ENCODE, f"{name} = {text}", f"{name} = {instead}"),),
        f"encode.{name}",
    )


def _flag(flag: str) -> Guard:
    return sealed(
        f"interpreter flag {flag}",
        "L3",
        "test_only_the_standard_library_can_be_imported",
        (_LAUNCH, f'"{flag}", ', ""),
        f"launch.{flag}",
    )


PROCESS: tuple[Guard, ...] = (
    Guard(
        "no descriptors below the job's text",
        "L2",
        ANY_TEST,
        ((_WORKER, "os.closerange(4, _JOB_FD)", "pass"),),
        "warm_worker.closerange.3",
        closed=True,
    ),
    sealed(
        "no descriptors above",
        "L2",
        _HOLDS,
        (_WORKER, "os.closerange(_RULES_FD + (ruleset is not None), 256)", "pass"),
        "warm_worker.closerange.4",
    ),
    sealed("no word about its own end", "L2", _HOLDS, (_WORKER, "os.close(_STATUS_FD)", "pass")),
    sealed("its text is read once", "L2", _HOLDS, (_WORKER, "    os.close(_JOB_FD)\n", "")),
    sealed(
        "Landlock's rules are closed", "L2", _HOLDS, ("inside/jail.py", "os.close(ruleset)", "pass")
    ),
    sealed(
        "variables of a job",
        "L3",
        "test_a_program_sees_only_these_variables",
        (_WORKER, "os.environ.clear()", "pass"),
        "warm_worker.environ.clear",
    ),
    attack("variables of the engine", "L2", "reading.argumentsInMemory", OUR_ENVIRONMENT),
    sealed(
        "variables of the engine, again",
        "L3",
        "test_the_zygote_was_given_no_variables_of_ours",
        (_LAUNCH, '"--clearenv",', ""),
        "launch.--clearenv",
        (OUR_ENVIRONMENT,),
    ),
    attack(
        "nothing of the job before",
        "L3",
        "neighbours.viewsOfFrames",
        ("inside/unforked.py", "self._space.madvise(mmap.MADV_DONTFORK)", "pass"),
        "unforked.madvise",
    ),
    attack(
        "jobs lie in unforked memory only",
        "L2",
        "neighbours.everyObject",
        (
            "inside/zygote.py",
            "return (json.loads(header), body) if _fill(channel, body) else None",
            "return (json.loads(header) | {'kept': bytes(body).decode()}, body) if _fill(channel, "
            "body) else None",
        ),
    ),
    sealed(
        "the zygote's own session", "L2", "test_the_zygote_is_in_no_terminals_session", NO_SESSION
    ),
    sealed(
        "the zygote's own session, again",
        "L3",
        "test_the_zygote_is_in_no_terminals_session",
        (_LAUNCH, '"--new-session",', ""),
        "launch.--new-session",
        (NO_SESSION,),
    ),
    sealed(
        "the job's own group",
        "L2",
        "test_a_job_without_namespaces_leads_a_group_of_its_own",
        (_WORKER, "os.setsid()", "pass"),
        "warm_worker.setsid",
    ),
    _flag("-S"),
    _flag("-s"),
    _flag("-P"),
    _flag("-B"),
    Guard(
        "a job ends with its zygote",
        "L2",
        "test_broker::test_a_cancelled_job_is_dead_and_its_place_is_free",
        ((_WORKER, "kernel.die_with_parent(zygote)", "pass"),),
        "warm_worker.die_with_parent",
        (DEAF,),
    ),
    Guard(
        "a job ends with its middle process",
        "L3",
        "test_broker::test_a_job_ends_with_the_process_above_it",
        ((_WORKER, "            kernel.die_with_parent()\n", ""),),
        "warm_worker.die_with_parent.2",
        ((_WATCHDOG, "os.kill, os.killpg", ""),),
    ),
    Guard(
        "the zygote ends with the broker",
        "L2",
        _TO_THE_END,
        (("inside/zygote.py", 'kernel.die_with_parent(settings["broker"])', "pass"),),
        "zygote.die_with_parent",
        (DEAF,),
    ),
    Guard(
        "the sandbox ends with the broker",
        "L3",
        _TO_THE_END,
        ((_LAUNCH, '"--die-with-parent",', ""),),
        "launch.--die-with-parent",
        (DEAF,),
    ),
    Guard(
        "the broker's silence ends the zygote",
        "L2",
        _TO_THE_END,
        (DEAF,),
        masks=(("inside/zygote.py", 'kernel.die_with_parent(settings["broker"])', "pass"),),
    ),
    Guard(
        "processor time",
        "L3",
        "test_run::test_a_fraction_of_a_second_of_processor_time_is_a_limit",
        ((_WATCHDOG, "if cpu_left <= 0 or wall_left <= 0", "if wall_left <= 0"),),
    ),
    attack(
        "wall time",
        "L3",
        "resources.sleep",
        (_WATCHDOG, "if cpu_left <= 0 or wall_left <= 0", "if cpu_left <= 0"),
    ),
    attack(
        "page tables",
        "L3",
        "exhausting.pagesFarApart",
        (_WATCHDOG, 'tables > limits["memoryBytes"] // _TABLES_SHARE or', ""),
    ),
    attack(
        "threads where no namespace counts them",
        "L2",
        "exhausting.threadsThatWait",
        (_WATCHDOG, 'int(told["Threads"]) > jail.MAX_THREADS', "False"),
    ),
    attack(
        "what is over is killed", "L3", "resources.sleep", (_WATCHDOG, "os.kill, os.killpg", "")
    ),
    attack(
        "output is capped",
        "L3",
        "exhausting.oneHugeWrite",
        (_WATCHDOG, 'worker.output: limits["outputBytes"]', "worker.output: 16 << 20"),
    ),
    attack(
        "errors are capped",
        "L3",
        "exhausting.oneHugeError",
        (_WATCHDOG, 'worker.errors: limits["outputBytes"]', "worker.errors: 16 << 20"),
    ),
    attack(
        "reports are capped",
        "L3",
        "exhausting.reportOfEightMegabytes",
        (_WATCHDOG, "REPORT_BYTES = 4 << 20", "REPORT_BYTES = 64 << 20"),
        "watchdog.REPORT_BYTES",
    ),
    Guard(
        "nothing runs after the calls",
        "L3",
        "test_run::test_nothing_of_a_program_runs_after_its_last_call",
        ((_DRIVER, "    _exit(0)\n", "    sys.exit(0)\n"),),
        "driver._exit",
        ((_WORKER, "except BaseException as error:", "except OSError as error:"),),
    ),
    attack(
        "no trace function while answering",
        "L3",
        "crashing.traceTheReporter",
        (_DRIVER, "    _set_trace(None)  # here", "    None  # here"),
        "driver._set_trace.2",
    ),
    Guard(
        "a recursion limit that suffices",
        "L3",
        "test_run::test_a_lowered_recursion_limit_ends_with_its_call",
        ((_DRIVER, "_set_recursion_limit(_REPORT_RECURSION)", "pass"),),
        "driver._set_recursion_limit",
    ),
    Guard(
        "fresh arguments for every call",
        "L3",
        "test_determinism::test_changing_an_argument_does_not_reach_the_second_call",
        (
            (
                _DRIVER,
                '[_decode(frame) for frame in call["args"]]',
                "call.setdefault('kept', [_decode(frame) for frame in call[\"args\"]])",
            ),
        ),
    ),
    Guard(
        "exact types only",
        "L3",
        f"{_FORGED}[intThatEqualsEverything]",
        ((_ENCODE, "if kind is _int:", "if isinstance(value, int):"),),
    ),
    _too_large("depth", "MAX_DEPTH", "64", "90"),
    _too_large("nodes", "MAX_NODES", "20_000", "90_000"),
    _too_large("text", "MAX_STRING", "100_000", "900_000"),
    _too_large("int", "MAX_INT_BITS", "20_000", "90_000"),
    attack(
        "size of an answer: MAX_FRAME_CHARS",
        "L3",
        "exhausting.sixteenTextsOfTheLargestSize",
        (_ENCODE, "MAX_FRAME_CHARS = 1 << 20", "MAX_FRAME_CHARS = 1 << 23"),
        "encode.MAX_FRAME_CHARS",
    ),
)
