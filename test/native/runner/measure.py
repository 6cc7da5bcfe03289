"""Jobs per second at each level and worker count: python measure.py [jobs]

Prints one line per figure: name N k seconds (N jobs, of which k ended ok).
"""

from __future__ import annotations

import statistics
import sys
import time

from client import Broker

PROGRAM = "def f(x):\n    return sorted(x)[::-1]\n"
CALLS = [{"args": [["l", [["i", hex(n)] for n in range(10)]]]}]


def burst(broker: Broker, jobs: int, calls: int) -> tuple[float, int, list[float]]:
    started = time.perf_counter()
    keys = [
        broker.send("run", program=PROGRAM, entry="f", calls=CALLS * calls) for _ in range(jobs)
    ]
    results = [broker.wait(key) for key in keys]
    return (
        time.perf_counter() - started,
        sum(result["status"] == "ok" for result in results),
        [result["wallMs"] for result in results],
    )


def main(jobs: int) -> None:
    for level in ("L3", "L2", "unsafe"):
        for workers in (1, 2):
            broker = Broker()
            hello = broker.ask("hello", level=level, workers=workers)
            assert hello["executionAllowed"], hello["why"]
            burst(broker, 20, 1)
            for calls in (1, 10):
                seconds, good, walls = burst(broker, jobs, calls)
                walls.sort()
                print(
                    f"runner.{level}.{workers}workers.{calls}calls {jobs} {good} {seconds:.2f}"
                    f"  ({jobs / seconds:.0f} jobs/s, {jobs * calls / seconds:.0f} calls/s, in "
                    f"the job median {statistics.median(walls):.1f} ms, "
                    f"p95 {walls[int(len(walls) * 0.95)]:.1f} ms)"
                )
            broker.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
