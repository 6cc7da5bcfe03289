"""The training model computes Qwen2, training learns, a cut run ends where an uncut one does."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
import torch

from anchor_trainer.recipes.corpus.mix import policy_sample
from anchor_trainer.recipes.evaluation.card import legs_text
from anchor_trainer.recipes.evaluation.decode import complete
from anchor_trainer.recipes.merging import merge_policies
from anchor_trainer.recipes.policy import PolicyRun, open_training, train_policy
from anchor_trainer.recipes.training.export import export_model, load_exported
from anchor_trainer.recipes.training.loop import Training
from anchor_trainer.recipes.training.model import Architecture, TrainingModel
from anchor_trainer.recipes.training.presets import PRESETS, preset_named

SHAPE = Architecture(width=64, layers=2, heads=4, key_value_heads=2, feed_forward=96)


@pytest.fixture(scope="module")
def folders(tokenizer, tmp_path_factory):
    """A random model, exported; float16 makes its weights what both sides load."""
    folder = tmp_path_factory.mktemp("exported")
    export_model(TrainingModel(SHAPE, seed=5), tokenizer, folder, {"recipe": "test"})
    return folder


@pytest.fixture(scope="module")
def reference(folders):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folders, dtype=torch.float32).eval()


def prompts(tokenizer, count):
    rng = Random(2)
    return [tokenizer.encode(policy_sample(rng, 0.5).prompt).ids for _ in range(count)]


def test_an_exported_model_gives_the_logits_of_transformers(folders, reference, tokenizer):
    model, facts = load_exported(folders)
    assert facts == {"recipe": "test"}
    for ids in prompts(tokenizer, 5):
        tokens = torch.tensor([ids])
        with torch.no_grad():
            assert torch.allclose(model(tokens), reference(tokens).logits, atol=2e-5)


def test_greedy_batched_decoding_gives_the_tokens_of_transformers(folders, reference, tokenizer):
    model, _ = load_exported(folders)
    asked = prompts(tokenizer, 9)
    ours = complete(model.eval(), asked, end=-1, limit=20, rows=4)
    for ids, found in zip(asked, ours, strict=True):
        theirs = reference.generate(
            torch.tensor([ids]),
            max_new_tokens=20,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
        )[0, len(ids) :]
        assert found == theirs.tolist()


def test_sampling_is_reproducible_and_depends_on_the_seed(folders, tokenizer):
    model, _ = load_exported(folders)
    asked = prompts(tokenizer, 6)

    def sample(seed):
        return complete(model.eval(), asked, end=-1, limit=12, temperature=1.0, seed=seed)

    assert sample(1) == sample(1) != sample(2)


def tensors_of(training):
    return {name: tensor.clone() for name, tensor in training.model.state_dict().items()}


def smoke(tokenizer):
    return Training(PRESETS["smoke"], tokenizer, policy_sample)


def test_smoke_training_lowers_the_loss(tokenizer, tmp_path):
    run = PolicyRun(PRESETS["smoke"], "cpu", tmp_path / "out", tmp_path / "work")
    (tmp_path / "work").mkdir()
    from anchor_trainer.recipes.training.tokenizer import save_tokenizer

    save_tokenizer(tokenizer, run.work, 1024)
    said: list[str] = []
    training = train_policy(run, said.append)
    assert training.progress.tokens >= PRESETS["smoke"].tokens
    first, last = (float(line.split("loss ")[1].split()[0]) for line in (said[1], said[-2]))
    assert last < first - 0.3
    assert "tokens/s" in said[1] and "min left" in said[1]
    _, facts = load_exported(run.out)
    assert facts["preset"] == "smoke" and facts["tokens"] == training.progress.tokens


def resumed_from(checkpoint, tokenizer, steps):
    """A new program's run: it goes on from the checkpoint for so many steps."""
    resumed = smoke(tokenizer)
    resumed.resume(checkpoint)
    for _ in range(steps):
        resumed.step()
    return resumed


def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(tokenizer, tmp_path):
    whole = smoke(tokenizer)
    for _ in range(7):
        whole.step()
    whole.save(tmp_path / "checkpoint.safetensors")
    for _ in range(5):
        whole.step()
    resumed = resumed_from(tmp_path / "checkpoint.safetensors", tokenizer, 5)
    assert resumed.progress.tokens == whole.progress.tokens
    expected = tensors_of(whole)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in tensors_of(resumed).items())


def test_a_checkpoint_at_the_end_of_a_chunk_resumes_with_the_next_one(tokenizer, tmp_path):
    whole = smoke(tokenizer)
    while whole.progress.chunk == 0:
        whole.save(tmp_path / "edge.safetensors")  # the last one kept is of the chunk's last batch
        whole.step()
    resumed = resumed_from(tmp_path / "edge.safetensors", tokenizer, 1)
    assert resumed.progress.step == whole.progress.step > 2
    expected = tensors_of(whole)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in tensors_of(resumed).items())


def test_a_checkpoint_of_other_settings_is_refused_with_a_sentence(tokenizer, tmp_path):
    smoke(tokenizer).save(tmp_path / "checkpoint.safetensors")
    other = Training(replace(PRESETS["smoke"], seed=1), tokenizer, policy_sample)
    with pytest.raises(ValueError, match="belongs to other settings"):
        other.resume(tmp_path / "checkpoint.safetensors")


def test_a_second_leg_starts_from_the_weights_and_tokenizer_of_the_first(tokenizer, tmp_path):
    preset = replace(PRESETS["smoke"], tokens=6_000)
    first = tmp_path / "first"
    export_model(
        TrainingModel(preset.architecture, seed=5),
        tokenizer,
        first,
        {"recipe": "policy", "preset": "smoke", "tokens": 1},
    )
    run = PolicyRun(preset, "cpu", tmp_path / "second", tmp_path / "work", first)
    begun, _ = load_exported(first)
    opened = open_training(run)
    assert all(
        torch.equal(tensor, begun.state_dict()[name])
        for name, tensor in opened.model.state_dict().items()
    )
    assert opened.tokenizer.to_str() == tokenizer.to_str()
    train_policy(run, lambda line: None)
    model, facts = load_exported(run.out)
    assert [leg["tokens"] for leg in facts["earlier_legs"]] == [1]
    assert re.fullmatch("[0-9a-f]{64}", facts["earlier_legs"][0]["weights_sha256"])
    assert not torch.equal(model.embedding, begun.embedding)


def test_the_card_says_how_to_take_every_leg_again():
    leg = {"device": "cpu", "seed": 1, "training_seconds": 60}
    first = leg | {"preset": "cpu", "tokens": 16_001_126}
    second = leg | {"preset": "cpu-finish", "tokens": 1_500_200, "earlier_legs": [first]}
    text = legs_text(second)
    assert "policy --preset cpu --device cpu --out leg-1\n" in text
    assert "--preset cpu-finish --tokens 1500200 --device cpu --out leg-2 --start leg-1" in text


def test_merged_legs_are_their_mean_with_sharper_logits(tokenizer, tmp_path):
    shape = PRESETS["smoke"].architecture
    for seed in (1, 2):
        export_model(
            TrainingModel(shape, seed),
            tokenizer,
            tmp_path / str(seed),
            {"recipe": "policy", "tokens": seed},
        )
    merge_policies([tmp_path / "1", tmp_path / "2"], tmp_path / "merged", 1.25)
    first, second = (load_exported(tmp_path / name)[0].state_dict() for name in ("1", "2"))
    model, facts = load_exported(tmp_path / "merged")
    for name, tensor in model.state_dict().items():
        expected = (first[name] + second[name]) / 2 * (1.25 if name == "norm" else 1)
        assert torch.allclose(tensor, expected, atol=1e-3), name
    assert facts["tokens"] == 2 and [leg["tokens"] for leg in facts["merged_with"]] == [1]
    plain = tmp_path / "plain"
    merge_policies([tmp_path / "1", tmp_path / "2"], plain, 1.0)
    tokens = torch.tensor(prompts(tokenizer, 1))
    logits = [load_exported(folder)[0](tokens) for folder in (plain, tmp_path / "merged")]
    assert torch.allclose(logits[0] * 1.25, logits[1], atol=2e-2)


def test_legs_of_another_architecture_are_not_merged(tokenizer, tmp_path):
    for name, shape in (("a", SHAPE), ("b", PRESETS["smoke"].architecture)):
        export_model(TrainingModel(shape, seed=5), tokenizer, tmp_path / name, {})
    with pytest.raises(ValueError, match="another architecture or tokenizer"):
        merge_policies([tmp_path / "a", tmp_path / "b"], tmp_path / "out", 1.0)
    assert not (tmp_path / "out").exists()


def test_a_start_of_another_architecture_is_refused_with_a_sentence(tokenizer, tmp_path):
    export_model(TrainingModel(SHAPE, seed=5), tokenizer, tmp_path / "other", {"recipe": "policy"})
    run = PolicyRun(
        PRESETS["smoke"], "cpu", tmp_path / "out", tmp_path / "work", tmp_path / "other"
    )
    with pytest.raises(ValueError, match="has another architecture than preset 'smoke'"):
        open_training(run)


def test_an_unknown_preset_is_refused_with_the_names_there_are():
    with pytest.raises(
        ValueError, match="choose one of smoke, cpu, cpu-further, cpu-finish, cpu-questions, cuda"
    ):
        preset_named("novice")


def test_the_learning_rate_warms_up_stays_and_falls_to_its_floor(tokenizer):
    training = smoke(tokenizer)
    preset = training.preset
    assert training.factor() == pytest.approx(1 / preset.warm_up_steps)
    training.progress.step = preset.warm_up_steps
    assert training.factor() == 1.0
    training.progress.tokens = int(preset.tokens * 0.7)
    assert training.factor() == pytest.approx(0.5, abs=0.01)
    training.progress.tokens = preset.tokens
    assert training.factor() == preset.final_factor
