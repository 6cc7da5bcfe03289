"""Rollouts drawn by vLLM in a process of its own: the backend `vllm`.

Weights go to it by disk: a folder of safetensors whose hashes it checks. Before anything is drawn
from them, it says the log-probabilities of a fixed text, which have to be those of the trainer.
Where its process is lost or answers what cannot be, what was running waits again and another
process is started; nothing of a rollout lies there alone.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import TrainerError
from ..model.language_model import LanguageModel
from ..model.tokenizer import PolicyTokenizer
from ..storage.checkpoint import export_model
from .records import Drawn, Finish, GenerateRequest, Rollout
from .rows import Sample
from .sampler import Exactness
from .stops import Stops, text_of
from .vllm_probe import Probe
from .vllm_process import VllmProcess, WorkerLost

STEP_SECONDS = 0.05
PATIENCE_TO_START = 900.0
PATIENCE = 180.0
MOST_LOSSES = 3

State = Literal["away", "starting", "loading", "scoring", "ready"]


@dataclass(frozen=True)
class Handover:
    """Where weights are laid down, and what makes the folder a model: config and tokenizer."""

    folder: Path
    config: dict[str, Any]
    companions: dict[str, bytes]


@dataclass
class _Running:
    sample: Sample
    stops: int
    ids: list[int] = field(default_factory=list)
    logp: list[float] = field(default_factory=list)


class VllmSampler:
    """Draws rollouts by vLLM, `slots` of at most `longest` tokens at a time."""

    backend = "vllm"
    exactness: Exactness = "near"

    def __init__(
        self,
        weights: LanguageModel,
        tokenizer: PolicyTokenizer,
        slots: int,
        longest: int,
        handover: Handover,
        start: Callable[[], VllmProcess],
        kv_bytes: int,
        patience: float = PATIENCE,
    ) -> None:
        self.weights = weights
        self.tokenizer = tokenizer
        self.slots = slots
        self.longest = longest
        self.handover = handover
        self.start = start
        self.kv_bytes = kv_bytes
        self.patience = patience
        self.version = 0
        self.requests: dict[int, GenerateRequest] = {}
        self.waiting: deque[Sample] = deque()
        self.running: dict[str, _Running] = {}
        self.stops = Stops(tokenizer, weights.config.vocab)
        self.process: VllmProcess | None = None
        self.state: State = "away"
        self.losses = 0
        self._names = 0
        self._hashes: dict[str, str] | None = None  # of the files of this version
        self._probe = Probe(tokenizer)

    @property
    def busy(self) -> bool:
        return bool(self.requests)

    @property
    def waiting_samples(self) -> int:
        return len(self.waiting)

    @property
    def running_samples(self) -> int:
        return len(self.running)

    def use_version(self, version: int) -> None:
        self.version = version
        self._hashes = None
        if self.state == "ready":
            self.state = "starting"  # it is there, and gets other weights at the next step

    def submit(self, request: GenerateRequest) -> None:
        self.requests[request.request_id] = request
        for item in request.items:
            for index in range(item.n):
                self.waiting.append(Sample(request, item, index))
                request.remaining += 1

    def cancel(self, request_id: int, drain: bool) -> bool:
        request = self.requests.get(request_id)
        if request is None:
            return False
        kept = [one for one in self.waiting if one.request is not request]
        dropped = len(self.waiting) - len(kept)
        self.waiting = deque(kept)
        request.remaining -= dropped
        request.totals.cancelled += dropped
        if not drain:
            mine = [name for name, one in self.running.items() if one.sample.request is request]
            self._abort(mine)
            for name in mine:
                self._finish(self.running.pop(name), "cancel")
        self._close(request)
        return True

    def step(self) -> None:
        try:
            if self.state == "ready":
                self._feed()
                self._take(self._answer(self.patience))
            else:
                self._get_ready()
        except WorkerLost as error:
            self._lose(str(error))

    def begin_again(self, error: Exception) -> None:
        self._lose(f"Memory ran out beside vLLM ({error}).")

    def sleep(self) -> None:
        """Only a card's memory can be given back and taken again; on a CPU it keeps its own."""
        assert not self.busy
        if self.state == "ready" and self.weights.device.type == "cuda":
            try:
                self._send({"op": "sleep"})
            except WorkerLost as error:
                self._lose(str(error))
            self.use_version(self.version)

    def byte_count(self) -> int:
        """Nothing in this process; the plan counts what the other one holds."""
        return 0

    def close(self) -> None:
        self._end()
        shutil.rmtree(self.handover.folder, ignore_errors=True)

    def _end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process = None
        self.state = "away"

    def _send(self, order: dict[str, Any]) -> None:
        assert self.process is not None
        self.process.send(order)

    def _answer(self, patience: float) -> dict[str, Any] | None:
        assert self.process is not None
        return self.process.receive(STEP_SECONDS, patience)

    def _get_ready(self) -> None:
        """One move from no process to one that answers with this version's weights."""
        if self._hashes is None:
            self._lay_down()
        if self.process is None:
            self.process = self.start()
            on_card = self.weights.device.type == "cuda"
            self._send(
                {
                    "op": "start",
                    "model": str(self.handover.folder),
                    "dtype": str(self.weights.compute_dtype).removeprefix("torch."),
                    "longest": self.longest,
                    "rows": self.slots,
                    "kvBytes": self.kv_bytes,
                    "sleeps": on_card,
                }
            )
        elif self.state == "starting":
            self._load()
            return
        answer = self._answer(PATIENCE_TO_START if self.state == "away" else self.patience)
        if answer is None:
            return
        if self.state == "away" and "ready" in answer:
            self.state = "starting"
        elif self.state == "loading" and "loaded" in answer:
            self._send({"op": "score", "ids": self._probe.ids})
            self.state = "scoring"
        elif self.state == "scoring" and isinstance(answer.get("scores"), list):
            self._probe.compare(self.weights, self.version, np.array(answer["scores"], np.float64))
            self.state = "ready"
        else:
            raise WorkerLost(f"vLLM answered something else while {self.state}: {answer}.")

    def _lay_down(self) -> None:
        files = export_model(
            self.handover.folder,
            self.handover.companions,
            self.handover.config,
            self.weights.named_views(),
            self.weights.compute_dtype,
        )
        self._hashes = {Path(one["path"]).name: one["sha256"] for one in files}

    def _load(self) -> None:
        self._send({"op": "load", "model": str(self.handover.folder), "sha256": self._hashes})
        self.state = "loading"

    def _feed(self) -> None:
        while self.waiting and len(self.running) < self.slots:
            sample = self.waiting.popleft()
            item, request = sample.item, sample.request
            sample.admitted = time.monotonic()
            request.totals.prompt_tokens += len(item.prompt)
            self._names += 1
            name = str(self._names)
            self.running[name] = _Running(sample, self.stops.number_of(item.stop))
            self._send(
                {
                    "op": "sample",
                    "id": name,
                    "ids": item.prompt,
                    "maxNewTokens": min(item.max_new_tokens, self.longest - len(item.prompt)),
                    "temperature": item.temperature,
                    "topP": item.top_p,
                    "topK": request.sampling.top_k,
                    "seed": _seed(item.seed, sample.index),
                    "ends": list(self.tokenizer.eos_ids),
                    "alternatives": item.alternatives,
                }
            )

    def _take(self, answer: dict[str, Any] | None) -> None:
        if answer is None:
            return
        if not isinstance(answer.get("tokens"), list):
            raise WorkerLost(f"vLLM answered something else than tokens: {str(answer)[:200]}.")
        asked = (one.sample.request for one in self.running.values())
        for request in {id(one): one for one in asked}.values():
            request.totals.decode_steps += 1
        enough = []
        for name, ids, logp, finish, likeliest in answer["tokens"]:
            one = self.running.get(name)
            if one is None:
                continue  # it was ended a moment ago
            ended = self._extend(one, ids, logp, likeliest)
            if ended or finish is not None:
                del self.running[name]
                if ended and finish is None:
                    enough.append(name)
                self._finish(one, "stop" if ended or finish == "stop" else "length")
                self.losses = 0
        self._abort(enough)
        for request in list(self.requests.values()):
            self._close(request)

    def _extend(
        self, one: _Running, ids: list[int], logp: list[float], likeliest: list[list[list[float]]]
    ) -> bool:
        """Adds new tokens to a row, up to the one that completes a stop string, which is told."""
        item = one.sample.item
        for token, log_probability, top in zip(ids, logp, likeliest, strict=True):
            if not 0 <= token < self.weights.config.vocab or not log_probability <= 1e-3:
                raise WorkerLost(f"vLLM drew token {token} with {log_probability} nats.")
            one.ids.append(token)
            one.logp.append(min(log_probability, 0.0))
            if item.alternatives:
                self._tell(one, [(int(id_), value) for id_, value in top][: item.alternatives])
            may_end = self.stops.may_end(np.array([one.stops]), np.array([token]))[0]
            if may_end and self.stops.reached(item.stop, np.array(one.ids)):
                return True
        return False

    def _tell(self, one: _Running, likeliest: list[tuple[int, float]]) -> None:
        sample = one.sample
        drawn = Drawn(
            key=sample.item.key,
            index=sample.index,
            position=len(one.ids) - 1,
            token=one.ids[-1],
            logp=one.logp[-1],
            likeliest=tuple(likeliest),
        )
        sample.request.on_token(sample.request, drawn)

    def _abort(self, names: list[str]) -> None:
        if names and self.process is not None:
            self._send({"op": "abort", "ids": names})

    def _finish(self, one: _Running, finish: Finish) -> None:
        sample = one.sample
        request, item = sample.request, sample.item
        request.totals.row_steps += len(one.ids)
        rollout = Rollout(
            rollout_id=request.rollout_id(item.key, sample.index),
            op_key=request.op_key,
            key=item.key,
            index=sample.index,
            tag=item.tag,
            prompt_ids=np.asarray(item.prompt, np.int32),
            new_ids=np.array(one.ids, np.int32),
            logp=np.array(one.logp, np.float32),
            entropy_mean=None,
            temperature=item.temperature,
            truncated_sampling=item.top_p < 1.0 or request.sampling.top_k > 0,
            finish=finish,
            version=self.version,
        )
        text = text_of(self.tokenizer, rollout, item.stop)
        request.finished(rollout, text, (time.monotonic() - sample.admitted) * 1000)

    def _close(self, request: GenerateRequest) -> None:
        if request.remaining == 0 and request.request_id in self.requests:
            del self.requests[request.request_id]
            request.on_done(request)

    def _lose(self, why: str) -> None:
        """What was running waits again, for another process; after too many losses it fails."""
        self._end()
        self.losses += 1
        print(f"{why} ({self.losses} of {MOST_LOSSES})", file=sys.stderr, flush=True)
        again = [one.sample for one in self.running.values()]
        for sample in again:
            sample.request.totals.prompt_tokens -= len(sample.item.prompt)
        self.running.clear()
        self.waiting.extendleft(reversed(again))
        if self.losses < MOST_LOSSES:
            return
        self.losses = 0
        failed = list(self.requests.values())
        self.requests.clear()
        self.waiting.clear()
        for request in failed:
            request.on_failed(
                TrainerError(
                    "internal",
                    f"Sampling failed {MOST_LOSSES} times: {why}",
                    hint="The trainer's log has vLLM's own lines; policy.backend native does "
                    "without it.",
                )
            )


def _seed(seed: int, index: int) -> int:
    """vLLM's own noise repeats by this number; another one for each sample of an item."""
    digest = hashlib.sha256(f"{seed}/{index}".encode()).digest()
    return int.from_bytes(digest[:7], "big")
