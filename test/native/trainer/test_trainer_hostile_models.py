"""Model folders made to occupy the trainer: each is one sentence, soon, in little memory."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import time
from pathlib import Path

import pytest

from anchor_trainer.errors import TrainerError
from anchor_trainer.model import chat_template
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.reading import open_regular, place_within
from anchor_trainer.model.safetensors_file import read_header
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.storage.checkpoint import read_companions

ASKED = [{"role": "user", "content": "2+2?"}]
COMPUTE = "takes more than 0.3 s to compute"
MEMORY = "takes more than 512 MiB of memory"
LONG = "writes more than 4,000,000 characters"
NESTED = "{% for a in range(99999) %}" * 3 + "{% endfor %}" * 3
DOUBLED = "{% set n = namespace(a='aaaaaaaa') %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}"
# What a template does, and how that is told; the first group does it when it is compiled.
AT_COMPILE = {
    "{{ 9**(9**9) }}": COMPUTE,
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}": "calls itself without end",
    "{{ " + "-" * 50_000 + "1 }}": "",  # how deep a parser gets before it says so is its own matter
}
AT_RENDER = {
    NESTED: COMPUTE,
    "{% set a = messages|length %}{{ (a+8)**((a+8)**(a+8)) }}": COMPUTE,
    "{{ 'a'*10**10 }}": MEMORY,
    "{{ '%999999999d'|format(1) }}": MEMORY,
    "{{ '{:>999999999}'.format(messages[0]['content']) }}": MEMORY,
    DOUBLED + "{% endfor %}{{ n.a }}": "takes more than",  # of memory or time, as the machine is
    "{% for a in range(5000) %}{{ messages[0]['content'].ljust(999) }}{% endfor %}": LONG,
    "{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(messages) }}": "calls itself without end",
    "{% include 'other' %}": "no loader for this environment",
    "{{ messages + 1 }}": "TypeError",
    "{{ (messages|length / 1) * 10**400 }}": "OverflowError",
    "{{ range(10**(messages|length + 8)) }}": "OverflowError",
    "{{ ''.__class__.__mro__ }}": "access to attribute '__class__'",
    "{{ raise_exception('x' * 100000) }}": "did not render the messages: xxx",
    "{{ '\\ud800' }}": "not valid Unicode",
}


@pytest.fixture
def folder(models, tmp_path, monkeypatch) -> Path:
    """A copy of a good model that a test may damage; its template has little time."""
    monkeypatch.setattr(chat_template, "CPU_SECONDS", 0.3)
    shutil.copytree(models("qwen2-gqa"), tmp_path / "model")
    return tmp_path / "model"


def loaded(folder: Path):
    return load_tokenizer(folder, read_config(folder))


def with_template(folder: Path, template: str) -> Path:
    (folder / "chat_template.jinja").write_text(template)
    return folder


def refused(kind: str, action, *given) -> str:
    began = time.monotonic()
    with pytest.raises(TrainerError) as caught:
        action(*given)
    assert time.monotonic() - began < 20
    assert caught.value.kind == kind
    assert caught.value.message.endswith(".") and "\n" not in caught.value.message
    assert len(caught.value.message) < 1000
    return caught.value.message


@pytest.mark.parametrize("template", AT_COMPILE)
def test_a_template_that_is_endless_or_huge_at_compile(folder, template):
    sentence = refused("badModel", loaded, with_template(folder, template))
    assert f"The chat template in {folder} is not valid: " in sentence
    assert AT_COMPILE[template] in sentence


@pytest.mark.parametrize("template", AT_RENDER)
def test_a_template_that_is_endless_or_huge_at_render(folder, template):
    tokenizer = loaded(with_template(folder, template))
    assert AT_RENDER[template] in refused("badRequest", tokenizer.render, [ASKED])


def test_the_next_template_is_rendered_as_if_nothing_had_been(models, folder):
    good = loaded(models("qwen2-gqa"))
    before = good.render([ASKED])
    refused("badRequest", loaded(with_template(folder, NESTED)).render, [ASKED])
    assert (
        good.render([ASKED])
        == before
        == ["<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n"]
    )


def test_a_trainer_answers_in_a_sentence_and_goes_on(fork, models, folder, tmp_path):
    trainer = fork()
    trainer.hello(tmp_path / "run")
    trainer.load(with_template(folder, NESTED))
    asked = {"items": [{"messages": ASKED}]}
    error = trainer.fails("tokenize", **asked)
    assert "takes more than 2 s to compute" in error.message
    trainer.load(models("qwen2-gqa"))
    assert trainer.call("tokenize", **asked)["counts"][0] > 0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"num_hidden_layers": 10**9}, "asks for 1,000,000,000 layers, but the weights there hold"),
        ({"num_hidden_layers": 10**30}, "num_hidden_layers must be a positive whole number"),
        ({"max_position_embeddings": 10**9}, "at most 4194304 positions can be held"),
        ({"vocab_size": 10**9}, "config.json asks for [1000000000, 64]"),
        ({"rms_norm_eps": []}, "rms_norm_eps must be a positive number, but it is []"),
        ({"rope_theta": {"a": 1}}, "rope_theta must be a positive number"),
        ({"rope_scaling": [1]}, "rope scaling is not a table of numbers"),
        ({"rope_scaling": {"type": "linear"}}, "factor must be a positive number"),
        ({"architectures": ["X" * 10**6]}, "is not supported"),
    ],
)
def test_a_configuration_that_the_weights_do_not_bear_out(folder, changes, expected):
    raw = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**raw, **changes}))

    def load():
        return load_tensors(folder, read_config(folder))

    assert expected in refused("badModel", load)


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "generation_config.json"])
def test_brackets_without_an_end_are_no_json(folder, name):
    (folder / name).write_text("[" * 200_000)
    assert "cannot be read as JSON" in refused("badModel", loaded, folder)


@pytest.mark.parametrize("spec", ["[" * 200_000, '{"a": {"dtype": "F32", "shape": [SHAPE]}}'])
def test_a_header_of_brackets_or_of_long_products(folder, spec):
    text = spec.replace("SHAPE", ",".join(["9" * 4000] * 3000)).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text)
    refused("badModel", read_header, folder / "model.safetensors")


READ = ["config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "LICENSE"]
READ += ["generation_config.json", "model.safetensors"]


def read_all(folder: Path):
    config = read_config(folder)
    load_tokenizer(folder, config)
    read_companions(folder)
    load_tensors(folder, config)


@pytest.mark.parametrize("name", READ)
def test_pipes_devices_and_links_in_the_place_of_a_file(folder, tmp_path, name):
    path = folder / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert refused("badModel", read_all, folder).startswith(f"{path} is not a regular file")
    path.unlink()
    path.mkdir()
    assert f"{path} is not a regular file" in refused("badModel", read_all, folder)
    path.rmdir()
    path.symlink_to("/dev/zero")
    assert "is a link that leads out of the folder, to /dev/zero" in refused(
        "badModel", read_all, folder
    )
    path.unlink()
    (tmp_path / "secret").write_text("{}")
    path.symlink_to(tmp_path / "secret")
    assert "is a link that leads out of the folder" in refused("badModel", read_all, folder)


def test_links_within_the_folder_and_to_the_cache_it_is_a_snapshot_of(models, tmp_path):
    snapshot = tmp_path / "models--a--b" / "snapshots" / "0123"
    blobs = tmp_path / "models--a--b" / "blobs"
    shutil.copytree(models("qwen2-gqa"), snapshot)
    blobs.mkdir()
    for number, path in enumerate(sorted(snapshot.iterdir())):
        path.rename(blobs / str(number))
        path.symlink_to(Path("../../blobs") / str(number))
    (snapshot / "LICENSE").symlink_to("config.json")
    read_all(snapshot)
    (snapshot / "LICENSE").unlink()
    (snapshot / "LICENSE").symlink_to("LICENSE")
    assert place_within(snapshot, "LICENSE") is None


def test_a_socket_is_refused_at_once(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        assert f"{tmp_path / 's'} " in refused("badModel", open_regular, tmp_path / "s")
