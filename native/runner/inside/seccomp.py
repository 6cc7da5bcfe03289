"""The system call filter of a job: an allow list, so a call nobody thought of is refused.

Refused calls answer EPERM, which Python turns into PermissionError; a foreign machine's calling
convention kills the process. clone3 answers ENOSYS because its flags lie in memory, where a
filter cannot look: glibc then falls back to clone, whose flags it can.
"""

from __future__ import annotations

import struct

from inside.syscalls import AUDIT_ARCH, NUMBERS

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
_NUMBER_OFFSET, _ARCH_OFFSET = 0, 4

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020000  # NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_AF_UNIX = 1
# Fixed clock ids are small; larger ones are made from a process or descriptor and would tell how
# much processor time another process has used.
_CLOCKS = 16
_PR_SET_NAME = 15
# Terminal state, bytes waiting, blocking mode, close-on-exec, window size. Not TIOCSTI, which types
# into the terminal of whoever started us.
_IOCTLS = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451, 0x5413)
# dup, descriptor flags, status flags, dup-cloexec, pipe size (read). Not leases, owners or pipe
# growth, which act on or spend something outside the process, and not record locks: two jobs that
# lock a file of the library see each other, and each lock is kernel memory that no limit counts.
_FCNTLS = (0, 1, 2, 3, 4, 1030, 1032)
# How memory is used, and its return. Not what reads files ahead, pushes their pages out or merges
# equal pages: the page cache is one for all jobs.
_ADVICE = (0, 1, 2, 4, 8, 14, 15, 16, 17)
_MAP_SHARED, _MAP_ANONYMOUS = 1, 0x20
_FUTEX_PRIVATE = 128
# Waiting, with and without a mask, on either clock: the C library waits so for a thread's end.
_FUTEX_WAITS = (0, 9, 256, 265)
# Calls that ask about a process, and which argument names it; 0 is the caller.
_ABOUT_PROCESS = {
    "getpgid": 0,
    "getsid": 0,
    "get_robust_list": 0,
    "sched_getaffinity": 0,
    "getpriority": 1,
}
_ASKS_CLOCK = ("clock_gettime", "clock_getres", "clock_nanosleep")


def _instruction(code: int, value: int, jump_true: int = 0, jump_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, jump_true, jump_false, value & 0xFFFFFFFF)


def _argument(index: int, high: bool = False) -> bytes:
    """Load the low (or high) half of an argument; both known machines are little-endian."""
    return _instruction(_LOAD, 16 + 8 * index + (4 if high else 0))


def _return(action: int) -> bytes:
    return _instruction(_RETURN, action)


def _when_number(number: int, body: bytes) -> bytes:
    """Run body (which must return) if the call is `number`, else step over it."""
    return _instruction(_EQUAL, number, 0, len(body) // 8) + body


def _one_of(index: int, values: tuple[int, ...]) -> bytes:
    body = _argument(index)
    for value in values:
        body += _instruction(_EQUAL, value, 0, 1) + _return(_ALLOW)
    return body + _return(_EPERM)


def _null_pointer(index: int) -> bytes:
    """Allow only if the argument is zero in all 64 bits."""
    return (
        _argument(index)
        + _instruction(_EQUAL, 0, 1, 0)
        + _return(_EPERM)
        + _argument(index, high=True)
        + _instruction(_EQUAL, 0, 1, 0)
        + _return(_EPERM)
        + _return(_ALLOW)
    )


def _fixed_clock() -> bytes:
    return _argument(0) + _instruction(_AT_LEAST, _CLOCKS, 0, 1) + _return(_EPERM) + _return(_ALLOW)


def _own_limits(own_pid: int) -> bytes:
    """prlimit64 may read (not set) the limits of the job itself."""
    return (
        _argument(0)
        + _instruction(_EQUAL, 0, 2, 0)
        + _instruction(_EQUAL, own_pid, 1, 0)
        + _return(_EPERM)
        + _null_pointer(2)
    )


def _threads_only() -> bytes:
    return (
        _argument(0)
        + _instruction(_ANY_BIT, _CLONE_NAMESPACES, 0, 1)
        + _return(_EPERM)
        + _instruction(_ANY_BIT, _CLONE_THREAD, 1, 0)
        + _return(_EPERM)
        + _return(_ALLOW)
    )


def _own_memory() -> bytes:
    """A file is mapped as a copy of one's own. Shared it would be the same memory in two jobs."""
    return (
        _argument(3)
        + _instruction(_ANY_BIT, _MAP_ANONYMOUS, 2, 0)
        + _instruction(_ANY_BIT, _MAP_SHARED, 0, 1)
        + _return(_EPERM)
        + _return(_ALLOW)
    )


def _own_futex() -> bytes:
    """Nobody outside the process is woken: on a page of a library that would reach other jobs."""
    private = _argument(1) + _instruction(_ANY_BIT, _FUTEX_PRIVATE, 0, 1) + _return(_ALLOW)
    return private + _one_of(1, _FUTEX_WAITS)


def build_filter(machine: str, own_pid: int) -> bytes:
    """BPF bytes for one job.

    machine: platform.machine(); KeyError where no table exists. own_pid: the job's pid as it sees
    itself; it may signal and ask about nobody else (raise() and abort() stay as in plain Python).
    """
    numbers = NUMBERS[machine]
    program = _instruction(_LOAD, _ARCH_OFFSET)
    program += _instruction(_EQUAL, AUDIT_ARCH[machine], 1, 0) + _return(_KILL)
    program += _instruction(_LOAD, _NUMBER_OFFSET)
    inspected = {
        "clone3": _return(_ENOSYS),
        "clone": _threads_only(),
        "prlimit64": _own_limits(own_pid),
        "ioctl": _one_of(1, _IOCTLS),
        "fcntl": _one_of(1, _FCNTLS),
        "futex": _own_futex(),
        "madvise": _one_of(2, _ADVICE),
        "mmap": _own_memory(),
        "preadv2": _one_of(5, (0,)),
        "pwritev2": _one_of(5, (0,)),
        "socketpair": _one_of(0, (_AF_UNIX,)),
        "sendto": _null_pointer(4),
        "kill": _one_of(0, (own_pid,)),
        "tgkill": _one_of(0, (own_pid,)),
        "prctl": _one_of(0, (_PR_SET_NAME,)),
        **{name: _fixed_clock() for name in _ASKS_CLOCK},
        **{name: _one_of(index, (0, own_pid)) for name, index in _ABOUT_PROCESS.items()},
    }
    for name, number in numbers.items():
        program += _when_number(number, inspected.get(name, _return(_ALLOW)))
    return program + _return(_EPERM)  # also the x32 convention, whose numbers have bit 30 set
