"""Whether the trainer computes on the card what transformers computes there."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import AutoModelForCausalLM

from anchor_trainer.model.attention import Layout
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.forward import hidden_states, logits_of
from anchor_trainer.model.weights import Weights
from anchor_trainer.rollout.decode import decode, prefill
from anchor_trainer.rollout.kv_cache import KeyValueCache
from figures import Figure, at_least, at_most
from trial import ANSWERING, FULL, Bench, Trial

# What one rounding to bf16 moves a log-probability by, some layers deep.
CLOSE_NATS = 0.05
FUSED = [
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.CUDNN_ATTENTION,
]


def parity(bench: Bench) -> Iterator[Figure]:
    """Two layers of the widths of a 7B model: log-probabilities and gradients, kernels."""
    lengths = [bench.size(one) for one in (1000, 700, 64, 1500)]
    longest = 2 * bench.size(1500)
    noise = np.random.default_rng(0)
    texts = [noise.integers(0, 256, length).tolist() for length in lengths]
    with bench.trainer("wide", ANSWERING, longest=longest, rows=4) as trial:
        together = _scores(trial, texts)
        apart = [_scores(trial, [text])[0] for text in texts]
        folder = trial.folder
    theirs = _transformers_scores(bench, folder, texts)
    yield at_most("packed against alone, log-probability", _apart(together, apart), "nats", 0.05)
    found = _apart(together, theirs)
    yield at_most("against transformers, log-probability", found, "nats", CLOSE_NATS)
    yield at_least("gradients against transformers, cosine", _cosine(bench), "", 0.999)
    if bench.device.type == "cuda":
        fused = _is_fused(bench)
        yield Figure("fused kernels take all attention", float(fused), "", "1", fused)


def mismatch(bench: Bench) -> Iterator[Figure]:
    """How far the sampler's log-probabilities are from the trainer's, and an update from itself."""
    rows = bench.size(64)

    def sample(trial: Trial) -> list[str]:
        prompts = trial.prompts(rows, bench.size(200), [bench.size(256)])
        return trial.generate(prompts).ids

    def loaded() -> AbstractContextManager[Trial]:
        return bench.trainer("3b", FULL, longest=bench.size(1024), rows=rows)

    with loaded() as trial:
        first = trial.update(sample(trial))
        yield Figure("sampler against trainer, mean", first["mismatch"]["absMean"], "nats")
        yield at_most("sampler against trainer, largest", first["mismatch"]["max"], "nats", 1.0)
        for _ in range(5):
            trial.forget()
            later = trial.update(sample(trial))
        yield Figure("the same after five updates, mean", later["mismatch"]["absMean"], "nats")
    with loaded() as trial:
        again = trial.update(sample(trial))
    loss, norm = first["loss"][0], first["gradNorm"][0]
    yield at_most("an update taken twice, loss", abs(again["loss"][0] - loss), "", 1e-3)
    off = abs(again["gradNorm"][0] / norm - 1)
    yield at_most("its gradient's norm, relative", off, "", 1e-3)


def _scores(trial: Trial, texts: list[list[int]]) -> list[np.ndarray]:
    items = [{"tokenIds": text, "promptLen": 1} for text in texts]
    told = trial.process.call("logprobs", items=items, perToken=True)["items"]
    return [np.frombuffer(base64.b64decode(one["perToken"]), np.float32) for one in told]


def _transformers(bench: Bench, folder: Path) -> torch.nn.Module:
    kind = torch.bfloat16 if bench.device.type == "cuda" else torch.float32
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=kind, attn_implementation="sdpa")
    return model.to(bench.device).eval()


def _transformers_scores(bench: Bench, folder: Path, texts: list[list[int]]) -> list[np.ndarray]:
    model = _transformers(bench, folder)
    found = []
    with torch.no_grad():
        for text in texts:
            ids = torch.tensor([text], device=bench.device)
            logits = model(ids).logits[0, :-1].float()
            scores = torch.log_softmax(logits, -1).gather(1, ids[0, 1:, None])
            found.append(scores[:, 0].cpu().numpy())
    return found


def _apart(ours: list[np.ndarray], others: list[np.ndarray]) -> float:
    return max(float(np.abs(one - other).max()) for one, other in zip(ours, others, strict=True))


def _ours(bench: Bench) -> Weights:
    folder = bench.model("wide")
    config = read_config(folder)
    return Weights(config, load_tensors(folder, config), bench.device)


def _cosine(bench: Bench) -> float:
    """Of all gradients of one text as one vector."""
    model, theirs = _ours(bench), _transformers(bench, bench.model("wide"))
    ids = torch.randint(0, 256, (bench.size(400),), generator=torch.Generator().manual_seed(1))
    ids = ids.to(bench.device)
    for parameter in model.compute.values():
        parameter.requires_grad_(True)
    logits_of(model, hidden_states(model, ids, Layout([len(ids)]))).float().logsumexp(
        -1
    ).sum().backward()
    theirs(ids[None]).logits[0].float().logsumexp(-1).sum().backward()
    ours = model.split({name: one.grad for name, one in model.compute.items()})
    expected = {name: one.grad for name, one in theirs.named_parameters()}
    pairs = [(ours[name].float(), expected[name].float()) for name in ours]
    product = sum(float((one * other).sum()) for one, other in pairs)
    sizes = [sum(float(pair[at].square().sum()) for pair in pairs) for at in (0, 1)]
    return product / (sizes[0] * sizes[1]) ** 0.5


def _is_fused(bench: Bench) -> bool:
    """Whether reading and decoding do without the kernel that keeps whole squares of scores."""
    model = _ours(bench)
    cache = KeyValueCache(model.config, 4, 256, model.compute_dtype, bench.device)
    ids = torch.zeros(300, dtype=torch.int64, device=bench.device)
    try:
        with sdpa_kernel(FUSED), torch.no_grad():
            hidden_states(model, ids, [200, 100])
            prefill(model, cache, [[1, 2, 3], [4, 5]], [0, 1])
            decode(model, cache, np.array([1, 2]), np.array([3, 2]))
    except RuntimeError as error:
        if "No available kernel" not in str(error):
            raise
        return False
    return True
