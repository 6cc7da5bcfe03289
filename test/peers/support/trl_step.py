"""One step of TRL's GRPOTrainer on the CPU, on lengths that are imposed from outside.

Its settings are those that make it fastest here while doing the same work: fp32, one thread, no
reference model (beta 0), one pass, no gradient checkpointing, fused AdamW, generation and update of
the whole batch in one step, nothing logged or saved. The micro-batch is the caller's to vary.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

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
    """Times steps in CPU seconds, and lets the other program take its turn between two steps."""

    def __init__(self, between: Callable[[], None]) -> None:
        self.between = between
        self.seconds: list[float] = []

    def on_step_begin(self, *_: object, **__: object) -> None:
        self.began = time.process_time()

    def on_step_end(self, *_: object, **__: object) -> None:
        self.seconds.append(time.process_time() - self.began)
        self.between()


class TrlSteps:
    """Runs steps of GRPOTrainer; `between` is called after each.

    `messages` are chat prompts and `lengths[i][j]` the tokens of generation j of prompt i. Rewards
    are `rewards[i][j]`; the advantage is their distance from the mean of the prompt.
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
        between: Callable[[], None],
    ) -> None:
        flat_lengths = [one for row in lengths for one in row]
        flat_rewards = [one for row in rewards for one in row]
        self.output = tempfile.TemporaryDirectory(prefix="anchor-trl-")
        self.clock = _Clock(between)
        self.rollout_seconds: list[float] = []
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        eos = model.generation_config.eos_token_id
        _impose(model, flat_lengths, eos if isinstance(eos, list) else [eos])
        self.trainer = GRPOTrainer(
            model=model,
            processing_class=AutoTokenizer.from_pretrained(folder, padding_side="left"),
            reward_funcs=lambda completions, **_: flat_rewards[: len(completions)],
            train_dataset=Dataset.from_list([{"prompt": one} for one in messages] * steps),
            args=GRPOConfig(
                output_dir=self.output.name,
                use_cpu=True,
                bf16=False,
                gradient_checkpointing=False,
                per_device_train_batch_size=micro_batch,
                gradient_accumulation_steps=len(flat_lengths) // micro_batch,
                steps_per_generation=len(flat_lengths) // micro_batch,
                num_generations=len(lengths[0]),
                max_completion_length=max(flat_lengths),
                temperature=1.0,
                top_p=1.0,
                top_k=0,
                beta=0.0,
                num_iterations=1,
                epsilon=0.2,
                epsilon_high=0.28,
                loss_type="dapo",
                scale_rewards="none",
                shuffle_dataset=False,
                learning_rate=learning_rate,
                lr_scheduler_type="constant",
                optim="adamw_torch_fused",
                max_grad_norm=1.0,
                max_steps=steps,
                logging_strategy="no",
                save_strategy="no",
                report_to="none",
                disable_tqdm=True,
                dataloader_pin_memory=False,
            ),
            callbacks=[self.clock],
        )
        self.trainer.remove_callback(PrinterCallback)
        self._time_rollouts(sum(flat_lengths))

    def run(self) -> list[tuple[float, float]]:
        """Takes all steps; CPU seconds of rollouts and of the update, without the first step."""
        self.trainer.train()
        self.output.cleanup()
        pairs = zip(self.rollout_seconds, self.clock.seconds, strict=True)
        return [(rollouts, step - rollouts) for rollouts, step in pairs][1:]

    def _time_rollouts(self, tokens: int) -> None:
        original = self.trainer._generate_and_score_completions

        def timed(inputs: list) -> dict:
            began = time.process_time()
            batch = original(inputs)
            self.rollout_seconds.append(time.process_time() - began)
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
