"""Reading a prompt from a request, in any of its forms."""

from __future__ import annotations

from ..errors import TrainerError
from ..params import Params
from ..policy import Policy

ROLES = ("system", "user", "assistant")


def prompt_ids(policy: Policy, items: list[Params]) -> list[list[int]]:
    """Token ids of items that each have exactly one of `prompt`, `plain`, `messages`, `tokenIds`.

    Conversations are rendered together.
    """
    kinds = [_kind(item) for item in items]
    conversations = [
        _messages(item) for item, kind in zip(items, kinds, strict=True) if kind == "messages"
    ]
    rendered = iter(policy.tokenizer.encode_conversations(conversations) if conversations else [])
    found = []
    for item, kind in zip(items, kinds, strict=True):
        if kind == "tokenIds":
            found.append(item.get_token_ids("tokenIds", policy.config.vocab))
            continue
        if kind == "plain":
            ids = policy.tokenizer.encode_plain(item.get_str("plain"))
        elif kind == "prompt":
            ids = policy.tokenizer.encode(item.get_str("prompt"))
        else:
            ids = next(rendered)
        if not ids:
            raise TrainerError("badRequest", f"{item.path}: the prompt is empty.")
        found.append(ids)
    return found


def _kind(item: Params) -> str:
    given = [name for name in ("prompt", "plain", "messages", "tokenIds") if item.has(name)]
    if len(given) != 1:
        raise TrainerError(
            "badRequest",
            f"{item.path} must have exactly one of prompt, plain, messages and tokenIds.",
            detail={"field": item.path},
        )
    return given[0]


def _messages(item: Params) -> list[dict[str, str]]:
    return [
        {"role": one.get_choice("role", ROLES), "content": one.get_str("content", empty=True)}
        for one in item.get_objects("messages")
    ]
