"""Prompts under chat templates that take no system text, as a run has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from anchor_verify.prompts import Chat

TURNS = "{% for one in messages %}<{{ one.role }}>{{ one.content }} {% endfor %}<assistant>"
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}"


@pytest.mark.parametrize(
    ("template", "alone", "both"),
    [
        (TURNS, "<system>C <assistant>", "<system>C <user>Q <assistant>"),
        (NO_SYSTEM + TURNS, "<user>C <assistant>", "<user>C\n\nQ <assistant>"),
    ],
)
def test_a_system_text_without_a_place_stands_before_the_question(
    tmp_path: Path, template: str, alone: str, both: str
) -> None:
    Tokenizer(WordLevel({"C": 0}, unk_token="C")).save(str(tmp_path / "tokenizer.json"))
    settings = json.dumps({"chat_template": template})
    (tmp_path / "tokenizer_config.json").write_text(settings)
    chat = Chat(tmp_path)
    assert (chat.rendered("C"), chat.rendered("C", "Q")) == (alone, both)
    assert chat.rendered("", "Q") == both.replace("C\n\n", "").replace("C", "")
