"""Reading a prompt from a request, in any of its forms."""

from __future__ import annotations

from ..errors import TrainerError
from ..params import Params
from ..policy import Policy

ROLES = ("system", "user", "assistant")


def prompt_ids(policy: Policy, item: Params) -> list[int]:
    """Token ids of an item that has exactly one of `prompt`, `plain`, `messages`, `tokenIds`."""
    given = [name for name in ("prompt", "plain", "messages", "tokenIds") if item.has(name)]
    if len(given) != 1:
        raise TrainerError(
            "badRequest",
            f"{item.path} must have exactly one of prompt, plain, messages and tokenIds.",
            detail={"field": item.path},
        )
    if given[0] == "tokenIds":
        return item.get_token_ids("tokenIds", policy.config.vocab)
    if given[0] == "plain":
        ids = policy.tokenizer.encode_plain(item.get_str("plain"))
    elif given[0] == "prompt":
        ids = policy.tokenizer.encode(item.get_str("prompt"))
    else:
        ids = policy.tokenizer.encode_messages(
            [
                {
                    "role": one.get_choice("role", ROLES),
                    "content": one.get_str("content", empty=True),
                }
                for one in item.get_objects("messages")
            ]
        )
    if not ids:
        raise TrainerError("badRequest", f"{item.path}: the prompt is empty.")
    return ids
