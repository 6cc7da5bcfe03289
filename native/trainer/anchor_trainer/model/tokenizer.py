"""The tokenizer of a checkpoint: ids, text, stop ids and the chat template."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from ..errors import TrainerError
from .chat_folder import Chat, read_chat, special_tokens_of
from .chat_template import RENDERER, TemplateFault
from .config import ModelConfig
from .reading import MAX_TOKENIZER_BYTES, json_within, read_within

# Supplementary private-use characters: no text means anything by them.
PRIVATE_USE, PRIVATE_USE_END = 0xF0000, 0xFFFFE


@dataclass(frozen=True)
class PolicyTokenizer:
    """One tokenizer; `raw` is tokenizer.json as an object; no `chat` without a template."""

    tokenizer: Tokenizer
    plain: Tokenizer  # the same vocabulary, reading the names of control tokens as ordinary text
    control_tokens: tuple[str, ...]
    raw: dict[str, Any]
    eos_ids: tuple[int, ...]
    special_tokens: dict[str, str]
    chat: Chat | None
    sha256: str

    @property
    def template_sha256(self) -> str | None:
        if self.chat is None:
            return None
        return hashlib.sha256(self.chat.template.source.encode()).hexdigest()

    @property
    def system_in_user(self) -> bool:
        """Whether system texts stand in front of the first question."""
        return self.chat is not None and not self.chat.holds_beside

    def encode(self, text: str) -> list[int]:
        # No tokens are added silently: what the prompt says is what the model reads.
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def encode_plain(self, text: str) -> list[int]:
        """Token ids of a text for a model that goes on with texts, as it read them when it learnt.

        Names of control tokens in it are ordinary text, and it begins with the token that the
        tokenizer itself puts before a text, where it puts one.
        """
        bare: list[int] = self.plain.encode(text, add_special_tokens=False).ids
        framed: list[int] = self.plain.encode(text, add_special_tokens=True).ids
        for begin in range(len(framed) - len(bare) + 1):
            if framed[begin : begin + len(bare)] == bare:
                return framed[:begin] + bare
        return bare

    def decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def name_of(self, token: int) -> str:
        """One token as a text by itself; a control token by its name."""
        return self.tokenizer.decode([token], skip_special_tokens=False)

    def tokens_with(self, characters: set[str], vocab: int) -> np.ndarray:
        """For each id below `vocab`, bool [V]: whether its text may hold one of the characters.

        Any token may end a character of several bytes, since tokens are cut between bytes, and a
        space at the beginning of a text may vanish.
        """
        if not all(one.isascii() and one != " " for one in characters):
            return np.ones(vocab, bool)
        texts = self.tokenizer.decode_batch([[one] for one in range(vocab)])
        return np.array([not characters.isdisjoint(text) for text in texts], bool)

    def encode_messages(self, messages: list[dict[str, str]]) -> list[int]:
        """Token ids of one conversation; see encode_conversations."""
        return self.encode_conversations([messages])[0]

    def encode_conversations(self, conversations: list[list[dict[str, str]]]) -> list[list[int]]:
        """Token ids of conversations, in which message text can never become a control token.

        A message may hold text that a model wrote, and `<|im_end|>` spelled out in it must not
        end the message. Such spellings travel through the template as private characters and are
        then encoded as the ordinary text they are; everything else is encoded as usual.
        A last turn of the assistant's is how its answer begins: templates close every turn that
        they write, so the beginning follows the opened turn as text. A system text stands in front
        of the first question where the template has no place for it.
        """
        framed = [self._frame(messages) for messages in conversations]
        texts = self.render([one.messages for one in framed])
        return [self._ids_of(text, one) for text, one in zip(texts, framed, strict=True)]

    def _frame(self, messages: list[dict[str, str]]) -> _Framed:
        if len(messages) > 1 and messages[-1]["role"] == "assistant":
            before = self._frame(messages[:-1])
            return replace(before, openings=(*before.openings, messages[-1]["content"]))
        if self.chat is not None:
            messages = self.chat.placed(messages)
        everything = "".join(one["content"] for one in messages)
        spelled = [token for token in self.control_tokens if token in everything]
        free = (chr(code) for code in range(PRIVATE_USE, PRIVATE_USE_END))
        stand_ins = dict(zip((one for one in free if one not in everything), spelled, strict=False))
        for stand_in, token in stand_ins.items():
            messages = [
                {**one, "content": one["content"].replace(token, stand_in)} for one in messages
            ]
        return _Framed(messages, stand_ins, ())

    def _ids_of(self, text: str, framed: _Framed) -> list[int]:
        stand_ins = framed.stand_ins
        ids: list[int] = []
        for piece in re.split("([" + "".join(stand_ins) + "])", text) if stand_ins else [text]:
            if piece in stand_ins:
                ids += self.plain.encode(stand_ins[piece], add_special_tokens=False).ids
            elif piece:
                ids += self.encode(piece)
        for opening in framed.openings:
            ids += self.plain.encode(opening, add_special_tokens=False).ids
        return ids

    def render(self, conversations: list[list[dict[str, str]]]) -> list[str]:
        """Each conversation as a prompt that ends where the assistant's turn begins."""
        if self.chat is None:
            raise TrainerError(
                "badRequest",
                "This model's tokenizer has no chat template, so `messages` cannot be rendered; "
                "send `prompt` or `plain` instead.",
            )
        try:
            return self.chat.render(conversations)
        except TemplateFault as error:
            raise TrainerError(
                "badRequest", f"The model's chat template did not render the messages: {error}."
            ) from error


@dataclass(frozen=True)
class _Framed:
    """A conversation as its template gets it; how the answer begins follows the rendered text."""

    messages: list[dict[str, str]]
    stand_ins: dict[str, str]  # the spelled control token that each private character is
    openings: tuple[str, ...]


def load_tokenizer(folder: Path, config: ModelConfig, thinking: bool = False) -> PolicyTokenizer:
    """Reads tokenizer.json and its companions; raises badModel with one sentence."""
    path = folder / "tokenizer.json"
    data = read_within(folder, path.name, MAX_TOKENIZER_BYTES)
    if data is None:
        raise TrainerError("badModel", f"The model folder {folder} has no tokenizer.json.")
    RENDERER.start()  # gets ready while the vocabulary is read
    try:
        tokenizer = Tokenizer.from_str(data.decode("utf-8"))
        plain = Tokenizer.from_str(data.decode("utf-8"))
        plain.encode_special_tokens = True
        raw = json.loads(data)
    except Exception as error:  # the library raises plain Exception for every defect
        raise TrainerError(
            "badModel", f"{path} is not a valid tokenizer: {str(error).splitlines()[0]}."
        ) from error
    highest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
    if highest >= config.vocab:
        raise TrainerError(
            "badModel",
            f"The tokenizer in {folder} has token id {highest}, but the model's embedding has only "
            f"{config.vocab} rows.",
            hint="The tokenizer belongs to another model; use the one the weights came with.",
        )
    special = special_tokens_of(folder)
    return PolicyTokenizer(
        tokenizer=tokenizer,
        plain=plain,
        # The longest first, so that a token inside another's name is not cut out of it.
        control_tokens=tuple(
            sorted(
                (one["content"] for one in raw.get("added_tokens", []) if one["special"]),
                key=lambda token: (-len(token), token),
            )
        ),
        raw=raw,
        eos_ids=_eos_ids(folder, config, tokenizer, special),
        special_tokens=special,
        chat=read_chat(folder, special, thinking),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _eos_ids(
    folder: Path, config: ModelConfig, tokenizer: Tokenizer, special: dict[str, str]
) -> tuple[int, ...]:
    # generation_config.json is what the authors sample with; config.json is older and coarser.
    declared: list[int] = []
    for source in (json_within(folder, "generation_config.json") or {}, config.raw):
        value = source.get("eos_token_id")
        if value is not None:
            declared = list(value) if isinstance(value, list) else [value]
            break
    ids = [one for one in declared if isinstance(one, int) and 0 <= one < config.vocab]
    eos = tokenizer.token_to_id(special["eos_token"]) if "eos_token" in special else None
    if eos is not None and eos not in ids:
        ids.append(eos)
    if not ids:
        raise TrainerError(
            "badModel", f"The model folder {folder} does not say which token ends a text."
        )
    return tuple(ids)
