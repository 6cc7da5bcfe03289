"""Chat templates that take no system text: it stands in front of the first question."""

from __future__ import annotations

import shutil

import pytest

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.tokenizer import load_tokenizer

TURNS = "{% for one in messages %}<{{ one.role }}>{{ one.content }}\n{% endfor %}<assistant>"
# As Gemma 2 says it.
NO_SYSTEM = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}"
)
# As Mistral's first ones say it.
ALTERNATING = (
    "{% for one in messages %}{% if (one.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}"
    "{% endif %}{% endfor %}"
)
# A conversation has to ask something, though a system text may go before it.
ASKS = (
    "{% if messages | selectattr('role', 'equalto', 'user') | list | length == 0 %}"
    "{{ raise_exception('No user query found in messages.') }}{% endif %}"
)
SILENT = TURNS.replace("<{{", "{% if one.role != 'system' %}<{{").replace("\n{%", "\n{% endif %}{%")
CONVERSATION = [
    {"role": "system", "content": "Be brief.\n"},
    {"role": "user", "content": "2+2"},
    {"role": "assistant", "content": "4"},
    {"role": "user", "content": "3+3"},
]
AFTER = "<assistant>4\n<user>3+3\n<assistant>"
FOLDED = f"<user>Be brief.\n\n2+2\n{AFTER}"
OWN = f"<system>Be brief.\n\n<user>2+2\n{AFTER}"


@pytest.fixture
def folder_with(models, tmp_path):
    """The tiny model with another chat template."""

    def make(template):
        folder = tmp_path / "model"
        shutil.copytree(models("qwen2-gqa"), folder)
        (folder / "chat_template.jinja").write_text(template)
        return folder

    return make


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (NO_SYSTEM + TURNS, FOLDED),
        (ALTERNATING + TURNS, FOLDED),
        (SILENT, FOLDED),
        (ASKS + TURNS, OWN),
        (TURNS, OWN),
    ],
    ids=["no-system", "alternating", "silent", "asks", "own"],
)
def test_a_system_text_goes_in_front_of_the_first_question_without_a_place(
    folder_with, template, text
):
    folder = folder_with(template)
    tokenizer = load_tokenizer(folder, read_config(folder))
    [ids] = tokenizer.encode_conversations([CONVERSATION])
    assert ids == tokenizer.encode(text)
    assert tokenizer.system_in_user is (text == FOLDED)
    # Counted alone it is a whole text everywhere, and how an answer begins stands behind it.
    who = "system" if template == TURNS else "user"
    alone = f"<{who}>Be brief.\n{'' if who == 'user' else chr(10)}<assistant>"
    opening = {"role": "assistant", "content": "So"}
    assert tokenizer.encode_messages(CONVERSATION[:1]) == tokenizer.encode(alone)
    opened = tokenizer.encode_messages([CONVERSATION[0], opening])
    assert opened == tokenizer.encode(alone) + tokenizer.encode("So")


def test_an_empty_system_text_leaves_the_question_as_it_is(folder_with):
    folder = folder_with(NO_SYSTEM + TURNS)
    tokenizer = load_tokenizer(folder, read_config(folder))
    ids = tokenizer.encode_messages([{"role": "system", "content": ""}, *CONVERSATION[1:2]])
    assert ids == tokenizer.encode("<user>2+2\n<assistant>")


def test_a_template_that_renders_nothing_is_refused_as_before(folder_with):
    folder = folder_with("{{ raise_exception('Not today') }}")
    tokenizer = load_tokenizer(folder, read_config(folder))
    assert not tokenizer.system_in_user
    with pytest.raises(Exception, match="did not render the messages: Not today"):
        tokenizer.encode_messages(CONVERSATION)


def test_where_system_texts_go_is_told_by_the_plan_and_the_load(fork, folder_with, tmp_path):
    folder = folder_with(NO_SYSTEM + TURNS)
    trainer = fork()
    trainer.hello(tmp_path / "run")
    loaded = trainer.load(folder)
    assert loaded["tokenizer"]["systemInUser"] is True
    for model, expected in ((folder, True), (with_place_beside(folder), False)):
        plan = trainer.call("plan", model={"path": str(model)}, train={"mode": "none"}, rollout={})
        assert plan["systemInUser"] is expected
    checkpoint = tmp_path / "checkpoint"
    trainer.call("save", dir=str(checkpoint))
    again = trainer.load(folder, resume={"dir": str(checkpoint)})
    assert again["tokenizer"] == loaded["tokenizer"]
    [rollout] = trainer.generate("ask", [{"key": "a", "seed": 1, "messages": CONVERSATION}])
    tokenizer = load_tokenizer(checkpoint, read_config(checkpoint))
    assert rollout["promptTokens"] == len(tokenizer.encode(FOLDED))


def with_place_beside(folder):
    """The same model, whose template has a place for a system text."""
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    (other / "chat_template.jinja").write_text(TURNS)
    return other
