"""Every tested family: transformers' class through our attention, against the class as it is."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from anchor_trainer.model.attention import Layout
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.families import FAMILIES
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.forward import hidden_states, logits_of
from anchor_trainer.model.library_model import LibraryModel
from anchor_trainer.model.weights import Weights
from anchor_trainer.params import Params
from anchor_trainer.rollout.decode import decode, prefill
from anchor_trainer.rollout.kv_cache import KeyValueCache
from anchor_trainer.training.optimizer import AdamW
from anchor_trainer.training.spec import parse_train
from anchor_trainer.training.trained import AllWeights
from anchor_trainer.training.update import Updater
from tiny_models import CONFIGS, LIBRARY_CONFIGS
from trainer_process import CallFailed, TrainerProcess, prompts
from update_batches import ONE_BATCH, QUIET, items, loss_spec

CPU = torch.device("cpu")
KINDS = [*CONFIGS, *LIBRARY_CONFIGS]
# Adapters to these stand on transformers' class; whole models have a pass that is written here.
IN_FULL = [pytest.param(kind, marks=pytest.mark.full) for kind in CONFIGS]
LENGTHS = [9, 1, 120, 31]


def load(folder, dtype=None):
    config = read_config(folder)
    return config, LibraryModel(config, load_tensors(folder, config), CPU, dtype)


def as_it_is(folder):
    """The class with its own attention; the fused one knows no bounded scores."""
    return AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()


def random_ids(count, seed=0):
    return torch.randint(0, 300, (count,), generator=torch.Generator().manual_seed(seed))


def test_each_listed_family_has_a_row():
    rows = {**CONFIGS, **LIBRARY_CONFIGS}.values()
    assert set(FAMILIES) == {name for one in rows for name in one["architectures"]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_packed_row_gives_the_logits_of_each_text_alone(models, kind):
    config, model = load(models(kind))
    theirs = as_it_is(models(kind))
    ids = random_ids(sum(LENGTHS))
    with torch.no_grad():
        ours = logits_of(model, hidden_states(model, ids, LENGTHS))
        expected = torch.cat([theirs(part[None]).logits[0] for part in ids.split(LENGTHS)])
    torch.testing.assert_close(ours, expected, atol=1e-4, rtol=1e-4)
    assert config.parameter_count() == sum(one.numel() for one in theirs.parameters())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("save_memory", [False, True])
def test_gradients_of_branching_texts_are_those_of_each_text_alone(models, kind, save_memory):
    _, model = load(models(kind))
    theirs = as_it_is(models(kind))
    trunk, branches = random_ids(30, 1), [random_ids(25, 2), random_ids(8, 3)]
    for parameter in model.compute.values():
        parameter.requires_grad_(True)
    layout = Layout([30], [[25, 8]])
    hidden = hidden_states(model, torch.cat([trunk, *branches]), layout, save_memory=save_memory)
    logits_of(model, hidden)[30:].logsumexp(-1).sum().backward()
    for branch in branches:
        answer = theirs(torch.cat([trunk, branch])[None]).logits[0, 30:]
        answer.logsumexp(-1).sum().backward()
    found = model.split({name: one.grad for name, one in model.compute.items()})
    expected = model.split({name: one.grad for name, one in theirs.named_parameters()})
    for name, gradient in found.items():
        bound = 1e-4 * float(expected[name].abs().max()) + 1e-6
        torch.testing.assert_close(gradient, expected[name], atol=bound, rtol=1e-3, msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_decoding_token_by_token_equals_reading_the_whole_text(models, kind):
    config, model = load(models(kind))
    cache = KeyValueCache(config, 4, 160, torch.float32, CPU)
    texts, starts = [random_ids(80, 1), random_ids(100, 2)], [3, 71]
    prompts = [text[:start].tolist() for text, start in zip(texts, starts, strict=True)]
    steps = [prefill(model, cache, prompts, [0, 1])]
    for step in range(9):
        places = np.array([start + step for start in starts])
        tokens = np.array([int(text[at]) for text, at in zip(texts, places, strict=True)])
        steps.append(decode(model, cache, tokens, places))
    theirs = as_it_is(models(kind))
    with torch.no_grad():
        for row, (text, start) in enumerate(zip(texts, starts, strict=True)):
            expected = theirs(text[None]).logits[0, start - 1 : start + 9]
            decoded = torch.stack([step[row] for step in steps])
            torch.testing.assert_close(decoded, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", [*IN_FULL, *LIBRARY_CONFIGS])
def test_bf16_copies_compute_nearly_the_same_and_decode_like_they_read(models, kind):
    config, exact = load(models(kind))
    _, rough = load(models(kind), torch.bfloat16)
    ids = random_ids(50)
    cache = KeyValueCache(config, 4, 64, torch.bfloat16, CPU)
    with torch.no_grad():
        expected = logits_of(exact, hidden_states(exact, ids, [50]))
        read = logits_of(rough, hidden_states(rough, ids, [50]))
    prefill(rough, cache, [ids[:49].tolist()], [0])
    decoded = decode(rough, cache, ids[49:].numpy(), np.array([49]))[0]
    size = float(expected.abs().max())
    assert float((read - expected).abs().mean()) < 0.02 * size
    torch.testing.assert_close(decoded, read[-1], atol=0.05 * size, rtol=0.05)
    assert rough.master["model.norm.weight"].dtype == torch.float32


@pytest.mark.parametrize("kind", IN_FULL)
def test_both_passes_of_a_family_learn_the_same(models, kind):
    config = read_config(models(kind))
    spec = parse_train(Params({"mode": "full", "packTokens": 64, "logitChunk": 16}))
    results = []
    for made in (Weights, LibraryModel):
        model = made(config, load_tensors(models(kind), config), CPU)
        subject = Updater(model, AdamW(AllWeights(model), spec, 0), None, spec)
        figures = subject.apply(items(), loss_spec(), ONE_BATCH, 1e-3, QUIET)
        results.append((figures, model.named_views()))
    (figures, tensors), (others, moved) = results
    for name in ("loss", "gradNorm", "entropy"):
        assert others[name] == pytest.approx(figures[name], abs=1e-5), name
    for name, tensor in tensors.items():
        # One step of AdamW turns a gradient of almost nothing into a whole step.
        assert float((tensor - moved[name]).abs().quantile(0.99)) < 1e-5, name


@pytest.fixture(scope="module")
def trainer():
    process = TrainerProcess()
    yield process
    process.close()


@pytest.mark.parametrize("kind", LIBRARY_CONFIGS)
def test_a_model_of_each_family_is_trained_saved_taken_up_and_exported(
    trainer, models, kind, tmp_path
):
    folder = models(kind)
    trainer.hello(tmp_path / "run")
    trainer.load(folder)
    theirs = as_it_is(folder)
    for one in trainer.generate("greedy", prompts(3), temperature=0, maxNewTokens=12):
        told = trainer.call("rollouts", op="get", ids=[one["rolloutId"]])["rollouts"][0]
        ids, start = torch.tensor(told["tokenIds"]), told["promptTokens"]
        with torch.no_grad():
            likeliest = theirs(ids[None]).logits[0].argmax(-1)
        assert likeliest[start - 1 : -1].tolist() == ids[start:].tolist()
    trainer.update("first", 0, trainer.generate("s1", prompts(4)))
    saved = trainer.weights(tmp_path / "saved")
    trainer.update("second", 1, trainer.generate("s2", prompts(4)))
    end = trainer.weights(tmp_path / "end")
    taken_up = trainer.load(folder, resume={"dir": str(tmp_path / "saved")})
    assert taken_up["replayed"] == ["second"]
    assert taken_up["weightsSha256"] == end != saved
    trainer.call("export", format="safetensors", dir=str(tmp_path / "exported"))
    exported = as_it_is(tmp_path / "exported")
    ids = random_ids(40)
    asked = {"tokenIds": ids.tolist(), "promptLen": 1}
    scored = trainer.call("logprobs", items=[asked])["items"][0]["sum"]
    with torch.no_grad():
        logp = torch.log_softmax(exported(ids[None]).logits[0, :-1], -1)
    assert scored == pytest.approx(float(logp.gather(1, ids[1:, None]).sum()), rel=1e-4)
    with pytest.raises(CallFailed, match="cannot be written as GGUF here"):
        trainer.call("export", format="gguf", dir=str(tmp_path))
