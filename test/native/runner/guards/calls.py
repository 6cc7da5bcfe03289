"""The filter: what it looks at, and the calls it leaves out (x86-64 numbers)."""

from __future__ import annotations

from guards.edits import ANY_CLONE, ANY_IOCTL, ANY_KILL, ANY_PRLIMIT, NO_SCOPE
from guards.model import ATTACK, Guard, attack, more_calls
from mutants import Edit

_FILTER = "inside/seccomp.py"
_ARGUMENT = "test_seccomp::test_arguments_are_looked_at"


def _argument(name: str, case: int, text: str, instead: str) -> Guard:
    """An argument the filter looks at; the case is counted in test_seccomp."""
    return Guard(
        f"own {name} only",
        "L3",
        f"{_ARGUMENT}[#{case}]",
        ((_FILTER, text, instead),),
        f"seccomp.{name}",
    )


def _refused(case: str, *pairs: str, level: str = "L3", masks: tuple[Edit, ...] = ()) -> Guard:
    return Guard(
        f"no {' '.join(pair.partition('=')[0] for pair in pairs)}",
        level,
        f"{ATTACK}[{case}]",
        (more_calls(*pairs),),
        masks=masks,
    )


def _by_number(pair: str) -> Guard:
    """A call the kernel refuses to an ordinary user anyway, so that no attack tells."""
    return Guard(
        f"no {pair.partition('=')[0]}",
        "L3",
        "test_seccomp::test_forbidden_calls_are_refused",
        (more_calls(pair),),
    )


def _any(name: str, rule: str, level: str, case: str, masks: tuple[Edit, ...] = ()) -> Guard:
    """Any argument instead of the listed ones."""
    return attack(
        f"few arguments of {name}",
        level,
        case,
        (_FILTER, f'"{name}": {rule}', f'"{name}": _return(_ALLOW)'),
        f"seccomp.{name}",
        masks,
    )


CALLS: tuple[Guard, ...] = (
    attack(
        "the filter",
        "L3",
        "processes.forkOnce",
        ("inside/jail.py", "kernel.install_filter(build_filter(machine, os.getpid()))", "pass"),
        "jail.install_filter",
    ),
    attack(
        "what is not listed is refused",
        "L3",
        "kernel.watchFiles",
        (_FILTER, "return program + _return(_EPERM)", "return program + _return(_ALLOW)"),
    ),
    attack(
        "one calling convention",
        "L3",
        "processes.thirtyTwoBitConvention",
        (_FILTER, "_instruction(_EQUAL, AUDIT_ARCH[machine], 1, 0) + _return(_KILL)", 'b""'),
    ),
    attack("no child processes", "L3", "processes.forkOnce", ANY_CLONE, "seccomp.clone"),
    attack(
        "threads in the job's namespaces only",
        "L3",
        "kernel.threadInNewNamespace",
        (
            _FILTER,
            "_instruction(_ANY_BIT, _CLONE_NAMESPACES, 0, 1)",
            "_instruction(_ANY_BIT, 0, 0, 1)",
        ),
    ),
    Guard(
        "clone3 is not there",
        "L3",
        "test_seccomp::test_threads_are_allowed_and_processes_are_not",
        ((_FILTER, '"clone3": _return(_ENOSYS)', '"clone3": _return(_ALLOW)'),),
        "seccomp.clone3",
    ),
    attack(
        "no signals to others", "L2", "processes.killVictim", ANY_KILL, "seccomp.kill", (NO_SCOPE,)
    ),
    _any("tgkill", "_one_of(0, (own_pid,))", "L2", "kernel.signalsOfOtherKinds", (NO_SCOPE,)),
    attack("few ioctls", "L3", "devices.entropyCount", ANY_IOCTL, "seccomp.ioctl"),
    _any("fcntl", "_one_of(1, _FCNTLS)", "L3", "kernel.ownersOfDescriptors"),
    _any("prctl", "_one_of(0, (_PR_SET_NAME,))", "L3", "kernel.processControls"),
    _any("socketpair", "_one_of(0, (_AF_UNIX,))", "L3", "network.pairOfOtherFamilies"),
    _any("sendto", "_null_pointer(4)", "L2", "network.pairThenSendElsewhere", (NO_SCOPE,)),
    attack(
        "limits are not set", "L2", "processes.limitsOfVictim", ANY_PRLIMIT, "seccomp.prlimit64"
    ),
    attack(
        "limits of others are not read",
        "L2",
        "kernel.questionsAboutOthers",
        (
            _FILTER,
            "_instruction(_EQUAL, own_pid, 1, 0)\n        + _return(_EPERM)",
            "_instruction(_EQUAL, own_pid, 1, 0)\n        + _instruction(_LOAD, 0)",
        ),
    ),
    _any("futex", "_own_futex()", "L2", "channels.wakeOthersOnALibrary"),
    _any("madvise", "_one_of(2, _ADVICE)", "L3", "channels.adviseOnPages"),
    _any("mmap", "_own_memory()", "L2", "channels.sharedPageOfALibrary"),
    _any("preadv2", "_one_of(5, (0,))", "L3", "channels.readOnlyWhatIsCached"),
    _any("pwritev2", "_one_of(5, (0,))", "L3", "channels.writeWithFlags"),
    attack(
        "no record locks",
        "L2",
        "channels.recordLockOfALibrary",
        (_FILTER, "_FCNTLS = (0, 1, 2, 3, 4, ", "_FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, "),
    ),
    *(
        Guard(
            f"nothing passes in the page cache at {level}",
            level,
            "test_channels::test_a_solver_finds_no_output_that_a_proposer_left_in_the_page_cache",
            (
                more_calls("fadvise64=221"),
                (_FILTER, '"preadv2": _one_of(5, (0,))', '"preadv2": _return(_ALLOW)'),
            ),
        )
        for level in ("L3", "L2")
    ),
    _argument("getpgid", 8, '"getpgid": 0,', ""),
    _argument("getsid", 9, '"getsid": 0,', ""),
    _argument("get_robust_list", 10, '"get_robust_list": 0,', ""),
    _argument("sched_getaffinity", 11, '"sched_getaffinity": 0,', ""),
    _argument("getpriority", 12, '"getpriority": 1,', ""),
    _argument("clock_gettime", 13, '"clock_gettime", ', ""),
    _argument("clock_getres", 14, '"clock_getres", ', ""),
    _argument("clock_nanosleep", 15, ', "clock_nanosleep"', ""),
    _refused("channels.dropCachedPages", "fadvise64=221", "readahead=187"),
    _refused("channels.askWhatIsCached", "mincore=27", "cachestat=451"),
    _refused("channels.countReadsFromDisk", "getrusage=98"),
    _refused("channels.wakeWhenAThreadEnds", "set_tid_address=218"),
    _refused("channels.figuresOfTheMachine", "sysinfo=99"),
    _refused("network.tcpConnectIpv6", "socket=41"),
    _refused("network.passDescriptor", "sendmsg=46"),
    _refused("processes.execReplacesUs", "execve=59"),
    _refused("kernel.executeByDescriptor", "execveat=322"),
    _refused("kernel.memoryFile", "memfd_create=319"),
    _refused("processes.rawVfork", "fork=57", "vfork=58"),
    _refused("processes.askToBeTraced", "ptrace=101"),
    _refused("reading.processVmReadv", "process_vm_readv=310"),
    _refused("kernel.descriptorOfAnother", "pidfd_open=434"),
    _refused("kernel.compareWithAnother", "kcmp=312"),
    _refused("kernel.signalsOfOtherKinds", "rt_sigqueueinfo=129", level="L2", masks=(NO_SCOPE,)),
    _refused("writing.chmodVictim", "chmod=90", level="L2"),
    _refused("writing.chmodByNewerCall", "fchmodat2=452", level="L2"),
    _refused("writing.chownVictim", "chown=92", level="L2"),
    _refused("writing.touchVictim", "utimensat=280", level="L2"),
    _refused("writing.attributeOnVictim", "setxattr=188", level="L2"),
    _refused("kernel.unshareLittle", "unshare=272"),
    _refused("kernel.joinByNumber", "setns=308"),
    _by_number("mount=165"),
    _refused("kernel.becomeRoot", "setuid=105", "setresuid=117"),
    _refused("kernel.ringSetup", "io_uring_setup=425"),
    _refused("kernel.pageFaultHandler", "userfaultfd=323"),
    _by_number("bpf=321"),
    _refused("kernel.performanceCounter", "perf_event_open=298"),
    _refused("kernel.sessionKeyring", "add_key=248", "keyctl=250"),
    _refused("kernel.filterOfOnesOwn", "seccomp=317"),
    _refused("kernel.noAddressRandomization", "personality=135"),
    _refused("kernel.sharedSegment", "shmget=29"),
    _refused("kernel.messageQueues", "msgget=68", "mq_open=240"),
    _refused("kernel.semaphores", "semget=64"),
    _refused("kernel.lockOfALibrary", "flock=73"),
    _refused("kernel.watchFiles", "inotify_init1=294"),
    _refused("kernel.timersAndSignalFiles", "timerfd_create=283", "signalfd4=289"),
    _refused("kernel.overtakeOthers", "setpriority=141", "sched_setaffinity=203"),
    _refused("kernel.adjustClock", "adjtimex=159"),
    _refused("kernel.movePagesThroughPipes", "vmsplice=278", "splice=275"),
    _refused("kernel.placeMemory", "mlock=149", "mbind=237"),
    _refused(
        "exhausting.lockMemory",
        "mlock=149",
        "mlockall=151",
        masks=(
            (
                "inside/jail.py",
                "(resource.RLIMIT_MEMLOCK, 0),",
                "(resource.RLIMIT_MEMLOCK, 1 << 40),",
            ),
        ),
    ),
)
