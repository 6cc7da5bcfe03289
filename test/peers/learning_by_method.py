r"""How the embedded policy learns with each method of training, on a task of its own.

    PYTHONPATH=native/trainer .venv/bin/python test/peers/learning_by_method.py --seeds 1 2

Twelve short prompts are answered four times each, an answer is paid by its share of digits, its
advantage is what it got above the mean of its prompt, and every update is one step of AdamW at 2e-4
on one thread. Prints, for each method and seed, the mean reward of ten updates after each other and
the processor seconds of an update.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import torch

from anchor_trainer.methods import METHODS
from anchor_trainer.params import Params
from anchor_trainer.protocol import Writer
from anchor_trainer.rollout.stops import text_of
from anchor_trainer.session import RunFolders, Session

MODEL = Path(__file__).resolve().parents[2] / "resources/models/policy"
EIGHT_BITS = {"kind": "adamw8bit"}
WAYS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "float32": ({}, {}),
    "bfloat16": ({"precision": "bf16"}, {}),
    "moments in 8 bits": ({}, EIGHT_BITS),
    "both": ({"precision": "bf16"}, EIGHT_BITS),
}
PROMPTS, SAMPLES, TOKENS, BLOCK = 12, 4, 32, 10


class Learner:
    """The methods of a trainer without its process."""

    def __init__(self, folder: Path, way: str, seed: int) -> None:
        self.seed = seed
        self.session = Session(Writer(os.open(os.devnull, os.O_WRONLY)))
        self.session.open_run(RunFolders(folder, folder / "spool"))
        train, optimizer = WAYS[way]
        self.ask(
            "load",
            model={"path": str(MODEL)},
            train={
                "mode": "full",
                "packTokens": 2048,
                **train,
                "optim": {"lr": 2e-4, "betas": [0.9, 0.999], **optimizer},
            },
            rollout={"maxConcurrent": PROMPTS * SAMPLES, "maxSeqTokens": 160},
            device="cpu",
            threads=1,
            seed=seed,
        )

    def ask(self, method: str, **params: object) -> None:
        METHODS[method].handler(self.session, Params(params), 1)

    def update(self, number: int) -> tuple[float, float]:
        """The mean reward of what is answered, and the processor seconds of learning from it."""
        items = [
            {
                "key": f"k{at}",
                "messages": [{"role": "user", "content": f"write {at % 8}"}],
                "seed": self.seed * 100_000 + number * 100 + at,
                "n": SAMPLES,
            }
            for at in range(PROMPTS)
        ]
        sampling = {"temperature": 1, "topP": 1, "topK": 0, "maxNewTokens": TOKENS}
        self.ask("generate", opKey=f"s{number}", items=items, sampling=sampling, keep=True)
        chosen = self.session.sets["policy"]
        assert chosen.policy is not None
        sampler = chosen.policy.sampler
        while sampler.busy:
            sampler.step()
        ids = [one for one in chosen.store.ids() if one.startswith(f"s{number}/")]
        texts = [text_of(chosen.policy.tokenizer, chosen.store.get(one), ()) for one in ids]
        rewards = torch.tensor(
            [sum(map(str.isdigit, text)) / max(len(text), 1) for text in texts]
        ).view(-1, SAMPLES)
        advantages = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std() + 1e-6)
        started = time.process_time()
        self.ask(
            "update",
            opId=f"u{number}",
            expectVersion=number,
            items=[
                {"rolloutId": one, "advantage": float(advantage)}
                for one, advantage in zip(ids, advantages.flatten(), strict=True)
            ],
            loss={"kind": "pg-clip", "agg": "token-mean", "clipLow": 0.2, "clipHigh": 0.28},
            batch={"miniBatch": 0, "epochs": 1},
        )
        return float(rewards.mean()), time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--updates", type=int, default=60)
    args = parser.parse_args()
    torch.set_num_threads(1)
    for seed in args.seeds:
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                learner = Learner(Path(folder), way, seed)
                told = [learner.update(number) for number in range(args.updates)]
            rewards = [reward for reward, _ in told]
            blocks = [rewards[at : at + BLOCK] for at in range(0, len(rewards), BLOCK)]
            line = {
                "way": way,
                "seed": seed,
                "updateSeconds": round(sum(seconds for _, seconds in told) / len(told), 3),
                "rewards": [round(sum(block) / len(block), 3) for block in blocks],
            }
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
