"""The trainer with a script in place of what its policy would write.

    scripted_trainer.py    in place of `python -m anchor_trainer`

Each token is the script's instead of a drawn one; its log-probability is the weights' own, and
all else (batching, spool, journal, updates, checkpoints, several weight sets) is the trainer
itself. The script is a function of the prompt, the item's seed and the sample's number alone.
"""

import os
import random
import re
import sys
from typing import Any

import numpy as np
import torch

from anchor_trainer import process_guard
from anchor_trainer.rollout import scheduler
from anchor_trainer.rollout.sampling import Sampled

ASKS = "Ask a question of mathematics."


def script(prompt: str, seed: int, index: int) -> str:
    """A sum in words where a question is asked for, else what the numbers of one add up to."""
    chance = random.Random(f"{seed}/{index}")
    if ASKS in prompt:
        a, b, c = (chance.randrange(most) for most in (40, 40, 9))
        if chance.randrange(8) == 0:
            return "Sums are dull."
        return f"<question>What is {a} + {b}, plus {c}?</question>\n\\boxed{{{a + b + c}}}"
    asked = prompt.rsplit("What is", 1)[-1]
    total = sum(int(number) for number in re.findall(r"\d+", asked))
    if chance.randrange(10) == 0:
        return "I am lost."
    told = total + chance.randrange(2)
    return f"I add them up.\nsum = {told}\nSo \\boxed{{{told}}}"


drawing: dict[str, Any] = {}
texts: dict[tuple[int, int], list[int]] = {}
real_draw, real_sample = scheduler.Scheduler._draw, scheduler.sample


def token_of(one: scheduler.Scheduler, slot: int) -> int:
    sample = one.rows.samples[slot]
    key = (id(sample.item), sample.index)
    at = int(one.rows.count[slot])
    if at == 0:
        prompt = one.tokenizer.decode(sample.item.prompt)
        ids = one.tokenizer.encode_plain(script(prompt, sample.item.seed, sample.index))
        texts[key] = [*ids, one.tokenizer.eos_ids[0]]
    return texts[key][at]


def draw(self: scheduler.Scheduler, slots: np.ndarray, logits: torch.Tensor) -> list[int]:
    drawing["tokens"] = np.array([token_of(self, int(slot)) for slot in slots])
    return real_draw(self, slots, logits)


def sample(logits: torch.Tensor, temperature: np.ndarray, *rest: Any) -> Sampled:
    drawn = real_sample(logits, temperature, *rest)
    tokens = drawing["tokens"]
    scale = torch.from_numpy(np.where(temperature <= 0, 1.0, temperature).astype(np.float32))
    logp = torch.log_softmax(logits / scale.unsqueeze(1), dim=-1)
    chosen = logp.gather(1, torch.from_numpy(tokens).unsqueeze(1)).squeeze(1)
    return Sampled(tokens, chosen.numpy(), drawn.entropy)


if __name__ == "__main__":
    process_guard.fix_environment()
    scheduler.Scheduler._draw = draw  # type: ignore[method-assign]
    scheduler.sample = sample
    from anchor_trainer.__main__ import main

    status = main()
    sys.stderr.flush()
    os._exit(status)
