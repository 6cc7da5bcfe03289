"""save and export: the policy as files."""

from __future__ import annotations

import hashlib
import logging
import time
from pathlib import Path
from typing import Any

import torch

from ..params import Params
from ..policy import Policy
from ..session import Session
from ..storage.checkpoint import export_model, save_checkpoint

INCLUDABLE = ("weights", "optimizer", "rng")
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def save(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Writes a checkpoint folder that `load` takes as `resume.dir` or as `model.path`."""
    policy = session.require_set(params).require_policy()
    include = params.get_strs("include", list(INCLUDABLE))
    if not set(include) <= set(INCLUDABLE) or "weights" not in include:
        params.refuse("include", "a list of weights (always), optimizer and rng")
    started = time.monotonic()
    optimizer = policy.optimizer if "optimizer" in include else None
    files, weights_sha256 = save_checkpoint(
        Path(params.get_str("dir")),
        policy.companions,
        policy.config.raw,
        policy.weights.named_views(),
        None if optimizer is None else optimizer.named_state(),
        version=policy.version,
        seed=policy.spec.seed,
        optimizer_steps=0 if optimizer is None else optimizer.steps,
    )
    return {
        "files": files,
        "version": policy.version,
        "weightsSha256": weights_sha256,
        "wallMs": (time.monotonic() - started) * 1000,
    }


def export(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Writes the weights for other programs: a safetensors folder, or one GGUF file."""
    policy = session.require_set(params).require_policy()
    if params.get_choice("format", ("safetensors", "gguf")) == "gguf":
        return {"files": [_gguf(policy, params)], "version": policy.version}
    quant = params.get_choice("quant", tuple(DTYPES), "f32")
    files = export_model(
        Path(params.get_str("dir")),
        policy.companions,
        policy.config.raw,
        policy.weights.named_views(),
        DTYPES[quant],
    )
    return {"files": files, "version": policy.version}


def _gguf(policy: Policy, params: Params) -> dict[str, Any]:
    # Imported here: the GGUF package is needed for exports only and slows every start.
    from ..model.gguf_file import write_gguf

    logging.getLogger("gguf").setLevel(logging.WARNING)
    quant = params.get_choice("quant", ("f32", "f16", "bf16", "q8_0"), "f16")
    if params.has("file"):
        path = Path(params.get_str("file"))
    else:
        path = Path(params.get_str("dir")) / f"policy-v{policy.version}.{quant}.gguf"
    name = f"{policy.spec.name} v{policy.version}"
    write_gguf(path, policy.config, policy.tokenizer, policy.weights.named_views(), quant, name)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"path": str(path), "bytes": path.stat().st_size, "sha256": digest}
