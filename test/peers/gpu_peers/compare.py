"""One evolution step (rollouts and update) beside TRL with vLLM, verl and Unsloth, on a card.

    npm run gpu:peers -- [--model FOLDER] [--program NAME ...] [--out FILE]

Each program runs in an environment of its own with the same prompts, imposed response lengths, loss
(token mean, clip 0.2 and 0.28, no KL term), AdamW and gradient checkpointing. Lengths are all alike
(`fixed`) or log-normal (`skew`; not verl, which has one for a run). Told are medians of seconds
after a warm-up step, ratios to ours, and the most memory that the driver saw in use.

Of the programs ours and TRL without vLLM were tried, on a CPU in small. Not run by us, for want of
a card: all programs on one, TRL with vLLM, verl and Unsloth. Of these two, reading their answers is
tested with synthetic ones.

A case that a program finished is not taken again with the same --out and settings. The exit code is
1 where a program failed or read other prompts, and 3 where one was left out because its environment
is missing; the sentence says how to make it.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

PEERS = Path(__file__).resolve().parents[1]
CHECKOUT = PEERS.parents[1]
sys.path[:0] = [
    str(one)
    for one in (
        PEERS,
        PEERS / "gpu_check",
        CHECKOUT / "native/trainer",
        CHECKOUT / "test/native/trainer",
    )
]

import torch  # noqa: E402

from card import ask  # noqa: E402
from exchange import Request  # noqa: E402
from figures import keep, kept  # noqa: E402
from measuring import measure  # noqa: E402
from programs import Program, programs  # noqa: E402
from shapes import make_model  # noqa: E402
from support.chat_prompts import prompts_of  # noqa: E402
from support.imposed_lengths import response_lengths  # noqa: E402
from telling import table  # noqa: E402

KINDS = ("fixed", "skew")
# All weights of 7B and their fp32 optimizer state are more than a card of 80 GB has.
SIZES = {"0.5b": "full", "3b": "full", "7b": "lora"}
LEARNING_RATE = 1e-6
FAILED, LEFT_OUT = 1, 3


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="gpu:peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--out", type=Path, default=Path("out/gpu-peers.json"))
    add("--model", type=Path, help="a checkpoint of your own instead of random weights")
    add("--size", action="append", choices=SIZES, help="shapes of Qwen2.5; all of them by default")
    add("--method", choices=("full", "lora"), help="by default LoRA for 7b only")
    add("--rank", type=int, default=32)
    add("--lengths", action="append", choices=KINDS)
    names = [one.name for one in programs()]
    add("--program", action="append", choices=names, help="ours is always among them")
    add("--prompts", type=int, default=32)
    add("--generations", type=int, default=8)
    add("--response", type=int, default=512, help="tokens where all are alike")
    add("--rounds", type=int, default=5)
    add("--micro-rows", type=int, default=8, help="rows of a micro-batch of TRL and Unsloth")
    add("--pack-tokens", type=int, default=16384, help="tokens of one of ours and of verl")
    add("--vllm-share", type=float, default=0.5, help="of the card's memory")
    add("--limit", type=float, default=60, help="minutes for one program and case")
    add("--environments", type=Path, default=CHECKOUT, help="where .venv-peers-NAME lie")
    add("--device", choices=("cuda", "cpu"), default="cuda")
    add("--shrink", type=int, default=1, help="divides prompts and lengths; tiny models")
    given = parser.parse_args(arguments)
    counts = ("rank", "prompts", "generations", "response", "rounds", "micro_rows", "shrink")
    for name in counts:
        if getattr(given, name) < 1:
            parser.error(f"--{name.replace('_', '-')} takes a whole number from 1.")
    if given.generations % 8:
        parser.error("--generations takes a multiple of 8: one in eight has another reward.")
    if given.generations % given.micro_rows:
        parser.error("--micro-rows takes a divisor of --generations.")
    if given.model is not None and given.size:
        parser.error("--model and --size exclude each other: a checkpoint has its own size.")
    if given.device == "cuda" and not torch.cuda.is_available():
        parser.error(
            "PyTorch finds no CUDA device here. Install the CUDA build of PyTorch into the "
            "environment of the trainer, or try the programs with --device cpu --shrink 64."
        )
    if given.device == "cpu" and given.shrink == 1:
        parser.error("on a CPU the programs can only be tried: add --shrink 64.")
    return given


def main(arguments: list[str]) -> int:
    given = parsed(arguments)
    card = ask("name") if given.device == "cuda" else "a CPU (a trial)"
    asked = given.program or [one.name for one in programs()]
    chosen = [one for one in programs(given.environments) if one.name in {"ours", *asked}]
    sentences = [text for one in chosen if (text := one.missing()) is not None]
    print("".join(f"{one}\n" for one in sentences), end="", file=sys.stderr, flush=True)
    present = [one for one in chosen if one.missing() is None]
    told = kept(given.out)
    if told.get("card") != card:
        told = {"card": card, "cases": {}}
    told["date"] = datetime.date.today().isoformat()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for name, model, method in _models(given, Path(folder)):
            for kind in given.lengths or KINDS:
                request = _request(given, model, method, kind)
                case = f"{name} {method} {kind}"
                _take(case, request, present, told, given)
                taken.append(case)
    print(table(told, [one.name for one in chosen]))
    cases = [told["cases"][one]["programs"] for one in taken]
    good = all(one["failed"] is None for case in cases for one in case.values())
    return FAILED if not good else LEFT_OUT if sentences else 0


def _models(given: argparse.Namespace, folder: Path) -> list[tuple[str, Path, str]]:
    """Name, folder and method of each model; random weights are made first."""
    if given.model is not None:
        return [(given.model.name, given.model.resolve(), given.method or "full")]
    if given.shrink > 1:
        tiny = make_model(folder, "tiny", torch.device(given.device))
        return [("tiny", tiny, given.method or "full")]
    device = torch.device(given.device)
    return [
        (size, make_model(folder, size, device), given.method or SIZES[size])
        for size in given.size or SIZES
    ]


def _request(given: argparse.Namespace, model: Path, method: str, kind: str) -> Request:
    prompts = max(given.prompts // given.shrink, 2)
    equal = max(given.response // given.shrink, 4)
    flat = response_lengths(kind, prompts * given.generations, equal)
    cut = range(0, len(flat), given.generations)
    return Request(
        model=str(model),
        prompts=prompts_of(prompts, max(64 // given.shrink, 2)),
        lengths=[flat[at : at + given.generations] for at in cut],
        rounds=given.rounds,
        rank=given.rank if method == "lora" else 0,
        micro_rows=min(given.micro_rows, given.generations),
        pack_tokens=given.pack_tokens,
        learning_rate=LEARNING_RATE,
        vllm_share=given.vllm_share,
        device=given.device,
    )


def _take(
    case: str,
    request: Request,
    present: list[Program],
    told: dict[str, Any],
    given: argparse.Namespace,
) -> None:
    """Fills in what of a case is missing, one program after the other."""
    # Random weights lie in another folder each time and are the same.
    settings = {**asdict(request), "model": str(given.model or case.split()[0])}
    if told["cases"].get(case, {}).get("settings") != settings:
        told["cases"][case] = {"settings": settings, "refused": {}, "programs": {}}
    found = told["cases"][case]["programs"]
    for program in present:
        if found.get(program.name, {"failed": ""})["failed"] is None:
            continue
        refused = program.refuses(request)
        if refused is not None:
            told["cases"][case]["refused"][program.name] = refused
            continue
        log = given.out.with_name(f"{given.out.stem}-{case.replace(' ', '-')}-{program.name}.log")
        print(f"{case}: {program.name} ...", file=sys.stderr, flush=True)
        figures = measure(program, request, log, given.limit * 60)
        ours = found.get("ours", {}).get("prompts")
        if figures["failed"] is None and ours is not None and figures["prompts"] != ours:
            figures = {"failed": "it read other token ids of the prompts than ours", "seconds": 0}
        found[program.name] = figures
        keep(given.out, told)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
