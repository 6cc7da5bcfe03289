"""The plan says beforehand what a policy takes, and a load keeps to it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from anchor_trainer import fitting, machine_memory, policy
from anchor_trainer.errors import TrainerError
from anchor_trainer.memory_needs import RESERVE_CPU, Needs
from anchor_trainer.memory_phases import RESERVE_LIBRARY
from anchor_trainer.memory_plan import plan_memory
from anchor_trainer.model.adapter_model import AdapterModel
from anchor_trainer.model.config_file import parse_config, read_config
from anchor_trainer.model.folder import expected_shapes, load_tensors
from anchor_trainer.model.frozen_base import FrozenBase
from anchor_trainer.model.library_model import LibraryModel
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.model.weights import Weights
from anchor_trainer.params import Params
from anchor_trainer.rollout.scheduler import Scheduler
from anchor_trainer.training.optimizer import AdamW
from anchor_trainer.training.spec import parse_train
from anchor_trainer.training.trained import TRAINED
from anchor_trainer.training.update import Updater
from live_bytes import LiveBytes
from load_specs import load_spec
from sampling_requests import request_of
from tiny_models import LIBRARY_CONFIGS
from trainer_process import environment
from update_batches import ONE_BATCH, QUIET, items, loss_spec

CPU = torch.device("cpu")
# Shaped as public models are, with fewer layers and words.
SHAPES = {
    "many words": {"hidden_size": 192, "intermediate_size": 512, "vocab_size": 12_000},
    "wide layers": {"hidden_size": 256, "intermediate_size": 1408, "vocab_size": 512},
}


def needs_of(shape, layers=2, tied=True, **more):
    raw = {
        **SHAPES[shape],
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "num_hidden_layers": layers,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        "rope_theta": 10000.0,
        "rms_norm_eps": 1e-6,
        "hidden_act": "silu",
        "tie_word_embeddings": tied,
        "eos_token_id": 2,
    }
    train = parse_train(Params({"mode": "full", "packTokens": 256, **more}))
    return Needs(parse_config(raw, "test"), train, 256, 16, reference=False, cuda=False)


def full_rows(needs):
    """Three rows as long as they may be, nearly all of each scored."""
    found = items([(2, needs.longest - 2)] * 3, (1.0, -1.0, 0.5))
    return [
        replace(one, rollout=replace(one.rollout, prompt_ids=one.rollout.prompt_ids + at))
        for at, one in enumerate(found)
    ]


def peaks_of(subject, needs):
    """Bytes that an update makes at most: up to the optimizer's step, in it, and what stays."""
    peaks = {}
    step, gradients = subject.optimizer.step, subject._gradients

    def counted(name, action):
        def run(*args):
            with LiveBytes() as measured:
                result = action(*args)
            peaks[name] = measured.peak
            return result

        return run

    subject.optimizer.step = counted("optimizer", step)
    subject._gradients = counted("update", gradients)
    with LiveBytes() as whole:
        subject.apply(full_rows(needs), loss_spec(), ONE_BATCH, 1e-3, QUIET)
    return peaks, whole.live


BF16, EIGHT_BITS = {"precision": "bf16"}, {"optim": {"kind": "adamw8bit"}}
LORA = {"mode": "lora", "lora": {"rank": 16}}
METHODS = {
    "fp32": {},
    "bf16": BF16,
    "eight bits": EIGHT_BITS,
    "both": {**BF16, **EIGHT_BITS},
    "adapter": LORA,
    "adapter, bf16": {**LORA, **BF16},
    "adapter, both": {"mode": "lora", "lora": {"rank": 32}, **BF16, **EIGHT_BITS},
}


@pytest.mark.parametrize("tied", [True, pytest.param(False, marks=pytest.mark.full)])
@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_plan_of_an_update_is_what_it_takes(as_large, shape, tied, method, checkpointing):
    needs = needs_of(shape, tied=tied, gradCheckpoint=checkpointing, **METHODS[method])
    train, config = needs.train, needs.config
    phases = plan_memory(needs, resident={}, free=0)["phases"]
    reserve = RESERVE_CPU + (0 if train.lora is None else RESERVE_LIBRARY)
    planned = {name: sum(uses.values()) - reserve for name, uses in phases.items()}
    kept_in = torch.bfloat16 if train.precision == "bf16" else torch.float32
    shapes = expected_shapes(config)
    tensors = {name: (torch.randn(at) * 0.02).to(kept_in) for name, at in shapes.items()}
    model = (
        Weights(config, tensors, CPU, precision=train.precision)
        if train.lora is None
        else AdapterModel(
            FrozenBase(config, tensors, CPU, None, train.precision), train.lora, seed=0
        )
    )
    optimizer = AdamW(TRAINED[train.mode](model), train)
    held = model.byte_count() + optimizer.byte_count()
    # Of eight bits no tensor is taken to be too small for blocks of its own.
    exact = train.optimizer == "adamw"
    assert held == pytest.approx(planned["save"], rel=0 if exact else 0.01)
    peaks, left = peaks_of(Updater(model, optimizer, None, train), needs)
    assert left < 0.01 * held
    took = held + peaks["update"]
    assert took <= (1.01 if train.lora is None else 1.05) * planned["update"]
    assert took == pytest.approx(planned["update"], rel=0.05)
    gradients = phases["optimizer"]["grads"]
    assert held + gradients + peaks["optimizer"] == pytest.approx(planned["optimizer"], rel=0.01)


@pytest.mark.parametrize(
    "training",
    [{}, LORA, pytest.param(METHODS["both"], marks=pytest.mark.full)],
    ids=["every parameter", "adapter", "both"],
)
@pytest.mark.parametrize("kind", ["qwen2", "qwen3-moe", "gemma2", "gemma3", "olmo2"])
@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_plan_holds_for_the_classes_of_transformers(as_large, kind, training, checkpointing):
    shape = SHAPES["wide layers"]
    own = needs_of("wide layers").config.raw if kind == "qwen2" else LIBRARY_CONFIGS[kind]
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}
    raw = {**own, **shape, "num_hidden_layers": 3, "max_position_embeddings": 4096}
    if kind == "qwen2":
        raw["rope_scaling"] = yarn
    if kind == "qwen3-moe":
        raw["moe_intermediate_size"] = shape["intermediate_size"]
    raw["layer_types"] = (
        ["sliding_attention", "full_attention", "full_attention"] if kind == "gemma3" else None
    )
    raw = {name: value for name, value in raw.items() if value is not None}
    train = parse_train(
        Params({"mode": "full", "packTokens": 256, "gradCheckpoint": checkpointing, **training})
    )
    needs = Needs(parse_config(raw, "test"), train, 256, 16, reference=False, cuda=False)
    phases = plan_memory(needs, resident={}, free=0)["phases"]
    reserve = RESERVE_CPU + RESERVE_LIBRARY
    planned = {name: sum(uses.values()) - reserve for name, uses in phases.items()}
    named = {name: torch.randn(at) * 0.02 for name, at in expected_shapes(needs.config).items()}
    model = (
        LibraryModel(needs.config, named, CPU, precision=train.precision)
        if train.lora is None
        else AdapterModel(FrozenBase(needs.config, named, CPU), train.lora, seed=0)
    )
    optimizer = AdamW(TRAINED[train.mode](model), train)
    held = model.byte_count() + optimizer.byte_count()
    exact = train.optimizer == "adamw"
    assert held == pytest.approx(planned["save"], rel=0 if exact else 0.01)
    peaks, _ = peaks_of(Updater(model, optimizer, None, train), needs)
    assert held + peaks["update"] == pytest.approx(planned["update"], rel=0.05)
    gradients = phases["optimizer"]["grads"]
    assert held + gradients + peaks["optimizer"] == pytest.approx(planned["optimizer"], rel=0.01)


def test_the_method_that_gives_up_least_is_suggested_where_this_one_does_not_fit(as_large):
    needs = needs_of("wide layers", layers=24)
    whole = plan_memory(needs, resident={}, free=2**40)
    assert whole["fits"]
    assert not any("train.lora" in one["change"] for one in whole["suggestions"])
    methods = {
        "train.precision: bfloat16": BF16,
        "train.optimizer: adamw8bit": EIGHT_BITS,
        "train.precision: bfloat16 with train.optimizer: adamw8bit": METHODS["both"],
        "train.lora: {rank: 16, alpha: 32}": {"mode": "lora", "lora": {"rank": 16, "alpha": 32}},
        "train.lora: {rank: 16, alpha: 32} with train.precision: bfloat16": {
            "mode": "lora",
            "lora": {"rank": 16, "alpha": 32},
            **BF16,
        },
    }
    takes = {}
    for change, settings in methods.items():
        other = needs_of("wide layers", layers=24, **settings, gradCheckpoint=True)
        takes[change] = plan_memory(other, resident={}, free=2**40)["neededBytes"]
    # A machine on which one of them just fits is told of the first that does.
    for room in takes.values():
        tight = plan_memory(needs, resident={}, free=int(room / 0.95) + 2)
        assert not tight["fits"]
        change = next(name for name, took in takes.items() if took <= room)
        saves = tight["neededBytes"] - takes[change]
        assert tight["suggestions"][0] == {"change": change, "saves": saves}
    assert (
        len({next(n for n, took in takes.items() if took <= room) for room in takes.values()}) > 2
    )
    # Where none of them fits, of the one that takes least.
    least = min(takes, key=takes.__getitem__)
    assert plan_memory(needs, resident={}, free=1000)["suggestions"][0]["change"] == least


def test_a_checkpoint_takes_what_is_planned_of_the_disk(models, tmp_path):
    config = read_config(models("qwen2-gqa"))
    needs = replace(needs_of("wide layers"), config=config)
    for name in ("fp32", "bf16", "adapter", "adapter, bf16"):
        method = {"mode": "full", **METHODS[name]}
        spec = load_spec(models("qwen2-gqa"), method, max_seq_tokens=None)
        train = spec.train
        disk = plan_memory(replace(needs, train=train), resident={}, free=0)["disk"]
        loaded = policy.load_policy(spec)
        kept = loaded.optimizer.byte_count()
        if train.lora is None:
            kept += loaded.weights.byte_count()
            assert disk["first"] == disk["each"]
        else:
            kept += 4 * loaded.optimizer.trained.count()
            assert (
                disk["first"] == loaded.weights.byte_count() - 4 * loaded.optimizer.trained.count()
            )
        assert disk["each"] == pytest.approx(kept, rel=0.05 if train.optimizer == "adamw" else 0.3)


@pytest.mark.parametrize(
    ("shape", "method"),
    [
        ("many words", "fp32"),
        ("wide layers", "fp32"),
        pytest.param("many words", "bf16", marks=pytest.mark.full),
        ("wide layers", "bf16"),
    ],
)
def test_the_plan_of_sampling_is_what_it_takes(as_large, models, shape, method):
    needs = needs_of(shape, **METHODS[method])
    phases = plan_memory(needs, resident={}, free=0)["phases"]
    tensors = {name: torch.randn(at) * 0.02 for name, at in expected_shapes(needs.config).items()}
    weights = Weights(needs.config, tensors, CPU, precision=needs.train.precision)
    tokenizer = load_tokenizer(models("one-layer"), read_config(models("one-layer")), False)
    tokenizer = replace(tokenizer, eos_ids=())
    scheduler = Scheduler(weights, tokenizer, needs.concurrent, needs.longest)
    told: dict = {}
    half = needs.longest // 2
    request_of(scheduler, 1, [half] * needs.concurrent, told, longest=half, n=1, top_p=0.9)
    with LiveBytes() as measured:
        while scheduler.busy:
            scheduler.step()
    moments = phases["rollout"]["optimizer"]
    took = weights.byte_count() + moments + measured.peak
    planned = sum(phases["rollout"].values()) - RESERVE_CPU
    assert took <= planned
    assert took == pytest.approx(planned, rel=0.05)


def test_a_model_is_read_with_little_more_than_its_own_memory(models):
    folder = models("qwen2-mha")
    config = read_config(folder)
    with LiveBytes() as measured:
        weights = Weights(config, load_tensors(folder, config), CPU)
    largest = max(one.numel() * 4 for one in weights.master.values())
    assert measured.peak <= weights.byte_count() + 2 * largest
    assert measured.peak < 1.9 * weights.byte_count()


@pytest.fixture
def load_with(models, monkeypatch):
    """Loads a model on a machine that has so many bytes left."""

    def load(free, **more):
        monkeypatch.setattr(fitting, "free_bytes", lambda cuda: free)
        settings = {"max_seq_tokens": None, "max_concurrent": 64, **more}
        method = {"mode": "full", "packTokens": 64}
        return policy.load_policy(load_spec(models("qwen2-gqa"), method, **settings))

    return load


def test_what_does_not_fit_is_refused_before_anything_is_allocated(load_with, models):
    folder = models("qwen2-gqa")  # built before anything is counted
    with LiveBytes() as measured, pytest.raises(TrainerError) as refused:
        load_with(RESERVE_CPU + 1_000_000)
    # Not one matrix of the words; what an adapter would save is counted on shapes alone.
    assert measured.peak < 64 * 320
    told = refused.value
    assert told.kind == "oom"
    assert f"The model in {folder} needs 0.4 GB of memory (" in told.message
    assert told.message.endswith("GB are free; nothing was loaded.")
    assert "generation.maxPromptTokens + generation.maxNewTokens: 128 (saves" in (told.hint or "")


def test_rows_that_do_not_fit_are_sampled_after_one_another(load_with):
    roomy = load_with(2 * RESERVE_CPU)
    assert roomy.needs.concurrent == 64 and roomy.sampler.rows.slots == 64
    tight = load_with(int(RESERVE_CPU / 0.95) + 16_000_000)
    assert 4 <= tight.needs.concurrent < 64
    assert tight.sampler.rows.slots == tight.needs.concurrent


def test_layers_are_recomputed_where_an_update_does_not_fit_otherwise():
    needs = needs_of("wide layers", layers=12)
    plenty = plan_memory(needs, resident={}, free=20 * 2**30)
    assert plenty["fits"] and not plenty["gradCheckpoint"]
    tight = plan_memory(needs, resident={}, free=int(plenty["neededBytes"] / 0.95) - 2**20)
    assert tight["fits"] and tight["gradCheckpoint"]
    asked = replace(needs, train=replace(needs.train, grad_checkpoint=False))
    refused = plan_memory(asked, resident={}, free=int(plenty["neededBytes"] / 0.95) - 2**20)
    assert not refused["fits"]
    assert refused["suggestions"][0]["change"] == "train.gradCheckpoint: on"
    saved = refused["suggestions"][0]["saves"]
    assert refused["neededBytes"] - saved == tight["neededBytes"]


def test_what_a_large_model_frees_goes_back_to_the_system(models, tmp_path):
    """A block of 8 MB lies under one that stays: without the setting it would be kept for later."""
    program = (
        "import sys, torch\n"
        "from pathlib import Path\n"
        "from anchor_trainer import machine_memory\n"
        "torch.ones(6 << 20)\n"  # raises the bound that glibc keeps by itself
        "if sys.argv[1] == 'give': machine_memory.give_back_what_is_freed()\n"
        "held = lambda: int(Path('/proc/self/statm').read_text().split()[1])\n"
        "blocks = [torch.ones(2 << 20) for _ in range(20)]\n"
        "full = held()\n"
        "del blocks[:-1]\n"
        "print((full - held()) * 4096)\n"
    )
    freed = {}
    for wanted in ("keep", "give"):
        command = [sys.executable, "-c", program, wanted]
        told = subprocess.run(command, capture_output=True, check=True, env=environment())
        freed[wanted] = int(told.stdout)
    assert freed["give"] > 19 * 8 * 2**20 * 0.95
    assert freed["keep"] < freed["give"] / 2


def test_free_memory_is_that_of_the_machine_or_of_the_container(tmp_path, monkeypatch):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:   2000 kB\n")
    monkeypatch.setattr(machine_memory, "MEMINFO", meminfo)
    monkeypatch.setattr(machine_memory, "CGROUP", tmp_path)
    assert machine_memory.free_bytes(False) == 2000 * 1024
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("700000\n")
    (tmp_path / "memory.stat").write_text("anon 500000\ninactive_file 100000\n")
    assert machine_memory.free_bytes(False) == 400_000
    (tmp_path / "memory.max").write_text("max\n")
    assert machine_memory.free_bytes(False) == 2000 * 1024
