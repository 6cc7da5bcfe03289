"""The plan of several roles: what all of them keep, and what the one at work takes beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from anchor_trainer import fitting
from anchor_trainer.memory_needs import RESERVE_CPU
from anchor_trainer.memory_phases import RESERVE_LIBRARY, phase_bytes
from anchor_trainer.memory_plan import plan_memory
from anchor_trainer.model.loading import source_of
from anchor_trainer.params import Params
from anchor_trainer.policy import load_policy
from anchor_trainer.session import RunFolders, Session
from anchor_trainer.training.spec import parse_train
from live_bytes import LiveBytes
from load_specs import load_spec
from sampling_requests import request_of
from test_trainer_memory_plan import BF16, LORA, SHAPES, full_rows, loss_spec
from tiny_models import build_model
from update_batches import ONE_BATCH, QUIET

METHODS = {"adapters": LORA, "whole": {}, "adapters, bf16": {**LORA, **BF16}}
ROLES = ("challenger", "solver")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Large enough beside a slice of the optimizer, and shaped as public models are."""
    changes = {**SHAPES["wide layers"], "max_position_embeddings": 4096}
    return build_model(tmp_path_factory.mktemp("wide"), **changes, num_attention_heads=8)


def spec_of(model, name, method, reference="stage", **more):
    train = {"mode": "full", "packTokens": 256, **METHODS[method]}
    sizes = {"max_seq_tokens": 256, "max_concurrent": 16}
    return replace(load_spec(model, train, name=name, reference=reference, **sizes), **more)


def plan_of(specs, free=2**40):
    first, *roles = (fitting.needs_of(source_of(one.model), one) for one in specs)
    planned = plan_memory(first, resident={}, free=free, roles=roles)
    reserve = planned["phases"]["save"]["reserve"]
    lora = first.train.lora is not None
    assert reserve == RESERVE_CPU + (RESERVE_LIBRARY if lora else 0)
    bytes_of = {name: sum(uses.values()) - reserve for name, uses in planned["phases"].items()}
    return bytes_of, planned


def kept_by(policies):
    """Bytes of every tensor that they keep, each piece of memory counted once."""
    memory = {}
    for one in policies:
        kept = [*one.weights.compute.values(), *one.weights.master.values()]
        trained = one.optimizer.trained.masters
        kept += [*trained.values(), *one.optimizer.named_state().values()]
        reference = one.reference
        if one.adapter is not None:
            kept += list((reference._adapter or {}).values())
        else:
            kept += list(reference.model.master.values())
        for tensor in kept:
            storage = tensor.untyped_storage()
            memory[storage.data_ptr()] = storage.nbytes()
    return sum(memory.values())


def in_session(policies, tmp_path):
    session = Session(writer=None)
    session.open_run(RunFolders(tmp_path, tmp_path / "spool"))
    for one in policies:
        session.sets[one.spec.name] = session.folders.open_set(one.spec.name)
        session.sets[one.spec.name].policy = one
    return session


@pytest.mark.parametrize(
    "method", ["adapters", "whole", pytest.param("adapters, bf16", marks=pytest.mark.full)]
)
def test_the_plan_of_two_roles_is_what_they_take(as_large, model, tmp_path, method):
    specs = [spec_of(model, name, method) for name in ROLES]
    planned, _ = plan_of(specs)
    policies = [load_policy(specs[0])]
    policies.append(load_policy(specs[1], policies))
    session = in_session(policies, tmp_path)
    peaks: Counter[str] = Counter()
    with LiveBytes() as measured:
        for policy in policies:
            # Of an adapter that changes nothing yet no reference is kept: it has to have moved.
            if policy.adapter is not None:
                policy.adapter.untrained = False
            policy.reference.take(policy.weights)
        held = kept_by(policies)
        assert held == pytest.approx(planned["save"], rel=0.01)
        began = measured.live

        def at_most(phase):
            peaks[phase] = max(peaks[phase], held + measured.peak - began)
            measured.peak = measured.live

        for policy in policies:
            policy.sampler.tokenizer = replace(policy.tokenizer, eos_ids=())
            policy.sampler.is_end[:] = False
            session.rest(but=policy)
            measured.peak = measured.live
            request_of(policy.sampler, 1, [128] * 16, {}, longest=128, n=1, top_p=0.9)
            while policy.sampler.busy:
                policy.sampler.step()
            at_most("rollout")
        for policy in policies:
            session.rest()
            measured.peak = measured.live
            step = policy.optimizer.step

            def counted(*given, step=step):
                at_most("update")
                told = step(*given)
                at_most("optimizer")
                return told

            policy.optimizer.step = counted
            needs = replace(policy.needs, longest=256)
            policy.updater.apply(full_rows(needs), loss_spec(), ONE_BATCH, 1e-3, QUIET)
    for phase in ("rollout", "update", "optimizer"):
        assert peaks[phase] == pytest.approx(planned[phase], rel=0.05), phase
        assert peaks[phase] <= 1.05 * planned[phase]


def test_two_roles_take_one_base_and_two_of_everything_else(model):
    alone, _ = plan_of([spec_of(model, "policy", "adapters")])
    both, planned = plan_of([spec_of(model, name, "adapters") for name in ROLES])
    uses = planned["phases"]["save"]
    own = uses["adapter"] + uses["optimizer"] + uses["reference"]
    assert uses["resident"] == own
    assert {name: both[name] - alone[name] for name in both} == dict.fromkeys(both, own)
    whole, _ = plan_of([spec_of(model, "policy", "whole")])
    copies, planned = plan_of([spec_of(model, name, "whole") for name in ROLES])
    uses = planned["phases"]["save"]
    assert uses["reference"] == uses["weights"]
    assert uses["resident"] == 2 * uses["weights"] + uses["optimizer"]
    assert copies["update"] - whole["update"] == uses["resident"]


def test_a_phase_is_that_of_the_role_that_takes_most_in_it(model):
    short = spec_of(model, ROLES[0], "adapters", max_seq_tokens=64)
    packed = parse_train(Params({"mode": "full", "packTokens": 512, **LORA}))
    wide = spec_of(model, ROLES[1], "adapters", max_seq_tokens=64, train=packed)
    orders = [plan_of(specs)[0] for specs in ([short, wide], [wide, short])]
    assert orders[0] == orders[1]
    alone = [plan_of([one])[0] for one in (short, wide)]
    assert alone[0]["update"] < alone[1]["update"]
    assert orders[0]["update"] - alone[1]["update"] == orders[0]["save"] - alone[1]["save"]


def test_both_roles_recompute_their_layers_where_only_that_fits(as_large, tmp_path, monkeypatch):
    deep = build_model(tmp_path, num_hidden_layers=6, max_position_embeddings=4096)
    packed = parse_train(Params({"mode": "full", "packTokens": 4096}))
    specs = [spec_of(deep, name, "whole", train=packed) for name in ROLES]
    _, roomy = plan_of(specs)
    assert roomy["fits"] and not roomy["gradCheckpoint"]
    free = int(roomy["neededBytes"] / 0.95) - 2**20
    _, tight = plan_of(specs, free)
    assert tight["fits"] and tight["gradCheckpoint"]
    # Loaded one after the other with the same in view, each takes its part of the plan.
    monkeypatch.setattr(fitting, "free_bytes", lambda cuda: free - held())
    policies = []
    held = lambda: sum(one.held_bytes() for one in policies)  # noqa: E731
    for one in specs:
        others = tuple(other for other in specs if other is not one)
        policies.append(load_policy(replace(one, beside=others), policies))
    assert [one.needs.train.grad_checkpoint for one in policies] == [True, True]
    needed = max(phase_bytes(policies[0].needs, [policies[1].needs]).values())
    assert needed == tight["neededBytes"]


def test_what_would_help_is_changed_in_both_roles_at_once(model):
    specs = [spec_of(model, name, "whole") for name in ROLES]
    _, planned = plan_of(specs, 1000)
    saves = {one["change"]: one["saves"] for one in planned["suggestions"]}
    without = [replace(one, reference="none") for one in specs]
    assert saves["train.kl: null"] == planned["neededBytes"] - plan_of(without)[1]["neededBytes"]
    assert not any(change.startswith("unload") for change in saves)
