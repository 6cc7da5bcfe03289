"""The compared programs: their environments, how each is made, and what each cannot be asked."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from exchange import Request

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[2]


@dataclass(frozen=True)
class Program:
    """`python` runs `worker`; `install` are the commands that make its environment."""

    name: str
    python: Path
    worker: tuple[str, ...]
    install: str = ""

    @property
    def command(self) -> list[str]:
        return [str(self.python), str(HERE / self.worker[0])]

    @property
    def options(self) -> tuple[str, ...]:
        return self.worker[1:]

    def missing(self) -> str | None:
        if self.python.exists():
            return None
        return f"{self.name} is left out: {self.python} is missing; make it with: {self.install}"

    def refuses(self, request: Request) -> str | None:
        if self.name in ("verl", "unsloth") and request.device != "cuda":
            return "it needs a card"
        if self.name == "verl" and not request.is_equal:
            return "it has one response length for a run"
        if self.name == "unsloth" and not request.rank:
            return "its vLLM shares the weights of a model with LoRA only"
        return None


def programs(root: Path = CHECKOUT) -> list[Program]:
    """Ours first, since ratios are to it; `root` is where the environments lie."""
    ours = Program("ours", Path(sys.executable), ("worker_ours.py",))
    flash = "--no-build-isolation flash-attn==2.8.3"
    return [
        ours,
        _peer(root, "trl", "python3", ("worker_trl.py",)),
        _peer(root, "verl", "python3.12", ("worker_verl.py",), flash),
        _peer(root, "unsloth", "python3", ("worker_trl.py", "--unsloth")),
    ]


def _peer(root: Path, name: str, python: str, worker: tuple[str, ...], more: str = "") -> Program:
    folder = f".venv-peers-{name}"
    pip = f"{folder}/bin/pip install"
    install = f"{python} -m venv {folder} && {pip} -r test/peers/gpu_peers/requirements/{name}.txt"
    if more:
        install += f" && {pip} {more}"
    return Program(name, root / folder / "bin/python", worker, install)
