"""Train, export and measure the embedded models; write the toy suites."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .corpus.prompts import REPOSITORY
from .evaluation.card import write_policy_card
from .evaluation.measures import table
from .evaluation.run import evaluate_folder
from .evaluation.suites import SUITE_SIZE, write_suites
from .merging import merge_policies
from .policy import PolicyRun, export_policy, open_training, train_policy
from .reviewing.records import save_records
from .supervisor import (
    SUPERVISOR_PRESETS,
    SupervisorRun,
    describe_supervisor,
    fresh_records,
    train_supervisor,
)
from .training.files import write_text
from .training.presets import PRESETS, preset_named
from .writer import WRITER_PRESETS, WriterRun, describe_writer, train_writer

MODELS = REPOSITORY / "resources" / "models"
SUITES = REPOSITORY / "resources" / "suites"


def say(line: str) -> None:
    print(line, flush=True)


def _policy_run(options: argparse.Namespace) -> PolicyRun:
    preset = preset_named(options.preset or options.device, options.tokens)
    work = options.work or options.out.with_name(options.out.name + ".work")
    return PolicyRun(preset, options.device, options.out, work, options.start)


def _measure_and_describe(folder: Path, suites: Path, n: int, device: str) -> None:
    begun = time.monotonic()
    rows = evaluate_folder(folder, suites, n, say, device)
    write_policy_card(folder, rows, n, time.monotonic() - begun)
    say(f"wrote the model card in {folder}")


def policy(options: argparse.Namespace) -> None:
    begun = time.monotonic()
    train_policy(_policy_run(options), say)
    _measure_and_describe(options.out, SUITES, SUITE_SIZE, options.device)
    say(f"{(time.monotonic() - begun) / 60:.1f} minutes in all")


def card(options: argparse.Namespace) -> None:
    _measure_and_describe(options.model, options.suites, options.n, options.device)


def _supervisor_run(options: argparse.Namespace) -> SupervisorRun:
    preset = SUPERVISOR_PRESETS[options.preset or options.device]
    work = options.work or options.out.with_name(options.out.name + ".work")
    return SupervisorRun(
        preset, options.device, options.policy, options.out, work, tuple(options.evolved)
    )


def supervisor_card(options: argparse.Namespace) -> None:
    describe_supervisor(_supervisor_run(options), say)


def supervisor(options: argparse.Namespace) -> None:
    begun = time.monotonic()
    run = _supervisor_run(options)
    train_supervisor(run, say)
    describe_supervisor(run, say)
    say(f"{(time.monotonic() - begun) / 60:.1f} minutes in all")


def _writer_run(options: argparse.Namespace) -> WriterRun:
    work = options.work or options.out.with_name(options.out.name + ".work")
    return WriterRun(WRITER_PRESETS[options.preset], options.policy, options.out, work)


def writer(options: argparse.Namespace) -> None:
    run = _writer_run(options)
    train_writer(run, say)
    describe_writer(run, say)


def writer_card(options: argparse.Namespace) -> None:
    describe_writer(_writer_run(options), say)


def records(options: argparse.Namespace) -> None:
    found = fresh_records(options.n, SUPERVISOR_PRESETS[options.preset or options.device])
    save_records(options.out, found)
    say(f"wrote {len(found)} records to {options.out}")


def merge(options: argparse.Namespace) -> None:
    merge_policies(options.legs, options.out, options.sharpen)
    say(f"merged {len(options.legs)} legs into {options.out}")


def export(options: argparse.Namespace) -> None:
    run = _policy_run(options)
    export_policy(open_training(run), run)


def evaluate(options: argparse.Namespace) -> None:
    rows = evaluate_folder(options.model, options.suites, options.n, say, options.device)
    if options.out:
        write_text(options.out, table(rows))


def suites(options: argparse.Namespace) -> None:
    for path in write_suites(options.out):
        say(str(path))


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="anchor_trainer.recipes", description=__doc__)
    commands = root.add_subparsers(required=True)

    def command(
        name: str, run: Callable[[argparse.Namespace], None], text: str
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(run=run)
        added.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
        return added

    for name, run, text in (
        (
            "policy",
            policy,
            "train the policy and export it, from nothing (preset cpu: 60 to 80 "
            "minutes on one thread) or from --start (cpu-further); run again to resume",
        ),
        ("export", export, "write the checkpoint of a policy training as a model folder"),
    ):
        added = command(name, run, text)
        added.add_argument("--preset", choices=tuple(PRESETS), help="default: as the device")
        added.add_argument("--tokens", type=int, help="another token budget")
        added.add_argument("--out", type=Path, default=MODELS / "policy")
        added.add_argument("--work", type=Path, help="checkpoints; default: beside OUT")
        added.add_argument("--start", type=Path, help="train the model of this folder further")
    for name, run, text in (
        ("evaluate", evaluate, "measure a policy on the held-out toy suites"),
        ("card", card, "measure a policy and write its model card (about 10 minutes)"),
    ):
        added = command(name, run, text)
        added.add_argument("--model", type=Path, default=MODELS / "policy")
        added.add_argument("--suites", type=Path, default=SUITES)
        added.add_argument("--n", type=int, default=SUITE_SIZE, help="items per suite")
        if name == "evaluate":
            added.add_argument("--out", type=Path, help="write the tables as Markdown")
    for name, run, text in (
        (
            "supervisor",
            supervisor,
            "fine-tune the policy into the supervisor, export its GGUF "
            "and describe it (preset cpu: about 15 minutes on one thread)",
        ),
        ("supervisor-card", supervisor_card, "measure a trained supervisor again"),
    ):
        added = command(name, run, text)
        added.add_argument(
            "--preset", choices=tuple(SUPERVISOR_PRESETS), help="default: as the device"
        )
        added.add_argument("--policy", type=Path, default=MODELS / "policy")
        added.add_argument("--out", type=Path, default=MODELS / "supervisor")
        added.add_argument(
            "--work", type=Path, help="checkpoint and model folder; default: beside OUT"
        )
        added.add_argument(
            "--evolved",
            type=Path,
            nargs="*",
            default=[],
            metavar="FOLDER",
            help="exported checkpoints of runs, to measure agreement on as well",
        )
    for name, run, text in (
        (
            "writer",
            writer,
            "fine-tune the policy into the supervisor's writer, export its GGUF "
            "and describe it (about 10 minutes on one thread)",
        ),
        ("writer-card", writer_card, "measure a trained writer again"),
    ):
        added = command(name, run, text)
        added.add_argument("--preset", choices=tuple(WRITER_PRESETS), default="cpu")
        added.add_argument("--policy", type=Path, default=MODELS / "policy")
        added.add_argument("--out", type=Path, default=MODELS / "writer")
        added.add_argument("--work", type=Path, help="checkpoint and folder; default: beside OUT")
    added = command(
        "records",
        records,
        "draw review records with injected defects that the "
        "supervisor was not trained on, to measure it by",
    )
    added.add_argument(
        "--preset",
        choices=tuple(SUPERVISOR_PRESETS),
        help="whose training to keep clear of; default: as the device",
    )
    added.add_argument("--n", type=int, default=3000, help="records to draw")
    added.add_argument("--out", type=Path, required=True)
    added = command("merge", merge, "average closing legs that began from the same weights")
    added.add_argument("legs", type=Path, nargs="+", metavar="FOLDER")
    added.add_argument("--sharpen", type=float, default=1.0, help="factor of every logit")
    added.add_argument("--out", type=Path, default=MODELS / "policy")
    added = command("suites", suites, "write the toy suites and pools")
    added.add_argument("--out", type=Path, default=SUITES)
    return root


def main(arguments: list[str]) -> int:
    """Exit status 0, 1 with one sentence for a fault a person can mend, 2 for wrong usage."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except (ValueError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
