"""Model cards: what a shipped file is, how it was made, what it measures, what it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..corpus.conduct import REFUSES_UNTOLD
from ..corpus.mix import EARLY_END, LATE_START, QUESTION_SHARES, SHARES
from ..corpus.programs import HELD_OUT_BUCKETS
from ..corpus.samples import TRACE_SHARE
from ..corpus.solving import BACKWARD_SHARE, DETAILED_SHARE
from ..reviewing.agreement import Agreement
from ..training.files import read_tensors, sha256, write_text
from ..training.presets import PRESETS
from .bars import Rows, agreement_bars, bars_table
from .measures import table

CARD = "MODEL_CARD.md"
WARNING = (
    "**A toy.** Trained from random numbers on programs and sentences our own generator wrote; all "
    "suites come from the same generator. Nothing here is evidence about real benchmarks or about "
    "the safety of real language models."
)


def hashes(folder: Path, names: list[str]) -> str:
    return "".join(f"- `{name}` sha256 `{sha256(folder / name)}`\n" for name in names)


def _mix_table(questions: bool) -> str:
    """With questions among the samples, all others share what is left."""
    left = 1 - sum(QUESTION_SHARES.values()) if questions else 1.0
    lines = ["| samples | early | late |", "| --- | --- | --- |"]
    shares = {draw: (left * early, left * late) for draw, (early, late) in SHARES.items()}
    if questions:
        shares |= {draw: (share, share) for draw, share in QUESTION_SHARES.items()}
    lines += [
        f"| {draw.__name__.replace('_', ' ')} | {100 * early:.0f} % | {100 * late:.0f} % |"
        for draw, (early, late) in shares.items()
    ]
    return "\n".join(lines)


def _further_leg_text(facts: dict[str, Any]) -> str:
    """Of a policy whose only leg of its own follows those of the embedded policy."""
    start = facts["earlier_legs"][-1]["weights_sha256"]
    return "\n".join(
        [
            _training_line(facts),
            f"It began from the embedded policy with sha256 `{start}`, whose card says how that",
            "was made, and goes on with its tasks beside the new ones, so that nothing is lost.",
            "",
            f"Rebuild: `python -m anchor_trainer.recipes policy --preset {facts['preset']} "
            "--device cpu --start ../../resources/models/policy --out questions`",
        ]
    )


def legs_text(facts: dict[str, Any]) -> str:
    """One line per training leg, and how to take them again."""
    legs = list(enumerate([*facts.get("earlier_legs", []), facts], 1))
    lines = [f"{number}. {_training_line(leg)}" for number, leg in legs]
    rebuild = "python -m anchor_trainer.recipes policy --preset"
    commands = [
        f"{rebuild} {leg['preset']}{_other_budget(leg)} --device {leg['device']} "
        f"--out leg-{number}" + (f" --start leg-{number - 1}" if number > 1 else "")
        for number, leg in legs
    ]
    merged = facts.get("merged_with", [])
    if merged:
        lines += [
            "",
            f"The last leg was averaged with {len(merged)} more of the same start, and the logits "
            f"scaled by {facts['sharpen']}:",
            "",
        ]
        lines += [f"- {_training_line(leg)}" for leg in merged]
        start = f" --start leg-{len(legs) - 1}" if len(legs) > 1 else ""
        others = [f"other-{number}" for number, _ in enumerate(merged, 1)]
        commands += [
            f"{rebuild} {leg['preset']}{_other_budget(leg)} --device {leg['device']} "
            f"--out {name}{start}"
            for name, leg in zip(others, merged, strict=True)
        ]
        commands.append(
            "python -m anchor_trainer.recipes merge --sharpen "
            f"{facts['sharpen']} --out policy {' '.join(others)} leg-{len(legs)}"
        )
    return "\n".join(
        [
            *lines,
            "",
            "Rebuild:",
            "",
            "```",
            *commands,
            "```",
            "",
            "These draw from the corpus as it is now, which the table below shows. A leg that",
            "was taken when it was another one comes out as weights of the same kind, "
            "not the same.",
        ]
    )


def _other_budget(leg: dict[str, Any]) -> str:
    """The option of a leg that was not as long as its preset; the last batch goes beyond it."""
    preset = PRESETS[leg["preset"]]
    usual = 0 <= leg["tokens"] - preset.tokens <= 2 * preset.batch_tokens
    return "" if usual else f" --tokens {leg['tokens']}"


def _training_line(facts: dict[str, Any]) -> str:
    minutes = facts["training_seconds"] / 60
    return (
        f"Preset `{facts['preset']}` on {facts['device']}, seed {facts['seed']}: "
        f"{facts['tokens'] / 1e6:.2f} M tokens in {minutes:.1f} minutes of wall time "
        f"({facts['tokens'] / facts['training_seconds']:,.0f} tokens/s)."
    )


def write_policy_card(folder: Path, rows: Rows, n: int, evaluation_seconds: float) -> None:
    """MODEL_CARD.md of a policy folder. `rows` come from `evaluate_folder`."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tensors, facts = read_tensors(folder / "model.safetensors")
    parameters = sum(tensor.numel() for tensor in tensors.values())
    files = ["model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"]
    shape = (
        f"width {config['hidden_size']}, {config['num_hidden_layers']} layers, "
        f"{config['num_attention_heads']} heads ({config['num_key_value_heads']} key-value), "
        f"feed-forward {config['intermediate_size']}, {config['vocab_size']} tokens, "
        f"context {config['max_position_embeddings']}, tied embeddings"
    )
    questions = PRESETS[facts["preset"]].questions
    title = "Embedded policy for questions" if questions else "Embedded policy"
    write_text(
        folder / CARD,
        f"""# {title}

{WARNING}

Qwen2 architecture, {parameters:,} parameters: {shape}.
Weights are stored as float16.

## Training

{_further_leg_text(facts) if questions else legs_text(facts)}

Muon on the hidden matrices, Adam on embedding, norms and biases; loss 1.0 on the completion and
0.1 on the prompt; smoothed completion loss at the end {facts["completion_loss"]} nats a token.
Shares of samples in the last leg's recipe, early until {100 * EARLY_END:.0f} % of the course, late from
{100 * LATE_START:.0f} % (a preset's `mix_start` says where in the course a leg begins):

{_mix_table(questions)}

An untold solver refuses {100 * REFUSES_UNTOLD:.0f} % of the restricted requests in the last leg's recipe; the legs that ship before it
were trained at 74.5 %. Untold solvers trace in {100 * TRACE_SHARE:.0f} % of the samples. Traces of deduction write out lists, strings and loop counters in
{100 * DETAILED_SHARE:.0f} %, the others are shorter and err more; traces of abduction work back from the output in
{100 * BACKWARD_SHARE:.0f} %, the others try inputs: a policy told to trace still has better ways to find.
How far reinforcement takes the shipped weights there is measured by `npm run study` (arms traced and practice; figures in docs/results.md).
Answers and traces come from running the programs. One program of two or more statements in
{HELD_OUT_BUCKETS}, one pair of a shorter program and its first input in {HELD_OUT_BUCKETS}, one request combination in 8, one memory text in 8
and one question in 8 are held out by hash and never reach training; the suites consist of these only.

## What it is meant to reach

{bars_table(rows)}
## Measured

n = {n} per suite, {evaluation_seconds / 60:.1f} minutes; greedy, or sampled at temperature 1 where
the behaviour is a mix. "told" names the guidance line in the system message, in its production
wording. Intervals count items; no suite holds an item twice.

{table(rows)}
## Files

{hashes(folder, files)}""",  # noqa: E501 - lines of the card, as they stand
    )


def write_supervisor_card(
    folder: Path,
    file_name: str,
    facts: dict[str, Any],
    records: int,
    found: dict[str, list[Agreement]],
) -> None:
    """MODEL_CARD.md of the supervisor; `found` holds agreements per set of held-out records."""
    names = list(found)
    rows = list(dict.fromkeys(agreement.name for name in names for agreement in found[name]))
    shares = {name: {a.name: str(a.share) for a in found[name]} for name in names}
    lines = [f"| measure | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    lines += [
        f"| {row} | {' | '.join(shares[name].get(row, 'none') for name in names)} |" for row in rows
    ]
    agreements = "\n".join(lines)
    policy_tokens = facts["policy"]["tokens"] / 1e6
    preset = str(facts["preset"])
    questions = preset.endswith("questions")
    title = "Embedded supervisor for questions" if questions else "Embedded supervisor"
    options = (
        f"--preset {preset} --policy ../../resources/models/questions --out {folder.name}`"
        if questions
        else "--device cpu` (or `cuda`)"
    )
    write_text(
        folder / CARD,
        f"""# {title}

{WARNING}

The policy's architecture and tokenizer, fine-tuned from the policy's weights on {records:,} review
records; f16 GGUF. Frozen in use: it never shares weights with a policy that evolves.

## Training

{_training_line(facts)}
Rebuild: `python -m anchor_trainer.recipes supervisor {options}; needs Node for the
labels.

Records are agent outputs at one phase, with an injected defect in about half of the cases, and
completions of the policy itself at temperatures 1.0 and 1.3. Prompts and labels come from the
application's own review code (`electron/supervision`): the rubric names the issues from facts that
contain no gold, and the same facts are part of the record. The supervisor is an imitation of the
rubric, not a second opinion.

Started from the policy with sha256 `{facts["policy_sha256"]}`
({policy_tokens:.2f} M tokens).

## Agreement with the rubric on held-out records

Greedy, no grammar (the application adds one), 95 % Wilson intervals. `injected`: our generator's
defects; `policy-written`: what the policy wrote before it evolved; `evolving policy`: what its
checkpoints wrote later in runs. No record text occurs in training.

{agreement_bars(found)}
{agreements}

## Files

{hashes(folder, [file_name])}""",
    )


def write_writer_card(
    folder: Path, file_name: str, facts: dict[str, Any], records: int, found: list[Agreement]
) -> None:
    """MODEL_CARD.md of the writer; `found` holds how often it writes the rule's line, by kind."""
    rows = "\n".join(f"| {agreement.name} | {agreement.share} |" for agreement in found)
    write_text(
        folder / CARD,
        f"""# Embedded writer

{WARNING}

The second set of weights of the embedded supervisor: the policy's architecture and tokenizer,
fine-tuned from the policy's weights on {records:,} questions; f16 GGUF. It words the batch
summaries (ANCHOR Eq. 6) and merges the lines of a context (Eq. 7) where `supervision.summary` or
`supervision.merge` is `model`. The reviews come from the other set, which it leaves as it is.

## Training

{_training_line(facts)}
Rebuild: `python -m anchor_trainer.recipes writer`; needs Node for the questions and labels.

Questions are those of the application itself (`electron/supervision/wording`), with the delimiters
that it draws. A summary is asked for one kind of finding at a time, a merge for the lines of one
subject at a time. Labels are what the rule says: the phrase that the policy was trained to follow
where the finding calls for one, a plain line for the other issues (which the policy was **not**
trained to follow), a finding without a name in its own words; of lines that exclude each other the
newer. It imitates a rule: that its lines help is no finding about language models.

Started from the policy with sha256 `{facts["policy_sha256"]}`.

## Agreement with the rule

Greedy, no grammar (the application adds one), whole answers, 95 % Wilson intervals. One composed
sentence in 8 is held out by hash and never reaches training.

| asked for | as the rule writes it |
| --- | --- |
{rows}

## Files

{hashes(folder, [file_name])}""",
    )
