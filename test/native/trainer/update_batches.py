"""Batches of made-up rollouts and updaters on tiny models, for the tests of the update."""

from __future__ import annotations

import numpy as np
import torch

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.weights import Weights
from anchor_trainer.params import Params
from anchor_trainer.rollout.records import Rollout
from anchor_trainer.training.optimizer import AdamW
from anchor_trainer.training.spec import BatchSpec, parse_loss, parse_train
from anchor_trainer.training.trained import AllWeights
from anchor_trainer.training.update import UpdateHooks, UpdateItem, Updater

QUIET = UpdateHooks(lambda done, total: None, lambda: False)
ONE_BATCH = BatchSpec(mini_batch=0, epochs=1, shuffle=False, shuffle_seed=0)
LENGTHS = [(5, 7), (30, 2), (12, 20), (1, 1), (60, 35)]


def loss_spec(**more):
    return parse_loss(Params({"kind": "pg-clip", **more}))


def updater(folder, reference=None, compute_dtype=None, *, seed=0, **train):
    config = read_config(folder)
    spec = parse_train(Params({"mode": "full", "packTokens": 64, "logitChunk": 16, **train}))
    weights = Weights(
        config, load_tensors(folder, config), torch.device("cpu"), compute_dtype, spec.precision
    )
    other = None
    if reference is not None:
        other = Weights(config, load_tensors(reference, config), torch.device("cpu"))
    return Updater(weights, AdamW(AllWeights(weights), spec, seed), other, spec)


def items(lengths=LENGTHS, advantages=(1.0, -0.5, 2.0, -1.0, 0.3), old_shift=0.0, weight=1.0):
    noise = np.random.default_rng(3)
    found = []
    for at, ((prompt, new), advantage) in enumerate(zip(lengths, advantages, strict=True)):
        found.append(
            UpdateItem(
                Rollout(
                    rollout_id=f"r{at}",
                    op_key="s",
                    key=str(at),
                    index=0,
                    tag=None,
                    prompt_ids=noise.integers(0, 300, prompt).astype(np.int32),
                    new_ids=noise.integers(0, 300, new).astype(np.int32),
                    logp=(-4 + old_shift + noise.normal(0, 1, new)).astype(np.float32),
                    entropy_mean=0.0,
                    temperature=1.0,
                    truncated_sampling=False,
                    finish="stop",
                    version=0,
                ),
                advantage,
                weight,
            )
        )
    return found


def named_gradients(trained):
    """Gradients of the last backward pass under Hugging Face names."""
    return trained.named(trained.gradients())


def gradients(subject, chosen, loss):
    """The gradients of one batch, without taking the step."""
    kept = {}

    def keep(base_lr, norm):
        kept.update({k: v.clone() for k, v in named_gradients(subject.optimizer.trained).items()})
        return base_lr

    subject.optimizer.step = keep
    subject.apply(chosen, loss, ONE_BATCH, 0.1, QUIET)
    return kept
