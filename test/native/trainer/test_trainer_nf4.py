"""QLoRA: an adapter beside frozen matrices in four bits, whose numbers are the same everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from anchor_trainer.errors import TrainerError
from anchor_trainer.make_policy import of_adapter
from anchor_trainer.memory_needs import RESERVE_CPU, Needs
from anchor_trainer.memory_phases import RESERVE_LIBRARY
from anchor_trainer.memory_plan import plan_memory
from anchor_trainer.model import nf4
from anchor_trainer.model.adapter_folder import LoraSpec
from anchor_trainer.model.adapter_model import AdapterModel
from anchor_trainer.model.folder import expected_shapes
from anchor_trainer.model.frozen_base import FrozenBase, frozen_matrices
from anchor_trainer.model.loading import load_model, source_of
from anchor_trainer.model.safetensors_file import read_tensors
from anchor_trainer.params import Params
from anchor_trainer.training.optimizer import AdamW
from anchor_trainer.training.spec import parse_train
from anchor_trainer.training.trained import Adapter
from anchor_trainer.training.update import Updater
from live_bytes import LiveBytes
from test_trainer_memory_plan import needs_of, peaks_of
from trainer_process import CallFailed, TrainerProcess, environment, prompts

CPU = torch.device("cpu")
MISSING = nf4.missing_kernels()
needs_kernels = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
LORA = LoraSpec(4, 8.0, "all-linear")
NF4 = {
    "mode": "lora",
    "precision": "nf4",
    "packTokens": 128,
    "lora": {"rank": 4, "alpha": 8},
    "optim": {"kind": "adamw", "lr": 1e-2, "betas": [0.9, 0.99]},
}
ONLY_ANSWERS = {"mode": "none"}
# Figure 3 of the paper's code: quantiles of a normal distribution, scaled to -1 and 1.
VALUES = [-1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0]
VALUES += [0.0796, 0.1609, 0.2461, 0.3379, 0.4407, 0.5626, 0.7230, 1.0]


@pytest.fixture(scope="module")
def kernels():
    nf4.require_kernels(CPU)


@needs_kernels
def test_each_number_becomes_the_nearest_of_sixteen_parts_of_its_blocks_largest(kernels):
    draws = torch.Generator().manual_seed(1)
    for shape in ((48, 96), (7, 66), (5, 2)):
        matrix = torch.randn(shape, generator=draws).bfloat16()
        found = nf4.quantized(matrix, CPU)
        flat = matrix.float().reshape(-1)
        blocks = torch.nn.functional.pad(flat, (0, -len(flat) % nf4.BLOCK)).view(-1, nf4.BLOCK)
        scales = blocks.abs().amax(1, keepdim=True)
        assert torch.equal(found.scales, scales[:, 0])
        nearest = ((blocks / scales)[..., None] - torch.tensor(VALUES)).abs().amin(-1)
        again = found.dequantized()
        assert again.shape == matrix.shape
        errors = torch.nn.functional.pad(again.float().reshape(-1) - flat, (0, -len(flat) % 64))
        # bf16 has eight bits, and VALUES four digits.
        assert ((errors.view(-1, 64) / scales).abs() <= nearest + 0.004).all()
        assert found.packed.nbytes + found.scales.nbytes == nf4.nf4_bytes(matrix.numel())
        # What is saved is quantized again when it is loaded.
        other = nf4.quantized(again, CPU)
        assert torch.equal(other.packed, found.packed) and torch.equal(other.scales, found.scales)


@needs_kernels
def test_slices_and_threads_change_no_bit(kernels, monkeypatch):
    matrix = torch.randn(96, 64).bfloat16()
    whole = nf4.quantized(matrix, CPU)
    made = whole.dequantized()
    monkeypatch.setattr(nf4, "QUANTIZED_AT_ONCE", 2 * nf4.BLOCK)
    threads = torch.get_num_threads()
    try:
        for count in (1, 2, 4):
            torch.set_num_threads(count)
            sliced = nf4.quantized(matrix, CPU)
            assert torch.equal(sliced.packed, whole.packed)
            assert torch.equal(sliced.dequantized(), made)
    finally:
        torch.set_num_threads(threads)


@needs_kernels
def test_a_quantized_layer_computes_as_a_linear_layer_of_its_numbers(kernels):
    plain = torch.nn.Linear(96, 48, dtype=torch.bfloat16)
    layer = nf4.Nf4Linear(plain, nf4.quantized(plain.weight.detach(), CPU))
    plain.weight.data = layer.matrix.dequantized()
    x = torch.randn(5, 96, dtype=torch.bfloat16)
    gradients = []
    for one in (plain, layer):
        given = x.clone().requires_grad_()
        answer = one(given)
        answer.square().sum().backward()
        gradients.append((answer.detach(), given.grad))
    assert torch.equal(gradients[0][0], gradients[1][0])
    assert torch.equal(gradients[0][1], gradients[1][1])


@needs_kernels
def test_the_whole_model_is_never_in_memory_while_it_is_loaded(kernels, models):
    source = source_of(models("qwen2-mha"))
    config = source.config()
    load_model(source, config, CPU, LORA, 1, "nf4")
    with LiveBytes() as measured:
        model = load_model(source, config, CPU, LORA, 1, "nf4")
    train = parse_train(Params(NF4))
    phases = plan_memory(
        Needs(config, train, 128, 4, reference=False, cuda=False), resident={}, free=0
    )["phases"]
    assert model.byte_count() == phases["load"]["weights"] + phases["load"]["adapter"]
    assert measured.peak <= model.byte_count() + 1.1 * phases["load"]["reading"]
    assert len(model.base.quantized) == 7 * config.layers
    assert model.head.dtype == torch.bfloat16


def planned(shape="wide layers", **more):
    return needs_of(shape, **{**NF4, "packTokens": 256, "lora": {"rank": 16}, **more})


@needs_kernels
@pytest.mark.parametrize(
    ("shape", "more"),
    [
        ("wide layers", {}),
        pytest.param("many words", {}, marks=pytest.mark.full),
        # As of a large vocabulary: the output matrix takes more than the logits at a time.
        ("many words", {"logitChunk": 16}),
    ],
)
@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_plan_of_an_update_is_what_it_takes(kernels, as_large, shape, more, checkpointing):
    needs = planned(shape, gradCheckpoint=checkpointing, **more)
    phases = plan_memory(needs, resident={}, free=0)["phases"]
    reserve = RESERVE_CPU + RESERVE_LIBRARY
    bytes_of = {name: sum(uses.values()) - reserve for name, uses in phases.items()}
    shapes, frozen = expected_shapes(needs.config), frozen_matrices(needs.config)
    tensors = {name: (torch.randn(at) * 0.02).bfloat16() for name, at in shapes.items()}
    packed = {name: nf4.quantized(tensors.pop(name), CPU) for name in frozen}
    base = FrozenBase(needs.config, tensors, CPU, None, "nf4", packed)
    model = AdapterModel(base, needs.train.lora, 0)
    optimizer = AdamW(Adapter(model), needs.train)
    held = model.byte_count() + optimizer.byte_count()
    assert held == bytes_of["save"]
    peaks, left = peaks_of(Updater(model, optimizer, None, needs.train), needs)
    assert left < 0.01 * held
    took = held + peaks["update"]
    assert took == pytest.approx(bytes_of["update"], rel=0.05)
    gradients = phases["optimizer"]["grads"]
    assert held + gradients + peaks["optimizer"] == pytest.approx(bytes_of["optimizer"], rel=0.01)


@pytest.fixture(scope="module")
def trainer():
    process = TrainerProcess.forked()
    yield process
    process.close()


@pytest.fixture(scope="module")
def run(trainer, models, tmp_path_factory):
    """As the engine keeps one: what NF4 made of the model as step 0, then an adapter a step."""
    folder = tmp_path_factory.mktemp("run")
    trainer.hello(folder / "files")
    loaded = trainer.load(models("qwen2-gqa"), train=NF4)
    hashes = [loaded["weightsSha256"], trainer.weights(folder / "step-0")]
    at = {"dir": str(folder / "step-0")}
    hashes.append(trainer.load(folder / "step-0", train=NF4, resume=at)["weightsSha256"])
    updates = []
    for number in range(2):
        rollouts = trainer.generate(f"s{number}", prompts(4), maxNewTokens=8)
        updates.append(trainer.update(f"u{number}", number, rollouts))
        hashes.append(trainer.weights(folder / f"step-{number + 1}"))
    again = []
    for step in range(3):
        at = {"dir": str(folder / f"step-{step}")}
        told = trainer.load(folder / "step-0", train=NF4, resume=at)
        again.append((told["replayed"], told["weightsSha256"]))
    return {"folder": folder, "hashes": hashes, "updates": updates, "again": again}


@needs_kernels
def test_checkpoint_0_is_the_model_as_nf4_has_it(run, trainer, models):
    assert len(set(run["hashes"][:3])) == 1 and len(set(run["hashes"])) == 3
    saved = read_tensors(run["folder"] / "step-0" / "model.safetensors")
    own = read_tensors(models("qwen2-gqa") / "model.safetensors")
    for name, tensor in saved.items():
        quantized = "_proj.weight" in name
        expected = own[name].bfloat16()
        if quantized:
            expected = nf4.quantized(expected, CPU).dequantized()
        assert tensor.dtype == torch.bfloat16 and torch.equal(tensor, expected)
    # An evaluation computes with the same weights.
    assert (
        trainer.load(run["folder"] / "step-0", train=ONLY_ANSWERS)["weightsSha256"]
        == run["hashes"][0]
    )
    told = json.loads((run["folder"] / "step-2" / "trainer.json").read_text())
    assert (told["precision"], told["baseSha256"]) == ("nf4", run["hashes"][0])


@needs_kernels
def test_tokens_are_scored_as_they_were_sampled(run):
    for update in run["updates"]:
        # As far apart as any model's that is computed in bf16.
        assert update["mismatch"]["max"] < 0.1


@needs_kernels
def test_resume_and_replay_equal_the_undisturbed_run_bit_for_bit(run):
    end = run["hashes"][4]
    assert run["again"] == [(["u0", "u1"], end), (["u1"], end), ([], end)]


@needs_kernels
def test_the_reference_is_the_same_model_without_the_adapter(run, trainer, tmp_path):
    trainer.hello(tmp_path)
    at = {"dir": str(run["folder"] / "step-2")}
    trainer.load(run["folder"] / "step-0", train=NF4, reference="copy", resume=at)
    asked = [{"tokenIds": list(range(5, 25)), "promptLen": 8}]
    policy = trainer.call("logprobs", items=asked, which="policy")["items"][0]["sum"]
    reference = trainer.call("logprobs", items=asked, which="reference")["items"][0]["sum"]
    at = {"dir": str(run["folder"] / "step-0")}
    trainer.load(run["folder"] / "step-0", train=NF4, resume=at)
    begun = trainer.call("logprobs", items=asked)["items"][0]["sum"]
    assert reference == begun != policy


@needs_kernels
def test_exports_say_what_the_adapter_was_trained_beside(run, trainer, tmp_path):
    trainer.hello(tmp_path / "run")
    trainer.load(run["folder"] / "step-2", train=ONLY_ANSWERS)
    trainer.call("export", format="peft", dir=str(tmp_path / "adapter"))
    config = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == str(run["folder"] / "step-0")
    assert "trained beside weights in NF4" in (tmp_path / "adapter" / "README.md").read_text()
    files = trainer.call("export", format="safetensors", dir=str(tmp_path / "merged"))["files"]
    assert str(tmp_path / "merged" / "README.md") in [one["path"] for one in files]
    merged = read_tensors(tmp_path / "merged" / "model.safetensors")
    base = read_tensors(run["folder"] / "step-0" / "model.safetensors")
    adapter = read_tensors(run["folder"] / "step-2" / "adapter_model.safetensors")
    name = "model.layers.0.mlp.up_proj"
    a, b = (adapter[f"base_model.model.{name}.lora_{half}.weight"] for half in "AB")
    expected = base[f"{name}.weight"].float() + 2 * b @ a
    torch.testing.assert_close(merged[f"{name}.weight"], expected)


@needs_kernels
def test_an_adapter_is_refused_beside_other_weights_than_it_was_trained_beside(
    run, trainer, models, tmp_path
):
    trainer.hello(tmp_path / "run")
    trainer.load(run["folder"] / "step-2", train=ONLY_ANSWERS)
    trainer.call("export", format="peft", dir=str(tmp_path / "adapter"))
    place = tmp_path / "adapter" / "adapter_config.json"
    config = json.loads(place.read_text())
    config["base_model_name_or_path"] = str(models("qwen2-gqa"))
    place.write_text(json.dumps(config))
    with pytest.raises(CallFailed, match="was trained beside weights in NF4, and those of") as told:
        trainer.load(tmp_path / "adapter", train=ONLY_ANSWERS)
    assert told.value.kind == "badModel"
    with pytest.raises(TrainerError, match="was trained beside weights in NF4, and those of"):
        of_adapter(tmp_path / "adapter", models("qwen2-gqa"), tmp_path / "made")
    assert not (tmp_path / "made").exists()
    of_adapter(tmp_path / "adapter", run["folder"] / "step-0", tmp_path / "made")
    assert "trained beside weights in NF4" in (tmp_path / "made" / "README.md").read_text()
    # NF4 makes the same numbers of it again.
    assert trainer.load(tmp_path / "adapter", train=NF4)["trainable"] > 0
    for precision in ("master32", "bf16"):
        with pytest.raises(CallFailed, match="was trained with the precision nf4"):
            at = {"dir": str(run["folder"] / "step-1")}
            trainer.load(run["folder"] / "step-0", train={**NF4, "precision": precision}, resume=at)


def test_only_frozen_weights_beside_an_adapter_are_kept_in_four_bits():
    for mode in ("full", "none"):
        with pytest.raises(TrainerError, match="nf4 is for frozen weights beside an adapter"):
            parse_train(Params({"mode": mode, "precision": "nf4"}))


def test_models_with_experts_and_other_samplers_are_refused(models):
    needs = planned()
    raw = {**needs.config.raw, "num_experts": 4, "architectures": ["Qwen3MoeForCausalLM"]}
    assert "the experts of Qwen3MoeForCausalLM" in str(nf4.obstacle(raw, vllm=False))
    assert "policy.backend native" in str(nf4.obstacle(needs.config.raw, vllm=True))


def test_without_the_library_one_sentence_says_how_to_install_it(models, monkeypatch, tmp_path):
    monkeypatch.setattr(nf4, "LIBRARY", "no_such_library")
    with LiveBytes() as measured, pytest.raises(TrainerError) as refused:
        nf4.require_kernels(CPU)
    assert measured.peak == 0
    assert refused.value.kind == "badRequest"
    assert refused.value.message == (
        "train.precision nf4 needs no_such_library, which is not installed; "
        f'"{sys.executable}" -m pip install --no-deps -r "{nf4.REQUIREMENTS}" installs it.'
    )
    assert "bitsandbytes==" in nf4.REQUIREMENTS.read_text()
    plan = plan_memory(planned(), resident={}, free=2**40)
    assert plan["fits"] and plan["obstacle"] == refused.value.message
    # Nor is it what is suggested where nothing else fits.
    room = plan["neededBytes"] + 2**20
    whole = replace(planned(layers=24), train=parse_train(Params({"mode": "full"})))
    changes = [one["change"] for one in plan_memory(whole, resident={}, free=room)["suggestions"]]
    assert not any("nf4" in one for one in changes)


def test_kernels_that_fail_on_a_device_are_refused(monkeypatch):
    def fails():
        raise RuntimeError("no kernel image\nis available")

    monkeypatch.setattr(nf4, "missing_kernels", lambda: None)
    monkeypatch.setattr(nf4, "_imported", fails)
    with pytest.raises(TrainerError, match=r"do not work on cpu \(no kernel image\)\.") as refused:
        nf4.require_kernels(CPU)
    assert refused.value.hint == "Take train.precision bfloat16."


@needs_kernels
def test_a_library_whose_compiled_part_does_not_load_is_refused(kernels, monkeypatch):
    compiled = nf4._imported().cextension
    stand_in = compiled.ErrorHandlerMockBNBNativeLibrary("no libgomp.so.1")
    monkeypatch.setattr(compiled, "lib", stand_in)
    with pytest.raises(TrainerError, match="its compiled part cannot be loaded"):
        nf4.require_kernels(CPU)


@needs_kernels
def test_nothing_is_fetched_compiled_or_printed_as_the_library_is_imported(tmp_path):
    (tmp_path / "kernels.py").write_text("raise SystemExit('fetched')\n")
    program = (
        "import sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import torch\n"
        "from anchor_trainer.model import nf4\n"
        "nf4.require_kernels(torch.device('cpu'))\n"
        "assert 'torch._inductor.lowering' not in sys.modules\n"
        "assert 'kernels' not in sys.modules\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
