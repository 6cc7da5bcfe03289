"""The process: who reads, who computes, who writes, and in which order requests run.

One thread reads requests, one writes messages, one sends heartbeats, and the main thread does all
computing. Requests run in the order they came; generate requests stay open and share one batch for
each weight set, and an exclusive request waits until they have ended. A checkpoint is written by a
thread of its own, beside requests that leave the weights as they are.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from .errors import TrainerError, ran_out_of_memory
from .methods import METHODS, Work
from .methods.basics import resident_bytes
from .params import Params
from .protocol import LineReader, Writer, parse_request
from .session import Session

EXIT_OK = 0
# A broken CUDA context cannot be repaired inside the process; the engine restarts it.
EXIT_DEVICE_LOST = 70
FLUSH_SECONDS = 5.0
# How long a running update or save may go on after the engine has gone.
EXIT_GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class Request:
    id: int
    method: str
    params: dict[str, Any]


def serve(descriptor: int) -> int:
    """Runs until standard input ends or `shutdown` arrives; returns the exit status."""
    server = Server(Session(Writer(descriptor)))
    return server.run()


class Server:
    def __init__(self, session: Session) -> None:
        self.session = session
        self.inbox: queue.Queue[Request | None] = queue.Queue()
        self.pending: deque[Request] = deque()
        self.stopping = threading.Event()
        self.writing: threading.Thread | None = None

    def run(self) -> int:
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()
        self.session.writer.event("ready", {})
        try:
            while not self.stopping.is_set() and not self.session.writer.broken.is_set():
                self._turn()
        except torch.AcceleratorError:
            traceback.print_exc()
            return EXIT_DEVICE_LOST
        self._finish_writing()
        self.session.writer.close(FLUSH_SECONDS)
        self.session.drop_policies()
        return EXIT_OK

    def _turn(self) -> None:
        """Takes what has arrived, handles what may run now, then takes one sampling step."""
        self._collect(wait=not self._sampling() and not self.pending)
        self._apply_cancels()
        while self.pending and not self.stopping.is_set():
            if self._is_exclusive(self.pending[0]) and self._sampling():
                break
            self._handle(self.pending.popleft())
            self._collect(wait=False)
        # Each weight set has a batch of its own, so what it samples does not depend on the others.
        sampling = list(self.session.sampling())
        self.session.state = "generating" if sampling else "idle"
        for policy in sampling:
            policy.bind_threads()
            try:
                policy.sampler.step()
            except Exception as error:
                if not ran_out_of_memory(error):
                    raise
                torch.cuda.empty_cache()
                policy.sampler.begin_again(error)
                self.session.counters.oom_retries += 1
            self.session.progressed()

    def _sampling(self) -> bool:
        return any(self.session.sampling())

    def _is_exclusive(self, request: Request) -> bool:
        method = METHODS.get(request.method)
        if method is None:
            return False
        return method.exclusive or (method.computes and self.session.would_move(request.params))

    def _collect(self, wait: bool) -> None:
        while True:
            try:
                request = self.inbox.get(block=wait)
            except queue.Empty:
                return
            wait = False
            if request is None:
                return  # only meant to wake the main thread
            self.pending.append(request)

    def _finish_writing(self) -> None:
        if self.writing is not None:
            self.writing.join()
            self.writing = None

    def _handle(self, request: Request) -> None:
        session = self.session

        def handle() -> dict[str, Any] | Work | None:
            method = METHODS.get(request.method)
            if method is None:
                known = ", ".join([*METHODS, "cancel", "ping", "shutdown"])
                raise TrainerError(
                    "badRequest",
                    f"The method {request.method!r} is not known.",
                    hint=f"Known methods: {known}.",
                    detail={"field": "method"},
                )
            session.state = method.state
            session.progressed()
            if self._is_exclusive(request):
                self._finish_writing()
            return method.handler(session, Params(request.params), request.id)

        self._answer(request, handle)

    def _answer(self, request: Request, handle: Callable[[], dict[str, Any] | Work | None]) -> None:
        session = self.session
        try:
            result = handle()
            if callable(result):
                self.writing = threading.Thread(
                    target=self._answer, args=(request, result), name="writing", daemon=True
                )
                self.writing.start()
            elif result is not None:
                session.answered(request.id)
                session.writer.result(request.id, result)
        except TrainerError as error:
            session.answered(request.id)
            session.writer.error(request.id, error)
        except torch.AcceleratorError:
            if threading.current_thread() is self.writing:
                traceback.print_exc()
                os._exit(EXIT_DEVICE_LOST)
            raise
        except Exception as error:  # noqa: BLE001 - the request is answered, the process goes on
            self._fail(request, error)

    def _fail(self, request: Request, error: Exception) -> None:
        if ran_out_of_memory(error):
            answer = TrainerError(
                "oom",
                f"Out of memory during {request.method}: {str(error) or 'nothing more is known'}.",
                hint="Lower policy.maxConcurrent, generation.maxNewTokens or train.packTokens, or "
                "use a smaller model.",
            )
        else:
            traceback.print_exc(file=sys.stderr)
            sentence = f"{request.method} failed: {type(error).__name__}: {error}."
            answer = TrainerError("internal", sentence)
        self.session.answered(request.id)
        self.session.writer.error(request.id, answer)

    def _apply_cancels(self) -> None:
        session = self.session
        with session.lock:
            wanted = dict(session.cancelled)
        for request_id, mode in wanted.items():
            waiting = [one for one in self.pending if one.id == request_id]
            running = [one for one in session.sampling() if request_id in one.sampler.requests]
            if waiting:
                self.pending.remove(waiting[0])
                error = TrainerError("cancelled", "The request was cancelled before it began.")
                session.answered(request_id)
                session.writer.error(request_id, error)
            elif running:
                with session.lock:
                    session.cancelled.pop(request_id, None)
                running[0].sampler.cancel(request_id, drain=mode == "drain")

    def _read(self) -> None:
        """Reader thread: answers ping, cancel and shutdown itself, queues everything else."""
        # A stream of our own: the interpreter would wait for the lock of sys.stdin when it exits.
        source = open(0, "rb", closefd=False)  # noqa: SIM115 - open as long as the process
        for line in LineReader(source).lines():
            request_id = None
            try:
                message = parse_request(line)
                request_id = message["id"]
                self._route(Request(request_id, message["method"], message.get("params", {})))
            except TrainerError as error:
                self.session.writer.error(request_id, error)
        self._stop(EXIT_GRACE_SECONDS)

    def _route(self, request: Request) -> None:
        session = self.session
        if request.method == "ping":
            session.writer.result(request.id, {"state": session.state})
        elif request.method == "cancel":
            params = Params(request.params)
            target = params.get_int("id")
            mode = params.get_choice("mode", ("now", "drain"), "now")
            with session.lock:
                known = target in session.unanswered
                if known:
                    session.cancelled[target] = mode
            session.writer.result(request.id, {"cancelled": known})
            self.inbox.put(None)
        elif request.method == "shutdown":
            grace = Params(request.params).get_int("deadlineMs", int(EXIT_GRACE_SECONDS * 1000))
            session.writer.result(request.id, {})
            self._stop(grace / 1000)
        else:
            with session.lock:
                known = request.id in session.unanswered
                session.unanswered.add(request.id)
            if known:
                raise TrainerError("badRequest", f"The request id {request.id} is in use.")
            self.inbox.put(request)

    def _stop(self, grace_seconds: float) -> None:
        """Ends after what is running now; a computation longer than the grace is abandoned."""
        self.stopping.set()
        self.inbox.put(None)
        timer = threading.Timer(grace_seconds, os._exit, [EXIT_OK])
        timer.daemon = True
        timer.start()

    def _beat(self) -> None:
        while not self.stopping.wait(self.session.heartbeat_ms / 1000):
            with self.session.lock:
                active = len(self.session.unanswered)
            self.session.writer.event(
                "heartbeat",
                {
                    "state": self.session.state,
                    "activeReqs": active,
                    "lastProgressTs": self.session.last_progress,
                    "rssBytes": resident_bytes(),
                },
            )
