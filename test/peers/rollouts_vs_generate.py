r"""Sampling speed beside transformers' generate, on the same weights, prompts and lengths.

    PYTHONPATH=native/trainer .venv/bin/python test/peers/rollouts_vs_generate.py --model FOLDER \
        [--rounds 3] [--json FILE]

`fixed` bans the end token, so that every row has the same length; `skew` gives each row its own
length (log-normal), where a static batch runs until its longest row. Runs alternate between the two
programs. Figures are new tokens per second of CPU time on one thread, because a shared machine
makes wall time meaningless; the ratio is what to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
import torch  # noqa: E402
from transformers import AutoModelForCausalLM, LogitsProcessorList  # noqa: E402

from anchor_trainer.model.config_file import read_config  # noqa: E402
from anchor_trainer.model.folder import load_tensors  # noqa: E402
from anchor_trainer.model.tokenizer import load_tokenizer  # noqa: E402
from anchor_trainer.model.weights import Weights  # noqa: E402
from anchor_trainer.rollout.records import GenerateRequest, Item  # noqa: E402
from anchor_trainer.rollout.sampling import Sampling  # noqa: E402
from anchor_trainer.rollout.scheduler import Scheduler  # noqa: E402
from support.imposed_lengths import EndAt, response_lengths  # noqa: E402

PROMPT_TOKENS = 80


def ours(folder: Path, prompts: list[list[int]], lengths: list[int], slots: int):
    config = read_config(folder)
    weights = Weights(config, load_tensors(folder, config), torch.device("cpu"))
    scheduler = Scheduler(weights, load_tokenizer(folder, config), slots, config.context)
    scheduler.is_end[:] = False  # lengths are imposed, as for the other program

    def run() -> None:
        items = [
            Item(str(at), prompt, 1, at, length, 1.0, 1.0, ())
            for at, (prompt, length) in enumerate(zip(prompts, lengths, strict=True))
        ]
        sampling = Sampling(1.0, 1.0, 0, max(lengths))
        request = GenerateRequest(
            request_id=1,
            op_key="b",
            items=items,
            sampling=sampling,
            keep=False,
            started=0.0,
            on_rollout=lambda *_: None,
            on_done=lambda _: None,
        )
        scheduler.submit(request)
        while scheduler.busy:
            scheduler.step()
        assert request.totals.new_tokens == sum(lengths)

    return run


def theirs(folder: Path, prompts: list[list[int]], lengths: list[int], slots: int):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    eos = model.generation_config.eos_token_id
    eos = eos if isinstance(eos, list) else [eos]

    def run() -> None:
        for at in range(0, len(prompts), slots):
            ends = lengths[at : at + slots]
            ids = torch.tensor(prompts[at : at + slots])
            with torch.no_grad():
                model.generate(
                    ids,
                    attention_mask=torch.ones_like(ids),
                    do_sample=True,
                    max_new_tokens=max(ends),
                    logits_processor=LogitsProcessorList([EndAt(ends, eos)]),
                    pad_token_id=eos[0],
                )

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    noise = np.random.default_rng(0)
    vocab = read_config(given.model).vocab
    figures = []
    print("batch  lengths  rows  ours tok/s  transformers tok/s  ratio")
    for slots in (16, 32, 64):
        rows = 2 * slots
        prompts = noise.integers(0, vocab - 20, (rows, PROMPT_TOKENS)).tolist()
        for label in ("fixed", "skew"):
            lengths = response_lengths(label, rows)
            programs = [
                ours(given.model, prompts, lengths, slots),
                theirs(given.model, prompts, lengths, slots),
            ]
            seconds: list[list[float]] = [[], []]
            for _ in range(given.rounds):
                for which, program in enumerate(programs):
                    began = time.process_time()
                    program()
                    seconds[which].append(time.process_time() - began)
            speed = [sum(lengths) / statistics.median(one) for one in seconds]
            figures.append(
                {
                    "batch": slots,
                    "lengths": label,
                    "rows": rows,
                    "tokensPerCpuSecond": {"ours": speed[0], "transformers": speed[1]},
                    "ratio": speed[0] / speed[1],
                    "cpuSeconds": {"ours": seconds[0], "transformers": seconds[1]},
                }
            )
            print(
                f"{slots:5d}  {label:7s}  {rows:4d}  {speed[0]:10.0f}  {speed[1]:18.0f}  "
                f"{speed[0] / speed[1]:5.2f}",
                flush=True,
            )
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
