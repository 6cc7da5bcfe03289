"""The training loop: seeded, driven by tokens, resumable bit for bit on CPU.

A checkpoint holds weights, optimizer states and the place in the data. Data is drawn in chunks
from (seed, chunk number), so the place is two integers.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from .batches import Batch, Draw, draw_chunk
from .files import read_tensors, write_tensors
from .model import TrainingModel
from .optimizers import Adam, Muon, optimizer_tensors
from .presets import Preset

SMOOTHING = 0.98  # of the reported loss
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3


@dataclass
class Progress:
    """Where a run stands. `loss` is the smoothed completion loss in nats per token."""

    tokens: int = 0
    step: int = 0
    chunk: int = 0
    position: int = 0  # batches of the chunk already used
    chunk_progress: float = 0.0  # place in the course of shares when the chunk was drawn
    loss: float = 0.0
    seconds: float = 0.0


def prepare_cpu() -> None:
    """One thread, and memory kept by the process: fresh pages cost a fifth of every step."""
    torch.set_num_threads(1)
    try:
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, 1 << 30)
        libc.mallopt(M_TRIM_THRESHOLD, (1 << 31) - 1)
        libc.mallopt(M_TOP_PAD, 256 << 20)
    except (OSError, AttributeError):
        pass  # not glibc: slower, but right


class Training:
    """A model in training; `start` continues from a checkpoint of another run's weights."""

    def __init__(
        self,
        preset: Preset,
        tokenizer: Tokenizer,
        draw: Draw,
        *,
        device: str = "cpu",
        start: dict[str, Tensor] | None = None,
    ) -> None:
        self.preset, self.tokenizer, self.draw, self.device = preset, tokenizer, draw, device
        self.model = TrainingModel(preset.architecture, preset.seed)
        if start is not None:
            self.model.load_state_dict(start)
        self.model.to(device)
        self.muon = Muon(self.model, preset.muon_rate)
        self.adam = Adam(self.model, preset.adam_rate)
        self.progress = Progress()
        self._batches: list[Batch] = []
        self._drawn: int | None = None

    def factor(self) -> float:
        """Share of the full learning rate at this point of the token budget."""
        preset, spent = self.preset, self.progress.tokens / self.preset.tokens
        warm = min(1.0, (self.progress.step + 1) / preset.warm_up_steps)
        fall = (1 - spent) / (1 - preset.constant_until)
        return warm * min(1.0, max(preset.final_factor, fall))

    def _next_batch(self) -> Batch:
        progress, preset = self.progress, self.preset
        while True:
            if self._drawn != progress.chunk:
                if progress.position == 0:  # else it was drawn before the checkpoint
                    spent = progress.tokens / preset.tokens
                    progress.chunk_progress = preset.mix_start + (1 - preset.mix_start) * spent
                self._batches = draw_chunk(
                    self.draw,
                    self.tokenizer,
                    seed=preset.seed,
                    chunk=progress.chunk,
                    progress=progress.chunk_progress,
                    samples=preset.chunk_samples,
                    batch_tokens=preset.batch_tokens,
                    prompt_weight=preset.prompt_weight,
                )
                self._drawn = progress.chunk
            if progress.position < len(self._batches):
                progress.position += 1
                return self._batches[progress.position - 1]
            progress.chunk, progress.position = progress.chunk + 1, 0

    def step(self) -> float:
        """One update; returns the completion loss of its batch."""
        batch = self._next_batch()
        tokens, weights = batch.tokens.to(self.device), batch.weights.to(self.device)
        with torch.autocast(torch.device(self.device).type, torch.bfloat16):
            logits = self.model(tokens[:, :-1])
        losses = F.cross_entropy(
            logits.float().flatten(0, 1), tokens[:, 1:].flatten(), reduction="none"
        ).view_as(weights)
        ((losses * weights).sum() / weights.sum()).backward()
        factor = self.factor()
        torch.nn.utils.clip_grad_norm_(self.adam.parameters.values(), 1.0)
        self.adam.step(factor)
        self.muon.step(factor)
        self.model.zero_grad(set_to_none=True)
        loss = losses.detach()[batch.completion.to(self.device)].mean().item()
        progress = self.progress
        progress.step += 1
        progress.tokens += batch.real_tokens
        progress.loss = (
            loss if progress.step == 1 else (SMOOTHING * progress.loss + (1 - SMOOTHING) * loss)
        )
        return loss

    def save(self, path: Path) -> None:
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        write_tensors(
            path,
            tensors | optimizer_tensors(self.muon, self.adam),
            {"preset": asdict(self.preset), "progress": asdict(self.progress)},
        )

    def resume(self, path: Path) -> None:
        """Continue exactly where `path` was written; ValueError when it is of another preset."""
        tensors, facts = read_tensors(path, self.device)
        if facts.get("preset") != asdict(self.preset):
            raise ValueError(
                f"the checkpoint {path} belongs to other settings; delete it or "
                "choose another working folder"
            )
        self.model.load_state_dict(
            {name[6:]: tensor for name, tensor in tensors.items() if name.startswith("model.")}
        )
        for name, tensor in optimizer_tensors(self.muon, self.adam).items():
            tensor.copy_(tensors[name])
        self.progress = Progress(**facts["progress"])
        self.adam.count = self.progress.step
        self._drawn = None

    def run(
        self,
        checkpoint: Path | None,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Train to the end of the budget; report rate and time left; save every few minutes."""
        preset, progress = self.preset, self.progress
        begun, first_tokens, earlier = clock(), progress.tokens, progress.seconds
        saved = begun
        while progress.tokens < preset.tokens:
            self.step()
            now = clock()
            progress.seconds = earlier + now - begun
            if progress.step % preset.report_steps == 0 or progress.tokens >= preset.tokens:
                rate = (progress.tokens - first_tokens) / max(now - begun, 1e-9)
                left = (preset.tokens - progress.tokens) / rate
                say(
                    f"step {progress.step}  {progress.tokens / 1e6:.2f} of "
                    f"{preset.tokens / 1e6:.2f} M tokens  loss {progress.loss:.4f}  "
                    f"{rate:,.0f} tokens/s  {max(left, 0) / 60:.1f} min left"
                )
            if checkpoint and now - saved > preset.checkpoint_seconds:
                self.save(checkpoint)
                saved = now
        if checkpoint:
            self.save(checkpoint)
