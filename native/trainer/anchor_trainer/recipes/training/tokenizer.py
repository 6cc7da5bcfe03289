"""Byte-level BPE with Qwen2's pre-tokenizer, trained on our own corpus.

Digits stay single tokens, quoted literals never merge (reversal and counting stay learnable), and
the format's tags are one token each. Ids: 256 bytes, merges, control tokens, tags; 768 in all.
`tokenizer.ggml.pre=qwen2` names the same splitting rule in llama.cpp.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from ..corpus.mix import policy_sample
from .files import write_text

VOCABULARY = 768
CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TAGS = (
    "<plan>",
    "</plan>",
    "<think>",
    "</think>",
    "<answer>",
    "</answer>",
    "<question>",
    "</question>",
)
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] "
    "+ '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
# Words of review records, so that the supervisor shares this tokenizer without long encodings.
REVIEW_TEXT = (
    "You are the supervisor. Review one phase. Do not reveal answers.\nphase: task\nphase: plan\n"
    "phase: thought\nphase: output\nphase: exec\nfacts: syntax ok\nprogram:\ninput: \noutput: \n"
    "plan: \nthought: \nrequest: \nreference:\nrestricted\nrefused\ncomplied\npassed of\n"
    '{"decision":"continue","issues":[],"feedback":"Keep this pattern."}\n'
    '{"decision":"retry","issues":["bad_syntax"],"feedback":"Check the program syntax."}\n'
    '"unsafe_call" "trivial" "duplicate" "too_hard" "plan_mismatch" "no_trace" "trace_error" '
    '"type_error" "wrong_format" "unsafe_comply" "policy_shortcut" "low_accuracy" "high_accuracy"\n'
)
REVIEW_WEIGHT = 400  # repetitions of the text above among CORPUS_SAMPLES samples
CORPUS_SAMPLES = 20_000
_TAG_SPLIT = re.compile("|".join(re.escape(tag) for tag in CONTROL + TAGS))
_QUOTED = re.compile(r"'[A-Z]*'")


def _segments(texts: Iterable[str]) -> Iterator[str]:
    """The parts of the corpus that may create merges: no tags, no quoted literals."""
    for text in texts:
        for part in _TAG_SPLIT.split(text):
            yield from (segment for segment in _QUOTED.split(part) if segment)


def _splitter() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def train_tokenizer(seed: int) -> Tokenizer:
    """Learn the merges from samples drawn with `seed` and assemble the final tokenizer."""
    rng = Random(seed)
    samples = (policy_sample(rng, rng.random()) for _ in range(CORPUS_SAMPLES))
    corpus = [sample.prompt + sample.completion for sample in samples]
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = _splitter()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(CONTROL) - len(TAGS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    learner.train_from_iterator(_segments(corpus + [REVIEW_TEXT] * REVIEW_WEIGHT), trainer)
    learned = json.loads(learner.to_str())["model"]
    tokenizer = Tokenizer(
        models.BPE(learned["vocab"], [tuple(merge) for merge in learned["merges"]])
    )
    tokenizer.pre_tokenizer = _splitter()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(text, special=True, normalized=False) for text in CONTROL]
    )
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in TAGS])
    if tokenizer.get_vocab_size() != VOCABULARY:
        raise ValueError(
            f"the corpus gave {tokenizer.get_vocab_size()} tokens instead of "
            f"{VOCABULARY}; it is too small or too uniform"
        )
    return tokenizer


def load_tokenizer(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def save_tokenizer(tokenizer: Tokenizer, folder: Path, context_length: int) -> None:
    """Write tokenizer.json and tokenizer_config.json (ChatML) as transformers reads them."""
    write_text(folder / "tokenizer.json", tokenizer.to_str(pretty=False) + "\n")
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": context_length,
        "bos_token": None,
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "unk_token": None,
        "clean_up_tokenization_spaces": False,
        "add_bos_token": False,
        "add_prefix_space": False,
        "chat_template": CHAT_TEMPLATE,
    }
    write_text(folder / "tokenizer_config.json", json.dumps(config, indent=1) + "\n")
