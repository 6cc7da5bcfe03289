"""How a forked process becomes a sealed job: namespaces first, limits later, the filter last."""

from __future__ import annotations

import math
import os
import platform
import resource
from typing import Any

from inside import kernel
from inside.seccomp import build_filter

# Threads a job may have at L3, where the count is the job's own. Child processes are refused by the
# filter at every sandboxed level, so one address space limit is the limit of the whole job.
MAX_THREADS = 64
MAX_OPEN_FILES = 64
STACK_BYTES = 8 << 20
FILE_BYTES = 8 << 20
TMP_OPTIONS = "size=16m,nr_inodes=1024,mode=0777"
_NAMESPACES = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWNET
)


def enter_namespaces() -> None:
    """Fresh user, pid, mount, ipc and network namespaces for the children of this process (L3)."""
    user, group = os.getuid(), os.getgid()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else /proc/self/uid_map belongs to root
    kernel.unshare(_NAMESPACES)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as handle:
            handle.write(text)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def private_files() -> None:
    """An empty /tmp of this job's own, and no /proc at all: it would show the zygote's processes.

    Nothing of it shows outside: in a namespace of less privilege the kernel lets no mount spread.
    """
    quiet = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    kernel.mount("tmpfs", "/tmp", "tmpfs", quiet, TMP_OPTIONS)
    kernel.mount("tmpfs", "/proc", "tmpfs", quiet | kernel.MS_RDONLY, "size=4k,nr_inodes=1")
    os.chdir("/tmp")


def limit_resources(limits: dict[str, Any], own_namespace: bool) -> None:
    """limits: cpuSeconds, memoryBytes of address space.

    The zygote watches the CPU clock; the kernel's own limit is the second guard, twice as far
    because it counts in ticks. Its soft value is the hard one, so a SIGXCPU handler buys no time.
    """
    cpu, memory = 2 * math.ceil(limits["cpuSeconds"]), limits["memoryBytes"]
    wanted = [
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_STACK, STACK_BYTES),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ]
    if own_namespace:
        wanted.append((resource.RLIMIT_NPROC, MAX_THREADS))
    for which, value in wanted:
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))


def seal(level: str, ruleset: int | None) -> None:
    """Nothing is given back after this: no privileges, no capabilities, only allowed calls."""
    if level == "unsafe":
        return
    machine = platform.machine()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if level == "L3":
        kernel.drop_capabilities(machine)
    if ruleset is not None:
        kernel.landlock_restrict(ruleset)
        os.close(ruleset)
    kernel.install_filter(build_filter(machine, os.getpid()))
