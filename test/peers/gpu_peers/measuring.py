"""One case given to one program: its process, its answer, and what went wrong in a sentence."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from card import watched
from exchange import Answer, Request, read_answer, trouble_with, write_request
from programs import Program

PARTS = ("rollouts", "update", "other")


def measure(program: Program, request: Request, log: Path, limit: float) -> dict[str, Any]:
    """Figures as they are kept; `failed` is a sentence where there are none.

    What the program writes goes into `log`. Past `limit` seconds it is ended with its children.
    """
    with tempfile.TemporaryDirectory(prefix="anchor-peers-") as name:
        asked, answered = Path(name, "request.json"), Path(name, "answer.json")
        write_request(asked, request)
        command = [*program.command, str(asked), str(answered), *program.options]
        began = time.perf_counter()
        with watched(request.device) as peak:
            ended = _run(command, log, limit)
        seconds = time.perf_counter() - began
        if ended is not None:
            return {"failed": f"{ended}; see {log}", "seconds": seconds}
        try:
            answer = read_answer(answered)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            return {"failed": f"it gave no answer ({error}); see {log}", "seconds": seconds}
    trouble = trouble_with(request, answer)
    if trouble is not None:
        return {"failed": f"{trouble}; see {log}", "seconds": seconds}
    return {"failed": None, "seconds": seconds, "peakBytes": peak.bytes, **_figures(answer)}


def _figures(answer: Answer) -> dict[str, Any]:
    told: dict[str, Any] = {
        part: statistics.median(getattr(one, part) for one in answer.rounds) for part in PARTS
    }
    steps = [one.rollouts + one.update + one.other for one in answer.rounds]
    return {
        **told,
        "step": statistics.median(steps),
        "steps": steps,
        "tokens": answer.tokens,
        "promptTokens": sum(len(one) for one in answer.prompt_ids),
        "prompts": hashlib.sha256(json.dumps(answer.prompt_ids).encode()).hexdigest(),
        "versions": answer.versions,
    }


def _run(command: list[str], log: Path, limit: float) -> str | None:
    """How it ended where that was not well."""
    with log.open("w") as file:
        # A session of its own, so that what it started ends with it.
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            return f"it was not done after {limit / 60:.0f} minutes"
        finally:
            _end(process)
    if code == 0:
        return None
    lines = [one.strip() for one in log.read_text(errors="replace").splitlines() if one.strip()]
    return f"it ended with {code}: {lines[-1][:200] if lines else 'it wrote nothing'}"


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
