"""The product's trainer: rollouts of all prompts as one batch, then a packed update."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
PEERS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PEERS), str(PEERS.parents[1] / "native/trainer")]

import torch  # noqa: E402

from anchor_trainer.model.config_file import read_config  # noqa: E402
from anchor_trainer.model.tokenizer import load_tokenizer  # noqa: E402
from exchange import (  # noqa: E402
    Answer,
    Request,
    Round,
    read_request,
    rewards_of,
    versions_of,
    write_answer,
)
from support.our_step import OurStep  # noqa: E402


def answer_to(request: Request) -> Answer:
    folder = Path(request.model)
    tokenizer = load_tokenizer(folder, read_config(folder))
    ids = [tokenizer.encode_messages(one) for one in request.prompts]
    rewards = rewards_of(request.lengths)
    advantages = [[one - sum(row) / len(row) for one in row] for row in rewards]
    on_card = request.device == "cuda"

    def now() -> float:
        if on_card:
            torch.cuda.synchronize()
        return time.perf_counter()

    lora = {"rank": request.rank, "alpha": 2 * request.rank, "targets": "all-linear"}
    method = {"mode": "lora", "lora": lora} if request.rank else {"mode": "full"}
    step = OurStep(
        folder,
        ids,
        request.lengths,
        advantages,
        request.learning_rate,
        {**method, "packTokens": request.pack_tokens, "gradCheckpoint": on_card},
        request.device,
        now,
    )
    taken = [step.run() for _ in range(request.rounds + 1)][1:]
    return Answer(
        rounds=[Round(rollouts, update, 0.0) for rollouts, update in taken],
        prompt_ids=ids,
        tokens=request.tokens,  # OurStep asserts it
        versions=versions_of("torch", "transformers"),
    )


if __name__ == "__main__":
    write_answer(Path(sys.argv[2]), answer_to(read_request(Path(sys.argv[1]))))
