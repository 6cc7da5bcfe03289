"""How near sampling, training and a whole step come to what the card can do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from figures import Figure, at_least, at_most
from shapes import kv_bytes_per_token, parameters
from trial import ANSWERING, FULL, LORA, Bench, Trial

NUMBER_BYTES = 2
# Prompts and answers of Absolute Zero: tokens on average, and the spread of an answer's length.
PROMPT_TOKENS = 1050
ANSWER_TOKENS = 600
ANSWER_SIGMA = 0.8
LONGEST = 8096
# Floating-point operations for each parameter and token: forward, backward, forward once more.
FORWARD, BACKWARD, AGAIN = 2, 4, 2


def answer_lengths(bench: Bench, rows: int) -> list[int]:
    """Log-normal with the mean above, the same draw each time."""
    noise = np.random.default_rng(rows)
    middle = np.log(bench.size(ANSWER_TOKENS)) - ANSWER_SIGMA**2 / 2
    drawn = noise.lognormal(middle, ANSWER_SIGMA, rows)
    return [int(one) for one in drawn.clip(2, bench.size(LONGEST))]


def bandwidth(bench: Bench) -> float:
    """Bytes a second that a copy reads and writes, the best of five."""
    source = torch.empty(bench.size(1 << 31), dtype=torch.uint8, device=bench.device)
    target = torch.empty_like(source)
    return 2 * source.numel() / _fastest(bench, lambda: target.copy_(source))


def matmul_rate(bench: Bench) -> float:
    """Floating-point operations a second of a large bf16 product, the best of five."""
    size = bench.size(8192)
    one = torch.randn(size, size, device=bench.device).to(torch.bfloat16)
    return 2 * size**3 / _fastest(bench, lambda: one @ one)


def _fastest(bench: Bench, action: Any) -> float:
    best = float("inf")
    for _ in range(5):
        _settle(bench)
        began = time.perf_counter()
        action()
        _settle(bench)
        best = min(best, time.perf_counter() - began)
    return best


def _settle(bench: Bench) -> None:
    if bench.device.type == "cuda":
        torch.cuda.synchronize()


def decoding(bench: Bench) -> Iterator[Figure]:
    """Tokens a second, and the share of the time in which weights and cache could be read once."""
    speed = bandwidth(bench)
    yield Figure("memory, copied", speed / 1e12, "TB/s")
    prompt, new = bench.size(1024), bench.size(256)
    for name in ("0.5b", "3b", "7b"):
        weights = NUMBER_BYTES * parameters(bench.shape(name))
        with bench.trainer(name, ANSWERING, longest=2 * prompt, rows=256) as trial:
            for rows in (1, 64, 256):
                # The difference of two lengths leaves out the reading of the prompts.
                trial.generate(trial.prompts(rows, prompt, [2]), keep=False)
                short = trial.generate(trial.prompts(rows, prompt, [2]), keep=False)
                long = trial.generate(trial.prompts(rows, prompt, [2 + new]), keep=False)
                seconds = max(long.seconds - short.seconds, 1e-9)
                tokens = long.new_tokens - short.new_tokens
                yield Figure(f"{name}, {rows} rows", tokens / seconds, "tokens/s")
                cache = rows * (prompt + new / 2) * kv_bytes_per_token(bench.shape(name))
                floor = (weights + cache) / speed * tokens / rows
                share = floor / seconds
                what = f"{name}, {rows} rows, share of the memory floor"
                yield Figure(what, share, "") if rows == 1 else at_least(what, share, "", 0.5)


def training(bench: Bench) -> Iterator[Figure]:
    """Share of the card's arithmetic an update uses, and its memory beside what was planned."""
    rate = matmul_rate(bench)
    yield Figure("bf16 product", rate / 1e12, "TFLOP/s")
    rows = bench.size(64)
    for name, method, train in (("3b", "full", FULL), ("7b", "LoRA", LORA)):
        longest = bench.size(PROMPT_TOKENS) + bench.size(LONGEST)
        with bench.trainer(name, train, longest=longest, rows=rows) as trial:
            ids = _sampled(bench, trial, rows)
            trial.update(ids[:2])  # what is done once: kernels chosen, memory taken
            trial.peak_bytes()
            began = time.perf_counter()
            result = trial.update(ids)
            seconds = time.perf_counter() - began
            backward = BACKWARD if method == "full" else FORWARD
            again = AGAIN if trial.loaded["gradCheckpoint"] else 0
            done = (FORWARD + backward + again) * parameters(bench.shape(name)) * result["tokens"]
            yield Figure(f"{name} {method}", result["tokens"] / seconds, "tokens/s")
            what = f"{name} {method}, share of the product's rate (attention not counted)"
            yield at_least(what, done / seconds / rate, "", 0.45)
            peak, planned = trial.peak_bytes(), _planned(trial, "update", "optimizer")
            if peak is None:
                yield Figure(f"{name} {method}, peak", None, "GB, not told on a CPU")
            else:
                yield Figure(f"{name} {method}, peak", peak / 1e9, "GB")
                off = abs(peak / planned - 1)
                yield at_most(f"{name} {method}, peak against plan", off, "", 0.05)


def _sampled(bench: Bench, trial: Trial, rows: int) -> list[str]:
    prompts = trial.prompts(rows, bench.size(PROMPT_TOKENS), answer_lengths(bench, rows))
    return trial.generate(prompts).ids


def _planned(trial: Trial, *phases: str) -> float:
    """Bytes of tensors that the plan names, without what it leaves to everything else."""
    found = trial.plan["phases"]
    return max(sum(found[one].values()) - found[one]["reserve"] for one in phases)


# Rows of one step of Absolute Zero with 64 of each kind: trained ones, and those whose only use is
# an estimate of difficulty, eight for each of 150 proposals.
TRAINED_ROWS = 384
ESTIMATED, SAMPLES = 150, 8
# Seconds of such a step by calculation on an H100, and the goal of one third more.
CALCULATED = {"3b": 117.0}


def whole_step(bench: Bench) -> Iterator[Figure]:
    """Sampling, estimates and update of one step, one after the other."""
    rows = bench.size(256)
    longest = bench.size(PROMPT_TOKENS) + bench.size(LONGEST)
    with bench.trainer("3b", FULL, longest=longest, rows=rows) as trial:
        began = time.perf_counter()
        ids = _sampled(bench, trial, bench.size(TRAINED_ROWS))
        sampled = time.perf_counter()
        tasks = bench.size(ESTIMATED)
        prompts = trial.prompts(tasks, bench.size(PROMPT_TOKENS), answer_lengths(bench, tasks))
        trial.generate(prompts, keep=False, n=SAMPLES)
        estimated = time.perf_counter()
        trial.update(ids)
        ended = time.perf_counter()
        yield Figure("3b, sampling", sampled - began, "s")
        yield Figure("3b, estimates", estimated - sampled, "s")
        yield Figure("3b, update", ended - estimated, "s")
        yield at_most("3b, the step", ended - began, "s", 1.3 * CALCULATED["3b"])
