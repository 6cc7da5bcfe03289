"""Continuous batching: one batch shared by all open requests, refilled as rows end.

Admission depends on order and step count only, never on time. Together with fixed-shape
attention (decode.py) and counter-based noise this makes a rollout a function of the weights and
its own item.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable

import numpy as np
import torch

from ..errors import TrainerError
from ..model.language_model import LanguageModel
from ..model.tokenizer import PolicyTokenizer
from .decode import decode, prefill
from .kv_cache import KeyValueCache
from .records import Drawn, Finish, GenerateRequest, Rollout
from .rows import Rows, Sample
from .sampler import Exactness
from .sampling import likeliest, sample
from .stops import Stops, text_of

# Prompt tokens read between two decoding steps: bounds how long running rows (and a cancel) wait.
PREFILL_TOKENS = 2048
# Decoding pads to that many rows, so fewer slots would save nothing.
FEWEST_SLOTS = 4


class Scheduler:
    """Samples with the trainer's own weights: the backend `native`."""

    backend = "native"
    exactness: Exactness = "bits"

    def __init__(
        self,
        weights: LanguageModel,
        tokenizer: PolicyTokenizer,
        slots: int,
        longest: int,
    ) -> None:
        self.weights = weights
        self.tokenizer = tokenizer
        self.longest = longest
        self.version = 0
        self.rows = Rows(slots, longest)
        self.cache = KeyValueCache(
            weights.config, max(slots, FEWEST_SLOTS), longest, weights.compute_dtype, weights.device
        )
        self.waiting: deque[Sample] = deque()
        self.requests: dict[int, GenerateRequest] = {}
        # Next-token logits [V] of prompts that were read and have samples still waiting, by
        # id(item); items stay alive as long as their request is open.
        self.prompts: dict[int, torch.Tensor] = {}
        self.stops = Stops(tokenizer, weights.config.vocab)
        self.is_end = np.zeros(weights.config.vocab, bool)
        self.is_end[list(tokenizer.eos_ids)] = True

    @property
    def busy(self) -> bool:
        return bool(self.requests)

    @property
    def waiting_samples(self) -> int:
        return len(self.waiting)

    @property
    def running_samples(self) -> int:
        return self.rows.active

    def use_version(self, version: int) -> None:
        self.version = version

    def submit(self, request: GenerateRequest) -> None:
        """Opens a request; its samples wait behind those of earlier requests."""
        self.requests[request.request_id] = request
        for item in request.items:
            for index in range(item.n):
                self.waiting.append(Sample(request, item, index))
                request.remaining += 1

    def cancel(self, request_id: int, drain: bool) -> bool:
        """Ends a request: waiting samples vanish, running ones end now, or normally if `drain`."""
        request = self.requests.get(request_id)
        if request is None:
            return False
        kept = [one for one in self.waiting if one.request is not request]
        dropped = len(self.waiting) - len(kept)
        self.waiting = deque(kept)
        for item in request.items:
            self.prompts.pop(id(item), None)
        request.remaining -= dropped
        request.totals.cancelled += dropped
        if not drain:
            mine = [s for s in range(self.rows.active) if self._sample(s).request is request]
            for slot in mine:
                self._finish(slot, "cancel")
            self._compact(mine)
        self._close(request)
        return True

    def step(self) -> None:
        """Admits what fits, draws one token for every row, and ends the rows that are done."""
        freed = self._admit()
        self._compact(freed)
        active = self.rows.active
        if active == 0:
            return
        slots = np.arange(active)
        logits = decode(
            self.weights, self.cache, self.rows.last[:active], self.rows.length[:active]
        )
        self.rows.length[:active] += 1
        for request in self._running():
            request.totals.decode_steps += 1
        self._compact(self._draw(slots, logits))

    def _running(self) -> Iterable[GenerateRequest]:
        """Requests of which a row runs; looked up row by row only where several are open."""
        if len(self.requests) == 1:
            return self.requests.values()
        samples = self.rows.samples[: self.rows.active]
        return {id(one.request): one.request for one in samples if one}.values()

    def sleep(self) -> None:
        """Gives the memory of keys and values back."""
        assert not self.busy
        self.cache.release()

    def byte_count(self) -> int:
        return self.cache.byte_count()

    def close(self) -> None:
        """Its memory goes with it."""

    def begin_again(self, error: Exception) -> None:
        """After `step` ran out of memory: all running rows wait again, half as many at a time.

        What they become does not change, since a rollout depends on its own item only. Where there
        cannot be fewer rows, the open requests end with `oom`.
        """
        self._take_back()
        if self.rows.slots > FEWEST_SLOTS:
            slots = max(self.rows.slots // 2, FEWEST_SLOTS)
            self.rows = Rows(slots, self.longest)
            self.cache.release(slots)
            for request in self.requests.values():
                request.totals.memory_retries += 1
            return
        self.cache.release()
        failed = list(self.requests.values())
        self.requests.clear()
        self.waiting.clear()
        for request in failed:
            request.on_failed(
                TrainerError(
                    "oom",
                    f"Sampling ran out of memory with {self.rows.slots} rows at a time ({error}).",
                    hint="Lower generation.maxNewTokens, or use a smaller model.",
                )
            )

    def _take_back(self) -> None:
        """Running rows wait again, before all others and in the order in which they were asked."""
        # By sample, since one that was just being moved stands in two slots.
        held = enumerate(self.rows.samples[: self.rows.active])
        running = {id(one): (one, slot) for slot, one in held if one}
        for one, slot in running.values():
            one.request.totals.prompt_tokens -= len(one.item.prompt)
            one.request.totals.row_steps += int(self.rows.count[slot])
        opened = {request_id: at for at, request_id in enumerate(self.requests)}
        asked = {
            id(item): (opened[request.request_id], at)
            for request in self.requests.values()
            for at, item in enumerate(request.items)
        }
        again = sorted(
            (one for one, _ in running.values()),
            key=lambda one: (asked[id(one.item)], one.index),
        )
        self.waiting.extendleft(reversed(again))
        self.rows.samples = [None] * self.rows.slots
        self.rows.active = 0
        self.prompts.clear()

    def _sample(self, slot: int) -> Sample:
        found = self.rows.samples[slot]
        assert found is not None
        return found

    def _admit(self) -> list[int]:
        """Fills free slots with waiting samples; returns slots whose first token ended them."""
        budget = PREFILL_TOKENS
        fresh: list[Sample] = []
        placed: list[tuple[int, Sample]] = []
        while self.waiting and self.rows.active < self.rows.slots:
            following = self.waiting[0]
            sibling = self._sibling(following, placed)
            cost = 0 if sibling is not None else len(following.item.prompt)
            if cost > budget and placed:
                break
            budget -= cost
            self.waiting.popleft()
            slot = self.rows.active
            self.rows.active += 1
            following.admitted = time.monotonic()
            following.request.totals.prompt_tokens += len(following.item.prompt)
            stops = self.stops.number_of(following.item.stop)
            self.rows.place(slot, following, self.longest, stops)
            placed.append((slot, following))
            if sibling is None:
                fresh.append(following)
        if not placed:
            return []
        logits = self._read_prompts(placed, fresh)
        return self._draw(np.array([slot for slot, _ in placed]), logits)

    def _sibling(self, wanted: Sample, placed: list[tuple[int, Sample]]) -> int | None:
        """A slot that holds this item's prompt already (or will, after this admission)."""
        for slot, other in placed:
            if other.item is wanted.item:
                return slot
        if id(wanted.item) not in self.prompts:
            return None
        for slot in range(self.rows.active):
            if self._sample(slot).item is wanted.item:
                return slot
        return None

    def _read_prompts(self, placed: list[tuple[int, Sample]], fresh: list[Sample]) -> torch.Tensor:
        """Next-token logits [placed, V]; each distinct prompt is read once and then shared."""
        started = time.monotonic()
        slot_of = {id(one): slot for slot, one in placed}
        if fresh:
            logits = prefill(
                self.weights,
                self.cache,
                [one.item.prompt for one in fresh],
                [slot_of[id(one)] for one in fresh],
            )
            for row, one in enumerate(fresh):
                self.prompts[id(one.item)] = logits[row]
        reading = {id(one) for one in fresh}
        ready = []
        for slot, one in placed:
            ready.append(self.prompts[id(one.item)])
            if id(one) not in reading:
                source = self._holder(one, slot)
                self.cache.share(source, slot, len(one.item.prompt))
            if one.index == one.item.n - 1:
                del self.prompts[id(one.item)]
        seconds = time.monotonic() - started
        for request in {id(one.request): one.request for _, one in placed}.values():
            request.totals.prefill_seconds += seconds
        return torch.stack(ready)

    def _holder(self, wanted: Sample, but_not: int) -> int:
        for slot in range(self.rows.active):
            if slot != but_not and self._sample(slot).item is wanted.item:
                return slot
        raise AssertionError("a shared prompt has no slot")

    def _draw(self, slots: np.ndarray, logits: torch.Tensor) -> list[int]:
        """Samples one token for each slot; returns the slots that ended."""
        rows = self.rows
        drawn = sample(
            logits, rows.temperature[slots], rows.top_k[slots], rows.top_p[slots], rows.noise(slots)
        )
        rows.accept(slots, drawn)
        for position in np.flatnonzero(rows.watched[slots]).tolist():
            self._tell(int(slots[position]), logits[position])
        ended = self.is_end[drawn.tokens]
        full = rows.count[slots] >= rows.limit[slots]
        stopped = self.stops.may_end(rows.stops[slots], drawn.tokens)
        freed: list[int] = []
        # Only rows that may end are looked at one by one: all take as long as a small model does.
        for position in np.flatnonzero(ended | full | stopped).tolist():
            slot = int(slots[position])
            done = self._sample(slot)
            new_ids = rows.tokens[slot, : rows.count[slot]]
            if ended[position] or (
                stopped[position] and self.stops.reached(done.item.stop, new_ids)
            ):
                self._finish(slot, "stop")
                freed.append(slot)
            elif full[position]:
                self._finish(slot, "length")
                freed.append(slot)
        return freed

    def _tell(self, slot: int, logits: torch.Tensor) -> None:
        """Reports the token that a watched row has just taken, out of `logits` [V]."""
        rows, told = self.rows, self._sample(slot)
        at = int(rows.count[slot]) - 1
        top = likeliest(logits, told.item.temperature, told.item.alternatives)
        told.request.on_token(
            told.request,
            Drawn(
                key=told.item.key,
                index=told.index,
                position=at,
                token=int(rows.tokens[slot, at]),
                logp=float(rows.logp[slot, at]),
                likeliest=tuple(top),
            ),
        )

    def _finish(self, slot: int, finish: Finish) -> None:
        """Turns a row into a rollout and reports it; the slot is freed by `_compact`."""
        rows, done = self.rows, self._sample(slot)
        request, count = done.request, int(rows.count[slot])
        new_ids = rows.tokens[slot, :count].copy()
        rollout = Rollout(
            rollout_id=request.rollout_id(done.item.key, done.index),
            op_key=request.op_key,
            key=done.item.key,
            index=done.index,
            tag=done.item.tag,
            prompt_ids=np.asarray(done.item.prompt, np.int32),
            new_ids=new_ids,
            logp=rows.logp[slot, :count].copy(),
            entropy_mean=float(rows.entropy[slot] / max(count, 1)),
            temperature=done.item.temperature,
            truncated_sampling=done.item.top_p < 1.0 or request.sampling.top_k > 0,
            finish=finish,
            version=self.version,
        )
        request.totals.row_steps += count
        text = text_of(self.tokenizer, rollout, done.item.stop)
        request.finished(rollout, text, (time.monotonic() - done.admitted) * 1000)
        rows.samples[slot] = None

    def _compact(self, freed: list[int]) -> None:
        """Moves the last rows into freed slots, so that running rows are always 0..active-1."""
        for slot in sorted(freed, reverse=True):
            last = self.rows.active - 1
            self.cache.free(slot)
            if slot != last:
                self.cache.move(last, slot)
                self.rows.move(last, slot)
            self.rows.active = last
        for request in list(self.requests.values()):
            self._close(request)

    def _close(self, request: GenerateRequest) -> None:
        if request.remaining == 0 and request.request_id in self.requests:
            del self.requests[request.request_id]
            for item in request.items:
                self.prompts.pop(id(item), None)
            request.on_done(request)
