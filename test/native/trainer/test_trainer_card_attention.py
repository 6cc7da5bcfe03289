"""What packed attention asks of a graphics card, without one: tensors there that have shapes only.

Given a mask and groups of heads together, torch leaves its fused kernels for one that keeps the
whole square of scores: ten times the memory of a row at the lengths of real models.
"""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

from anchor_trainer.model.attention import AttentionRule, Layout, PackedAttention

PACKED = ([20, 10],)
SHARED_PROMPT = ([16, 2], [[4, 3], [5]])
RULES = {
    "plain": AttentionRule(),
    "scaled": AttentionRule(scale=0.2),
    "window": AttentionRule(window=3),
    "wide window": AttentionRule(window=500),
    "bounded": AttentionRule(softcap=20.0),
    "bounded in a window": AttentionRule(window=3, softcap=20.0),
}


@pytest.fixture
def asked(monkeypatch):
    """(has a mask, has groups of heads) of each call to torch's attention."""
    calls, attention = [], F.scaled_dot_product_attention

    def record(q, k, v, *, attn_mask=None, enable_gqa=False, **more):
        assert enable_gqa or q.shape[1] == k.shape[1] == v.shape[1]
        calls.append((attn_mask is not None, enable_gqa))
        return attention(q, k, v, attn_mask=attn_mask, enable_gqa=enable_gqa, **more)

    monkeypatch.setattr(F, "scaled_dot_product_attention", record)
    return calls


def attend(layout, rule, device, heads=28, kv_heads=4):
    q = torch.zeros(30, heads, 16, device=device, dtype=torch.bfloat16)
    k, v = (torch.zeros(30, kv_heads, 16, device=device, dtype=torch.bfloat16) for _ in "kv")
    return PackedAttention(Layout(*layout))(0, q, k, v, rule)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("layout", [PACKED, SHARED_PROMPT], ids=["packed", "shared prompt"])
def test_on_a_card_no_row_has_a_mask_and_groups_of_heads_together(asked, layout, rule):
    with FakeTensorMode():
        found = attend(layout, rule, "cuda")
    assert (found.device.type, found.shape) == ("cuda", (30, 28 * 16))
    assert (True, True) not in asked
    # What bounds scores is computed here, as no kernel does.
    assert bool(asked) is (rule.softcap is None)


def test_the_watch_sees_both_together_where_they_are_asked_for(asked):
    """A processor has one kernel for all, and copies of keys would be for nothing."""
    attend(SHARED_PROMPT, RULES["plain"], "cpu")
    assert (True, True) in asked and (False, True) in asked
