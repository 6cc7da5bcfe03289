"""The backend `vllm` with the real vLLM on a CPU, in a real trainer process."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import torch

import trainer_process
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.weights import Weights
from anchor_trainer.storage.spool import RolloutStore
from anchor_trainer.training.logprobs import ScoredSequence, all_logprobs
from vllm_environment import ROOT, vllm_environment

pytestmark = pytest.mark.full
MODEL = ROOT / "resources/models/policy"
PROMPTS = ([5, 6, 7, 8], [100, 101, 5, 9, 300, 42, 17], list(range(60)))
SECONDS = 900  # vLLM takes a minute or two to start on two shared cores


@pytest.fixture(scope="module")
def environment():
    folder, why = vllm_environment()
    if folder is None:
        pytest.skip(f"The backend vllm is not asked: {why}.")
    return folder


@pytest.fixture(scope="module")
def trainer(environment, tmp_path_factory):
    """A trainer that samples the embedded policy by vLLM, and its run's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer_process, "TIMEOUT_S", SECONDS)
        process = trainer_process.TrainerProcess()
        run = tmp_path_factory.mktemp("run")
        begin(process, environment, run)
        yield process, run
        process.close()


def begin(process, environment, run):
    process.call(
        "hello",
        protocol={"name": "anchor-trainer", "major": 1},
        runDir=str(run),
        vllm=str(environment),
    )
    loaded = process.call(
        "load",
        model={"path": str(MODEL)},
        train={"mode": "full", "optim": {"kind": "adamw", "lr": 1e-2}},
        rollout={"maxSeqTokens": 128, "maxConcurrent": 8, "backend": "vllm"},
        device="cpu",
        threads=1,
        seed=3,
    )
    assert (loaded["backend"], loaded["exactness"]) == ("vllm", "near")


def generate(process, key, n=2, most=16):
    items = [
        {"key": str(at), "n": n, "seed": at, "tokenIds": ids} for at, ids in enumerate(PROMPTS)
    ]
    return process.call(
        "generate",
        opKey=key,
        items=items,
        sampling={"temperature": 0.8, "maxNewTokens": most},
    )


def kept(run, key):
    """Rollouts of an operation, as the spool has them: prompt ids, new ids, log-probabilities."""
    store = RolloutStore(run / "spool")
    store.restore()
    return {
        one.rollout_id: one
        for one in (store.get(name) for name in store.ids())
        if one.op_key == key
    }


def widest_gap(folder, rollouts):
    """Largest difference of a token's log-probability between a sampler and a folder's weights."""
    config = read_config(folder)
    weights = Weights(config, load_tensors(folder, config), torch.device("cpu"))
    chosen = list(rollouts.values())
    sequences = [
        ScoredSequence(
            torch.from_numpy(np.concatenate([one.prompt_ids, one.new_ids])),
            len(one.prompt_ids),
            one.temperature,
        )
        for one in chosen
    ]
    scored = all_logprobs(weights, sequences, 512, 64)
    pairs = zip(scored, chosen, strict=True)
    return max(float((ours - torch.from_numpy(one.logp)).abs().max()) for ours, one in pairs)


def worker_of(process):
    """Process id of the vLLM below a trainer."""
    children = (
        Path(f"/proc/{process.process.pid}/task/{process.process.pid}/children").read_text().split()
    )
    (found,) = [
        int(one) for one in children if b"vllm_worker" in Path(f"/proc/{one}/cmdline").read_bytes()
    ]
    return found


def test_log_probabilities_of_vllm_are_the_trainers_and_other_weights_give_other_answers(
    trainer, tmp_path
):
    process, run = trainer
    assert generate(process, "first")["rollouts"] == 6
    first = kept(run, "first")
    assert [one.prompt_ids.tolist() for one in first.values()][::2] == [list(p) for p in PROMPTS]
    assert widest_gap(MODEL, first) < 1e-3

    result = process.call(
        "update",
        opId="u1",
        expectVersion=0,
        items=[
            {"rolloutId": name, "advantage": (-1.0) ** at} for at, name in enumerate(sorted(first))
        ],
        loss={"kind": "pg-clip", "temperature": 0.8, "oldLogprobs": "recompute", "tis": 2},
        batch={"miniBatch": 0, "epochs": 1},
    )
    assert result["mismatch"]["max"] < 1e-3
    assert result["tis"]["mean"] == pytest.approx(1, abs=1e-3)
    assert result["tis"]["truncated"] == 0

    assert generate(process, "second")["version"] == 1
    second = kept(run, "second")
    process.call("save", dir=str(tmp_path / "saved"), include=["weights"])
    assert widest_gap(tmp_path / "saved", second) < 1e-3
    assert widest_gap(MODEL, second) > 0.1
    noise = {name.replace("second", "first"): one for name, one in second.items()}
    assert any(not np.array_equal(noise[name].new_ids, one.new_ids) for name, one in first.items())


def test_a_killed_vllm_is_started_again_and_the_answers_are_the_same(trainer):
    process, run = trainer
    generate(process, "before")
    os.kill(worker_of(process), signal.SIGKILL)
    assert generate(process, "after")["rollouts"] == 6
    before, after = kept(run, "before"), kept(run, "after")
    for name, one in before.items():
        again = after[name.replace("before", "after")]
        assert np.array_equal(one.new_ids, again.new_ids), name
        np.testing.assert_allclose(one.logp, again.logp, atol=1e-3)


def test_it_listens_to_nobody_else_and_dies_with_the_trainer(trainer):
    process, _ = trainer
    generate(process, "alive", n=1, most=2)
    pid = worker_of(process)
    inodes = {
        os.readlink(one).removeprefix("socket:[").removesuffix("]")
        for one in Path(f"/proc/{pid}/fd").iterdir()
        if os.path.lexists(one) and os.readlink(one).startswith("socket:")
    }
    for table, own in (("tcp", "0100007F"), ("tcp6", "0" * 24 + "01000000")):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes:
                assert fields[1].split(":")[0] == own, json.dumps(fields)
    process.process.kill()
    until = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert not Path(f"/proc/{pid}").exists()
