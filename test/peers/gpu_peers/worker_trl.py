"""TRL's GRPOTrainer: with vLLM colocated in sleep mode on a card, with generate on a CPU.

With `--unsloth` behind the two files the model is Unsloth's and the trainer as Unsloth patches it.
Old log-probabilities are not recomputed and not corrected for vLLM's, as with ours.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from exchange import (
    Answer,
    Request,
    Round,
    read_request,
    rewards_of,
    token_ids,
    versions_of,
    write_answer,
)

UNSLOTH = "--unsloth" in sys.argv
os.environ |= {
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "UNSLOTH_VLLM_STANDBY": "1",
    "UNSLOTH_DISABLE_STATISTICS": "1",
    "VLLM_NO_USAGE_STATS": "1",
}
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if UNSLOTH:
    from unsloth import FastLanguageModel  # before all that it patches

import torch  # noqa: E402
from peft import LoraConfig  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

from support.trl_step import TrlSteps  # noqa: E402

LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def answer_to(request: Request) -> Answer:
    on_card = request.device == "cuda"

    def now() -> float:
        if on_card:
            torch.cuda.synchronize()
        return time.perf_counter()

    model, adapter = _model(request)
    ends: list[float] = []
    steps = TrlSteps(
        Path(request.model),
        request.prompts,
        request.lengths,
        rewards_of(request.lengths),
        request.micro_rows,
        request.learning_rate,
        request.rounds + 1,
        lambda: ends.append(now()),
        _on_card(request) if on_card else {"use_cpu": True},
        model,
        adapter,
        now,
    )
    ids = token_ids(steps.trainer.processing_class, request.prompts)
    began = now()
    taken = steps.run()
    # A step's wall time reaches from the end of the one before, whoever spends it.
    walls = [end - start for start, end in zip([began, *ends], ends, strict=False)][1:]
    names = ("torch", "transformers", "trl", "peft", *(("vllm",) if on_card else ()))
    return Answer(
        rounds=[
            Round(rollouts, update, max(wall - rollouts - update, 0.0))
            for (rollouts, update), wall in zip(taken, walls, strict=True)
        ],
        prompt_ids=ids,
        tokens=request.tokens,  # TrlSteps asserts it
        versions=versions_of(*names, *(("unsloth", "unsloth_zoo") if UNSLOTH else ())),
    )


def _on_card(request: Request) -> dict[str, Any]:
    longest = max(len(str(one)) for one in request.prompts) + request.longest
    return {
        "use_cpu": False,
        "bf16": True,
        "gradient_checkpointing": True,
        "use_vllm": True,
        "vllm_mode": "colocate",
        "vllm_enable_sleep_mode": True,
        "vllm_gpu_memory_utilization": request.vllm_share,
        "vllm_max_model_length": longest,  # characters of a prompt are more than its tokens
        "vllm_importance_sampling_correction": False,
        "dataloader_pin_memory": True,
    }


def _model(request: Request) -> tuple[torch.nn.Module, object]:
    """The model and, where it is not on it already, the adapter's configuration."""
    if UNSLOTH:
        longest = max(len(str(one)) for one in request.prompts) + request.longest
        model, _ = FastLanguageModel.from_pretrained(
            request.model,
            max_seq_length=longest,
            load_in_4bit=False,
            fast_inference=True,
            max_lora_rank=request.rank,
            gpu_memory_utilization=request.vllm_share,
        )
        return FastLanguageModel.get_peft_model(
            model,
            r=request.rank,
            lora_alpha=2 * request.rank,
            target_modules=LINEAR,
            use_gradient_checkpointing="unsloth",
        ), None
    frozen = bool(request.rank) and request.device == "cuda"
    kind = torch.bfloat16 if frozen else torch.float32
    model = AutoModelForCausalLM.from_pretrained(request.model, dtype=kind)
    if not request.rank:
        return model, None
    adapter = LoraConfig(
        r=request.rank,
        lora_alpha=2 * request.rank,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return model, adapter


if __name__ == "__main__":
    write_answer(Path(sys.argv[2]), answer_to(read_request(Path(sys.argv[1]))))
