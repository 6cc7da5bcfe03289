"""The methods of the protocol. Each handler gets the session, its parameters and request id.

A handler returns its result, None when it will answer later, or work that is done beside other
requests and returns it. `exclusive` methods change weights or read them as a whole, so they wait
until every open generate request has ended, and until nothing is written beside them any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..params import Params
from ..session import Session
from . import basics, files, generate, load, replay, rollouts, scores, update

Work = Callable[[], dict[str, Any]]
Handler = Callable[[Session, Params, int], dict[str, Any] | Work | None]


@dataclass(frozen=True)
class Method:
    """`state` is what heartbeats call the process while the method runs.

    One that `computes` with a set is exclusive as well where that is parked.
    """

    handler: Handler
    exclusive: bool = False
    computes: bool = False
    state: str = "idle"


METHODS: dict[str, Method] = {
    "hello": Method(basics.hello, exclusive=True),
    "stats": Method(basics.stats),
    "plan": Method(basics.plan),
    "tokenize": Method(basics.tokenize),
    "load": Method(load.load, exclusive=True, state="loading"),
    "unload": Method(load.unload, exclusive=True),
    "generate": Method(generate.generate, computes=True),
    "logprobs": Method(scores.logprobs, computes=True, state="scoring"),
    "update": Method(update.update, exclusive=True, state="updating"),
    "repeat": Method(replay.repeat, exclusive=True, state="updating"),
    "rollouts": Method(rollouts.rollouts),
    "save": Method(files.save, exclusive=True, state="saving"),
    "export": Method(files.export, exclusive=True, state="saving"),
}
