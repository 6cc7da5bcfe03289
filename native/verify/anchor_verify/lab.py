"""The records of a lab as its database has them, in the shapes that the contract documents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from .findings import Json

Record = dict[str, Json]

ROLLOUTS = """SELECT r.*, t.user, t.text, t.plan, t.thought, t.answer
              FROM rollouts r JOIN rollout_texts t USING (key)"""


class WrongRequest(Exception):
    """What was asked for cannot be verified; one sentence for people."""


class Lab:
    """Reads only. Where an engine has the lab open, its commits go on beside this."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "lab.sqlite"
        if not path.is_file():
            raise WrongRequest(f"There is no lab at {folder}; name its folder with --lab.")
        # Reading a database in WAL mode makes two files beside it, which nobody would take away
        # where no engine has it open.
        alone = not path.with_name("lab.sqlite-wal").exists()
        address = f"file:{quote(str(path))}?mode=ro{'&immutable=1' if alone else ''}"
        self.db = sqlite3.connect(address, uri=True)
        self.db.row_factory = sqlite3.Row

    def close(self) -> None:
        self.db.close()

    def rows(self, query: str, *values: Json) -> list[sqlite3.Row]:
        return self.db.execute(query, values).fetchall()

    def one(self, query: str, *values: Json) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.db.execute(query, values).fetchone()
        return found

    def has_table(self, name: str) -> bool:
        return self.one("SELECT 1 FROM sqlite_schema WHERE name = ?", name) is not None

    def run(self, run_id: str) -> Record:
        row = self.one("SELECT * FROM runs WHERE id = ?", run_id)
        if row is None:
            raise WrongRequest(f'There is no run "{run_id}" in this lab.')
        return dict(row) | {"config": json.loads(row["config"])}

    def events(self) -> Iterator[sqlite3.Row]:
        return iter(self.db.execute("SELECT * FROM events ORDER BY seq"))

    def step(self, run_id: str, step: int) -> Record | None:
        row = self.one("SELECT * FROM steps WHERE run_id = ? AND step = ?", run_id, step)
        return None if row is None else dict(row)

    def metrics(self, run_id: str, step: int, kind: str = "metric") -> dict[str, float]:
        query = "SELECT name, value FROM metrics WHERE run_id = ? AND step = ? AND kind = ?"
        return {row["name"]: row["value"] for row in self.rows(query, run_id, step, kind)}

    def tasks(self, run_id: str, step: int) -> list[Record]:
        query = "SELECT * FROM tasks WHERE run_id = ? AND step = ? ORDER BY key"
        return [_task(row) for row in self.rows(query, run_id, step)]

    def task(self, run_id: str, task_id: str) -> Record | None:
        row = self.one("SELECT * FROM tasks WHERE run_id = ? AND id = ?", run_id, task_id)
        return None if row is None else _task(row)

    def rollouts(self, run_id: str, step: int) -> list[Record]:
        query = f"{ROLLOUTS} WHERE r.run_id = ? AND r.step = ? ORDER BY r.key"
        return [_rollout(row) for row in self.rows(query, run_id, step)]

    def rollout(self, run_id: str, rollout_id: str) -> Record | None:
        row = self.one(f"{ROLLOUTS} WHERE r.run_id = ? AND r.id = ?", run_id, rollout_id)
        return None if row is None else _rollout(row)

    def reviews(self, run_id: str, step: int) -> list[Record]:
        query = """SELECT v.*, t.feedback, t.prompt, t.quote, r.id AS rollout_id
                   FROM reviews v JOIN review_texts t USING (key)
                   LEFT JOIN rollouts r ON r.key = v.rollout_key
                   WHERE v.run_id = ? AND v.step = ? ORDER BY v.key"""
        return [
            {
                "id": row["id"],
                "step": row["step"],
                "batch": row["batch"],
                "phase": row["phase"],
                "rolloutId": row["rollout_id"],
                "status": row["status"],
                "gateProbability": row["gate_probability"],
                "decision": row["decision"],
                "issues": json.loads(row["issues"]),
                "feedback": row["feedback"],
                **({} if row["quote"] is None else {"quote": row["quote"]}),
                "reviewer": row["reviewer"],
                "model": row["model"],
                "prompt": row["prompt"],
                "leaks": json.loads(row["leaks"]),
                "tokensIn": row["tokens_in"],
                "tokensOut": row["tokens_out"],
                "milliseconds": row["milliseconds"],
                "createdAt": row["created_at"],
            }
            for row in self.rows(query, run_id, step)
        ]

    def summaries(self, run_id: str, step: int) -> list[Record]:
        query = "SELECT * FROM summaries WHERE run_id = ? AND step = ? ORDER BY ordinal"
        return [
            {
                "step": row["step"],
                "batch": row["batch"],
                "scope": row["scope"],
                "reviewed": row["reviewed"],
                "eligible": row["eligible"],
                "points": json.loads(row["points"]),
                "text": row["text"],
            }
            for row in self.rows(query, run_id, step)
        ]

    def wordings(self, run_id: str, step: int) -> list[Record]:
        query = "SELECT * FROM wordings WHERE run_id = ? AND step = ? ORDER BY ordinal"
        return [
            {
                "id": row["id"],
                "step": row["step"],
                "kind": row["kind"],
                "batch": row["batch"],
                "status": row["status"],
                "model": row["model"],
                "questions": json.loads(row["questions"]),
                "lines": json.loads(row["lines"]),
                "refused": json.loads(row["refused"]),
                "milliseconds": row["milliseconds"],
                "createdAt": row["created_at"],
            }
            for row in self.rows(query, run_id, step)
        ]

    def context(self, run_id: str, step: int) -> Record | None:
        row = self.one("SELECT * FROM contexts WHERE run_id = ? AND step = ?", run_id, step)
        if row is None:
            return None
        query = "SELECT * FROM context_lines WHERE run_id = ? AND step = ? ORDER BY ordinal"
        return {
            "step": step,
            "hash": row["hash"],
            "text": row["text"],
            "tokens": row["tokens"],
            "lines": [self._line(run_id, step, line) for line in self.rows(query, run_id, step)],
            "removed": json.loads(row["removed"]),
        }

    def _line(self, run_id: str, step: int, row: sqlite3.Row) -> Record:
        query = """SELECT review_id FROM context_line_sources
                   WHERE run_id = ? AND line_id = ? AND since_step <= ?
                   AND (until_step IS NULL OR until_step > ?) ORDER BY since_step, ordinal"""
        sources = self.rows(query, run_id, row["line_id"], step, step)
        return {
            "id": row["line_id"],
            "text": row["text"],
            "key": row["key"],
            "enteredStep": row["entered_step"],
            "lastSupportedStep": row["last_supported_step"],
            "support": row["support"],
            "reviewIds": [source["review_id"] for source in sources],
            **({} if row["worded"] is None else {"worded": json.loads(row["worded"])}),
        }

    def sent_prompts(self, run_id: str) -> SentPrompts:
        return SentPrompts(self, run_id)

    def checkpoints(self, run_id: str) -> list[Record]:
        query = "SELECT * FROM checkpoints WHERE run_id = ? ORDER BY step, role"
        return [
            {
                "step": row["step"],
                "role": row["role"],
                "version": row["version"],
                "folder": row["folder"],
                "weightsSha256": row["weights_sha256"],
                "bytes": row["bytes"],
                "files": json.loads(row["files"]),
                "removedAt": row["removed_at"],
            }
            for row in self.rows(query, run_id)
        ]


def _task(row: sqlite3.Row) -> Record:
    return {
        "id": row["id"],
        "taskType": row["task_type"],
        "step": row["step"],
        "origin": row["origin"],
        "rolloutId": row["rollout_id"],
        "program": row["program"],
        "inputs": json.loads(row["inputs"]),
        "outputs": json.loads(row["outputs"]),
        "message": row["message"],
        "imports": json.loads(row["imports"]),
        "solveRate": row["solve_rate"],
    }


def _rollout(row: sqlite3.Row) -> Record:
    return {
        "id": row["id"],
        "step": row["step"],
        "batch": row["batch"],
        "index": row["ordinal"],
        "sample": row["sample"],
        "purpose": row["purpose"],
        "role": row["role"],
        "taskType": row["task_type"],
        "taskId": row["task_id"],
        "contextHash": row["context_hash"],
        "user": row["user"],
        "text": row["text"],
        "plan": row["plan"],
        "thought": row["thought"],
        "answer": row["answer"],
        "formatOk": row["format_ok"] == 1,
        "finish": row["finish"],
        "promptTokens": row["prompt_tokens"],
        "newTokens": row["new_tokens"],
        "logpMean": row["logp_mean"],
        "verdict": {
            "outcome": row["outcome"],
            "reason": row["reason"],
            "accuracy": row["accuracy"],
            "sandboxLevel": row["sandbox_level"],
        },
        "reward": row["reward"],
        "advantage": row["advantage"],
    }


class SentPrompts:
    """What was sent for each response of a run and when the response was complete; nothing of steps
    from before it was recorded."""

    def __init__(self, lab: Lab, run_id: str) -> None:
        self._lab, self._run_id = lab, run_id
        self._is_recorded = lab.has_table("generations")
        self._step, self._rows = 0, dict[str, Record]()

    def of(self, rollout_id: str) -> Record | None:
        """`text` and `sha256` of the system prompt, `prompt` the hash of all that was sent."""
        self._read(int(rollout_id.partition("/")[0]))
        return self._rows.get(rollout_id)

    def records(self, step: int) -> list[Record]:
        """As an event attests them, in the order of the responses."""
        self._read(step)
        return [
            {
                "rolloutId": each,
                "at": row["at"],
                "promptSha256": row["prompt"],
                "system": row["text"],
            }
            for each, row in self._rows.items()
        ]

    def times(self, step: int) -> dict[str, str]:
        self._read(step)
        return {each: row["at"] for each, row in self._rows.items()}

    def _read(self, step: int) -> None:
        if not self._is_recorded or step == self._step:
            return
        query = """SELECT r.id, g.at, g.prompt_sha256, g.system_sha256, p.text
                   FROM generations g JOIN rollouts r USING (key)
                   LEFT JOIN system_prompts p ON p.run_id = r.run_id AND p.sha256 = g.system_sha256
                   WHERE r.run_id = ? AND r.step = ? ORDER BY r.key"""
        self._step = step
        self._rows = {
            row["id"]: {
                "at": row["at"],
                "prompt": row["prompt_sha256"],
                "sha256": row["system_sha256"],
                "text": row["text"],
            }
            for row in self._lab.rows(query, self._run_id, step)
        }
