"""Host time of one decoding step, with the model and the drawing of tokens replaced by stubs.

    PYTHONPATH=native/trainer .venv/bin/python test/peers/scheduling_host.py --model FOLDER

What is left is what a GPU would wait for: placing rows and their blocks, noise, stop strings, ends.
FOLDER is any policy; only its configuration and its tokenizer are used.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from anchor_trainer.model.loading import source_of
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.rollout import scheduler as module
from anchor_trainer.rollout.block_attention import BlockAttention
from anchor_trainer.rollout.records import GenerateRequest, Item
from anchor_trainer.rollout.sampling import Sampled, Sampling

STEPS = 400
STOPS = ("</answer>", "```")


def step_milliseconds(folder: Path, rows: int, stops: tuple[str, ...]) -> float:
    """Processor time of a step, of `rows` rows that go on until the last."""
    source = source_of(folder)
    config = source.config()
    tokenizer = load_tokenizer(source.base, config)
    noise = np.random.default_rng(0)
    ends = {*tokenizer.eos_ids}
    usual = np.array([one for one in range(config.vocab) if one not in ends])
    drawn = [usual[noise.integers(0, len(usual), rows)] for _ in range(64)]
    logits = torch.zeros(rows, 8)

    def prefill(weights, cache, prompts: list[list[int]], slots: list[int]) -> torch.Tensor:
        cache.reserve(np.array(slots), np.array([len(prompt) for prompt in prompts]))
        return logits[: len(prompts)]

    def decode(weights, cache, tokens: np.ndarray, lengths: np.ndarray) -> torch.Tensor:
        cache.reserve(np.arange(len(tokens)), lengths + 1)
        BlockAttention(cache, lengths)
        return logits[: len(tokens)]

    module.prefill, module.decode = prefill, decode
    turn = 0

    def sample(given: torch.Tensor, *_: np.ndarray) -> Sampled:
        nonlocal turn
        turn += 1
        zeros = np.zeros(len(given), np.float32)
        return Sampled(drawn[turn % 64][: len(given)], zeros, zeros)

    module.sample = sample
    # Without layers: memory is not what is measured.
    config = replace(config, layers=0)
    model = SimpleNamespace(config=config, compute_dtype=torch.float32, device=torch.device("cpu"))
    subject = module.Scheduler(model, tokenizer, rows, STEPS + 8)
    items = [Item(f"k{at}", [1, 2, 3], 1, at, STEPS + 4, 1.0, 1.0, stops) for at in range(rows)]
    subject.submit(
        GenerateRequest(
            request_id=1,
            op_key="op",
            items=items,
            sampling=Sampling(1.0, 1.0, 0, STEPS + 4),
            keep=False,
            started=time.monotonic(),
            on_rollout=lambda *_: None,
            on_done=lambda _: None,
        )
    )
    subject.step()
    started = time.process_time()
    for _ in range(STEPS):
        subject.step()
    return (time.process_time() - started) / STEPS * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=256)
    given = parser.parse_args()
    for name, stops in (("no stop strings", ()), ("two stop strings", STOPS)):
        each = [step_milliseconds(given.model, given.rows, stops) for _ in range(5)]
        print(f"{given.rows} rows, {name}: {sorted(each)[2]:.3f} ms a step (median of 5)")


if __name__ == "__main__":
    main()
