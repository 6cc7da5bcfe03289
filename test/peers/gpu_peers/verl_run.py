"""verl's command line, prompts and log: what is written for a run and read of it afterwards.

Only the standard library, so that it can be tried where verl is not installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from exchange import Request, Round

REWARD = """
import hashlib


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **rest):
    return float(hashlib.sha256(solution_str.encode()).digest()[0] % 8 == 7)
"""


def rows_of(request: Request) -> list[dict[str, Any]]:
    """A row of the data file for each prompt, in the columns that verl's dataset reads."""
    return [
        {
            "data_source": "imposed",
            "prompt": prompt,
            "reward_model": {"style": "rule", "ground_truth": ""},
            "extra_info": {"index": at},
        }
        for at, prompt in enumerate(request.prompts)
    ]


def overrides(request: Request, folder: Path, longest_prompt: int) -> list[str]:
    """Hydra overrides of verl.trainer.main_ppo: one card, one optimizer step a rollout batch.

    Raises ValueError for lengths that differ, since one response length holds for a run.
    """
    if not request.is_equal:
        raise ValueError("verl has one response length for a run; it is compared at equal ones.")
    data = folder / "prompts.parquet"
    steps = request.rounds + 1
    model, actor, rollout = (f"actor_rollout_ref.{one}" for one in ("model", "actor", "rollout"))
    chosen: dict[str, object] = {
        "data.train_files": data,
        "data.val_files": data,
        "data.train_batch_size": len(request.prompts),
        "data.max_prompt_length": longest_prompt,
        "data.max_response_length": request.longest,
        "data.shuffle": False,
        "algorithm.adv_estimator": "grpo",
        "algorithm.norm_adv_by_std_in_grpo": False,
        # The sampler's log-probabilities are the old ones, as with ours.
        "algorithm.rollout_correction.bypass_mode": True,
        f"{model}.path": request.model,
        f"{model}.enable_gradient_checkpointing": True,
        f"{model}.use_remove_padding": True,
        f"{model}.lora_rank": request.rank,
        f"{model}.lora_alpha": 2 * request.rank,
        f"{model}.target_modules": "all-linear",
        f"{actor}.ppo_mini_batch_size": len(request.prompts),
        f"{actor}.use_dynamic_bsz": True,
        f"{actor}.ppo_max_token_len_per_gpu": request.pack_tokens,
        f"{actor}.clip_ratio_low": 0.2,
        f"{actor}.clip_ratio_high": 0.28,
        f"{actor}.loss_agg_mode": "token-mean",
        f"{actor}.use_kl_loss": False,
        f"{actor}.entropy_coeff": 0,
        f"{actor}.grad_clip": 1.0,
        f"{actor}.optim.lr": request.learning_rate,
        f"{actor}.optim.weight_decay": 0.0,
        f"{rollout}.name": "vllm",
        f"{rollout}.n": len(request.lengths[0]),
        f"{rollout}.ignore_eos": True,
        f"{rollout}.calculate_log_probs": True,
        f"{rollout}.tensor_model_parallel_size": 1,
        f"{rollout}.gpu_memory_utilization": request.vllm_share,
        f"{rollout}.max_num_seqs": request.rows,
        f"{rollout}.load_format": "safetensors" if request.rank else "dummy",
        f"{rollout}.agent.num_workers": 1,
        "reward.custom_reward_function.path": folder / "reward.py",
        "trainer.logger": "[file]",
        "trainer.nnodes": 1,
        "trainer.n_gpus_per_node": 1,
        "trainer.total_epochs": steps,
        "trainer.total_training_steps": steps,
        "trainer.val_before_train": False,
        "trainer.test_freq": -1,
        "trainer.save_freq": -1,
        "trainer.resume_mode": "disable",
        "trainer.default_local_dir": folder / "checkpoints",
    }
    return [f"{name}={value}" for name, value in chosen.items()]


def rounds_of(log: str, request: Request) -> list[Round]:
    """The steps in the file of verl's `file` logger, without the first.

    The weights' way into vLLM counts as rollouts, as it does with TRL. Raises ValueError where a
    step is missing, a figure is, or a response has another length.
    """
    steps = [json.loads(line)["data"] for line in log.splitlines() if line.strip()]
    steps = [one for one in steps if "timing_s/step" in one]
    if len(steps) != request.rounds + 1:
        raise ValueError(f"verl logged {len(steps)} steps of {request.rounds + 1}.")
    for one in steps:
        found = {one.get(f"response_length/{which}") for which in ("min", "max")}
        if found != {request.longest}:
            raise ValueError(f"verl wrote responses of {found} tokens, not {request.longest}.")
    return [_round(one) for one in steps[1:]]


def _round(told: dict[str, float]) -> Round:
    missing = [one for one in ("gen", "update_actor") if f"timing_s/{one}" not in told]
    if missing:
        raise ValueError(f"verl's log has no timing_s/{missing[0]}.")
    rollouts = told["timing_s/gen"] + told.get("timing_s/update_weights", 0.0)
    update = told["timing_s/update_actor"] + told.get("timing_s/old_log_prob", 0.0)
    return Round(rollouts, update, max(told["timing_s/step"] - rollouts - update, 0.0))
