"""load and unload: weight sets enter memory, after a crash up to the last journaled update."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import TrainerError
from ..fitting import beside
from ..load_spec import LoadSpec
from ..params import Params
from ..rollout.vllm_process import python_of
from ..session import Session
from ..training.spec import parse_train
from .replay import load_checkpoint, replay_journal

MAX_THREADS = 256


def load(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Loads `model`, or the checkpoint `resume.dir` and then the journal's later updates.

    What was loaded under the same name is replaced; other weight sets stay as they are.
    """
    chosen = session.open_set(params)
    params.get_int("seed")  # refused here where it is missing; a plan needs none
    spec = load_spec(chosen.name, params, session.vllm)
    resume = params.get_object("resume", optional=True)
    chosen.drop_policy()  # two copies might not fit, and a failed load must not leave the old one
    session.rest()
    policy = load_checkpoint(session, spec, request_id)
    replayed: list[str] = []
    stopped = None
    if spec.resume is not None and resume.get_bool("replay", True):
        replayed, stopped = replay_journal(session, chosen, policy, request_id)
    chosen.journal.rewind(policy.version)
    chosen.unjournaled = None
    chosen.policy = policy
    others = beside(session.policies(), spec)
    return {
        "policy": spec.name,
        "version": policy.version,
        "params": policy.weights.parameter_count(),
        "trainable": policy.optimizer.trained.count() if policy.optimizer is not None else 0,
        "bytes": policy.weights.byte_count()
        + (policy.optimizer.byte_count() if policy.optimizer is not None else 0),
        "tokenizer": {
            "vocab": policy.tokenizer.tokenizer.get_vocab_size(with_added_tokens=True),
            "eosIds": list(policy.tokenizer.eos_ids),
            "sha256": policy.tokenizer.sha256,
            "templateSha256": policy.tokenizer.template_sha256,
            "systemInUser": policy.tokenizer.system_in_user,
        },
        "backend": policy.sampler.backend,
        "exactness": policy.sampler.exactness,
        "device": policy.weights.device.type,
        "threads": spec.threads,
        "contextLength": policy.context,
        "maxConcurrent": policy.needs.concurrent,
        "gradCheckpoint": bool(policy.needs.train.grad_checkpoint),
        "offloads": policy.offloads,
        "plannedBytes": others.phase_bytes(policy.needs, policy.offloads),
        "weightsSha256": policy.weights_sha256(),
        "warmupMs": policy.load_ms,
        "replayed": replayed,
        "replayedExactly": policy.weights.device.type == "cpu",
        "replayStopped": stopped,
    }


def unload(session: Session, params: Params, request_id: int) -> dict[str, Any]:
    """Frees a weight set; one that is not loaded is as good as freed.

    Its journal and spool stay on disk, so a later load of the name goes on with them.
    """
    chosen = session.open_set(params)
    chosen.settle_journal()
    was_loaded = chosen.policy is not None
    chosen.drop_policy()
    del session.sets[chosen.name]
    return {"unloaded": was_loaded}


def load_spec(name: str, params: Params, vllm: Path | None) -> LoadSpec:
    """The checked parameters of `load`, which `plan` takes as well.

    `beside` are those of sets that are to be loaded too, with their names: the plan counts them.
    """
    rollout = params.get_object("rollout")
    resume = params.get_object("resume", optional=True)
    return LoadSpec(
        name=name,
        model=Path(params.get_object("model").get_str("path")),
        train=parse_train(params.get_object("train")),
        max_seq_tokens=rollout.get_int("maxSeqTokens", None, low=2),
        max_concurrent=rollout.get_int("maxConcurrent", 32, low=1, high=4096),
        vllm=_vllm(rollout, vllm),
        device=params.get_choice("device", ("auto", "cpu", "cuda"), "auto"),
        threads=params.get_int("threads", 1, low=1, high=MAX_THREADS),
        seed=params.get_int("seed", 0),
        reference=params.get_choice("reference", ("none", "copy", "stage"), "none"),
        resume=Path(resume.get_str("dir")) if params.has("resume") else None,
        thinking=params.get_bool("thinking", False),
        offload=params.get_choice("offload", ("auto", "always", "never"), "auto"),
        beside=tuple(
            load_spec(one.get_str("policy"), one, vllm)
            for one in (params.get_objects("beside") if params.has("beside") else ())
        ),
    )


def _vllm(rollout: Params, environment: Path | None) -> Path | None:
    """The environment of the backend `vllm`; None for `native`."""
    if rollout.get_choice("backend", ("native", "vllm"), "native") == "native":
        return None
    if environment is None or not python_of(environment).is_file():
        raise TrainerError(
            "badRequest",
            "policy.backend is vllm, but there is no environment with vLLM"
            + ("." if environment is None else f": {python_of(environment)} is missing."),
            hint="Make one as docs/models.md says, or choose policy.backend native.",
        )
    return environment
