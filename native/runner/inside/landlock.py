"""Level L2's file rules: read the interpreter and its libraries, write nowhere.

Landlock has no rights for chmod, chown, utime, extended attributes or stat; the system call
filter refuses the changing ones. Reading metadata (stat) of host paths stays possible at L2.
"""

from __future__ import annotations

import os

from inside import kernel

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ_ONLY = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE


def build_ruleset(readable: list[str], writable: list[str]) -> int:
    """Descriptor of a ruleset denying all file access and TCP but what the two lists name.

    OSError when the kernel has no Landlock. Rights of newer kernels are added as the ABI offers
    them: 3 truncate, 4 TCP, 5 device ioctl, 6 signals and abstract sockets. Moving between folders
    (2) is refused by every kernel unless a rule allows it.
    """
    abi = kernel.landlock_abi()
    if abi < 1:
        raise OSError("this kernel has no Landlock (needs Linux 5.13 with the landlock LSM on)")
    filesystem = (1 << 13) - 1
    for since, bit in ((3, 14), (5, 15)):
        if abi >= since:
            filesystem |= 1 << bit
    network = 3 if abi >= 4 else 0
    scoped = 3 if abi >= 6 else 0
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = kernel.landlock_ruleset(filesystem, network, scoped, size)
    for paths, rights in ((readable, _READ_ONLY), (writable, _READ_FILE | _WRITE_FILE)):
        for path in paths:
            if os.path.exists(path):
                allowed = rights if os.path.isdir(path) else rights & _FILE_RIGHTS
                kernel.landlock_allow(ruleset, allowed, path)
    return ruleset
