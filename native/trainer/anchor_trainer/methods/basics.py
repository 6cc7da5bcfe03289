"""hello, stats, plan and tokenize: everything that needs no weights, or only looks at them."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

import torch

from .. import __version__
from ..errors import TrainerError
from ..fitting import beside, needs_of
from ..memory_plan import plan_to_load
from ..model.chat_folder import read_chat, special_tokens_of
from ..model.loading import source_of
from ..params import Params
from ..protocol import MAX_LINE_BYTES, PROTOCOL_MAJOR, PROTOCOL_MINOR, PROTOCOL_NAME
from ..session import DEFAULT_SET, RunFolders, Session
from .load import load_spec
from .prompts import prompt_ids

FEATURES = (
    "opKey",
    "replay",
    "several-generates",
    "cancel-drain",
    "gguf",
    "reference-copy",
    "reference-stage",
    "weight-sets",
    "lora",
    "tokens",
    "offload",
)
MAX_OPEN_GENERATES = 64


def hello(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Agrees on the protocol and opens the run folder. Must be the first request.

    Sent again it opens another run: all weight sets are forgotten, since their journals are the old
    run's.
    """
    protocol = params.get_object("protocol")
    major = protocol.get_int("major")
    if protocol.get_str("name") != PROTOCOL_NAME or major != PROTOCOL_MAJOR:
        raise TrainerError(
            "protocolMismatch",
            f"The engine speaks {protocol.raw.get('name')} {major}, this trainer speaks "
            f"{PROTOCOL_NAME} {PROTOCOL_MAJOR}; install matching versions.",
        )
    run_dir = Path(params.get_str("runDir"))
    spool = Path(params.get_str("spoolDir", str(run_dir / "spool")))
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        session.open_run(RunFolders(run_dir, spool))
    except OSError as error:
        raise TrainerError(
            "badRequest", f"The run folder {run_dir} cannot be used: {error.strerror}."
        ) from error
    session.vllm = Path(params.get_str("vllm")) if params.has("vllm") else None
    session.heartbeat_ms = params.get_int("heartbeatMs", 2000, low=100, high=60_000)
    return {
        "protocol": {
            "name": PROTOCOL_NAME,
            "major": PROTOCOL_MAJOR,
            "minor": PROTOCOL_MINOR,
        },
        "trainer": {"version": __version__, "pid": os.getpid()},
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "os": f"{platform.system()} {platform.release()}",
        "devices": _devices(),
        "engines": [{"id": "native", "ok": True}],
        "features": list(FEATURES),
        "limits": {"maxLineBytes": MAX_LINE_BYTES, "maxConcurrentGenerate": MAX_OPEN_GENERATES},
    }


def _devices() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        properties = torch.cuda.get_device_properties(index)
        free, total = torch.cuda.mem_get_info(index)
        found.append(
            {
                "index": index,
                "name": properties.name,
                "totalBytes": total,
                "freeBytes": free,
                "cc": f"{properties.major}.{properties.minor}",
                "bf16": torch.cuda.is_bf16_supported(),
            }
        )
    return found


def stats(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """What is loaded, what is open, and what was done since the start.

    `gpu.peakBytes` is the most that was allocated since the start, or since it was last asked for
    with `resetPeak`.
    """
    gpu = None
    if torch.cuda.is_available():
        gpu = {
            "usedBytes": torch.cuda.memory_allocated(),
            "peakBytes": torch.cuda.max_memory_allocated(),
        }
        if params.get_bool("resetPeak", False):
            torch.cuda.reset_peak_memory_stats()
    policies, counters = list(session.policies()), session.counters
    samplers = [one.sampler for one in policies]
    return {
        "state": "generating" if any(one.busy for one in samplers) else "idle",
        "policies": [
            {"id": one.spec.name, "version": one.version, "device": one.weights.device.type}
            for one in policies
        ],
        "rssBytes": resident_bytes(),
        "gpu": gpu,
        "queue": {
            "openGenerates": sum(len(one.requests) for one in samplers),
            "waitingSamples": sum(one.waiting_samples for one in samplers),
            "runningSamples": sum(one.running_samples for one in samplers),
        },
        "keptRollouts": sum(len(one.store) for one in session.sets.values()),
        "kvBytes": sum(one.byte_count() for one in samplers),
        "totals": {
            "newTokens": counters.new_tokens,
            "trainTokens": counters.train_tokens,
            "updates": counters.updates,
            "oomRetries": counters.oom_retries,
        },
    }


def resident_bytes() -> int | None:
    """Memory this process holds now; None where the system does not say."""
    if sys.platform != "linux":
        return None
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def tokenize(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Token counts or ids of prompts, as generate would read them."""
    policy = session.require_set(params).require_policy()
    ids = prompt_ids(policy, params.get_objects("items"))
    if params.get_choice("what", ("count", "ids"), "count") == "ids":
        return {"ids": ids}
    return {"counts": [len(one) for one in ids]}


def plan(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Predicts memory without allocating any.

    Counted are what the process holds under other names than the one given (which load would
    replace), and the sets that `beside` says are to be loaded as well, as in load.
    """
    spec = load_spec(params.get_str("policy", DEFAULT_SET), params, session.vllm)
    source = source_of(spec.model)
    needs, others = needs_of(source, spec), beside(session.policies(), spec)
    card = params.get_object("card", optional=True).get_int("freeBytes", others.free)
    _, planned = plan_to_load(
        needs,
        resident=others.resident,
        free=card,
        roles=others.roles,
        offload=others.offload(spec),
    )
    chat = read_chat(source.base, special_tokens_of(source.base), spec.thinking)
    return {**planned, "systemInUser": chat is not None and not chat.holds_beside}
