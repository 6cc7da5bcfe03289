r"""Answers of a policy to questions, sampled by the trainer's own scheduler.

    PYTHONPATH=native/trainer .venv/bin/python test/peers/answer-forms/sample.py MODEL SETTINGS \
        < questions.jsonl > answers.jsonl

In bfloat16, in which the models it is meant for are published: where the processor multiplies it,
questions are read four times and answers written twice as fast as in float32. An answer is written
as soon as it ends, and depends on its own question and seed alone.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import torch

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.model.weights import Weights
from anchor_trainer.rollout.records import GenerateRequest, Item
from anchor_trainer.rollout.sampling import Sampling
from anchor_trainer.rollout.scheduler import Scheduler


def main() -> None:
    folder, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
    torch.set_num_threads(settings["threads"])
    config = read_config(folder)
    weights = Weights(config, load_tensors(folder, config), torch.device("cpu"), torch.bfloat16)
    tokenizer = load_tokenizer(folder, config)
    temperature, top_p = settings["temperature"], settings["topP"]
    limit = settings["maxNewTokens"]
    items = []
    for line in sys.stdin:
        asked = json.loads(line)
        ids = (
            tokenizer.encode_plain(asked["plain"])
            if "plain" in asked
            else tokenizer.encode_messages(asked["messages"])
        )
        stops = tuple(asked.get("stop", ()))
        items.append(Item(asked["key"], ids, 1, asked["seed"], limit, temperature, top_p, stops))
    longest = max(len(item.prompt) for item in items) + limit
    scheduler = Scheduler(weights, tokenizer, settings["rows"], min(longest, config.context))
    done = 0
    started = time.monotonic()

    def written(request: GenerateRequest, rollout, text: str, _ms: float) -> None:
        nonlocal done
        done += 1
        answer = {
            "key": rollout.key,
            "text": text,
            "finish": rollout.finish,
            "newTokens": len(rollout.new_ids),
            "promptTokens": len(rollout.prompt_ids),
        }
        print(json.dumps(answer), flush=True)
        if done % 20 == 0:
            seconds = time.monotonic() - started
            left = seconds / done * (len(items) - done) / 60
            print(f"{done} of {len(items)}, {left:.0f} min left", file=sys.stderr, flush=True)

    sampling = Sampling(temperature, top_p, 0, limit)
    scheduler.submit(
        GenerateRequest(1, "forms", items, sampling, False, 0.0, written, lambda _: None)
    )
    while scheduler.busy:
        scheduler.step()


if __name__ == "__main__":
    main()
