"""Entry of the policy process; the order of the first lines matters (see process_guard)."""

from __future__ import annotations

import gc
import os
import sys

from . import process_guard


def main() -> int:
    descriptor = process_guard.take_standard_output()
    process_guard.fix_environment()
    process_guard.die_with_parent()
    process_guard.enable_crash_traces()
    # What PyTorch brings with it stays until the end: looking through it for garbage, while it is
    # loaded and ever again after that, would find none.
    gc.disable()
    from .server import serve

    gc.freeze()
    gc.enable()
    return serve(descriptor)


if __name__ == "__main__":
    status = main()
    sys.stderr.flush()
    # Everything is written by now. The interpreter is not taken down around threads that still wait
    # in native code: that now and then ends an orderly stop with SIGABRT.
    os._exit(status)
