"""The loaded policy: weights, tokenizer, sampler, optimizer, and the version they are at."""

from __future__ import annotations

import functools
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch

from .errors import TrainerError
from .fitting import beside, fitting, needs_of
from .load_spec import LoadSpec, choose_device
from .machine_memory import give_back_what_is_freed
from .memory_needs import Needs
from .memory_phases import vllm_kv_bytes
from .model.config import ModelConfig, is_small
from .model.language_model import LanguageModel
from .model.loading import ModelSource, load_model, source_of
from .model.tokenizer import PolicyTokenizer, load_tokenizer
from .rollout.sampler import RolloutSampler
from .rollout.scheduler import Scheduler
from .rollout.vllm_process import VllmProcess
from .rollout.vllm_sampler import Handover, VllmSampler
from .storage.checkpoint import (
    CheckpointState,
    read_companions,
    read_manifest,
    read_optimizer,
    read_state,
)
from .storage.parking import Moved, Parking, Progress
from .storage.updates_file import AppliedUpdate, EarlierCheckpoint
from .training.optimizer import AdamW
from .training.reference import FullReference, Reference, load_reference
from .training.spec import TrainSpec
from .training.trained import TRAINED
from .training.update import Updater

if TYPE_CHECKING:  # the library takes seconds to import
    from .model.adapter_model import AdapterModel


# Parts of a parked set that an answer takes; an update takes all.
ANSWERING = ("weights",)


@dataclass(frozen=True)
class SetFiles:
    """Folders of a set in use: weights for another program that samples, and what is parked."""

    handover: Path
    parked: Path


@dataclass
class Policy:
    """One policy in memory. `version` counts the updates applied since the original weights."""

    spec: LoadSpec
    source: ModelSource
    needs: Needs
    config: ModelConfig
    tokenizer: PolicyTokenizer
    companions: dict[str, bytes]
    weights: LanguageModel
    sampler: RolloutSampler
    optimizer: AdamW | None
    updater: Updater | None
    reference: Reference | None
    version: int
    context: int
    load_ms: float = 0.0
    # The version that was hashed, and its hash: all weights of a large model take seconds.
    hashed: tuple[int, str] | None = None
    # The last updates, as far back as the checkpoint that was last saved or loaded with moments.
    applied: list[AppliedUpdate] = field(default_factory=list)
    # Where the stage began, by its whole path; None where the reference is no stage's.
    stage: EarlierCheckpoint | None = None
    # Where it is while others work; None for one that always stays. `offloads` says that those
    # which can be parked are in memory one at a time.
    parking: Parking | None = None
    offloads: bool = False

    def set_version(self, version: int) -> None:
        self.version = version
        self.sampler.use_version(version)

    def bind_threads(self) -> None:
        """Makes this process compute with the threads of this policy.

        Their number is the process's own, and it decides in which order sums are rounded.
        """
        if torch.get_num_threads() != self.spec.threads:
            torch.set_num_threads(self.spec.threads)

    def held_bytes(self) -> int:
        """Bytes of the tensors that are kept between requests, without the base of an adapter."""
        kept = [self.reference, self.optimizer, self.sampler]
        own = self.weights.byte_count() if self.adapter is None else self.adapter.adapter_bytes()
        away = 0 if self.parking is None else self.parking.away_bytes
        return own + sum(one.byte_count() for one in kept if one is not None) - away

    @property
    def can_answer(self) -> bool:
        """Whether what it answers with is in memory."""
        return self.parking is None or self.parking.is_here(ANSWERING)

    def in_the_way(self, everyone: Iterable[Policy]) -> list[Policy]:
        """Those that are in memory and have to leave it before this one computes."""
        here = [one for one in everyone if one.weights.device == self.weights.device]
        if self.parking is None or not any(one.offloads for one in here):
            return []
        return [one for one in here if one is not self and not one.is_parked]

    @property
    def is_parked(self) -> bool:
        """Whether it has nothing in memory that could be parked."""
        return self.parking is None or self.parking.is_gone

    def take_place(
        self, everyone: Iterable[Policy], parts: Collection[str] | None, progressed: Progress
    ) -> dict[str, Any] | None:
        """Parks those that are in the way and comes back with its parts; None where nothing moved.

        Raises diskFull, badModel or oom: then each set is in memory, or whole where it was parked.
        """
        leaving = self.in_the_way(everyone)
        if not leaving and (self.parking is None or self.parking.is_here(parts)):
            return None
        started, moved = time.monotonic(), Moved()
        for one in leaving:
            moved.add(one.park(progressed))
        if self.parking is not None:
            moved.add(self.parking.bring(parts, progressed))
        milliseconds = (time.monotonic() - started) * 1000
        return {"written": moved.written, "read": moved.read, "ms": milliseconds}

    def park(self, progressed: Progress) -> Moved:
        """Gives its memory back until it is asked for; raises diskFull, and then keeps it."""
        assert self.parking is not None
        self.sampler.sleep()
        as_of = {"weights": self.version, "moments": self.version, "reference": self.stage}
        return self.parking.park(as_of, progressed)

    def close(self) -> None:
        """Ends what it started, and frees what others that stay loaded do not need."""
        self.sampler.close()
        if self.parking is not None:
            self.parking.close()
        if self.adapter is not None:
            self.adapter.close()

    def begin_stage(self, checkpoint: Path) -> None:
        """From here on the optimizer has no past, and a reference of the kind `stage` is the
        weights as they are.

        `checkpoint` holds these weights, and is what the reference is read from after a restart.
        Raises badRequest where it holds others.
        """
        state, _ = read_manifest(checkpoint)
        if (state.version, state.weights_sha256) != (self.version, self.weights_sha256()):
            raise TrainerError(
                "badRequest",
                f"A stage cannot begin from the checkpoint {checkpoint}, which is at version "
                f"{state.version}: the policy is at version {self.version} or has other weights.",
            )
        assert self.optimizer is not None
        self.optimizer.forget()
        if self.reference is not None and self.spec.reference == "stage":
            self.reference.take(self.weights)
            self.stage = EarlierCheckpoint(
                str(checkpoint.resolve()), state.version, state.weights_sha256
            )

    def weights_sha256(self) -> str:
        if self.hashed is None or self.hashed[0] != self.version:
            self.hashed = (self.version, self.weights.sha256())
        return self.hashed[1]

    @property
    def adapter(self) -> AdapterModel | None:
        """The weights, where they are a frozen model with an adapter."""
        if self.source.adapter is None and self.spec.train.lora is None:
            return None
        return cast("AdapterModel", self.weights)


def load_policy(
    spec: LoadSpec, others: Iterable[Policy] = (), files: SetFiles | None = None
) -> Policy:
    """Loads model and, with `resume`, the state of a checkpoint; raises badModel, oom.

    `others` stay loaded beside it, or are parked where only one fits; without `files` none is.
    Nothing is allocated before the plan says that it fits.
    """
    started = time.monotonic()
    torch.set_num_threads(spec.threads)
    device = choose_device(spec.device)
    state = None if spec.resume is None else read_state(spec.resume)
    source = source_of(spec.resume or spec.model)
    if source.adapter is not None and spec.train.mode == "full":
        raise TrainerError(
            "badRequest",
            f"{source.folder} is an adapter, whose base cannot be trained with it.",
            hint="Train it with mode 'lora', or export it merged and start from that.",
        )
    if state is not None and spec.resume is not None:
        _require_same_method(state, spec.train, spec.resume)
    loaded = list(others)
    needs = needs_of(source, spec)
    config = needs.config
    tokenizer = load_tokenizer(source.base, config, spec.thinking)
    allowed = spec if files is not None else replace(spec, offload="never")
    needs, offloads = fitting(needs, allowed, beside(loaded, spec))
    if offloads or not is_small(config.parameter_count()):
        give_back_what_is_freed()
    if offloads and needs.can_be_parked:
        for one in loaded:
            if one.weights.device.type == device.type and not one.is_parked:
                one.park(lambda: None)
    weights = load_model(
        source,
        config,
        device,
        needs.train.lora,
        spec.seed,
        spec.train.precision,
        [one.weights for one in loaded],
    )
    try:
        policy = _policy_of(weights, tokenizer, source, needs, spec, state, files)
    except Exception:
        if needs.base is not None:
            cast("AdapterModel", weights).close()  # which others may share the base of
        raise
    policy.offloads = offloads
    policy.load_ms = (time.monotonic() - started) * 1000
    return policy


def _policy_of(
    weights: LanguageModel,
    tokenizer: PolicyTokenizer,
    source: ModelSource,
    needs: Needs,
    spec: LoadSpec,
    state: CheckpointState | None,
    files: SetFiles | None,
) -> Policy:
    """The weights with everything around them; checks them against the state of a checkpoint."""
    config, device = needs.config, weights.device
    trained = TRAINED.get(needs.train.mode)
    optimizer = None if trained is None else AdamW(trained(weights), needs.train, spec.seed)
    version = 0
    if state is not None and spec.resume is not None:
        version = state.version
        if weights.sha256() != state.weights_sha256:
            raise TrainerError(
                "badModel",
                f"The checkpoint {spec.resume} is corrupt: its weights do not match the hash in "
                "trainer.json."
                if state.base_sha256 is None
                else f"The adapter in {spec.resume} and its base {source.base} do not match the "
                "hash in trainer.json: one of them is not what it was.",
            )
        # An adapter that begins on a checkpoint of its base has no moments yet.
        if optimizer is not None and (needs.train.lora is None or source.adapter is not None):
            _restore_optimizer(optimizer, spec.resume, state.has_optimizer, state.optimizer_steps)
    stage, reference = None, None
    if spec.reference != "none":
        stage = None if spec.reference == "copy" else _stage_of(state, spec.resume)
        begun = None if stage is None else Path(stage.folder)
        reference = load_reference(weights, spec.model, begun, needs.train, device, spec.seed)
    companions = read_companions(source.base)
    sampler: RolloutSampler
    if spec.vllm is None:
        sampler = Scheduler(weights, tokenizer, needs.concurrent, needs.longest)
    else:
        assert files is not None
        sampler = VllmSampler(
            weights,
            tokenizer,
            needs.concurrent,
            needs.longest,
            Handover(files.handover, config.raw, companions),
            functools.partial(VllmProcess, spec.vllm, spec.threads),
            vllm_kv_bytes(needs),
        )
    policy = Policy(
        spec=spec,
        source=source,
        needs=needs,
        config=config,
        tokenizer=tokenizer,
        companions=companions,
        weights=weights,
        sampler=sampler,
        optimizer=optimizer,
        updater=None if optimizer is None else Updater(weights, optimizer, reference, needs.train),
        reference=reference,
        version=version,
        context=needs.longest,
        hashed=None if state is None else (state.version, state.weights_sha256),
        stage=stage,
    )
    if files is not None and needs.can_be_parked:
        policy.parking = Parking.of(files.parked, spec.name, _parts(weights, optimizer, reference))
    policy.set_version(version)
    return policy


def _parts(
    weights: LanguageModel, optimizer: AdamW | None, reference: Reference | None
) -> Mapping[str, list[torch.Tensor]]:
    """Every tensor that a set keeps, by what changes together."""
    assert optimizer is not None
    models = [weights] if reference is None else [weights, cast("FullReference", reference).model]
    kept = [[*one.master.values(), *one.compute.values()] for one in models]
    return {
        "weights": kept[0],
        "moments": list(optimizer.named_state().values()),
        "reference": [] if reference is None else kept[1],
    }


def _stage_of(state: CheckpointState | None, folder: Path | None) -> EarlierCheckpoint | None:
    """Where the stage of a checkpoint began, by its whole path; raises badModel if that is gone."""
    if state is None or state.stage is None or folder is None:
        return None
    stage, origin = state.stage, folder / state.stage.folder
    if not origin.is_dir():
        raise TrainerError(
            "badModel",
            f"The checkpoint {folder} is of a stage that began from {origin}, which its KL term is "
            "measured against and which is not there.",
            hint="Put that folder back from a backup, or load this one as params.model.",
        )
    if read_state(origin).weights_sha256 != stage.weights_sha256:
        raise TrainerError(
            "badModel", f"The stage of the checkpoint {folder} did not begin from that in {origin}."
        )
    return EarlierCheckpoint(str(origin.resolve()), stage.version, stage.weights_sha256)


def _require_same_method(state: CheckpointState, train: TrainSpec, folder: Path) -> None:
    asked = (train.precision, train.optimizer)
    if train.mode != "none" and asked != (state.precision, state.optimizer):
        raise TrainerError(
            "badRequest",
            f"The checkpoint {folder} was trained with the precision {state.precision} and the "
            f"optimizer {state.optimizer}, but {asked[0]} and {asked[1]} are asked for.",
            hint="Go on with what it was trained with, or start a new run from its weights.",
        )


def _restore_optimizer(optimizer: AdamW, folder: Path, saved: bool, steps: int) -> None:
    if not saved:
        raise TrainerError(
            "badModel",
            f"The checkpoint {folder} was saved without its optimizer, so training cannot resume "
            "from it.",
            hint="Load the folder as params.model instead to start a new run from its weights.",
        )
    optimizer.load_named_state(read_optimizer(folder), steps)
