"""The program of the backend `vllm`, which the Python of an environment with vLLM runs.

It reads orders from standard input and answers on standard output, one JSON object a line:

    {op: start, model, dtype, longest, rows, kvBytes, sleeps}   -> {ready: version of vLLM}
    {op: load, model, sha256: {file: digest}}                    -> {loaded: true}
    {op: score, ids}                                             -> {scores: [log-probability]}
    {op: sample, id, ids, maxNewTokens, temperature, topP, topK, seed, ends, alternatives}
                    -> {tokens: [[id, ids, log-probabilities, finish or null, likeliest of each]]}
    {op: abort, ids}, {op: sleep}                                -> nothing

What it cannot do is {error: sentence}, and its end. It opens no connection but to itself, and
imports nothing of this package that needs a library: its environment has others.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

from ..process_guard import die_with_parent, fix_environment, take_standard_output

# One process, without sockets between parts of it; nothing is reported to anybody.
SETTINGS = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_DO_NOT_TRACK": "1",
    "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_LOOPBACK_IP": "127.0.0.1",
    "GLOO_SOCKET_IFNAME": "lo",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "WARNING",
}
ASLEEP = 2  # the level that drops the weights as well: others follow from the disk


class Worker:
    """vLLM's engine, driven by orders. Raises whatever it fails at."""

    def __init__(self, order: dict[str, Any], answers: BinaryIO) -> None:
        import vllm
        from vllm import EngineArgs
        from vllm.v1.engine.llm_engine import LLMEngine

        self.answers = answers
        self.asleep = False
        self.engine = LLMEngine.from_engine_args(
            EngineArgs(
                model=order["model"],
                skip_tokenizer_init=True,
                load_format="safetensors",
                dtype=order["dtype"],
                max_model_len=order["longest"],
                max_num_seqs=order["rows"],
                kv_cache_memory_bytes=order["kvBytes"],
                # Log-probabilities of the distribution that was drawn from, at its temperature.
                logprobs_mode="processed_logprobs",
                generation_config="vllm",
                enable_sleep_mode=order["sleeps"],
                # Compiling takes longer than a short run on a CPU.
                enforce_eager=not order["sleeps"],
                disable_log_stats=True,
                seed=0,
            )
        )
        self.answer({"ready": vllm.__version__})

    def answer(self, message: dict[str, Any]) -> None:
        self.answers.write(json.dumps(message).encode() + b"\n")
        self.answers.flush()

    def obey(self, order: dict[str, Any]) -> None:
        match order["op"]:
            case "load":
                self._load(Path(order["model"]), order["sha256"])
            case "score":
                self._score(order["ids"])
            case "sample":
                self._sample(order)
            case "abort":
                self.engine.abort_request(order["ids"])
            case "sleep":
                self.engine.sleep(ASLEEP)
                self.asleep = True

    def _load(self, model: Path, wanted: dict[str, str]) -> None:
        for name, digest in wanted.items():
            with (model / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                    raise RuntimeError(f"{model / name} is not what was handed over")
        if self.asleep:
            self.engine.wake_up(["weights"])
        self.engine.collective_rpc("reload_weights", kwargs={"weights_path": str(model)})
        if self.asleep:
            self.engine.wake_up(["kv_cache"])
            self.asleep = False
        # Keys and values of the weights before these.
        self.engine.reset_prefix_cache()
        self.answer({"loaded": True})

    def _score(self, ids: list[int]) -> None:
        from vllm import SamplingParams

        how = SamplingParams(max_tokens=1, temperature=1.0, prompt_logprobs=0, detokenize=False)
        self.engine.add_request("score", {"prompt_token_ids": ids}, how)
        while self.engine.has_unfinished_requests():
            for one in self.engine.step():
                if one.finished:
                    given = zip(ids[1:], one.prompt_logprobs[1:], strict=True)
                    self.answer({"scores": [table[token].logprob for token, table in given]})

    def _sample(self, order: dict[str, Any]) -> None:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        how = SamplingParams(
            max_tokens=order["maxNewTokens"],
            temperature=order["temperature"],
            top_p=order["topP"],
            top_k=order["topK"],
            seed=order["seed"],
            stop_token_ids=order["ends"],
            ignore_eos=True,
            logprobs=order["alternatives"],
            detokenize=False,
            output_kind=RequestOutputKind.DELTA,
        )
        self.engine.add_request(order["id"], {"prompt_token_ids": order["ids"]}, how)

    def step(self) -> None:
        """One token for every running row."""
        tokens = []
        for one in self.engine.step():
            (given,) = one.outputs
            ids = list(given.token_ids)
            drawn = [table[token].logprob for token, table in zip(ids, given.logprobs, strict=True)]
            likeliest = [
                sorted(((token, of.logprob) for token, of in table.items()), key=lambda at: -at[1])
                for table in given.logprobs
            ]
            tokens.append([one.request_id, ids, drawn, given.finish_reason, likeliest])
        if tokens:
            self.answer({"tokens": tokens})


def _read(orders: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    for line in open(0, "rb", closefd=False):  # noqa: SIM115 - open as long as the process
        orders.put(json.loads(line))
    orders.put(None)


def main() -> int:
    answers = os.fdopen(take_standard_output(), "wb")
    die_with_parent()
    fix_environment()
    os.environ.update(SETTINGS)
    orders: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    first = orders.get()
    if first is None:
        return 0
    try:
        worker = Worker(first, answers)
        while True:
            busy = worker.engine.has_unfinished_requests()
            while not busy or not orders.empty():
                order = orders.get()
                if order is None:
                    return 0
                worker.obey(order)
                busy = worker.engine.has_unfinished_requests()
            worker.step()
    except Exception as error:
        answers.write(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode() + b"\n")
        answers.flush()
        raise


if __name__ == "__main__":
    sys.exit(main())
