"""The filter's decisions on both machines, call by call: its program is run by a reader of BPF."""

from __future__ import annotations

import struct

import pytest

from inside.seccomp import build_filter
from inside.syscalls import AUDIT_ARCH, NUMBERS

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x50026
OWN_PID = 77
# Numbers of calls that must never be allowed (uapi headers).
FORBIDDEN = {
    "x86_64": {
        "socket": 41,
        "connect": 42,
        "bind": 49,
        "sendmsg": 46,
        "fork": 57,
        "vfork": 58,
        "execve": 59,
        "execveat": 322,
        "ptrace": 101,
        "process_vm_readv": 310,
        "pidfd_open": 434,
        "setrlimit": 160,
        "chmod": 90,
        "fchmodat": 268,
        "fchmodat2": 452,
        "chown": 92,
        "utimensat": 280,
        "setxattr": 188,
        "mount": 165,
        "unshare": 272,
        "setns": 308,
        "bpf": 321,
        "io_uring_setup": 425,
        "memfd_create": 319,
        "keyctl": 250,
        "openat2": 437,
        "mknod": 133,
        "userfaultfd": 323,
        "fadvise64": 221,
        "readahead": 187,
        "mincore": 27,
        "cachestat": 451,
        "getrusage": 98,
        "sysinfo": 99,
        "futex_waitv": 449,
        "set_tid_address": 218,
        "flock": 73,
    },
    "aarch64": {
        "socket": 198,
        "connect": 203,
        "bind": 200,
        "sendmsg": 211,
        "execve": 221,
        "execveat": 281,
        "ptrace": 117,
        "process_vm_readv": 270,
        "pidfd_open": 434,
        "setrlimit": 164,
        "fchmodat": 53,
        "fchmodat2": 452,
        "fchownat": 54,
        "utimensat": 88,
        "setxattr": 5,
        "mount": 40,
        "unshare": 97,
        "setns": 268,
        "bpf": 280,
        "io_uring_setup": 425,
        "memfd_create": 279,
        "keyctl": 219,
        "openat2": 437,
        "mknodat": 33,
        "userfaultfd": 282,
        "fadvise64": 223,
        "readahead": 213,
        "mincore": 232,
        "cachestat": 451,
        "getrusage": 165,
        "sysinfo": 179,
        "futex_waitv": 449,
        "set_tid_address": 96,
        "flock": 32,
    },
}


def decide(
    program: bytes, machine: str, number: int, *arguments: int, arch: int | None = None
) -> int:
    """What the kernel would do: runs the classic BPF program over one seccomp_data record."""
    data = struct.pack(
        "=IIQ6Q",
        number,
        AUDIT_ARCH[machine] if arch is None else arch,
        0,
        *(list(arguments) + [0] * 6)[:6],
    )
    accumulator, position = 0, 0
    while True:
        code, yes, no, value = struct.unpack_from("=HBBI", program, 8 * position)
        position += 1
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif code == 0x06:
            return value
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            position += yes if holds else no


@pytest.fixture(params=sorted(NUMBERS))
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def test_forbidden_calls_are_refused(machine: str) -> None:
    program = build_filter(machine, OWN_PID)
    forbidden = FORBIDDEN[machine]
    answers = {name: decide(program, machine, number) for name, number in forbidden.items()}
    assert set(answers.values()) == {EPERM}, answers


def test_every_number_not_listed_is_refused(machine: str) -> None:
    program, listed = build_filter(machine, OWN_PID), set(NUMBERS[machine].values())
    assert all(decide(program, machine, n) == EPERM for n in range(600) if n not in listed)


def test_plain_computing_is_allowed(machine: str) -> None:
    program = build_filter(machine, OWN_PID)
    for name in ("read", "write", "mmap", "munmap", "brk", "futex", "openat", "exit_group"):
        assert decide(program, machine, NUMBERS[machine][name]) == ALLOW


def test_threads_are_allowed_and_processes_are_not(machine: str) -> None:
    program, clone = build_filter(machine, OWN_PID), NUMBERS[machine]["clone"]
    thread = 0x3D0F00  # what the C library passes for a thread
    assert decide(program, machine, clone, thread) == ALLOW
    assert decide(program, machine, clone, 0x1200011) == EPERM
    assert decide(program, machine, clone, thread | 0x10000000) == EPERM
    assert decide(program, machine, NUMBERS[machine]["clone3"]) == ENOSYS


def test_signals_go_to_nobody_else(machine: str) -> None:
    program = build_filter(machine, OWN_PID)
    for name in ("kill", "tgkill"):
        number = NUMBERS[machine][name]
        assert decide(program, machine, number, OWN_PID) == ALLOW
        others = [target & (2**64 - 1) for target in (0, -1, 1, OWN_PID + 1)]
        assert {decide(program, machine, number, target) for target in others} == {EPERM}


@pytest.mark.parametrize(
    "name,allowed,refused",
    [
        ("prlimit64", (0, 7, 0), (0, 7, 1 << 32)),
        ("prlimit64", (0, 7, 0), (0, 7, 4096)),
        ("ioctl", (0, 0x5401), (0, 0x5412)),
        ("fcntl", (0, 3), (0, 1024)),
        ("socketpair", (1,), (2,)),
        ("sendto", (3, 0, 1, 0, 0), (3, 0, 1, 0, 1 << 40)),
        ("prctl", (15,), (1,)),
        ("prlimit64", (OWN_PID, 7, 0), (OWN_PID + 1, 7, 0)),
        ("getpgid", (0,), (OWN_PID + 1,)),
        ("getsid", (OWN_PID,), (1,)),
        ("get_robust_list", (0,), (1,)),
        ("sched_getaffinity", (0,), (OWN_PID + 1,)),
        ("getpriority", (0, 0), (0, 1)),
        ("clock_gettime", (1,), (0xFFFFFFC2,)),
        ("clock_getres", (0,), (16,)),
        ("clock_nanosleep", (1,), (-6 & 0xFFFFFFFF,)),
        ("fcntl", (0, 1030), (0, 1031)),
        ("ioctl", (0, 1 << 32 | 0x5401), (0, 1 << 32 | 0x5412)),
        ("fcntl", (0, 4), (0, 6)),
        ("futex", (0, 0x80 | 1), (0, 1)),
        ("futex", (0, 0), (0, 3)),
        ("futex", (0, 265), (0, 10)),
        ("madvise", (0, 0, 4), (0, 0, 21)),
        ("mmap", (0, 0, 0, 0x22), (0, 0, 0, 1)),
        ("mmap", (0, 0, 0, 0x21), (0, 0, 0, 3)),
        ("mmap", (0, 0, 0, 2), (0, 0, 0, 0x11)),
        ("preadv2", (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 8)),
        ("pwritev2", (0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 8)),
    ],
)
def test_arguments_are_looked_at(machine: str, name: str, allowed: tuple, refused: tuple) -> None:
    program, number = build_filter(machine, OWN_PID), NUMBERS[machine][name]
    assert decide(program, machine, number, *allowed) == ALLOW
    assert decide(program, machine, number, *refused) == EPERM


def test_a_foreign_calling_convention_is_fatal(machine: str) -> None:
    program = build_filter(machine, OWN_PID)
    assert decide(program, machine, NUMBERS[machine]["read"], arch=0x40000003) == KILL
    if machine == "x86_64":
        assert decide(program, machine, 0x40000000) == EPERM


def test_an_unknown_machine_has_no_filter() -> None:
    with pytest.raises(KeyError):
        build_filter("riscv64", OWN_PID)
