"""The wire and the life of the process: framing, heartbeats, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from anchor_trainer import server
from anchor_trainer.methods import Method
from anchor_trainer.process_guard import kernels_of_one_rounding
from anchor_trainer.protocol import Writer, finite
from anchor_trainer.session import Session
from trainer_process import PROTOCOL, TIMEOUT_S, TRAINER, TrainerProcess, prompts


@pytest.fixture(scope="module")
def started():
    return TrainerProcess()


def test_hello_agrees_on_the_protocol_and_refuses_another(trainer, tmp_path):
    result = trainer.hello(tmp_path)
    assert result["protocol"] == {"name": "anchor-trainer", "major": 1, "minor": 1}
    assert result["trainer"]["pid"] == trainer.process.pid
    app = {"name": "x", "version": "1"}
    other = trainer.fails("hello", protocol={**PROTOCOL, "major": 2}, app=app, runDir=str(tmp_path))
    assert other.kind == "protocolMismatch"
    assert "speaks anchor-trainer 2, this trainer speaks anchor-trainer 1" in other.message
    (tmp_path / "file").write_text("")
    error = trainer.fails("hello", protocol=PROTOCOL, app=app, runDir=str(tmp_path / "file"))
    assert error.kind == "badRequest" and "cannot be used" in error.message


def test_unknown_methods_and_broken_lines_get_an_answer_and_change_nothing(trainer):
    assert trainer.fails("train").message == "The method 'train' is not known."
    bad_lines = [
        b"not json\n",
        b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":900,"method":"ping","params":{"x":NaN}}\n',
        b'{"jsonrpc":"1.0","id":900,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n',
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b"\n",
    ]
    for line in bad_lines:
        trainer.answers.pop(None, None)
        trainer.send_line(line)
        trainer.wait_until(lambda: None in trainer.answers, "answer without id")
        error = trainer.answers[None]["error"]
        assert error["data"]["kind"] == "parse", line[:40]
    assert trainer.call("ping")["state"] == "idle"


def test_a_line_over_the_cap_is_refused_and_the_next_one_is_read(trainer):
    trainer.answers.pop(None, None)
    trainer.send_line(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (16 * 1024 * 1024) + b'"}\n')
    trainer.wait_until(lambda: None in trainer.answers, "refusal of the long line")
    assert "longer than 16777216 bytes" in trainer.answers[None]["error"]["message"]
    assert "state" in trainer.call("ping")


def test_an_id_in_use_and_wrong_params_are_refused(trainer, models, tmp_path):
    trainer.hello(tmp_path)
    trainer.load(models("qwen2-gqa"))
    number = trainer.send("generate", opKey="a", items=prompts(40), sampling={"maxNewTokens": 60})
    line = {"jsonrpc": "2.0", "id": number, "method": "stats", "params": {}}
    trainer.send_line(json.dumps(line).encode() + b"\n")
    trainer.wait_until(lambda: number in trainer.answers, "an answer")
    first = trainer.answers.pop(number)
    assert first["error"]["message"] == f"The request id {number} is in use."
    assert trainer.answer(number)["rollouts"] == 40
    line = {"jsonrpc": "2.0", "id": 5001, "method": "stats", "params": [1]}
    trainer.send_line(json.dumps(line).encode() + b"\n")
    trainer.wait_until(lambda: 5001 in trainer.answers, "an answer")
    assert trainer.answers[5001]["error"]["message"] == "params must be an object."


def test_an_exclusive_request_waits_for_open_generates_and_keeps_its_place(
    trainer, models, tmp_path
):
    trainer.hello(tmp_path)
    trainer.load(models("qwen2-gqa"))
    first = trainer.send("generate", opKey="a", items=prompts(9), sampling={"maxNewTokens": 30})
    export = trainer.send("export", format="safetensors", dir=str(tmp_path / "model"))
    second = trainer.send("generate", opKey="b", items=prompts(2), sampling={"maxNewTokens": 3})
    assert trainer.call("ping")["state"] in ("generating", "saving", "idle")
    trainer.answer(second)
    order = [json.loads(line).get("id") for line in trainer.raw_lines]
    assert order.index(first) < order.index(export) < order.index(second)


def test_numbers_that_are_not_finite_become_null_with_a_mark():
    assert finite({"a": 1.0, "b": [1.0]}) == {"a": 1.0, "b": [1.0]}
    assert finite({"a": float("nan")}) == {"a": None, "nonfinite": True}
    assert finite({"a": {"b": [float("inf")]}}) == {"a": {"b": [None], "nonfinite": True}}


def test_stats_count_and_plan_predicts_without_loading(trainer, models, tmp_path):
    trainer.hello(tmp_path)
    loaded = trainer.load(models("qwen2-gqa"))
    before = trainer.call("stats")["totals"]["newTokens"]
    rollouts = trainer.generate("st", prompts(3))
    stats = trainer.call("stats")
    assert stats["totals"]["newTokens"] - before == sum(one["newTokens"] for one in rollouts)
    assert stats["policies"] == [{"id": "policy", "version": 0, "device": "cpu"}]
    assert stats["keptRollouts"] == 3
    request = {
        "model": {"path": str(models("qwen2-gqa"))},
        "train": {"mode": "full", "packTokens": 4096},
        "rollout": {"maxSeqTokens": 200, "maxConcurrent": 16},
        "device": "cpu",
    }
    plan = trainer.call("plan", **request)
    assert plan["fits"] is True
    sampling = plan["phases"]["rollout"]
    assert sampling["weights"] + sampling["optimizer"] == loaded["bytes"]
    assert sampling["kv"] == 16 * 256 * 2 * 2 * 2 * 16 * 4  # in blocks of 64 tokens
    assert plan["neededBytes"] == max(sum(uses.values()) for uses in plan["phases"].values())
    small = trainer.call("plan", **request, card={"freeBytes": 100_000_000})
    assert small["fits"] is False
    method, *others = small["suggestions"]
    assert method["change"].startswith(("train.precision", "train.optimizer", "train.lora"))
    saved = [one["saves"] for one in others]
    assert saved == sorted(saved, reverse=True)
    assert min([method["saves"], *saved]) > 0


def test_the_process_speaks_only_the_protocol_beats_and_ends_with_its_input(start, tmp_path):
    trainer = start()
    trainer.wait_until(lambda: trainer.events, "ready")
    assert trainer.events[0]["method"] == "event/ready"
    trainer.hello(tmp_path, heartbeatMs=100)
    trainer.wait_until(
        lambda: sum(e["method"] == "event/heartbeat" for e in trainer.events) >= 3, "heartbeats"
    )
    beat = [e["params"] for e in trainer.events if e["method"] == "event/heartbeat"][-1]
    assert beat["state"] == "idle" and beat["activeReqs"] == 0 and beat["rssBytes"] > 0
    sequence = [e["params"]["seq"] for e in trainer.events]
    assert sequence == sorted(set(sequence))
    assert trainer.close() == 0
    for line in trainer.raw_lines:
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_an_orderly_end_does_not_wait_for_the_interpreter_to_be_taken_down():
    # Taking it down around threads in native code ended one orderly stop in many with SIGABRT.
    code = (
        "import atexit, runpy, sys\n"
        "atexit.register(print, 'taken down', file=sys.stderr)\n"
        "runpy.run_module('anchor_trainer', run_name='__main__')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        input=b"",
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(TRAINER)},
        timeout=TIMEOUT_S,
    )
    assert ended.returncode == 0
    assert json.loads(ended.stdout.splitlines()[0])["method"] == "event/ready"
    assert b"taken down" not in ended.stderr


def test_stray_prints_reach_standard_error_and_not_the_protocol(tmp_path):
    code = (
        "import anchor_trainer.process_guard as g, os, sys\n"
        "fd = g.take_standard_output()\n"
        "print('stray print'); os.write(1, b'stray write\\n')\n"
        "os.write(fd, b'protocol\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(TRAINER)},
        timeout=TIMEOUT_S,
    )
    assert done.stdout == b"protocol\n"
    assert b"stray print" in done.stderr and b"stray write" in done.stderr


@pytest.mark.parametrize(
    ("processor", "kernels"),
    [
        ("vendor_id\t: GenuineIntel\nflags\t\t: fpu sse4_2 avx2 avx512f\n", "AVX512,STRICT"),
        ("vendor_id\t: GenuineIntel\nflags\t\t: fpu sse4_2 avx2\n", "AVX2,STRICT"),
        ("vendor_id\t: GenuineIntel\nflags\t\t: fpu sse4_2\n", None),
        ("vendor_id\t: AuthenticAMD\nflags\t\t: fpu sse4_2 avx2 avx512f\n", None),
        ("", None),
    ],
)
def test_matrix_products_keep_one_rounding_on_processors_where_it_hangs_on_neighbours(
    processor, kernels
):
    assert kernels_of_one_rounding(processor) == kernels


@pytest.mark.skipif(sys.platform != "linux", reason="parent-death signals exist on Linux only")
def test_the_process_dies_with_its_parent(tmp_path):
    code = (
        "import subprocess, sys, time\n"
        "r, w = __import__('os').pipe()\n"
        "p = subprocess.Popen([sys.executable, '-m', 'anchor_trainer'], stdin=r,"
        " stdout=subprocess.PIPE)\n"
        "p.stdout.readline(); print(p.pid, flush=True); time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TRAINER)},
    )
    child = int(parent.stdout.readline())
    os.kill(child, 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + TIMEOUT_S
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(child)


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended but was not yet reaped does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_it_works_where_there_is_no_network_at_all(models, tmp_path):
    unshare = shutil.which("unshare")
    probe = unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True)
    if not probe or probe.returncode:
        pytest.skip("this user may not create an empty network namespace")
    trainer = TrainerProcess([unshare, "-rn"])
    try:
        trainer.hello(tmp_path)
        trainer.load(models("qwen2-gqa"))
        assert len(trainer.generate("s", prompts(2))) == 2
        number = trainer.send("shutdown", deadlineMs=5000)
        assert trainer.answer(number) == {}
        assert trainer.process.wait(timeout=TIMEOUT_S) == 0
    finally:
        trainer.close()


def test_a_checkpoint_is_written_beside_requests_that_leave_the_weights_as_they_are(monkeypatch):
    done, may_end = [], threading.Event()

    def answers(name):
        return lambda session, params, number: done.append(name) or {}

    def save(session, params, number):
        return lambda: (may_end.wait() and done.append("saved")) or {}

    methods = {
        "save": Method(save, exclusive=True),
        "tokenize": Method(answers("tokenize")),
        "update": Method(answers("update"), exclusive=True),
    }
    monkeypatch.setattr(server, "METHODS", methods)
    subject = server.Server(Session(Writer(os.open(os.devnull, os.O_WRONLY))))
    for number, name in enumerate(("save", "tokenize")):
        subject._handle(server.Request(number, name, {}))
    assert done == ["tokenize"]
    threading.Timer(0.05, may_end.set).start()
    subject._handle(server.Request(3, "update", {}))
    assert done == ["tokenize", "saved", "update"]
