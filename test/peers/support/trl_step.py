"""One step of TRL's GRPOTrainer, on lengths that are imposed from outside.

Its settings are those that make it fastest on a CPU while doing the same work: fp32, no reference
model (beta 0), one pass, no gradient checkpointing, fused AdamW, generation and update of the whole
batch in one step, nothing logged or saved. The micro-batch is the caller's to vary, and other
settings where it has a card.
"""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LogitsProcessorList,
    PrinterCallback,
    TrainerCallback,
)
from transformers.utils import logging
from trl import GRPOConfig, GRPOTrainer

from .imposed_lengths import EndAt

logging.set_verbosity_error()
logging.disable_progress_bar()


class _Clock(TrainerCallback):
    """Times steps, and lets the other program take its turn between two of them."""

    def __init__(self, between: Callable[[], object], now: Callable[[], float]) -> None:
        self.between, self.now = between, now
        self.seconds: list[float] = []

    def on_step_begin(self, *_: object, **__: object) -> None:
        self.began = self.now()

    def on_step_end(self, *_: object, **__: object) -> None:
        self.seconds.append(self.now() - self.began)
        self.between()


class TrlSteps:
    """Runs steps of GRPOTrainer; `between` is called after each.

    `messages` are chat prompts and `lengths[i][j]` the tokens of generation j of prompt i. Rewards
    are `rewards[i][j]`; the advantage is their distance from the mean of the prompt. `settings` are
    of GRPOConfig and stand above those here, `model` is instead of the one in `folder` in fp32,
    `adapter` a configuration of peft, and `now` gives seconds.
    """

    def __init__(
        self,
        folder: Path,
        messages: Sequence[list[dict[str, str]]],
        lengths: Sequence[Sequence[int]],
        rewards: Sequence[Sequence[float]],
        micro_batch: int,
        learning_rate: float,
        steps: int,
        between: Callable[[], object],
        settings: Mapping[str, Any] | None = None,
        model: torch.nn.Module | None = None,
        adapter: object = None,
        now: Callable[[], float] = time.process_time,
    ) -> None:
        flat_lengths = [one for row in lengths for one in row]
        flat_rewards = [one for row in rewards for one in row]
        self.output = tempfile.TemporaryDirectory(prefix="anchor-trl-")
        self.clock = _Clock(between, now)
        self.now = now
        self.rollout_seconds: list[float] = []
        if model is None:
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        chosen = dict(settings or {})
        if not chosen.get("use_vllm"):
            eos = model.generation_config.eos_token_id
            _impose(model, flat_lengths, eos if isinstance(eos, list) else [eos])
        self.trainer = GRPOTrainer(
            model=model,
            processing_class=AutoTokenizer.from_pretrained(folder, padding_side="left"),
            reward_funcs=lambda completions, **_: flat_rewards[: len(completions)],
            train_dataset=Dataset.from_list([{"prompt": one} for one in messages] * steps),
            args=GRPOConfig(
                **{
                    "output_dir": self.output.name,
                    "use_cpu": True,
                    "bf16": False,
                    "gradient_checkpointing": False,
                    "per_device_train_batch_size": micro_batch,
                    "gradient_accumulation_steps": len(flat_lengths) // micro_batch,
                    "steps_per_generation": len(flat_lengths) // micro_batch,
                    "num_generations": len(lengths[0]),
                    "max_completion_length": max(flat_lengths),
                    "temperature": 1.0,
                    "top_p": 1.0,
                    "top_k": 0,
                    "beta": 0.0,
                    "num_iterations": 1,
                    "epsilon": 0.2,
                    "epsilon_high": 0.28,
                    "loss_type": "dapo",
                    "scale_rewards": "none",
                    "shuffle_dataset": False,
                    "learning_rate": learning_rate,
                    "lr_scheduler_type": "constant",
                    "optim": "adamw_torch_fused",
                    "max_grad_norm": 1.0,
                    "max_steps": steps,
                    "logging_strategy": "no",
                    "save_strategy": "no",
                    "report_to": "none",
                    "disable_tqdm": True,
                    "dataloader_pin_memory": False,
                    **chosen,
                }
            ),
            peft_config=adapter,
            callbacks=[self.clock],
        )
        self.trainer.remove_callback(PrinterCallback)
        if chosen.get("use_vllm"):
            _impose_on_vllm(self.trainer.vllm_generation.llm, flat_lengths)
        self._time_rollouts(sum(flat_lengths))

    def run(self) -> list[tuple[float, float]]:
        """Takes all steps; seconds of rollouts and of the update, without the first step."""
        self.trainer.train()
        self.output.cleanup()
        pairs = zip(self.rollout_seconds, self.clock.seconds, strict=True)
        return [(rollouts, step - rollouts) for rollouts, step in pairs][1:]

    def _time_rollouts(self, tokens: int) -> None:
        original = self.trainer._generate_and_score_completions

        def timed(inputs: list) -> dict:
            began = self.now()
            batch = original(inputs)
            self.rollout_seconds.append(self.now() - began)
            assert int(batch["completion_mask"].sum()) == tokens, "lengths were not imposed"
            return batch

        self.trainer._generate_and_score_completions = timed


def _impose(model: torch.nn.Module, lengths: list[int], eos: list[int]) -> None:
    """Makes row i of each batch that is generated end after `lengths[i]` tokens."""
    original = model.generate

    def generate(*args: object, **kwargs: object) -> torch.Tensor:
        ends = EndAt(lengths, eos)
        return original(*args, **kwargs, logits_processor=LogitsProcessorList([ends]))

    model.generate = generate


def _impose_on_vllm(engine: Any, lengths: list[int]) -> None:
    """Gives each prompt of a batch its own number of tokens; no end token ends one before."""
    original = engine.generate

    @functools.wraps(original)  # Unsloth asks for the names of its parameters
    def generate(prompts: list, sampling_params: Any, **rest: object) -> list:
        assert len(prompts) == len(lengths), "one generation a row was expected"
        own = [sampling_params.clone() for _ in lengths]
        for one, length in zip(own, lengths, strict=True):
            one.max_tokens = length
            one.ignore_eos = True
        return original(prompts, sampling_params=own, **rest)

    engine.generate = generate
