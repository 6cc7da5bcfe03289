"""save and export: the policy as files."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from ..errors import TrainerError
from ..model.adapter_folder import relative_to
from ..params import Params
from ..policy import ANSWERING, Policy
from ..session import Session
from ..storage.checkpoint import (
    AdapterRecord,
    export_adapter,
    export_model,
    read_manifest,
    save_checkpoint,
)
from ..storage.updates_file import AppliedUpdate, EarlierCheckpoint

USUALLY_INCLUDED = ["weights", "optimizer", "rng"]
INCLUDABLE = (*USUALLY_INCLUDED, "updates")
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def save(session: Session, params: Params, request_id: int) -> Callable[[], dict[str, Any]]:
    """Writes a checkpoint folder that `load` takes as `resume.dir` or as `model.path`.

    What is returned does it, beside requests that leave the weights as they are.
    With `updates` in place of `optimizer` it holds the updates since the checkpoint `momentsIn`
    instead of moments of its own, and can be resumed from as long as that one is there.
    """
    policy = session.at_work(session.require_set(params))
    include = params.get_strs("include", USUALLY_INCLUDED)
    if (
        not set(include) <= set(INCLUDABLE)
        or "weights" not in include
        or {"optimizer", "updates"} <= set(include)
    ):
        params.refuse("include", "a list of weights (always), optimizer or updates, and rng")
    started = time.monotonic()
    optimizer = policy.optimizer if "optimizer" in include else None
    folder = Path(params.get_str("dir"))
    moments = None
    if "updates" in include:
        moments = _moments_elsewhere(policy, Path(params.get_str("momentsIn")), folder)
    weights: Mapping[str, torch.Tensor]
    if policy.adapter is None:
        weights, adapter = policy.weights.named_views(), None
    elif policy.adapter.untrained:
        # It changes nothing yet, and what is saved now is what later adapters belong to.
        weights, adapter, optimizer = policy.adapter.base_views(), None, None
    else:
        weights = policy.adapter.adapter
        adapter = AdapterRecord(
            # Relative, so that a run can be moved whole.
            config=policy.adapter.file_config(relative_to(policy.source.base, folder)),
            sha256=policy.weights_sha256(),
            base_sha256=policy.adapter.base_sha256,
            noted=policy.adapter.noted_base(),
        )
    state = None if optimizer is None else optimizer.named_state()
    stage = policy.stage
    if stage is not None:
        stage = replace(stage, folder=relative_to(Path(stage.folder), folder))
    version, steps = policy.version, 0 if optimizer is None else optimizer.steps

    def write() -> dict[str, Any]:
        files, weights_sha256 = save_checkpoint(
            folder,
            policy.companions,
            policy.config.raw,
            weights,
            state,
            version=version,
            seed=policy.spec.seed,
            optimizer_steps=steps,
            method=policy.spec.train.method,
            adapter=adapter,
            moments=moments,
            stage=stage,
        )
        if "optimizer" in include:
            policy.applied.clear()
        return {
            "files": files,
            "version": version,
            "weightsSha256": weights_sha256,
            "wallMs": (time.monotonic() - started) * 1000,
        }

    return write


def _moments_elsewhere(
    policy: Policy, origin: Path, folder: Path
) -> tuple[EarlierCheckpoint, list[AppliedUpdate]]:
    state, _ = read_manifest(origin)
    updates = [one for one in policy.applied if one.entry.from_version >= state.version]
    known = [one.entry.from_version for one in updates]
    if known != list(range(state.version, policy.version)) or state.moments is not None:
        raise TrainerError(
            "badRequest",
            f"The policy at version {policy.version} cannot be saved without moments: what led to "
            f"it from version {state.version} in {origin} is not known.",
            hint="Save it with its optimizer.",
        )
    if any("beginsFrom" in one.entry.request for one in updates):
        raise TrainerError(
            "badRequest",
            f"A stage began after version {state.version}, so what follows cannot be repeated from "
            f"the moments in {origin}.",
            hint="Save the first checkpoint of a stage with its optimizer.",
        )
    place = relative_to(origin, folder)
    return EarlierCheckpoint(place, state.version, state.weights_sha256), updates


def export(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Writes the weights for other programs: a safetensors folder, one GGUF file, or an adapter.

    An adapter is added to the weights in all of them but `peft`, which is the adapter alone.
    """
    policy = session.at_work(session.require_set(params), ANSWERING)
    chosen = params.get_choice("format", ("safetensors", "gguf", "peft"))
    if chosen == "peft":
        return {"files": _peft(policy, params), "version": policy.version}
    if chosen == "gguf":
        return {"files": [_gguf(policy, params)], "version": policy.version}
    quant = params.get_choice("quant", tuple(DTYPES), "f32")
    files = export_model(
        Path(params.get_str("dir")),
        policy.companions,
        policy.config.raw,
        policy.weights.named_views(),
        DTYPES[quant],
        {} if policy.adapter is None else policy.adapter.read_me(merged=True),
    )
    return {"files": files, "version": policy.version}


def _peft(policy: Policy, params: Params) -> list[dict[str, Any]]:
    if policy.adapter is None:
        params.refuse("format", "safetensors or gguf, because this policy is no adapter")
    config = policy.adapter.file_config(str(policy.source.base.resolve()))
    return export_adapter(
        Path(params.get_str("dir")),
        config,
        policy.adapter.adapter,
        policy.adapter.noted_base(),
        policy.adapter.read_me(merged=False),
    )


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
