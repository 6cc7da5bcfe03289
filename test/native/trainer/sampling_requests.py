"""Open requests to a scheduler, for tests of sampling without a process."""

from __future__ import annotations

import time

from anchor_trainer.rollout.records import GenerateRequest, Item
from anchor_trainer.rollout.sampling import Sampling


def request_of(scheduler, number, prompts, told, *, longest=6, n=2, top_p=1.0, alternatives=0):
    """An open request of prompts of these lengths; `told` receives what becomes of it."""

    def on_rollout(request, rollout, text, milliseconds):
        told.setdefault("rollouts", {})[rollout.rollout_id] = (
            rollout.new_ids.tolist(),
            rollout.logp.tolist(),
        )

    request = GenerateRequest(
        request_id=number,
        op_key=f"op{number}",
        items=[
            Item(
                key=f"k{at}",
                prompt=list(range(length)),
                n=n,
                seed=at,
                max_new_tokens=longest,
                temperature=1.0,
                top_p=top_p,
                stop=(),
                alternatives=alternatives,
            )
            for at, length in enumerate(prompts)
        ],
        sampling=Sampling(1.0, 1.0, 0, longest),
        keep=False,
        started=time.monotonic(),
        on_rollout=on_rollout,
        on_done=lambda request: told.update(done=request.totals),
        on_failed=lambda error: told.update(failed=error),
        on_token=lambda request, drawn: told.setdefault("tokens", []).append(drawn),
    )
    scheduler.submit(request)
