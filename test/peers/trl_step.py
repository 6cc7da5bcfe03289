r"""One evolution step (rollouts and update) beside TRL's GRPOTrainer, and the update alone.

TRL is no part of the product: it gets an environment of its own, made once with

    python3 -m venv .venv-peers && .venv-peers/bin/pip install -r test/peers/requirements.txt

Then

    PYTHONPATH=native/trainer .venv-peers/bin/python test/peers/trl_step.py \
        --model resources/models/policy [--rounds 5] [--json FILE]

Both programs have the same weights, prompts (chat messages), 8 generations a prompt, lengths, loss
(token mean, clip 0.2 and 0.28, no KL term, advantage over the prompt's mean), AdamW, fp32 and one
thread. `fixed` gives all responses 60 tokens, `skew` log-normal ones. TRL runs with every
micro-batch of --micro, each beside steps of ours taken in turn; the best one counts. Figures are
CPU seconds a step, medians, because a shared machine makes wall time meaningless; our step leaves
out what TRL does not have either: durable rollouts, journal and checkpoint.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

import torch  # noqa: E402
import transformers  # noqa: E402

from anchor_trainer.model.config_file import read_config  # noqa: E402
from anchor_trainer.model.tokenizer import load_tokenizer  # noqa: E402
from support.chat_prompts import Messages, prompts_of  # noqa: E402
from support.imposed_lengths import response_lengths  # noqa: E402
from support.our_step import OurStep  # noqa: E402
from support.trl_step import TrlSteps  # noqa: E402

GENERATIONS = 8
LEARNING_RATE = 1e-6
_PARTS = ("step", "rollouts", "update")


def compare(
    folder: Path, kind: str, prompts: list[Messages], micro: int, rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """(rollouts, update) in CPU seconds of each step of both programs, taken in turn."""
    flat = response_lengths(kind, len(prompts) * GENERATIONS)
    cut = range(0, len(flat), GENERATIONS)
    lengths = [flat[at : at + GENERATIONS] for at in cut]
    # Any reward does; that of the eighth differs, so that the gradient is not zero.
    rewards = [[float(at % GENERATIONS == 7) for at in range(GENERATIONS)] for _ in lengths]
    advantages = [[one - sum(row) / len(row) for one in row] for row in rewards]
    tokenizer = load_tokenizer(folder, read_config(folder))
    ids = [tokenizer.encode_messages(one) for one in prompts]
    ours = OurStep(folder, ids, lengths, advantages, LEARNING_RATE)
    taken: list[tuple[float, float]] = []
    theirs = TrlSteps(
        folder,
        prompts,
        lengths,
        rewards,
        micro,
        LEARNING_RATE,
        rounds + 1,
        lambda: taken.append(ours.run()),
    )
    expected = theirs.trainer.processing_class.apply_chat_template(
        prompts, add_generation_prompt=True, return_dict=True
    )
    assert ids == expected["input_ids"], "the two programs read other prompts"
    return {"trl": theirs.run(), "ours": taken[1:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--micro", type=int, nargs="+", default=[8, 16, 32, 64])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    prompts = prompts_of(given.prompts)
    print("lengths  micro   ours step  rollouts  update    TRL step  rollouts  update")
    figures: list[dict] = []
    for kind in ("fixed", "skew"):
        for micro in given.micro:
            row = {"lengths": kind, "micro": micro}
            for who, steps in compare(given.model, kind, prompts, micro, given.rounds).items():
                row[who] = {
                    "step": statistics.median(sum(one) for one in steps),
                    "rollouts": statistics.median(one[0] for one in steps),
                    "update": statistics.median(one[1] for one in steps),
                    "all": steps,
                }
            figures.append(row)
            cells = [f"{row[who][part]:8.3f}" for who in ("ours", "trl") for part in _PARTS]
            print(f"{kind:7s}  {micro:5d}  " + "  ".join(cells), flush=True)
    ratios = {}
    for kind in ("fixed", "skew"):
        rows = [row for row in figures if row["lengths"] == kind]
        # TRL's best micro-batch for each part, and ours from all rounds.
        ratios[kind] = {
            part: min(row["trl"][part] for row in rows)
            / statistics.median(row["ours"][part] for row in rows)
            for part in _PARTS
        }
        parts = ", ".join(f"{part} {ratio:.2f}" for part, ratio in ratios[kind].items())
        print(f"{kind}: TRL at its best takes as many times our CPU seconds: {parts}")
    if given.json is not None:
        versions = {"torch": torch.__version__, "transformers": transformers.__version__}
        given.json.write_text(
            json.dumps({"versions": versions, "rows": figures, "ratios": ratios}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
