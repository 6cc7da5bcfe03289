"""The tokenizer of a checkpoint: ids, text, stop ids and the chat template."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from ..errors import TrainerError
from .config import ModelConfig

# A template is code that came with the weights; a prompt longer than this is a runaway loop.
MAX_RENDERED_CHARACTERS = 4_000_000
# Supplementary private-use characters: no text means anything by them.
PRIVATE_USE, PRIVATE_USE_END = 0xF0000, 0xFFFFE


@dataclass(frozen=True)
class PolicyTokenizer:
    """One tokenizer; `raw` is tokenizer.json as an object, `template_source` may be absent."""

    tokenizer: Tokenizer
    plain: Tokenizer  # the same vocabulary, reading the names of control tokens as ordinary text
    control_tokens: tuple[str, ...]
    raw: dict[str, Any]
    eos_ids: tuple[int, ...]
    special_tokens: dict[str, str]
    template: jinja2.Template | None
    template_source: str | None
    sha256: str
    thinking: bool = False  # the switch of templates that have one

    @property
    def template_sha256(self) -> str | None:
        if self.template_source is None:
            return None
        return hashlib.sha256(self.template_source.encode()).hexdigest()

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

    def encode_messages(self, messages: list[dict[str, str]]) -> list[int]:
        """Token ids of a conversation, in which message text can never become a control token.

        A message may hold text that a model wrote, and `<|im_end|>` spelled out in it must not
        end the message. Such spellings travel through the template as private characters and are
        then encoded as the ordinary text they are; everything else is encoded as usual.
        A last turn of the assistant's is how its answer begins: templates close every turn that
        they write, so the beginning follows the opened turn as text.
        """
        if len(messages) > 1 and messages[-1]["role"] == "assistant":
            opening = self.plain.encode(messages[-1]["content"], add_special_tokens=False).ids
            return self.encode_messages(messages[:-1]) + opening
        everything = "".join(one["content"] for one in messages)
        spelled = [token for token in self.control_tokens if token in everything]
        if not spelled:
            return self.encode(self.render(messages))
        free = (chr(code) for code in range(PRIVATE_USE, PRIVATE_USE_END))
        stand_ins = dict(zip((one for one in free if one not in everything), spelled, strict=False))
        for stand_in, token in stand_ins.items():
            messages = [
                {**one, "content": one["content"].replace(token, stand_in)} for one in messages
            ]
        ids: list[int] = []
        for piece in re.split("([" + "".join(stand_ins) + "])", self.render(messages)):
            if piece in stand_ins:
                ids += self.plain.encode(stand_ins[piece], add_special_tokens=False).ids
            elif piece:
                ids += self.encode(piece)
        return ids

    def render(self, messages: list[dict[str, str]]) -> str:
        """Messages as one prompt that ends where the assistant's turn begins."""
        if self.template is None:
            raise TrainerError(
                "badRequest",
                "This model's tokenizer has no chat template, so `messages` cannot be rendered; "
                "send `prompt` or `plain` instead.",
            )
        try:
            text = self.template.render(
                messages=messages,
                add_generation_prompt=True,
                tools=None,
                # The switch of templates that have it; off unless it was asked for, because an
                # answer has a place for reasoning of its own.
                enable_thinking=self.thinking,
                **self.special_tokens,
            )
        except (jinja2.TemplateError, TrainerError) as error:
            raise TrainerError(
                "badRequest", f"The model's chat template refused the messages: {error}."
            ) from error
        if len(text) > MAX_RENDERED_CHARACTERS:
            raise TrainerError("badRequest", "The model's chat template produced a runaway text.")
        return text


def load_tokenizer(folder: Path, config: ModelConfig, thinking: bool = False) -> PolicyTokenizer:
    """Reads tokenizer.json and its companions; raises badModel with one sentence."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise TrainerError("badModel", f"The model folder {folder} has no tokenizer.json.")
    data = path.read_bytes()
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
    settings = _optional_json(folder / "tokenizer_config.json")
    special = {
        name: _token_text(settings[name])
        for name in ("bos_token", "eos_token", "pad_token", "unk_token")
        if settings.get(name)
    }
    source = _template_source(folder, settings)
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
        template=_compile(source, folder) if source is not None else None,
        template_source=source,
        sha256=hashlib.sha256(data).hexdigest(),
        thinking=thinking,
    )


def _optional_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TrainerError("badModel", f"{path} cannot be read as JSON: {error}.") from error
    if not isinstance(value, dict):
        raise TrainerError("badModel", f"{path} does not hold a JSON object.")
    return value


def _token_text(value: object) -> str:
    return str(value["content"]) if isinstance(value, dict) else str(value)


def _template_source(folder: Path, settings: dict[str, Any]) -> str | None:
    separate = folder / "chat_template.jinja"
    if separate.is_file():
        return separate.read_text(encoding="utf-8")
    source = settings.get("chat_template")
    return source if isinstance(source, str) else None


def _compile(source: str, folder: Path) -> jinja2.Template:
    # Same settings as the transformers library, so that published templates render the same.
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(
        value, ensure_ascii=False, indent=indent
    )
    environment.globals["raise_exception"] = _raise_from_template
    try:
        return environment.from_string(source)
    except jinja2.TemplateError as error:
        raise TrainerError(
            "badModel", f"The chat template in {folder} is not valid: {error}."
        ) from error


def _raise_from_template(message: str) -> None:
    raise jinja2.TemplateError(message)


def _eos_ids(
    folder: Path, config: ModelConfig, tokenizer: Tokenizer, special: dict[str, str]
) -> tuple[int, ...]:
    # generation_config.json is what the authors sample with; config.json is older and coarser.
    declared: list[int] = []
    for source in (_optional_json(folder / "generation_config.json"), config.raw):
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
