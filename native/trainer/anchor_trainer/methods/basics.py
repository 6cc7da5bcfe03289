"""hello, stats, plan and tokenize: everything that needs no weights, or only looks at them."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import torch

from .. import __version__
from ..errors import TrainerError
from ..memory_plan import plan_memory
from ..model.config import read_config
from ..params import Params
from ..protocol import MAX_LINE_BYTES, PROTOCOL_MAJOR, PROTOCOL_MINOR, PROTOCOL_NAME
from ..session import Session
from ..storage.journal import Journal
from ..storage.spool import RolloutStore
from ..training.spec import parse_train
from .prompts import prompt_ids

FEATURES = ("opKey", "replay", "several-generates", "cancel-drain", "gguf", "reference-copy")
MAX_OPEN_GENERATES = 64


def hello(session: Session, params: Params, request_id: int) -> dict:
    """Agrees on the protocol and opens the run folder. Must be the first request.

    Sent again it opens another run: the policy is forgotten, since its journal is the old run's.
    """
    protocol = params.child("protocol")
    major = protocol.whole("major")
    if protocol.text("name") != PROTOCOL_NAME or major != PROTOCOL_MAJOR:
        raise TrainerError(
            "protocolMismatch",
            f"The engine speaks {protocol.raw.get('name')} {major}, this trainer speaks "
            f"{PROTOCOL_NAME} {PROTOCOL_MAJOR}; install matching versions.",
        )
    run_dir = Path(params.text("runDir"))
    spool = Path(params.text("spoolDir", str(run_dir / "spool")))
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        session.store = RolloutStore(spool)
    except OSError as error:
        raise TrainerError(
            "badRequest", f"The run folder {run_dir} cannot be used: {error.strerror}."
        ) from error
    session.journal = Journal(run_dir / "journal.jsonl")
    session.policy = None
    session.unjournaled = None
    session.heartbeat_ms = params.whole("heartbeatMs", 2000, low=100, high=60_000)
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


def _devices() -> list[dict]:
    found: list[dict] = []
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


def stats(session: Session, params: Params, request_id: int) -> dict:
    """What is loaded, what is open, and what was done since the start."""
    policy, counters = session.policy, session.counters
    loaded = []
    if policy is not None:
        device = policy.weights.device.type
        loaded.append({"id": policy.spec.name, "version": policy.version, "device": device})
    return {
        "state": "generating" if policy is not None and policy.scheduler.busy else "idle",
        "policies": loaded,
        "rssBytes": resident_bytes(),
        "gpu": {"usedBytes": torch.cuda.memory_allocated()} if torch.cuda.is_available() else None,
        "queue": {
            "openGenerates": 0 if policy is None else len(policy.scheduler.requests),
            "waitingSamples": 0 if policy is None else len(policy.scheduler.waiting),
            "runningSamples": 0 if policy is None else policy.scheduler.rows.active,
        },
        "keptRollouts": 0 if session.store is None else len(session.store),
        "kvBytes": 0 if policy is None else policy.scheduler.cache.byte_count(),
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


def tokenize(session: Session, params: Params, request_id: int) -> dict:
    """Token counts or ids of prompts, as generate would read them."""
    policy = session.need_policy(params.text("policy", None))
    ids = [prompt_ids(policy, item) for item in params.objects("items")]
    if params.choice("what", ("count", "ids"), "count") == "ids":
        return {"ids": ids}
    return {"counts": [len(one) for one in ids]}


def plan(session: Session, params: Params, request_id: int) -> dict:
    """Predicts memory without allocating any."""
    config = read_config(Path(params.child("model").text("path")))
    rollout = params.child("rollout")
    longest = rollout.whole("maxSeqTokens", config.context, low=2)
    card = params.child("card", optional=True)
    return plan_memory(
        config,
        parse_train(params.child("train")),
        longest=min(longest, config.context),
        concurrent=rollout.whole("maxConcurrent", 32, low=1, high=4096),
        reference=params.choice("reference", ("none", "copy"), "none") == "copy",
        device=params.choice("device", ("auto", "cpu", "cuda"), "auto"),
        total_bytes=card.whole("totalBytes", None),
    )
