/**
 * Probes of judges: what a model was asked about items with known answers, and how well it did. The plan is what makes two probes the
 * same; answers are kept one by one, so that a probe that was cut off goes on, and are never changed.
 */
export const judgeProbes = {
  version: 11,
  name: 'judge probes',
  sql: `
CREATE TABLE judge_probes (
  id           TEXT PRIMARY KEY CHECK (length(id) > 0),
  created_at   TEXT NOT NULL,
  model        TEXT NOT NULL CHECK (length(model) > 0),
  model_sha256 TEXT NOT NULL CHECK (length(model_sha256) = 64),
  plan         TEXT NOT NULL CHECK (json_valid(plan)),
  plan_sha256  TEXT NOT NULL UNIQUE CHECK (length(plan_sha256) = 64),
  results      TEXT CHECK (json_valid(results)),
  finished_at  TEXT,
  CHECK ((results IS NULL) = (finished_at IS NULL))
) STRICT;
CREATE INDEX judge_probes_by_model ON judge_probes (model_sha256, finished_at);

CREATE TABLE judge_probe_answers (
  probe_id TEXT NOT NULL REFERENCES judge_probes (id) ON DELETE CASCADE,
  pass     TEXT NOT NULL CHECK (pass IN ('run', 'alone', 'again')),
  ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
  answer   TEXT NOT NULL CHECK (json_valid(answer)),
  PRIMARY KEY (probe_id, pass, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER judge_probe_answers_are_never_changed BEFORE UPDATE ON judge_probe_answers
BEGIN SELECT RAISE(ABORT, 'an answer of a probe is never changed'); END;
`,
} as const;
