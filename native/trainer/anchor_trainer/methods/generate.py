"""generate: opens a request on a weight set's continuous batch; rollouts stream as they end."""

from __future__ import annotations

import re
import time
from typing import Any

from ..errors import TrainerError
from ..model.tokenizer import PolicyTokenizer
from ..params import Params
from ..policy import ANSWERING, Policy
from ..rollout.records import Drawn, GenerateRequest, Item, Rollout
from ..rollout.sampling import Sampling
from ..session import Session
from .prompts import prompt_ids

# Operation keys name files, so they hold nothing that a file system could read as a path.
OP_KEY = re.compile(r"[A-Za-z0-9_.\-]+(/[A-Za-z0-9_.\-]+)*")
MAX_SAMPLES = 4096
MAX_ALTERNATIVES = 20
# What a decoder writes for bytes that are no whole character yet.
UNFINISHED = "\ufffd"


def generate(session: Session, params: Params, request_id: int) -> None:
    """Checks the whole request before anything is sampled; answered when its last row ends."""
    chosen = session.require_set(params)
    policy, store = chosen.require_policy(), chosen.store
    keep = params.get_bool("keep", True)
    op_key = params.get_str("opKey", None)
    if op_key is None and keep:
        params.refuse("opKey", "a text when rollouts are kept")
    if op_key is not None:
        if not OP_KEY.fullmatch(op_key) or ".." in op_key:
            params.refuse("opKey", "letters, digits, '_', '.', '-' and single '/' between them")
        store.check_op_key(op_key)
    sampling = parse_sampling(params.get_object("sampling"))
    context = min(policy.context, sampling.max_seq_tokens or policy.context)
    asked = params.get_objects("items")
    prompts = prompt_ids(policy, asked)
    items = [_item(one, ids, sampling, context) for one, ids in zip(asked, prompts, strict=True)]
    _refuse_double_keys(params, policy, op_key, items)
    too_long = [one for one in items if len(one.prompt) >= context]
    if too_long:
        worst = too_long[0]
        raise TrainerError(
            "promptTooLong",
            f"The prompt {worst.key!r} has {len(worst.prompt)} tokens, but the context holds "
            f"{context} and needs room for at least one new token.",
            hint="Shorten the prompt or load the model with a larger maxSeqTokens.",
            detail={
                "key": worst.key,
                "tokens": len(worst.prompt),
                "limit": context,
                "keys": [one.key for one in too_long[:100]],
            },
        )

    def on_rollout(
        request: GenerateRequest, rollout: Rollout, text: str, milliseconds: float
    ) -> None:
        session.counters.new_tokens += len(rollout.new_ids)
        session.writer.event("rollout", _event(request, rollout, text, milliseconds))

    pieces: dict[tuple[str, int], Pieces] = {}

    def on_token(request: GenerateRequest, drawn: Drawn) -> None:
        row = (drawn.key, drawn.index)
        if drawn.position == 0:
            pieces[row] = Pieces(policy.tokenizer)
        text = pieces[row].add(drawn.token)
        session.writer.event("token", _token_event(policy.tokenizer, request, drawn, text))

    def on_failed(error: TrainerError) -> None:
        session.writer.error(request_id, error)
        session.answered(request_id)

    def on_done(request: GenerateRequest) -> None:
        try:
            if request.kept and request.op_key is not None:
                store.keep(request.op_key, request.kept)
        except TrainerError as error:
            on_failed(error)
            return
        session.writer.result(request_id, _result(policy, request))
        session.answered(request_id)

    session.rest(but=policy)
    session.at_work(chosen, ANSWERING)
    policy.sampler.submit(
        GenerateRequest(
            request_id=request_id,
            op_key=op_key,
            items=items,
            sampling=sampling,
            keep=keep,
            started=time.monotonic(),
            on_rollout=on_rollout,
            on_done=on_done,
            on_failed=on_failed,
            on_token=on_token,
        )
    )


def parse_sampling(params: Params) -> Sampling:
    return Sampling(
        temperature=_temperature(params, 1.0),
        top_p=_top_p(params, 1.0),
        top_k=params.get_int("topK", 0, high=1_000_000),
        max_new_tokens=params.get_int("maxNewTokens", low=1),
        stop=tuple(params.get_strs("stop", ())),
        max_seq_tokens=params.get_int("maxSeqTokens", None, low=2),
    )


def _temperature(params: Params, otherwise: float) -> float:
    value: float = params.get_float("temperature", otherwise, low=0, high=100)
    return value


def _top_p(params: Params, otherwise: float) -> float:
    value: float = params.get_float("topP", otherwise, low=1e-6, high=1)
    return value


def _item(item: Params, prompt: list[int], sampling: Sampling, context: int) -> Item:
    wanted: int = item.get_int("maxNewTokens", sampling.max_new_tokens, low=1)
    return Item(
        key=item.get_str("key"),
        prompt=prompt,
        n=item.get_int("n", 1, low=1, high=MAX_SAMPLES),
        seed=item.get_int("seed"),
        max_new_tokens=min(wanted, context - len(prompt)),
        temperature=_temperature(item, sampling.temperature),
        top_p=_top_p(item, sampling.top_p),
        stop=tuple(item.get_strs("stop", sampling.stop)),
        tag=item.get_str("tag", None, empty=True),
        alternatives=item.get_int("alternatives", 0, high=MAX_ALTERNATIVES),
    )


class Pieces:
    """The text that each further token adds to an answer: none while a character is unfinished."""

    def __init__(self, tokenizer: PolicyTokenizer) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._told = 0

    def add(self, token: int) -> str:
        self._ids.append(token)
        text = self._tokenizer.decode(self._ids)
        if text.endswith(UNFINISHED):
            return ""
        piece, self._told = text[self._told :], len(text)
        return piece


def _refuse_double_keys(
    params: Params, policy: Policy, op_key: str | None, items: list[Item]
) -> None:
    """Rollout ids are opKey/key/index, so a key may be used once per operation at a time."""
    used = {
        one.key
        for request in policy.sampler.requests.values()
        if op_key is not None and request.op_key == op_key
        for one in request.items
    }
    for at, item in enumerate(items):
        if item.key in used:
            raise TrainerError(
                "badRequest",
                f"{params.path}.items[{at}].key {item.key!r} is used twice in one operation.",
                detail={"field": f"{params.path}.items[{at}].key"},
            )
        used.add(item.key)


def _event(
    request: GenerateRequest, rollout: Rollout, text: str, milliseconds: float
) -> dict[str, Any]:
    count = len(rollout.new_ids)
    total = float(rollout.logp.sum(dtype="float64"))
    return {
        "reqId": request.request_id,
        "rolloutId": rollout.rollout_id,
        "key": rollout.key,
        "index": rollout.index,
        "tag": rollout.tag,
        "text": text,
        "finish": rollout.finish,
        "promptTokens": len(rollout.prompt_ids),
        "newTokens": count,
        "logpSum": total,
        "logpMean": total / max(count, 1),
        "entropyMean": rollout.entropy_mean,
        "version": rollout.version,
        "ms": milliseconds,
    }


def _token_event(
    tokenizer: PolicyTokenizer, request: GenerateRequest, drawn: Drawn, text: str
) -> dict[str, Any]:
    return {
        "reqId": request.request_id,
        "key": drawn.key,
        "index": drawn.index,
        "position": drawn.position,
        "text": text,
        "logp": drawn.logp,
        "alternatives": [
            {"text": tokenizer.name_of(token), "logp": logp} for token, logp in drawn.likeliest
        ],
    }


def _result(policy: Policy, request: GenerateRequest) -> dict[str, Any]:
    totals = request.totals
    seconds = time.monotonic() - request.started
    return {
        "rollouts": totals.rollouts,
        "promptTokens": totals.prompt_tokens,
        "newTokens": totals.new_tokens,
        "cancelled": totals.cancelled,
        "version": policy.version,
        "wallMs": seconds * 1000,
        "tokPerSec": totals.new_tokens / seconds if seconds > 0 else 0.0,
        "meanBatch": totals.row_steps / max(totals.decode_steps, 1),
        "prefillMs": totals.prefill_seconds * 1000,
        "memoryRetries": totals.memory_retries,
    }
