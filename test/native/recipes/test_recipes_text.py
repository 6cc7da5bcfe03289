"""Prompts and tokens: training text is production text, and tokens mean the same everywhere."""

from __future__ import annotations

from random import Random

import pytest

from anchor_trainer.recipes.corpus.mix import policy_sample
from anchor_trainer.recipes.corpus.prompts import PACK, chat, render, system_text, template
from anchor_trainer.recipes.corpus.samples import lines_of
from anchor_trainer.recipes.training.tokenizer import CONTROL, TAGS, train_tokenizer


def test_a_template_loses_one_trailing_newline_and_nothing_else():
    for path in sorted(PACK.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        assert text in (template(path.stem) + "\n", template(path.stem))


def test_values_are_put_in_verbatim_even_when_they_look_like_templates():
    text = render("solve-deduction", program="{{input}}", input="\\1 $& {{x}}")
    assert text == template("solve-deduction").replace("{{program}}", "\0").replace(
        "{{input}}", "\\1 $& {{x}}"
    ).replace("\0", "{{input}}")


def test_a_missing_value_is_an_error_that_names_template_and_value():
    with pytest.raises(KeyError, match=r"solve-deduction\.txt.*'input'"):
        render("solve-deduction", program="p")


def test_the_system_message_lists_the_context_lines_in_the_pack_s_words():
    text = system_text("solver", lines_of(None, ["trace", "refuse"]))
    assert text == ("You are the solver.\nGuidance:\n- Trace each step.\n- Refuse unsafe requests.")
    assert system_text("proposer", []) == "You are the proposer."


def test_the_chat_frame_equals_the_shipped_chat_template(resources):
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(resources / "models" / "policy")
    messages = [
        {"role": "system", "content": "You are the solver."},
        {"role": "user", "content": "Deduce the output."},
    ]
    text = theirs.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    assert text == chat("You are the solver.", "Deduce the output.")


def test_tokens_decode_to_the_same_text_and_equal_those_of_transformers(tokenizer, resources):
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    folder = resources / "models" / "policy"
    theirs = PreTrainedTokenizerFast.from_pretrained(folder)
    # AutoTokenizer puts Qwen2's own class around the file, which composes Unicode first; on the
    # toy world's plain text that changes nothing.
    automatic = AutoTokenizer.from_pretrained(folder)
    rng = Random(3)
    texts = [(s.prompt + s.completion) for s in (policy_sample(rng, 0.9) for _ in range(150))]
    texts += ["", "naïve ☂ 漢字 🙂", "a\r\n\tb  c", "x" * 300, "<think> </plan>", "it's DON'T"]
    texts += [
        "".join(
            chr(rng.choice([rng.randrange(32, 127), rng.randrange(160, 0x2FFF)])) for _ in range(40)
        )
        for _ in range(50)
    ]
    for text in texts:
        ids = tokenizer.encode(text).ids
        assert tokenizer.decode(ids, skip_special_tokens=False) == text
        assert theirs(text)["input_ids"] == ids
        if text.isascii():
            assert automatic(text)["input_ids"] == ids


def test_tags_and_digits_are_single_tokens_and_quoted_letters_never_merge(tokenizer):
    for text in CONTROL + TAGS:
        assert len(tokenizer.encode(text).ids) == 1
    assert tokenizer.encode("1234").tokens == ["1", "2", "3", "4"]
    assert tokenizer.encode("'BACA'").tokens == ["'", "B", "A", "C", "A", "'"]
    assert tokenizer.get_vocab_size() == 768


def test_prompt_and_completion_encode_alone_as_they_do_together(tokenizer):
    rng = Random(4)
    for _ in range(200):
        sample = policy_sample(rng, 0.5)
        apart = tokenizer.encode(sample.prompt).ids + tokenizer.encode(sample.completion).ids
        assert apart == tokenizer.encode(sample.prompt + sample.completion).ids


@pytest.mark.full
def test_the_recipe_learns_the_same_tokenizer_every_time():
    from anchor_trainer.recipes.policy import TOKENIZER_SEED

    assert train_tokenizer(TOKENIZER_SEED).to_str() == train_tokenizer(TOKENIZER_SEED).to_str()
