"""Entry of the grading process: sets streams and limits before anything heavy is imported."""

from __future__ import annotations

from . import process_limits


def main() -> int:
    descriptor = process_limits.take_standard_output()
    process_limits.die_with_parent()
    limits = process_limits.apply_limits()
    from .server import serve

    return serve(descriptor, limits)


if __name__ == "__main__":
    raise SystemExit(main())
