"""The chat of a model folder: its template, the tokens it writes, and where system texts go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TrainerError
from .chat_template import ChatTemplate, TemplateFault, TemplateLimit
from .reading import json_within, read_within

Messages = list[dict[str, str]]
# What no template writes by itself.
SYSTEM, QUESTION = "what-the-system-says", "what-the-user-asks"


@dataclass(frozen=True)
class Chat:
    """A template with what it is given beside the conversation.

    `holds_beside` and `holds_alone` say whether a system text has a place of its own before a
    question, and by itself. Where it has none, it stands in front of the first question.
    """

    template: ChatTemplate
    values: dict[str, Any]
    holds_beside: bool = True
    holds_alone: bool = True

    def render(self, conversations: Sequence[Messages]) -> list[str]:
        """Each conversation as a prompt that ends where the assistant's turn begins."""
        return self.template.render([{"messages": one, **self.values} for one in conversations])

    def placed(self, messages: Messages) -> Messages:
        """The conversation with its system text where this template has a place for it."""
        if not messages or messages[0]["role"] != "system":
            return messages
        system, *rest = messages
        if self.holds_beside if rest else self.holds_alone:
            return messages
        said = [system["content"].strip()] if system["content"].strip() else []
        if rest and rest[0]["role"] == "user":
            said.append(rest.pop(0)["content"])
        return [{"role": "user", "content": "\n\n".join(said)}, *rest]


def read_chat(folder: Path, special_tokens: dict[str, str], thinking: bool) -> Chat | None:
    """None where the folder has no chat template; raises badModel for one that is none.

    A template that raises for a system turn, as Gemma's does, or leaves its text out, shows it
    here, so that what a run's prompts look like depends on the template alone.
    """
    template = _template(folder)
    if template is None:
        return None
    # The switch of templates that have it; off unless it was asked for, because an answer has a
    # place for reasoning of its own.
    always = {"add_generation_prompt": True, "tools": None, "enable_thinking": thinking}
    chat = Chat(template, {**always, **special_tokens})
    system, question = (
        {"role": r, "content": c} for r, c in (("system", SYSTEM), ("user", QUESTION))
    )
    try:
        holds = [_writes(chat, one) for one in ([system, question], [system])]
        if all(holds) or not _writes(chat, [question], QUESTION):
            return chat  # nothing to mend, or nothing that a question instead of it would mend
    except TemplateLimit:
        return chat  # is told when a conversation is asked for
    return Chat(template, chat.values, *holds)


def _writes(chat: Chat, messages: Messages, text: str = SYSTEM) -> bool:
    try:
        return text in chat.render([messages])[0]
    except TemplateLimit:
        raise
    except TemplateFault:
        return False


def special_tokens_of(folder: Path) -> dict[str, str]:
    """The tokens that templates know by these names, as far as the folder says them."""
    settings = json_within(folder, "tokenizer_config.json") or {}
    return {
        name: _token_text(settings[name], f"{name} in {folder / 'tokenizer_config.json'}")
        for name in ("bos_token", "eos_token", "pad_token", "unk_token")
        if settings.get(name)
    }


def _token_text(value: object, where: str) -> str:
    text = value.get("content") if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise TrainerError("badModel", f"{where} is not a text.")
    return text


def _template(folder: Path) -> ChatTemplate | None:
    separate = read_within(folder, "chat_template.jinja")
    source = (json_within(folder, "tokenizer_config.json") or {}).get("chat_template")
    if source is None:
        source = (json_within(folder, "chat_template.json") or {}).get("chat_template")
    if isinstance(source, list):  # several by name, of which others are for tools
        named = {one.get("name"): one.get("template") for one in source if isinstance(one, dict)}
        source = named.get("default")
    if separate is None and not isinstance(source, str):
        return None
    try:
        if separate is not None:
            source = separate.decode().replace("\r\n", "\n").replace("\r", "\n")
        text = str(source)
        text.encode()  # halves of surrogate pairs show here, and not where its hash is asked for
        return ChatTemplate(text)
    except (TemplateFault, UnicodeError) as error:
        raise TrainerError(
            "badModel", f"The chat template in {folder} is not valid: {error}."
        ) from error
