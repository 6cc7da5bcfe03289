/**
 * Audits: a sample of recorded reviews and what raters say of them. A run is named by text and not by foreign key, because what an
 * audit found remains evidence after the run is deleted. The sample is written once; the triggers guard it against our own mistakes,
 * the event that attests it against others.
 */
export const audits = {
  version: 6,
  name: 'audits',
  sql: `
CREATE TABLE audits (
  id            TEXT PRIMARY KEY CHECK (length(id) > 0),
  created_at    TEXT NOT NULL,
  run_id        TEXT NOT NULL,
  run_name      TEXT NOT NULL,
  plan          TEXT NOT NULL CHECK (json_valid(plan)),
  wanted        INTEGER NOT NULL CHECK (wanted >= 0),
  sample_sha256 TEXT NOT NULL CHECK (length(sample_sha256) = 64),
  judge         TEXT CHECK (json_valid(judge)),
  results       TEXT CHECK (json_valid(results)),
  finished_at   TEXT
) STRICT;
CREATE INDEX audits_by_age ON audits (created_at, id);

CREATE TABLE audit_items (
  audit_id   TEXT NOT NULL REFERENCES audits (id) ON DELETE CASCADE,
  ordinal    INTEGER NOT NULL CHECK (ordinal >= 0),
  review_id  TEXT NOT NULL,
  rollout_id TEXT,
  step       INTEGER NOT NULL CHECK (step > 0),
  batch      TEXT NOT NULL,
  phase      TEXT NOT NULL,
  decision   TEXT NOT NULL CHECK (decision IN ('continue', 'retry')),
  status     TEXT NOT NULL CHECK (status IN ('done', 'quarantined')),
  leaks      INTEGER NOT NULL CHECK (leaks >= 0),
  reviewer   TEXT NOT NULL,
  model      TEXT,
  PRIMARY KEY (audit_id, ordinal),
  UNIQUE (audit_id, review_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER audit_items_are_never_changed BEFORE UPDATE ON audit_items
BEGIN SELECT RAISE(ABORT, 'the sample of an audit is never changed'); END;

CREATE TABLE audit_labels (
  audit_id TEXT NOT NULL,
  ordinal  INTEGER NOT NULL,
  rater    TEXT NOT NULL CHECK (rater IN ('person', 'judge')),
  label    TEXT NOT NULL CHECK (json_valid(label)),
  PRIMARY KEY (audit_id, ordinal, rater),
  FOREIGN KEY (audit_id, ordinal) REFERENCES audit_items (audit_id, ordinal) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`,
} as const;
