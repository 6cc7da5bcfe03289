"""Entry of the policy process; the order of the first lines matters (see process_guard)."""

from __future__ import annotations

from . import process_guard


def main() -> int:
    descriptor = process_guard.take_standard_output()
    process_guard.force_offline()
    process_guard.die_with_parent()
    process_guard.enable_crash_traces()
    from .server import serve

    return serve(descriptor)


if __name__ == "__main__":
    raise SystemExit(main())
