/**
 * Runs, the settings of the lab, models, and the hash-chained event log.
 * Events name runs by text and not by foreign key: evidence outlives the run it speaks about.
 */
export const runsAndEvidence = {
  version: 1,
  name: 'runs and evidence',
  sql: `
CREATE TABLE settings (
  name  TEXT PRIMARY KEY CHECK (length(name) > 0),
  value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id                TEXT PRIMARY KEY CHECK (length(id) > 0),
  created_at        TEXT NOT NULL,
  name              TEXT NOT NULL,
  preset            TEXT NOT NULL,
  config            TEXT NOT NULL CHECK (json_valid(config)),
  state             TEXT NOT NULL CHECK (state IN
                      ('queued', 'setting-up', 'stepping', 'pausing', 'paused', 'interrupted', 'done', 'failed')),
  reason            TEXT,
  committed_steps   INTEGER NOT NULL DEFAULT 0 CHECK (committed_steps >= 0),
  policy_sha256     TEXT CHECK (length(policy_sha256) = 64),
  supervisor_sha256 TEXT CHECK (length(supervisor_sha256) = 64),
  folder            TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_age ON runs (created_at, id);

CREATE TABLE models (
  name           TEXT PRIMARY KEY CHECK (length(name) > 0),
  kind           TEXT NOT NULL CHECK (kind IN ('policy', 'supervisor')),
  format         TEXT NOT NULL CHECK (format IN ('safetensors', 'gguf')),
  path           TEXT NOT NULL,
  sha256         TEXT NOT NULL CHECK (length(sha256) = 64),
  architecture   TEXT NOT NULL,
  parameters     REAL,
  context_length INTEGER,
  bytes          INTEGER NOT NULL CHECK (bytes >= 0),
  added_at       TEXT NOT NULL,
  embedded       INTEGER NOT NULL CHECK (embedded IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq    INTEGER PRIMARY KEY CHECK (seq > 0),
  at     TEXT NOT NULL,
  run_id TEXT,
  kind   TEXT NOT NULL CHECK (length(kind) > 0),
  body   TEXT NOT NULL CHECK (json_valid(body)),
  prev   TEXT NOT NULL CHECK (length(prev) = 64),
  hash   TEXT NOT NULL UNIQUE CHECK (length(hash) = 64)
) STRICT;
CREATE INDEX events_by_run ON events (run_id, kind, seq);

-- The triggers guard against our own mistakes; the hash chain is what shows tampering by others.
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'stored events are never changed'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'stored events are never deleted'); END;
CREATE TRIGGER events_only_grow_at_the_end BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN SELECT RAISE(ABORT, 'stored events only grow at the end'); END;
`,
} as const;
