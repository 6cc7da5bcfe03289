"""Everything the methods share between requests."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import TrainerError, disk_error
from .params import Params
from .policy import Policy, SetFiles
from .protocol import Writer
from .storage.journal import Journal, JournalEntry
from .storage.parking import sweep
from .storage.spool import RolloutStore

DEFAULT_SET = "policy"
# Names become parts of file names, also on file systems that do not tell capitals apart.
SET_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def _named_in(params: Params) -> str:
    name: str = params.get_str("policy", DEFAULT_SET)
    if not SET_NAME.fullmatch(name):
        params.refuse("policy", "small letters, digits, '_' and '-', at most 40, a letter first")
    return name


def _not_loaded(name: str) -> TrainerError:
    return TrainerError(
        "notLoaded",
        f"No weights are loaded under the name {name!r}.",
        hint="Send load first.",
        retryable=True,
    )


@dataclass
class Counters:
    new_tokens: int = 0
    train_tokens: int = 0
    updates: int = 0
    oom_retries: int = 0


@dataclass
class WeightSet:
    """One name's files in the run folder, and its policy while one is loaded."""

    name: str
    store: RolloutStore
    journal: Journal
    files: SetFiles
    policy: Policy | None = None
    # An update whose weights have moved but whose journal line found the disk full.
    unjournaled: JournalEntry | None = None

    def settle_journal(self) -> None:
        """Writes the line of the last update, also if the disk was full the first time."""
        if self.unjournaled is not None:
            self.journal.append(self.unjournaled)
            self.unjournaled = None

    def drop_policy(self) -> None:
        """Unloads what is loaded, with what it started."""
        if self.policy is not None:
            self.policy.close()
            self.policy = None

    def require_policy(self) -> Policy:
        """The loaded policy, ready to compute. Raises notLoaded."""
        if self.policy is None:
            raise _not_loaded(self.name)
        self.policy.bind_threads()
        return self.policy


@dataclass(frozen=True)
class RunFolders:
    """Where weight sets keep their files: journals in `run`, kept rollouts in `spool`."""

    run: Path
    spool: Path

    @property
    def parked(self) -> Path:
        """What is parked while other sets work; of no use to another process."""
        return self.run / "parked"

    def open_set(self, name: str) -> WeightSet:
        """The files of a name, made where they are missing. Raises badRequest, diskFull.

        The set "policy" has `journal.jsonl` and the spool folder itself, as runs had before there
        were several sets; any other has `journal-NAME.jsonl` and the subfolder `set-NAME`.
        """
        usual = name == DEFAULT_SET
        spool = self.spool if usual else self.spool / f"set-{name}"
        journal = self.run / ("journal.jsonl" if usual else f"journal-{name}.jsonl")
        return WeightSet(
            name,
            RolloutStore(spool),
            Journal(journal),
            SetFiles(self.run / f"rollout-weights-{name}", self.parked),
        )


@dataclass
class Session:
    """One connection's state. Only the worker thread touches it, except `state` and `progress`."""

    writer: Writer
    state: str = "idle"
    last_progress: float = field(default_factory=time.time)
    heartbeat_ms: int = 2000
    folders: RunFolders | None = None
    vllm: Path | None = None  # the environment of a Python with vLLM
    sets: dict[str, WeightSet] = field(default_factory=dict)
    counters: Counters = field(default_factory=Counters)
    cancelled: dict[int, str] = field(default_factory=dict)  # request id -> mode
    unanswered: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def progressed(self) -> None:
        self.last_progress = time.time()

    def answered(self, request_id: int) -> None:
        """The request is over: its id may be used again and can no longer be cancelled."""
        with self.lock:
            self.unanswered.discard(request_id)
            self.cancelled.pop(request_id, None)

    def is_cancelled(self, request_id: int) -> Callable[[], bool]:
        def asked() -> bool:
            with self.lock:
                return request_id in self.cancelled

        return asked

    def drop_policies(self) -> None:
        """Unloads every weight set, and removes what is parked."""
        for one in self.sets.values():
            one.drop_policy()
        if self.folders is not None:
            sweep(self.folders.parked)

    def open_run(self, folders: RunFolders) -> None:
        """Begins with another run's files; what was loaded belongs to the old run and goes."""
        usual = folders.open_set(DEFAULT_SET)
        self.drop_policies()
        sweep(folders.parked)
        self.folders = folders
        self.sets = {DEFAULT_SET: usual}

    def open_set(self, params: Params) -> WeightSet:
        """The weight set that a request names, loaded or not; opens its files the first time."""
        name = _named_in(params)
        if self.folders is None:
            raise TrainerError("badRequest", "The first request must be hello.")
        if name not in self.sets:
            try:
                self.sets[name] = self.folders.open_set(name)
            except OSError as error:
                raise disk_error(error, str(self.folders.spool)) from error
        return self.sets[name]

    def require_set(self, params: Params) -> WeightSet:
        """The weight set that a request names. Raises notLoaded where nothing has that name."""
        name = _named_in(params)
        if name not in self.sets:
            raise _not_loaded(name)
        return self.sets[name]

    def policies(self) -> Iterator[Policy]:
        """All that are loaded, in the order in which their names were first used."""
        return (one.policy for one in self.sets.values() if one.policy is not None)

    def rest(self, but: Policy | None = None) -> None:
        """Sets with nothing open give back the memory of their keys and values: one is at work."""
        for one in self.policies():
            if one is not but and not one.sampler.busy:
                one.sampler.sleep()

    def at_work(self, chosen: WeightSet, parts: Collection[str] | None = None) -> Policy:
        """The loaded policy of a set, with these parts, all without a choice, in memory.

        Where only one fits, the others are parked. Raises notLoaded, what parking raises,
        and oom; whatever is raised, each set is in memory or whole where it was parked.
        """
        policy = chosen.require_policy()
        moved = policy.take_place(self.policies(), parts, self.progressed)
        if moved is not None:
            self.writer.event("moved", {"policy": chosen.name, **moved})
        return policy

    def would_move(self, params: dict[str, Any]) -> bool:
        """Whether a set has to be brought back or parked before the set of a request computes."""
        name = params.get("policy", DEFAULT_SET)
        chosen = self.sets.get(name) if isinstance(name, str) else None
        policy = None if chosen is None else chosen.policy
        if policy is None:
            return False
        return not policy.can_answer or bool(policy.in_the_way(self.policies()))

    def sampling(self) -> Iterator[Policy]:
        """Those with open generate requests."""
        return (one for one in self.policies() if one.sampler.busy)
