"""Prompts for models without a chat, stops of single items, and the switch for thinking."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.tokenizer import PolicyTokenizer, load_tokenizer
from anchor_trainer.model.weights import Weights
from anchor_trainer.rollout.records import GenerateRequest, Item
from anchor_trainer.rollout.sampling import Sampling
from anchor_trainer.rollout.scheduler import Scheduler
from trainer_process import prompts

SWITCH = (
    "{% for one in messages %}{{ one.role }}: {{ one.content }}\n{% endfor %}assistant:"
    "{% if enable_thinking is defined and enable_thinking is false %} <think></think>{% endif %}"
)
ASK = [{"role": "user", "content": "2+2"}]


def folder_with(models, tmp_path, template):
    """The tiny model with another chat template, or with none."""
    folder = tmp_path / "model"
    shutil.copytree(models("qwen2-gqa"), folder)
    (folder / "chat_template.jinja").unlink(missing_ok=True)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings.pop("chat_template", None)
    if template is not None:
        settings["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


@pytest.mark.parametrize(
    ("thinking", "end"), [(False, "assistant: <think></think>"), (True, "assistant:")]
)
def test_a_template_with_the_switch_is_told_whether_to_think(models, tmp_path, thinking, end):
    folder = folder_with(models, tmp_path, SWITCH)
    tokenizer = load_tokenizer(folder, read_config(folder), thinking)
    assert tokenizer.render([ASK]) == [f"user: 2+2\n{end}"]


def test_the_switch_of_a_load_request_reaches_the_prompts(fork, models, tmp_path):
    folder = folder_with(models, tmp_path, SWITCH)
    counts = {}
    for thinking in (False, True):
        trainer = fork()
        trainer.hello(tmp_path / f"run-{thinking}")
        trainer.load(folder, thinking=thinking)
        counts[thinking] = trainer.call("tokenize", items=[{"messages": ASK}])["counts"][0]
    assert counts[False] > counts[True]


def test_a_model_without_a_chat_goes_on_with_plain_text(fork, models, tmp_path):
    folder = folder_with(models, tmp_path, None)
    tokenizer = load_tokenizer(folder, read_config(folder))
    control = tokenizer.control_tokens[0]
    text = f"say {control} twice"
    # A name of a control token in the text ends nothing.
    ids = tokenizer.encode_plain(text)
    assert tokenizer.tokenizer.token_to_id(control) not in ids
    assert tokenizer.decode(ids) == text
    trainer = fork()
    trainer.hello(tmp_path / "run")
    loaded = trainer.load(folder)
    assert loaded["tokenizer"]["templateSha256"] is None
    assert trainer.call("tokenize", items=[{"plain": text}])["counts"] == [len(ids)]
    [rollout] = trainer.generate("plain", [{"key": "a", "seed": 1, "plain": text}])
    assert rollout["promptTokens"] == len(ids)


def test_each_item_ends_at_its_own_stops_beside_others(trainer):
    plain = {one["key"]: one["text"] for one in trainer.generate("free", prompts(6))}
    key = next(key for key, text in plain.items() if len(text) > 2)
    letter = plain[key][1]
    items = [{**one, **({"stop": [letter]} if one["key"] == key else {})} for one in prompts(6)]
    for one in trainer.generate("own-stop", items):
        text = plain[one["key"]]
        assert one["text"] == (text.split(letter)[0] if one["key"] == key else text)


def test_a_template_may_mark_what_a_model_wrote_and_ask_for_the_date(models, tmp_path):
    """The date is the same on every day: a run that goes on tomorrow asks the same prompts."""
    template = (
        "{{ strftime_now('%d %b %Y') }}{% for one in messages %}"
        "{% generation %}[{{ one.content }}]{% endgeneration %}{% endfor %}"
    )
    folder = folder_with(models, tmp_path, template)
    tokenizer = load_tokenizer(folder, read_config(folder))
    assert tokenizer.render([ASK]) == ["26 Jul 2024[2+2]"]


@pytest.mark.parametrize("place", ["list", "file"])
def test_a_template_is_found_by_its_name_and_in_a_file_of_its_own(models, tmp_path, place):
    folder = folder_with(models, tmp_path, None)
    if place == "file":
        (folder / "chat_template.json").write_text(json.dumps({"chat_template": SWITCH}))
    else:
        settings = json.loads((folder / "tokenizer_config.json").read_text())
        settings["chat_template"] = [
            {"name": "tool_use", "template": "tools"},
            {"name": "default", "template": SWITCH},
        ]
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    tokenizer = load_tokenizer(folder, read_config(folder))
    assert tokenizer.render([ASK])[0].startswith("user: 2+2")


def test_stops_are_looked_for_wherever_one_can_end(models, monkeypatch):
    """Rows end where they would if the text of every row were read at every token."""
    folder = models("qwen2-gqa")
    config = read_config(folder)
    weights = Weights(config, load_tensors(folder, config), torch.device("cpu"))
    tokenizer = load_tokenizer(folder, config)
    stops = ["e", "\n", "x ", "é", "an", ">", "0"]

    def ended(monkeypatch) -> tuple[dict[str, tuple[str, int]], int]:
        scheduler, found, read = Scheduler(weights, tokenizer, 16, 128), {}, []
        decode = PolicyTokenizer.decode
        monkeypatch.setattr(
            PolicyTokenizer, "decode", lambda self, ids: read.append(ids) or decode(self, ids)
        )
        items = [
            Item(f"{at}", [at + 5] * 6, 3, at, 40, 1.0, 1.0, (stop,), None)
            for at, stop in enumerate(stops)
        ]
        scheduler.submit(
            GenerateRequest(
                request_id=1,
                op_key=None,
                items=items,
                sampling=Sampling(1.0, 1.0, 0, 40),
                keep=False,
                started=0.0,
                on_rollout=lambda request, rollout, text, ms: found.update(
                    {rollout.rollout_id: (text, len(rollout.new_ids))}
                ),
                on_done=lambda request: None,
                on_failed=lambda error: None,
                on_token=lambda request, drawn: None,
            )
        )
        while scheduler.busy:
            scheduler.step()
        return found, len(read)

    with monkeypatch.context() as patch:
        where_one_can_end, few = ended(patch)
    with monkeypatch.context() as patch:
        every = lambda self, characters, vocab: np.ones(vocab, bool)  # noqa: E731
        patch.setattr(PolicyTokenizer, "tokens_with", every)
        everywhere, many = ended(patch)
    assert where_one_can_end == everywhere
    assert len({count for _, count in everywhere.values()}) > 3
    assert few < many
