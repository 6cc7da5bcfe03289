"""What keeps the process harmless: its streams, its parent, its environment."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def take_standard_output() -> int:
    """Moves the protocol to a private descriptor and sends stray prints to standard error.

    Must run before heavy imports: libraries print banners while they load.
    """
    private = os.dup(1)
    os.set_inheritable(private, False)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return private


def fix_environment(threads_default: int = 1) -> None:
    """Before torch and numpy read it: nothing is fetched, and numerics repeat."""
    os.environ.update(OFFLINE)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, str(threads_default))
    # A waiting OpenMP thread must sleep: spinning would steal the supervisor's core.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if (kernels := kernels_of_one_rounding(_processor())) is not None:
        os.environ["MKL_CBWR"] = kernels


def kernels_of_one_rounding(processor: str) -> str | None:
    """MKL's setting under which a row of a matrix product has the same bits beside any other rows.

    On Intel's processors MKL takes another kernel for another number of rows, so an answer would
    hang on which requests happened to be open beside it. Its strict mode takes one (and costs 3 %
    of a step). Elsewhere its choice does not go by the rows; tests of the trainer ask for that.

    :param processor: what /proc/cpuinfo says of it.
    """
    if "GenuineIntel" not in processor:
        return None
    flags = processor.split()
    kind = "AVX512" if "avx512f" in flags else "AVX2" if "avx2" in flags else None
    return f"{kind},STRICT" if kind else None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return file.read().split("\n\n", 1)[0]
    except OSError:
        return ""


def die_with_parent() -> None:
    """On Linux the kernel kills this process when its parent ends, however that ends.

    The parent may have gone before the request took effect, hence the check afterwards. Other
    systems rely on end-of-file on standard input.
    """
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def enable_crash_traces() -> None:
    """A native crash leaves the Python stack on standard error."""
    faulthandler.enable(sys.stderr)
