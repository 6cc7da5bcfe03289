"""The forward pass against the transformers classes of the same name."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.forward import hidden_states, logits_of
from anchor_trainer.model.weights import Weights
from anchor_trainer.rollout.decode import decode, prefill
from anchor_trainer.rollout.kv_cache import KeyValueCache
from anchor_trainer.training.trained import AllWeights
from tiny_models import CONFIGS
from update_batches import named_gradients

CPU = torch.device("cpu")


def load(folder):
    config = read_config(folder)
    return config, Weights(config, load_tensors(folder, config), CPU)


def random_ids(count, seed=0):
    return torch.randint(0, 300, (count,), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("kind", CONFIGS)
def test_packed_logits_equal_the_transformers_forward_of_each_sequence(models, kind):
    config, weights = load(models(kind))
    theirs = AutoModelForCausalLM.from_pretrained(models(kind), dtype=torch.float32)
    lengths = [9, 1, 120, 31]
    ids = random_ids(sum(lengths))
    with torch.no_grad():
        ours = logits_of(weights, hidden_states(weights, ids, lengths))
        for start, part in zip([0, 9, 10, 130], ids.split(lengths), strict=True):
            expected = theirs(part.unsqueeze(0)).logits[0]
            torch.testing.assert_close(ours[start : start + len(part)], expected, atol=1e-4, rtol=0)
    assert config.parameter_count() == weights.parameter_count()


@pytest.mark.parametrize("kind", CONFIGS)
def test_decoding_token_by_token_equals_reading_the_whole_text(models, kind):
    config, weights = load(models(kind))
    cache = KeyValueCache(config, 4, 160, torch.float32, CPU)
    texts = [random_ids(80, 1), random_ids(100, 2)]
    starts = [3, 71]
    logits = prefill(
        weights, cache, [t[:s].tolist() for t, s in zip(texts, starts, strict=True)], [0, 1]
    )
    seen = [[row] for row in logits]
    for step in range(9):
        tokens = np.array([int(t[s + step]) for t, s in zip(texts, starts, strict=True)])
        lengths = np.array([s + step for s in starts])
        for kept, row in zip(seen, decode(weights, cache, tokens, lengths), strict=True):
            kept.append(row)
    with torch.no_grad():
        for text, start, kept in zip(texts, starts, seen, strict=True):
            whole = logits_of(weights, hidden_states(weights, text, [len(text)]))
            torch.testing.assert_close(
                torch.stack(kept), whole[start - 1 : start + 9], atol=1e-4, rtol=0
            )


def test_a_row_is_computed_bit_for_bit_the_same_with_and_without_neighbours(models):
    config, weights = load(models("qwen2-gqa"))
    neighbours = [random_ids(n, n) for n in (5, 140, 30, 66, 12, 90)]

    def continued(texts):
        cache = KeyValueCache(config, 8, 256, torch.float32, CPU)
        found = [prefill(weights, cache, [t.tolist() for t in texts], list(range(len(texts))))[0]]
        lengths = np.array([len(t) for t in texts])
        for step in range(6):
            tokens = np.full(len(texts), 11 + step)
            found.append(decode(weights, cache, tokens, lengths)[0])
            lengths += 1
        return torch.stack(found)

    alone = continued(neighbours[:1])
    assert torch.equal(alone, continued(neighbours))
    assert torch.equal(alone, continued(neighbours[:3]))


def test_recomputing_activations_changes_no_gradient(models):
    _, weights = load(models("qwen3"))
    ids = random_ids(40)
    gradients = []
    for save_memory in (False, True):
        trained = AllWeights(weights)
        trained.require_gradients(True)
        hidden = hidden_states(weights, ids, [25, 15], save_memory=save_memory)
        logits_of(weights, hidden).logsumexp(-1).sum().backward()
        gradients.append({k: v.clone() for k, v in named_gradients(trained).items()})
        trained.require_gradients(False)
    for name, gradient in gradients[0].items():
        assert torch.equal(gradient, gradients[1][name]), name


def test_bf16_copies_compute_nearly_the_same_and_decode_like_they_read(models):
    config, exact = load(models("qwen2-gqa"))
    rough = Weights(config, load_tensors(models("qwen2-gqa"), config), CPU, torch.bfloat16)
    ids = random_ids(50)
    cache = KeyValueCache(config, 4, 64, torch.bfloat16, CPU)
    with torch.no_grad():
        expected = logits_of(exact, hidden_states(exact, ids, [50]))
        read = logits_of(rough, hidden_states(rough, ids, [50]))
    prefill(rough, cache, [ids[:49].tolist()], [0])
    decoded = decode(rough, cache, ids[49:].numpy(), np.array([49]))[0]
    # bf16 has 8 bits of precision; two layers of it move logits of size ~5 by a few hundredths.
    torch.testing.assert_close(read, expected, atol=0.25, rtol=0.05)
    torch.testing.assert_close(decoded, read[-1], atol=0.1, rtol=0.05)
