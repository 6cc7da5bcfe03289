"""verl on one card: FSDP and vLLM colocated, run as its own command and read from its log."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas
from transformers import AutoTokenizer

from exchange import Answer, Request, read_request, token_ids, versions_of, write_answer
from verl_run import REWARD, overrides, rounds_of, rows_of


def answer_to(request: Request) -> Answer:
    tokenizer = AutoTokenizer.from_pretrained(request.model, local_files_only=True)
    ids = token_ids(tokenizer, request.prompts)
    with tempfile.TemporaryDirectory(prefix="anchor-verl-") as name:
        folder = Path(name)
        pandas.DataFrame(rows_of(request)).to_parquet(folder / "prompts.parquet")
        (folder / "reward.py").write_text(REWARD)
        asked = overrides(request, folder, max(len(one) for one in ids))
        own = {
            "VERL_FILE_LOGGER_PATH": str(folder / "steps.jsonl"),
            "HF_HUB_OFFLINE": "1",
            "RAY_USAGE_STATS_ENABLED": "0",
            "VLLM_NO_USAGE_STATS": "1",
        }
        command = [sys.executable, "-m", "verl.trainer.main_ppo", *asked]
        subprocess.run(command, check=True, cwd=folder, env={**os.environ, **own})
        rounds = rounds_of((folder / "steps.jsonl").read_text(), request)
    return Answer(
        rounds=rounds,
        prompt_ids=ids,
        tokens=request.tokens,  # rounds_of compares the lengths
        versions=versions_of("torch", "transformers", "verl", "vllm", "flash-attn"),
    )


if __name__ == "__main__":
    write_answer(Path(sys.argv[2]), answer_to(read_request(Path(sys.argv[1]))))
