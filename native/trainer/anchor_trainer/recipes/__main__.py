"""`python -m anchor_trainer.recipes policy|export ...`: see --help of each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .corpus.prompts import REPOSITORY
from .policy import PolicyRun, export_policy, open_training, train_policy
from .training.presets import PRESETS, preset_named

MODELS = REPOSITORY / "resources" / "models"


def say(line: str) -> None:
    print(line, flush=True)


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="anchor_trainer.recipes", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True)
    for name, text in (("policy", "train the policy from nothing (cpu preset: about 70 minutes "
                        "on one thread)"), ("export", "write the current checkpoint of a training "
                        "as a model folder")):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
        command.add_argument("--preset", choices=tuple(PRESETS), help="default: as the device")
        command.add_argument("--tokens", type=int, help="another token budget")
        command.add_argument("--out", type=Path, default=MODELS / "policy")
        command.add_argument("--work", type=Path, required=name == "export",
                             help="checkpoints; default: OUT.work")
    return root


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    preset = preset_named(options.preset or options.device, options.tokens)
    work = options.work or options.out.with_name(options.out.name + ".work")
    run = PolicyRun(preset, options.device, options.out, work)
    if options.command == "export":
        export_policy(open_training(run), run)
    else:
        train_policy(run, say)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
