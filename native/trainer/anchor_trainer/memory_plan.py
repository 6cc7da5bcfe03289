"""Predicting the memory of weight sets, phase by phase, before anything is allocated.

A phase needs what stays loaded and what it works with; the largest one decides whether all of them
fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .load_spec import Offload
from .memory_needs import Needs
from .memory_phases import Phases, disk_bytes, kept_bytes, phases_of, vllm_kv_bytes
from .model.adapter_folder import LoraSpec
from .model.nf4 import obstacle
from .rollout.kv_cache import BLOCK
from .rollout.scheduler import FEWEST_SLOTS
from .training.trained import TRAINED

# The rest is left to what the allocator cannot use and to other programs.
USABLE_SHARE = 0.95
# Whether sets are in memory one at a time, in the order in which that is tried.
WAYS: dict[Offload, tuple[bool, ...]] = {
    "never": (False,),
    "auto": (False, True),
    "always": (True,),
}
SUGGESTED_LORA = LoraSpec(rank=16, alpha=32.0, targets="all-linear")


@dataclass(frozen=True)
class Together:
    """Sets that one process is to hold: those that are planned, and by name those it holds already.

    While one works the others keep what they are. Sets that are trained take turns, and keys and
    values of the others are given back; those that only answer may do so at the same time. With
    `offloads` those that can be parked are in memory one at a time.
    """

    planned: tuple[Needs, ...]
    resident: Mapping[str, Needs]
    offloads: bool = False

    @property
    def everyone(self) -> list[Needs]:
        return [*self.planned, *self.resident.values()]

    @property
    def can_offload(self) -> bool:
        return sum(one.can_be_parked for one in self.everyone) > 1

    def beside(self, at: int) -> list[Needs]:
        """What is in memory while that one of `everyone` works."""
        everyone = self.everyone
        working = everyone.pop(at)
        if self.offloads and working.can_be_parked:
            return [one for one in everyone if not one.can_be_parked]
        return everyone

    def phases(self) -> Phases:
        """Of each phase the uses of the set that takes most in it."""
        found: Phases = {}
        for at, one in enumerate(self.everyone):
            for name, uses in phases_of(one, self.beside(at)).items():
                if name not in found or sum(found[name].values()) < sum(uses.values()):
                    found[name] = uses
        return found

    def most(self) -> int:
        return max(sum(uses.values()) for uses in self.phases().values())

    def changed(self, change: Callable[[Needs], Needs]) -> Together:
        return replace(self, planned=tuple(map(change, self.planned)))

    def without(self, name: str) -> Together:
        rest = {other: needs for other, needs in self.resident.items() if other != name}
        return replace(self, resident=rest)


def plan_memory(
    needs: Needs,
    *,
    resident: Mapping[str, Needs],
    free: int,
    roles: Sequence[Needs] = (),
    offloads: bool = False,
) -> dict[str, Any]:
    """Bytes by phase and use, whether they fit, how many rows would, and what saves how much.

    `resident` are weight sets that stay loaded on the same device, by name, `roles` others that are
    planned with this one and trained like it; `free` are the bytes that all may have together.
    With `offloads` sets that can be parked are in memory one at a time.
    """
    usable = int(free * USABLE_SHARE)
    together = Together((needs, *roles), resident, offloads)
    chosen = _with_checkpointing_chosen(together, usable)
    phases, own = chosen.phases(), chosen.planned[0]
    most = max(sum(uses.values()) for uses in phases.values())
    answering = phases_of(own, chosen.beside(0))["rollout"]
    kv = vllm_kv_bytes(needs) if needs.vllm else answering["kv"]
    room = usable - sum(answering.values()) + kv
    return {
        "fits": most <= usable,
        "device": "cuda" if needs.cuda else "cpu",
        "freeBytes": usable,
        "neededBytes": most,
        "phases": phases,
        "kvTokens": max(room, 0) // needs.kv_bytes_per_token,
        "maxConcurrent": max(room, 0) // needs.kv_bytes_per_row,
        "gradCheckpoint": bool(own.train.grad_checkpoint),
        "offloads": offloads,
        "disk": {**disk_bytes(own), "parked": _parked_bytes(chosen)},
        "obstacle": obstacle_to(own),
        "suggestions": _suggestions(chosen, usable),
    }


def obstacle_to(needs: Needs) -> str | None:
    """Why it cannot be loaded whatever memory there is; None where nothing is known against it."""
    if needs.train.precision != "nf4":
        return None
    return obstacle(needs.config.raw, vllm=needs.vllm)


def plan_to_load(
    needs: Needs,
    *,
    resident: Mapping[str, Needs],
    free: int,
    roles: Sequence[Needs] = (),
    offload: Offload = "never",
) -> tuple[Needs, dict[str, Any]]:
    """What a load would make of it, and its plan: fewer rows at a time, layers computed again, and
    sets in memory one at a time.

    None of these changes what comes out, so they are chosen where they are enough; the last, which
    moves every set in every step, where the others are not. `rows` of the plan are those that are
    left.
    """
    together = Together((needs, *roles), resident)
    ways = WAYS[offload] if together.can_offload else (False,)
    for offloads in ways:
        chosen, planned = _planned(together, free, offloads)
        if planned["fits"]:
            break
    if not planned["fits"] and not planned["offloads"] and together.can_offload:
        _, apart = _planned(together, free, True)
        saves = planned["neededBytes"] - apart["neededBytes"]
        if saves > 0:
            planned["suggestions"].insert(0, {"change": "policy.offload: auto", "saves": saves})
    return chosen, planned


def _planned(together: Together, free: int, offloads: bool) -> tuple[Needs, dict[str, Any]]:
    (needs, *roles), resident = together.planned, together.resident
    planned = plan_memory(needs, resident=resident, free=free, roles=roles, offloads=offloads)
    fewest = min(needs.concurrent, FEWEST_SLOTS)
    rows = max(min(needs.concurrent, planned["maxConcurrent"]), fewest)
    chosen = replace(needs, concurrent=rows)
    fewer = [replace(one, concurrent=min(one.concurrent, rows)) for one in roles]
    planned = plan_memory(chosen, resident=resident, free=free, roles=fewer, offloads=offloads)
    planned["rows"] = rows
    train = replace(needs.train, grad_checkpoint=planned["gradCheckpoint"])
    return replace(chosen, train=train), planned


def _parked_bytes(sets: Together) -> int:
    """Of the copies of all sets that are parked in turn: that of the set at work stays."""
    if not sets.offloads:
        return 0
    return sum(sum(kept_bytes(one).values()) for one in sets.everyone if one.can_be_parked)


def _with_checkpointing_chosen(sets: Together, usable: int) -> Together:
    """Computing layers again costs their forward pass: chosen where nothing else fits."""
    if all(one.train.grad_checkpoint is not None for one in sets.planned):
        return sets
    without = sets.changed(lambda one: _checkpointing(one, False))
    if without.most() <= usable:
        return without
    return sets.changed(lambda one: _checkpointing(one, True))


def _checkpointing(needs: Needs, wanted: bool) -> Needs:
    """With layers computed again or not, where that was left open."""
    if needs.train.grad_checkpoint is not None:
        return needs
    return replace(needs, train=replace(needs.train, grad_checkpoint=wanted))


def _suggestions(sets: Together, usable: int) -> list[dict[str, Any]]:
    """Changes that lower the largest phase, with the bytes each saves.

    In the words of a run's configuration, which is where a person makes them, and of all sets that
    are planned at once. First another method where this one does not fit: of those that do the one
    that gives up least. Then what saves most.
    """
    needs = sets.planned[0]
    train = needs.train
    others: list[tuple[str, Together]] = []

    def add(change: str, to: Callable[[Needs], Needs]) -> None:
        others.append((change, sets.changed(to)))

    if train.mode in TRAINED:
        if not train.grad_checkpoint:
            add("train.gradCheckpoint: on", _recomputed)
        if train.pack_tokens > needs.longest:
            packed = max(train.pack_tokens // 2, needs.longest)
            add(
                f"train.packTokens: {packed}",
                lambda one: replace(one, train=replace(one.train, pack_tokens=packed)),
            )
    if needs.longest > BLOCK:
        longest = needs.longest // 2
        add(
            f"generation.maxPromptTokens + generation.maxNewTokens: {longest}",
            lambda one: replace(one, longest=longest),
        )
    if needs.concurrent > FEWEST_SLOTS:
        rows = max(needs.concurrent // 2, FEWEST_SLOTS)
        add(f"policy.maxConcurrent: {rows}", lambda one: replace(one, concurrent=rows))
    if needs.reference:
        add("train.kl: null", lambda one: replace(one, reference=False, stages=False))
    others += [(f"unload: {name}", sets.without(name)) for name in sets.resident]
    most = sets.most()
    found: list[dict[str, Any]] = [
        {"change": change, "saves": most - other.most()} for change, other in others
    ]
    found = sorted((one for one in found if one["saves"] > 0), key=lambda one: -one["saves"])
    # Computing layers again changes nothing that is learnt, so another method comes after it.
    if train.mode not in TRAINED or sets.changed(_recomputed).most() <= usable:
        return found
    method = _method_that_fits(sets, usable)
    return [{"change": method[0], "saves": most - method[1]}, *found] if method else found


def _recomputed(needs: Needs) -> Needs:
    return replace(needs, train=replace(needs.train, grad_checkpoint=True))


def _method_that_fits(sets: Together, usable: int) -> tuple[str, int] | None:
    """The next method that fits, as a change and its bytes; the smallest one where none does.

    What an adapter keeps is counted by transformers, which takes seconds to import: only where
    nothing before it fits.
    """
    train = sets.planned[0].train
    bf16, nf4 = "train.precision: bfloat16", "train.precision: nf4"
    eight = "train.optimizer: adamw8bit"
    lora = f"train.lora: {{rank: {SUGGESTED_LORA.rank}, alpha: {SUGGESTED_LORA.alpha:g}}}"
    shared: dict[str, Any] = {"grad_checkpoint": None}
    adapted: dict[str, Any] = {**shared, "mode": "lora", "lora": SUGGESTED_LORA}
    # The order of TRAIN_METHODS in electron/contract/runs/training.ts.
    methods: list[tuple[str, dict[str, Any]]] = [
        (bf16, {**shared, "precision": "bf16"}),
        (eight, {**shared, "optimizer": "adamw8bit"}),
        (f"{bf16} with {eight}", {**shared, "precision": "bf16", "optimizer": "adamw8bit"}),
        (lora, adapted),
        (f"{lora} with {bf16}", {**adapted, "precision": "bf16"}),
        (f"{lora} with {nf4}", {**adapted, "precision": "nf4"}),
    ]
    if train.mode == "lora":
        methods = [*methods[:3], (nf4, {**shared, "precision": "nf4"})]
    begun, smallest = sets.most(), None
    for change, settings in methods:
        other = _with_checkpointing_chosen(sets.changed(_trained_by(settings)), usable)
        if obstacle_to(other.planned[0]) is not None:
            continue
        took = other.most()
        if took <= usable:
            return change, took
        if took < begun and (smallest is None or took < smallest[1]):
            smallest = (change, took)
    return smallest


def _trained_by(settings: dict[str, Any]) -> Callable[[Needs], Needs]:
    return lambda one: replace(one, train=replace(one.train, **settings))
