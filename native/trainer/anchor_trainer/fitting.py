"""Whether a weight set fits beside those that are loaded, and those that are to be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import TrainerError
from .load_spec import LoadSpec, Offload, choose_device
from .machine_memory import free_bytes
from .memory_needs import Needs
from .memory_phases import phase_bytes
from .memory_plan import Together, obstacle_to, plan_to_load
from .model.loading import ModelSource, files_of, source_of

if TYPE_CHECKING:
    from .policy import Policy


def needs_of(source: ModelSource, spec: LoadSpec) -> Needs:
    config = source.config()
    return Needs(
        config=config,
        train=spec.train,
        longest=min(spec.max_seq_tokens or config.context, config.context),
        concurrent=spec.max_concurrent,
        reference=spec.reference != "none",
        stages=spec.reference == "stage",
        cuda=choose_device(spec.device).type == "cuda",
        vllm=spec.vllm is not None,
        files=files_of(source),
        adapter=source.adapter is not None,
    )


@dataclass(frozen=True)
class Beside:
    """Sets under other names: those that are loaded, and those that are to be.

    `free` is what they and one more may have. All that is loaded is counted as free as well, since
    it is part of their needs or replaced. `offloads` says that sets are parked already while others
    work.
    """

    resident: dict[str, Needs]
    roles: list[Needs]
    free: int
    offloads: bool

    def offload(self, spec: LoadSpec) -> Offload:
        """How one more set is loaded: parked while others work where these are already."""
        return "always" if self.offloads else spec.offload

    def phase_bytes(self, needs: Needs, offloads: bool) -> dict[str, int]:
        """Bytes of each phase of a set that is loaded beside them."""
        together = Together((needs, *self.roles), self.resident, offloads)
        return phase_bytes(needs, together.beside(0))


def beside(policies: Iterable[Policy], spec: LoadSpec) -> Beside:
    """What the set `spec` shares its device with."""
    cuda = choose_device(spec.device).type == "cuda"
    here = [one for one in policies if (one.weights.device.type == "cuda") == cuda]
    resident = {one.spec.name: one.needs for one in here if one.spec.name != spec.name}
    coming = [
        needs_of(source_of(one.model), one) for one in spec.beside if one.name not in resident
    ]
    bases = {id(one.adapter.base): one.adapter.base for one in here if one.adapter is not None}
    held = sum(one.held_bytes() for one in here) + sum(one.byte_count() for one in bases.values())
    same_device = [one for one in coming if one.cuda == cuda]
    offloads = any(one.offloads for one in here)
    return Beside(resident, same_device, free_bytes(cuda) + held, offloads)


def fitting(needs: Needs, spec: LoadSpec, others: Beside) -> tuple[Needs, bool]:
    """What can be loaded, and whether sets are parked while others work.

    Raises badRequest, or oom where nothing can be loaded.
    """
    reason = obstacle_to(needs)
    if reason is not None:
        raise TrainerError("badRequest", reason)
    chosen, planned = plan_to_load(
        needs,
        resident=others.resident,
        free=others.free,
        roles=others.roles,
        offload=others.offload(spec),
    )
    if not planned["fits"]:
        phase = max(planned["phases"], key=lambda name: sum(planned["phases"][name].values()))
        apart = ", with one of its weight sets in memory at a time" if planned["offloads"] else ""
        changes = [
            f"{one['change']} (saves {one['saves'] / 1e9:.1f} GB)" for one in planned["suggestions"]
        ]
        raise TrainerError(
            "oom",
            f"The model in {spec.model} needs {planned['neededBytes'] / 1e9:.1f} GB of memory "
            f"({phase}{apart}), but {planned['freeBytes'] / 1e9:.1f} GB are free; nothing was "
            "loaded.",
            hint="What would help: " + "; ".join([*changes[:3], "a smaller model"]) + ".",
            detail={"plan": planned},
        )
    return chosen, planned["offloads"]
