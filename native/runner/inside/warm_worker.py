"""A warm worker: a process forked ahead of need, namespaces ready, waiting for its job.

Making namespaces costs milliseconds of waiting in the kernel; doing it while the previous job still
runs hides that. At L3 a middle process creates the namespaces and the job is its only child (pid 1
of the new pid namespace, so that its end takes every process in there along).
"""

from __future__ import annotations

import gc
import json
import os
import select
import sys
import time
from dataclasses import dataclass
from typing import Any

from inside import distance, driver, facts, jail, kernel
from inside.grading.calls import grade_program
from inside.grading.extract import extract_programs

SETUP_LIMIT_S = 20  # namespaces take 5-20 ms; more than this is a broken machine, not a slow one


class SetupFailed(Exception):
    """The sandbox of a job could not be made; the message is the kernel's reason."""


@dataclass
class WarmWorker:
    child: int  # our direct child: the middle process at L3, else the job itself
    job_pid: int  # the job as seen from here; 0 until known
    ended: int  # pidfd of child: readable once it is gone
    status: int  # read end: what the set-up says
    job: int  # write end: the job text goes here
    report: int  # read ends of what the program writes
    output: int
    errors: int

    def close(self) -> None:
        for fd in (self.ended, self.status, self.job, self.report, self.output, self.errors):
            if fd >= 0:
                os.close(fd)


def fork_worker(level: str, ruleset: int | None) -> WarmWorker:
    job_in, job_out = os.pipe()
    status_in, status_out = os.pipe()
    report_in, report_out = os.pipe()
    output_in, output_out = os.pipe()
    errors_in, errors_out = os.pipe()
    zygote = os.getpid()
    child = os.fork()
    if child == 0:
        outputs = (output_out, errors_out, report_out)
        _become_job(level, ruleset, zygote, job_in, status_out, outputs)
    for fd in (job_in, status_out, report_out, output_out, errors_out):
        os.close(fd)
    return WarmWorker(
        child, 0, os.pidfd_open(child), status_in, job_out, report_in, output_in, errors_in
    )


def await_ready(worker: WarmWorker) -> None:
    """Wait until the set-up is done and the job's pid is known: two processes write here, in either
    order. SetupFailed with the reason otherwise."""
    text, deadline = b"", time.monotonic() + SETUP_LIMIT_S
    while text.count(b"\n") < 2:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([worker.status], [], [], left)[0]:
            raise SetupFailed(f"a job's sandbox was not ready within {SETUP_LIMIT_S} s")
        part = os.read(worker.status, 4096)
        text += part
        if not part or b"failed " in text:
            reason = text.partition(b"failed ")[2].decode("utf-8", "replace").strip()
            raise SetupFailed(reason or "a job's process ended during set-up")
    worker.job_pid = next(int(line[4:]) for line in text.splitlines() if line.startswith(b"pid "))


def _become_job(
    level: str,
    ruleset: int | None,
    zygote: int,
    job_in: int,
    status: int,
    outputs: tuple[int, int, int],
) -> None:
    """Never returns."""
    try:
        kernel.die_with_parent(zygote)
        if level == "L3":
            jail.enter_namespaces()
            job_pid = os.fork()
            if job_pid:
                os.write(status, b"pid %d\n" % job_pid)
                _stand_by(job_pid, status)
            kernel.die_with_parent()
            jail.private_files()
        else:
            os.write(status, b"pid %d\n" % os.getpid())
            os.setsid()
        if os.read(_arrange(job_in, status, outputs, ruleset), 1) == b"":
            os._exit(0)  # the zygote ended without ever needing this process
        _do_job(level, ruleset)
    except BaseException as error:  # noqa: BLE001 - the broker is told, whatever it is
        reason = "failed %s: %s\n" % (type(error).__name__, error)
        try:
            os.write(status, reason.encode("utf-8", "replace")[:900])
            os.write(driver.REPORT_FD, reason.encode("utf-8", "replace")[:900])
        except OSError:
            pass
        os._exit(120)


def _stand_by(job_pid: int, status: int) -> None:
    """The middle process: hold nothing of the job's, wait for its end, pass on how it ended."""
    os.closerange(0, status)
    os.closerange(status + 1, 256)
    how = os.waitpid(job_pid, 0)[1]
    os.write(status, b"ended %d\n" % how)
    os._exit(0)


_KINDS = {
    "run": driver.run_program,
    "parse": facts.parse_programs,
    "distance": distance.measure_distances,
    "grade": grade_program,
    "extract": extract_programs,
}
_JOB_FD, _STATUS_FD, _RULES_FD = 40, 41, 42


def _arrange(job_in: int, status: int, outputs: tuple[int, int, int], ruleset: int | None) -> int:
    """Descriptors of the job: 0 nothing, 1 output, 2 errors, 3 report; ours above, closed later."""
    for source, target in ((job_in, _JOB_FD), (status, _STATUS_FD)):
        os.dup2(source, target, inheritable=False)
    if ruleset is not None:
        os.dup2(ruleset, _RULES_FD, inheritable=False)
    held = [os.dup2(fd, 50 + index) for index, fd in enumerate(outputs)]
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    for index, fd in enumerate(held):
        os.dup2(fd, index + 1)
    os.closerange(4, _JOB_FD)
    os.closerange(_RULES_FD + (ruleset is not None), 256)
    os.write(_STATUS_FD, b"ready\n")
    return _JOB_FD


def _read_job() -> dict[str, Any]:
    parts = []
    while part := os.read(_JOB_FD, 1 << 20):
        parts.append(part)
    os.close(_JOB_FD)
    job: dict[str, Any] = json.loads(b"".join(parts))
    return job


def _do_job(level: str, ruleset: int | None) -> None:
    job = _read_job()
    if job.get("stdin"):
        held = os.memfd_create("stdin")
        os.write(held, job["stdin"].encode("utf-8", "surrogatepass"))
        os.lseek(held, 0, os.SEEK_SET)
        os.dup2(held, 0)
        os.close(held)
    os.environ.clear()
    os.environ.update({"HOME": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin"})
    sys.argv = ["program"]
    # ruff: disable[SIM115] - the program uses them to its end
    sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr = open(
        2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1
    )
    # ruff: enable[SIM115]
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    gc.enable()
    jail.limit_resources(job["limits"], own_namespace=level == "L3")
    os.close(_STATUS_FD)
    jail.seal(level, _RULES_FD if ruleset is not None else None)
    _KINDS[job["kind"]](job)
