"""One decoder layer of the three architectures whose forward pass is written here."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from .attention import PLAIN, Attend
from .config import ModelConfig
from .rope import rotate


@dataclass(frozen=True)
class LayerWeights:
    """The tensors of one decoder layer, in the number type that is computed with."""

    input_norm: torch.Tensor
    qkv: torch.Tensor
    qkv_bias: torch.Tensor | None
    q_norm: torch.Tensor | None
    k_norm: torch.Tensor | None
    output: torch.Tensor
    output_bias: torch.Tensor | None
    post_norm: torch.Tensor
    gate_up: torch.Tensor
    gate_up_bias: torch.Tensor | None
    down: torch.Tensor
    down_bias: torch.Tensor | None


# Field of LayerWeights -> Hugging Face names (below the layer prefix) whose rows it stacks.
LAYER_PARTS = {
    "input_norm": ("input_layernorm.weight",),
    "qkv": ("self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"),
    "qkv_bias": ("self_attn.q_proj.bias", "self_attn.k_proj.bias", "self_attn.v_proj.bias"),
    "q_norm": ("self_attn.q_norm.weight",),
    "k_norm": ("self_attn.k_norm.weight",),
    "output": ("self_attn.o_proj.weight",),
    "output_bias": ("self_attn.o_proj.bias",),
    "post_norm": ("post_attention_layernorm.weight",),
    "gate_up": ("mlp.gate_proj.weight", "mlp.up_proj.weight"),
    "gate_up_bias": ("mlp.gate_proj.bias", "mlp.up_proj.bias"),
    "down": ("mlp.down_proj.weight",),
    "down_bias": ("mlp.down_proj.bias",),
}


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    if x.dtype == torch.float32:
        return F.rms_norm(x, (x.shape[-1],), weight, eps)
    return F.rms_norm(x.float(), (x.shape[-1],), None, eps).to(x.dtype) * weight


def feed_forward(layer: LayerWeights, x: torch.Tensor) -> torch.Tensor:
    gate, up = F.linear(x, layer.gate_up, layer.gate_up_bias).chunk(2, dim=-1)
    return F.linear(F.silu(gate) * up, layer.down, layer.down_bias)


def project_qkv(
    layer: LayerWeights, x: torch.Tensor, config: ModelConfig, cos: torch.Tensor, sin: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries [T, heads, d], keys and values [T, kv_heads, d], rotated to their positions.

    `cos` and `sin` are fp32 [T, d].
    """
    rows, heads, d = x.shape[0], config.heads, config.head_dim
    fused = F.linear(x, layer.qkv, layer.qkv_bias).view(rows, heads + 2 * config.kv_heads, d)
    if layer.q_norm is None or layer.k_norm is None:
        turning = fused[:, : heads + config.kv_heads]
    else:
        turning = torch.cat(
            (
                rms_norm(fused[:, :heads], layer.q_norm, config.norm_eps),
                rms_norm(fused[:, heads : heads + config.kv_heads], layer.k_norm, config.norm_eps),
            ),
            dim=1,
        )
    turned = rotate(turning, cos.to(x.dtype).unsqueeze(1), sin.to(x.dtype).unsqueeze(1))
    return turned[:, :heads], turned[:, heads:], fused[:, heads + config.kv_heads :]


def run_layer(
    layer: LayerWeights,
    x: torch.Tensor,
    config: ModelConfig,
    angles: tuple[torch.Tensor, torch.Tensor],
    attend: Attend,
    number: int,
) -> torch.Tensor:
    """One decoder layer over rows of hidden states [T, hidden]; angles are fp32 [T, head_dim]."""
    normed = rms_norm(x, layer.input_norm, config.norm_eps)
    q, k, v = project_qkv(layer, normed, config, *angles)
    x = x + F.linear(attend(number, q, k, v, PLAIN), layer.output, layer.output_bias)
    return x + feed_forward(layer, rms_norm(x, layer.post_norm, config.norm_eps))
