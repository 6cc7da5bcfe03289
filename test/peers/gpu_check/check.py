"""What only a GPU can show of the trainer, in parts of at most ten minutes on an H100.

    npm run gpu:check -- [--out FILE] [--part NAME ...] [--device cuda] [--shrink N]

Every part starts trainer processes of its own with models of random weights, which it makes first.
What is measured is kept in a JSON file after each part; called again with the same file, finished
parts are not taken again. `--shrink N` divides rows and lengths and takes models of two layers:
that tries the parts, on a CPU too, and measures nothing worth telling.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(CHECKOUT / one) for one in ("native/trainer", "test/native/trainer")]

import torch  # noqa: E402

from exactness import mismatch, parity  # noqa: E402
from figures import Figure, as_json, keep, kept, table  # noqa: E402
from memory import memory  # noqa: E402
from speed import decoding, training, whole_step  # noqa: E402
from trial import Bench  # noqa: E402

PARTS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "parity": parity,
    "mismatch": mismatch,
    "memory": memory,
    "decoding": decoding,
    "training": training,
    "step": whole_step,
}
SPEED = ("decoding", "training", "step")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="gpu:check", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out/gpu-check.json"))
    parser.add_argument("--part", action="append", choices=PARTS, default=[])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--shrink", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="for the models, up to 25 GB")
    given = parser.parse_args(arguments)
    if given.shrink < 1:
        parser.error("--shrink takes a whole number from 1.")
    if given.device == "cuda" and not torch.cuda.is_available():
        parser.error(
            "PyTorch finds no CUDA device here. Install the CUDA build of PyTorch into the "
            "environment of the trainer, or try the parts with --device cpu --shrink 64."
        )
    if given.device == "cpu" and given.shrink == 1:
        parser.error("on a CPU the parts can only be tried: add --shrink 64.")
    device = torch.device(given.device)
    card = torch.cuda.get_device_name(device) if given.device == "cuda" else "a CPU (a trial)"
    told = kept(given.out)
    if told.get("device") != card or told.get("shrink") != given.shrink:
        told = {"device": card, "shrink": given.shrink, "parts": {}}
    told |= {
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "date": datetime.date.today().isoformat(),
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        bench = Bench(device, given.folder or Path(folder), given.shrink, torch.get_num_threads())
        for name in given.part or PARTS:
            if told["parts"].get(name, {"failed": ""})["failed"] is None:
                continue
            told["parts"][name] = _take(name, bench)
            keep(given.out, told)
    print(table(told))
    good = all(
        part["failed"] is None and all(one["met"] is not False for one in part["figures"])
        for part in told["parts"].values()
    )
    return 0 if good else 1


def _take(name: str, bench: Bench) -> dict[str, object]:
    """One part's figures; what ends it is told beside those that it had."""
    began = time.perf_counter()
    figures: list[Figure] = []
    failed = None
    try:
        for figure in PARTS[name](bench):
            if bench.shrink > 1 and name in SPEED:
                figure = replace(figure, met=None)
            value = "not told" if figure.value is None else f"{figure.value:.4g} {figure.unit}"
            print(f"{name}: {figure.what}: {value}", file=sys.stderr, flush=True)
            figures.append(figure)
    except Exception as error:  # noqa: BLE001 - the other parts are worth having
        failed = f"{type(error).__name__}: {error}"
        print(f"{name}: {failed}", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "failed": failed, "figures": as_json(figures)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
