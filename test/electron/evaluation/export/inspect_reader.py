"""Reads exported logs with inspect_ai itself and prints what it saw, one JSON line per log.

python inspect_reader.py LOG.json...
"""

import json
import os
import subprocess
import sys
import tempfile

os.environ["INSPECT_DISABLE_TELEMETRY"] = "1"

from inspect_ai.log import (
    edit_score,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples,
    write_eval_log,
)
from inspect_ai.scorer import ScoreEdit


def score_of(score):
    return {
        "value": score.value,
        "answer": score.answer,
        "explanation": score.explanation,
        "reason": score.reason,
        "history": [
            {"value": edit.value, "by": edit.provenance and edit.provenance.author}
            for edit in score.history
        ],
    }


def sample_of(sample):
    return {
        "id": sample.id,
        "epoch": sample.epoch,
        "input": sample.input
        if isinstance(sample.input, str)
        else [[message.role, message.text] for message in sample.input],
        "target": sample.target,
        "completion": sample.output.completion[:2000],
        "length": len(sample.output.completion),
        "messages": len(sample.messages),
        "scores": {name: score_of(score) for name, score in (sample.scores or {}).items()},
        "outcome": sample.metadata["outcome"],
    }


def seen(path):
    log = read_eval_log(path)
    header = read_eval_log(path, header_only=True)
    samples = log.samples or []

    # The same through the command line, as `inspect log dump` prints it, and the compressed form.
    command = [sys.executable, "-m", "inspect_ai", "log", "dump", path]
    dumped = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        packed = os.path.join(folder, "packed.eval")
        write_eval_log(log, packed)
        again = read_eval_log(packed)
        summary_count = len(read_eval_log_sample_summaries(packed))
        streamed = len(list(read_eval_log_samples(packed, all_samples_required=False)))

    listed = [info.name for info in list_eval_logs(os.path.dirname(path))]
    edited = None
    if samples and samples[0].scores:
        edit_score(
            log,
            samples[0].id,
            "verdict",
            ScoreEdit(value="I"),
            recompute_metrics=False,
            epoch=samples[0].epoch,
        )
        edited = samples[0].scores["verdict"].value

    return {
        "version": log.version,
        "status": log.status,
        "headerStatus": header.status,
        "headerSamples": header.samples,
        "headerMetrics": [sorted(score.metrics) for score in header.results.scores],
        "error": log.error and log.error.message,
        "task": log.eval.task,
        "taskVersion": log.eval.task_version,
        "model": log.eval.model,
        "grader": log.eval.model_roles and log.eval.model_roles["grader"].model,
        "dataset": [log.eval.dataset.name, log.eval.dataset.samples],
        "config": [
            log.eval.model_generate_config.temperature,
            log.eval.model_generate_config.seed,
            log.eval.config.epochs,
        ],
        "metadata": log.eval.metadata,
        "total": log.results.total_samples,
        "completed": log.results.completed_samples,
        "headline": log.results.headline
        and [log.results.headline.scorer, log.results.headline.metric],
        "metrics": {
            score.name: {name: metric.value for name, metric in score.metrics.items()}
            for score in log.results.scores
        },
        "scored": [log.results.scores[0].scored_samples, log.results.scores[0].unscored_samples],
        "resultsMetadata": log.results.metadata,
        "count": len(samples),
        "samples": [sample_of(sample) for sample in samples[:200]],
        "dumped": [dumped["version"], len(dumped["samples"])],
        "packed": [len(again.samples), summary_count, streamed],
        "listed": [os.path.basename(name) for name in listed],
        "edited": edited,
    }


for each in sys.argv[1:]:
    print(json.dumps(seen(each)))
