"""The few Linux calls Python's standard library has no name for, through ctypes.

Every wrapper raises OSError with the kernel's errno; nothing here decides policy.
"""

from __future__ import annotations

import ctypes
import os
import struct

_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_RDONLY = 2, 4, 8, 1

# Landlock was added after the unified numbering began, so the numbers hold on every machine.
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION_3 = 0x20080522


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, argument: int = 0) -> None:
    _checked(_libc.prctl(option, argument, 0, 0, 0), f"prctl {option}")


def die_with_parent(expected_parent: int | None = None) -> None:
    """SIGKILL this process when its parent ends; also when the parent ended before this call."""
    prctl(PR_SET_PDEATHSIG, 9)
    if expected_parent is not None and os.getppid() != expected_parent:
        os._exit(1)


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags), f"unshare {flags:#x}")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    _checked(
        _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]),
        f"mount {target}",
    )


def drop_capabilities(machine: str) -> None:
    """Give up every capability, including those the creator of a user namespace holds in it."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_libc.syscall(_CAPSET[machine], header, bytes(24)), "capset")


def install_filter(program: bytes) -> None:
    """Install a classic BPF program (8-byte instructions) as this thread's seccomp filter. Needs
    no_new_privs, as landlock_restrict does: without it the kernel refuses an ordinary user."""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    buffer = ctypes.create_string_buffer(program, len(program))
    filled = Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    _checked(
        _libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filled), 0, 0), "seccomp"
    )


def landlock_abi() -> int:
    """Version of Landlock the running kernel offers; 0 where it is absent or switched off."""
    version: int = _libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
    return max(0, version)


def landlock_ruleset(filesystem: int, network: int, scoped: int, size: int) -> int:
    attributes = struct.pack("=QQQ", filesystem, network, scoped)
    return _checked(
        _libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0), "landlock ruleset"
    )


def landlock_allow(ruleset: int, rights: int, path: str) -> None:
    target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights, target)
        _checked(_libc.syscall(_LANDLOCK_ADD, ruleset, 1, rule, 0), f"landlock rule {path}")
    finally:
        os.close(target)


def landlock_restrict(ruleset: int) -> None:
    _checked(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock restrict")
