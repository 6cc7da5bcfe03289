/**
 * Everything a step adds. Long texts lie apart from the facts that are filtered and counted: a facet over 100,000 rollouts
 * then reads one narrow index instead of hundreds of megabytes of agent text.
 * Rollouts and tasks name each other by id without a foreign key, because an estimate may name a candidate task that the
 * buffer filter dropped afterwards.
 */
export const stepRecords = {
  version: 2,
  name: 'step records',
  sql: `
CREATE TABLE steps (
  run_id         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step           INTEGER NOT NULL CHECK (step > 0),
  started_at     TEXT NOT NULL,
  finished_at    TEXT NOT NULL,
  context_hash   TEXT NOT NULL CHECK (length(context_hash) = 64),
  weights_sha256 TEXT NOT NULL CHECK (length(weights_sha256) = 64),
  step_hash      TEXT NOT NULL CHECK (length(step_hash) = 64),
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE metrics (
  run_id TEXT NOT NULL,
  kind   TEXT NOT NULL CHECK (kind IN ('metric', 'timing')),
  name   TEXT NOT NULL,
  step   INTEGER NOT NULL,
  value  REAL NOT NULL,
  PRIMARY KEY (run_id, kind, name, step),
  FOREIGN KEY (run_id, step) REFERENCES steps (run_id, step) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX metrics_by_step ON metrics (run_id, step, kind, name);

CREATE TABLE tasks (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  id         TEXT NOT NULL,
  task_type  TEXT NOT NULL CHECK (task_type IN ('abduction', 'deduction', 'induction', 'request', 'memory')),
  step       INTEGER NOT NULL CHECK (step >= 0),
  origin     TEXT NOT NULL CHECK (origin IN ('seed', 'proposal', 'pressure')),
  rollout_id TEXT,
  program    TEXT NOT NULL,
  inputs     TEXT NOT NULL CHECK (json_valid(inputs)),
  outputs    TEXT NOT NULL CHECK (json_valid(outputs)),
  message    TEXT,
  imports    TEXT NOT NULL CHECK (json_valid(imports)),
  solve_rate REAL CHECK (solve_rate BETWEEN 0 AND 1),
  UNIQUE (run_id, id)
) STRICT;
CREATE INDEX tasks_by_type ON tasks (run_id, task_type, key);
CREATE INDEX tasks_by_step ON tasks (run_id, step, key);

-- AUTOINCREMENT: keys are never used twice, so a page cursor stays valid whatever is added or deleted meanwhile.
CREATE TABLE rollouts (
  key           INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id        TEXT NOT NULL,
  id            TEXT NOT NULL,
  step          INTEGER NOT NULL,
  batch         TEXT NOT NULL CHECK (batch IN ('gen_code_i', 'gen_code_o', 'gen_code_f',
                  'pred_code_i', 'pred_code_o', 'pred_code_f', 'pred_request', 'pred_memory')),
  ordinal       INTEGER NOT NULL CHECK (ordinal >= 0),
  sample        INTEGER CHECK (sample >= 0),
  purpose       TEXT NOT NULL CHECK (purpose IN ('propose', 'solve', 'estimate')),
  role          TEXT NOT NULL CHECK (role IN ('proposer', 'solver', 'assistant')),
  task_type     TEXT NOT NULL CHECK (task_type IN ('abduction', 'deduction', 'induction', 'request', 'memory')),
  task_id       TEXT,
  context_hash  TEXT NOT NULL CHECK (length(context_hash) = 64),
  format_ok     INTEGER NOT NULL CHECK (format_ok IN (0, 1)),
  finish        TEXT NOT NULL CHECK (finish IN ('stop', 'length', 'cancel', 'error')),
  prompt_tokens INTEGER NOT NULL,
  new_tokens    INTEGER NOT NULL,
  logp_mean     REAL,
  outcome       TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'invalid')),
  reason        TEXT,
  accuracy      REAL NOT NULL CHECK (accuracy BETWEEN 0 AND 1),
  sandbox_level TEXT CHECK (sandbox_level IN ('L3', 'L2', 'unsafe')),
  reward        REAL,
  advantage     REAL,
  -- 1 when a reviewer answered at least once for this rollout, its answer quarantined or not.
  reviewed      INTEGER NOT NULL CHECK (reviewed IN (0, 1)),
  UNIQUE (run_id, id),
  FOREIGN KEY (run_id, step) REFERENCES steps (run_id, step) ON DELETE CASCADE
) STRICT;
-- Paging order first, then every facet: a page under any filter is found in this one index alone.
CREATE INDEX rollouts_by_place ON rollouts (run_id, step, key, batch, role, task_type, outcome, reviewed);
-- Facets first: rows that are counted together lie together, so counting needs no sorting.
CREATE INDEX rollouts_by_facet ON rollouts (run_id, batch, role, task_type, outcome, reviewed, step);

CREATE TABLE rollout_texts (
  key     INTEGER PRIMARY KEY REFERENCES rollouts (key) ON DELETE CASCADE,
  user    TEXT NOT NULL,
  text    TEXT NOT NULL,
  plan    TEXT,
  thought TEXT,
  answer  TEXT
) STRICT;

CREATE TABLE reviews (
  key              INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id           TEXT NOT NULL,
  id               TEXT NOT NULL,
  step             INTEGER NOT NULL,
  batch            TEXT NOT NULL CHECK (batch IN ('gen_code_i', 'gen_code_o', 'gen_code_f',
                     'pred_code_i', 'pred_code_o', 'pred_code_f', 'pred_request', 'pred_memory')),
  phase            TEXT NOT NULL CHECK (phase IN ('task', 'plan', 'thought', 'output', 'exec')),
  rollout_key      INTEGER REFERENCES rollouts (key) ON DELETE CASCADE,
  status           TEXT NOT NULL CHECK (status IN ('done', 'skipped-by-budget', 'failed', 'quarantined')),
  gate_probability REAL NOT NULL CHECK (gate_probability BETWEEN 0 AND 1),
  decision         TEXT CHECK (decision IN ('continue', 'retry')),
  issues           TEXT NOT NULL CHECK (json_valid(issues)),
  reviewer         TEXT NOT NULL CHECK (reviewer IN ('llama', 'rubric', 'scripted', 'human')),
  model            TEXT,
  leaks            TEXT NOT NULL CHECK (json_valid(leaks)),
  tokens_in        INTEGER NOT NULL,
  tokens_out       INTEGER NOT NULL,
  milliseconds     REAL NOT NULL,
  created_at       TEXT NOT NULL,
  UNIQUE (run_id, id),
  FOREIGN KEY (run_id, step) REFERENCES steps (run_id, step) ON DELETE CASCADE
) STRICT;
CREATE INDEX reviews_by_step ON reviews (run_id, step, key);
CREATE INDEX reviews_by_rollout ON reviews (rollout_key);

CREATE TABLE review_texts (
  key      INTEGER PRIMARY KEY REFERENCES reviews (key) ON DELETE CASCADE,
  feedback TEXT NOT NULL,
  prompt   TEXT NOT NULL
) STRICT;

-- The issues of answered reviews, one row each, so that "records with this issue" is a page of an index.
CREATE TABLE review_issues (
  review_key  INTEGER NOT NULL REFERENCES reviews (key) ON DELETE CASCADE,
  issue       TEXT NOT NULL,
  run_id      TEXT NOT NULL,
  step        INTEGER NOT NULL,
  phase       TEXT NOT NULL,
  status      TEXT NOT NULL,
  rollout_key INTEGER,
  PRIMARY KEY (review_key, issue)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_issues_by_place ON review_issues (run_id, issue, step, rollout_key, phase, status);

CREATE TABLE summaries (
  run_id   TEXT NOT NULL,
  step     INTEGER NOT NULL,
  ordinal  INTEGER NOT NULL,
  batch    TEXT NOT NULL,
  scope    TEXT NOT NULL CHECK (scope IN ('verified', 'all')),
  reviewed INTEGER NOT NULL,
  eligible INTEGER NOT NULL,
  points   TEXT NOT NULL CHECK (json_valid(points)),
  text     TEXT NOT NULL,
  PRIMARY KEY (run_id, step, ordinal),
  UNIQUE (run_id, step, batch),
  FOREIGN KEY (run_id, step) REFERENCES steps (run_id, step) ON DELETE CASCADE
) STRICT;

CREATE TABLE contexts (
  run_id  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step    INTEGER NOT NULL CHECK (step > 0),
  hash    TEXT NOT NULL CHECK (length(hash) = 64),
  text    TEXT NOT NULL,
  tokens  INTEGER NOT NULL,
  removed TEXT NOT NULL CHECK (json_valid(removed)),
  PRIMARY KEY (run_id, step)
) STRICT;

CREATE TABLE context_lines (
  run_id              TEXT NOT NULL,
  step                INTEGER NOT NULL,
  ordinal             INTEGER NOT NULL,
  line_id             TEXT NOT NULL,
  text                TEXT NOT NULL,
  key                 TEXT,
  entered_step        INTEGER NOT NULL,
  last_supported_step INTEGER NOT NULL,
  support             INTEGER NOT NULL,
  PRIMARY KEY (run_id, step, ordinal),
  UNIQUE (run_id, line_id, step),
  FOREIGN KEY (run_id, step) REFERENCES contexts (run_id, step) ON DELETE CASCADE
) STRICT;

-- A line carries all reviews that ever supported it; writing that list again at every step would grow with the square of the
-- run. A source is therefore written once with the contexts it is valid for: since_step <= t < until_step (null: still valid).
CREATE TABLE context_line_sources (
  run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  line_id    TEXT NOT NULL,
  since_step INTEGER NOT NULL,
  ordinal    INTEGER NOT NULL,
  review_id  TEXT NOT NULL,
  until_step INTEGER CHECK (until_step > since_step),
  PRIMARY KEY (run_id, line_id, since_step, ordinal),
  FOREIGN KEY (run_id, review_id) REFERENCES reviews (run_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX context_line_sources_by_review ON context_line_sources (run_id, review_id);

CREATE TABLE checkpoints (
  run_id         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step           INTEGER NOT NULL CHECK (step >= 0),
  version        INTEGER NOT NULL,
  folder         TEXT NOT NULL,
  weights_sha256 TEXT NOT NULL CHECK (length(weights_sha256) = 64),
  bytes          INTEGER NOT NULL,
  files          TEXT NOT NULL CHECK (json_valid(files)),
  -- Set when the files were pruned; the record stays, because it is part of what the step attests.
  removed_at     TEXT,
  PRIMARY KEY (run_id, step)
) STRICT;
`,
} as const;
