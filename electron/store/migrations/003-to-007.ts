/**
 * Full-text search and evaluations.
 * The FTS5 tables use external content: the text is stored once and snippets can be shown, which a contentless table cannot
 * do. Triggers keep them in step, also when a run is deleted by cascade. Names and code are split at punctuation and
 * underscores, accents are folded. Word counts per column (columnsize) only serve ranking, which is not used.
 * An evaluation keeps its run's id as plain text, because a result remains evidence after the run is deleted.
 */
export const searchAndEvaluations = {
  version: 3,
  name: 'search and evaluations',
  sql: `
CREATE VIRTUAL TABLE rollout_search USING fts5 (
  text, user, content = 'rollout_texts', content_rowid = 'key', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER rollout_texts_enter_search AFTER INSERT ON rollout_texts
BEGIN INSERT INTO rollout_search (rowid, text, user) VALUES (NEW.key, NEW.text, NEW.user); END;
CREATE TRIGGER rollout_texts_leave_search AFTER DELETE ON rollout_texts
BEGIN INSERT INTO rollout_search (rollout_search, rowid, text, user) VALUES ('delete', OLD.key, OLD.text, OLD.user); END;

CREATE VIRTUAL TABLE review_search USING fts5 (
  feedback, prompt, content = 'review_texts', content_rowid = 'key', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER review_texts_enter_search AFTER INSERT ON review_texts
BEGIN INSERT INTO review_search (rowid, feedback, prompt) VALUES (NEW.key, NEW.feedback, NEW.prompt); END;
CREATE TRIGGER review_texts_leave_search AFTER DELETE ON review_texts
BEGIN INSERT INTO review_search (review_search, rowid, feedback, prompt) VALUES ('delete', OLD.key, OLD.feedback, OLD.prompt); END;

-- Merging segments is most of what indexing writes to the disk. 16 (the largest) merges least; measured, it saves a fifth of
-- the time to store a step and a search still takes milliseconds.
INSERT INTO rollout_search (rollout_search, rank) VALUES ('automerge', 16);
INSERT INTO review_search (review_search, rank) VALUES ('automerge', 16);

-- Records written before search existed become findable too.
INSERT INTO rollout_search (rowid, text, user) SELECT key, text, user FROM rollout_texts;
INSERT INTO review_search (rowid, feedback, prompt) SELECT key, feedback, prompt FROM review_texts;

CREATE TABLE evaluations (
  key            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  created_at     TEXT NOT NULL,
  run_id         TEXT,
  step           INTEGER CHECK (step >= 0),
  model          TEXT NOT NULL,
  weights_sha256 TEXT NOT NULL CHECK (length(weights_sha256) = 64),
  suite          TEXT NOT NULL,
  suite_kind     TEXT NOT NULL CHECK (suite_kind IN ('toy', 'public')),
  suite_sha256   TEXT NOT NULL CHECK (length(suite_sha256) = 64),
  context_hash   TEXT CHECK (length(context_hash) = 64),
  temperature    REAL NOT NULL,
  seed           INTEGER NOT NULL,
  n              INTEGER NOT NULL CHECK (n >= 0),
  passed         INTEGER NOT NULL CHECK (passed BETWEEN 0 AND n),
  milliseconds   REAL NOT NULL
) STRICT;
CREATE INDEX evaluations_by_run ON evaluations (run_id, suite, step);

CREATE TABLE evaluation_items (
  evaluation_key INTEGER NOT NULL REFERENCES evaluations (key) ON DELETE CASCADE,
  ordinal        INTEGER NOT NULL,
  item_id        TEXT NOT NULL,
  text           TEXT NOT NULL,
  passed         INTEGER NOT NULL CHECK (passed IN (0, 1)),
  reason         TEXT,
  new_tokens     INTEGER NOT NULL,
  PRIMARY KEY (evaluation_key, ordinal)
) STRICT;
`,
} as const;

/**
 * Names of task types, batches and reviewers are the contract's to list and are checked there before anything is stored; the
 * database repeated the lists, so that a new task type or reviewer needed a migration. Only the shape of a name is left here.
 * Dropping a check changes no stored record, so the text of the tables is edited in place, as SQLite's documentation of ALTER
 * TABLE describes for it; copying every rollout and text into new tables would take minutes in a large lab.
 */
export const namesByContract = {
  version: 4,
  name: 'names by contract',
  editsSchema: true,
  sql: `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (task_type IN (''abduction'', ''deduction'', ''induction'', ''request'', ''memory''))', 'CHECK (task_type <> '''')')
WHERE type = 'table' AND name IN ('tasks', 'rollouts');
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (batch IN (''gen_code_i'', ''gen_code_o'', ''gen_code_f'',
                  ''pred_code_i'', ''pred_code_o'', ''pred_code_f'', ''pred_request'', ''pred_memory''))', 'CHECK (batch GLOB ''gen_?*'' OR batch GLOB ''pred_?*'')')
WHERE type = 'table' AND name = 'rollouts';
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (batch IN (''gen_code_i'', ''gen_code_o'', ''gen_code_f'',
                     ''pred_code_i'', ''pred_code_o'', ''pred_code_f'', ''pred_request'', ''pred_memory''))', 'CHECK (batch GLOB ''gen_?*'' OR batch GLOB ''pred_?*'')')
WHERE type = 'table' AND name = 'reviews';
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (reviewer IN (''llama'', ''rubric'', ''scripted'', ''human''))', 'CHECK (reviewer <> '''')')
WHERE type = 'table' AND name = 'reviews';
PRAGMA writable_schema = RESET;
`,
} as const;

/**
 * What people write on runs: tags, notes, and whether a run is put away. A table of its own, because a run's row says what was
 * done and never changes by hand. The index finds the evaluations of the weights a run began with, whoever made them.
 */
export const runAnnotations = {
  version: 5,
  name: 'run annotations',
  sql: `
CREATE TABLE run_annotations (
  run_id   TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  tags     TEXT NOT NULL CHECK (json_valid(tags)),
  notes    TEXT NOT NULL,
  archived INTEGER NOT NULL CHECK (archived IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX evaluations_by_weights ON evaluations (weights_sha256, suite, key);
`,
} as const;

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

/**
 * Evaluations of every kind of suite. Those stored before have form 1 and stay byte for byte what their events attest; form 2 says
 * before the first answer what will be asked (plan), keeps every answer as it is graded, so that one that was cut off goes on,
 * and ends with its scores. `outcome` is null on rows of form 1 and on answers that wait for their verdict.
 * A person's verdict stands beside the program's, in a table of its own.
 */
export const evaluationsOfEveryKind = {
  version: 7,
  name: 'evaluations of every kind',
  sql: `
ALTER TABLE evaluations ADD COLUMN form INTEGER NOT NULL DEFAULT 1 CHECK (form IN (1, 2));
ALTER TABLE evaluations ADD COLUMN state TEXT NOT NULL DEFAULT 'done' CHECK (state IN ('running', 'stopped', 'failed', 'done'));
ALTER TABLE evaluations ADD COLUMN problem TEXT;
ALTER TABLE evaluations ADD COLUMN finished_at TEXT;
ALTER TABLE evaluations ADD COLUMN plan TEXT CHECK (json_valid(plan));
ALTER TABLE evaluations ADD COLUMN plan_sha256 TEXT CHECK (length(plan_sha256) = 64);
ALTER TABLE evaluations ADD COLUMN planned INTEGER CHECK (planned >= 0);
ALTER TABLE evaluations ADD COLUMN scores TEXT CHECK (json_valid(scores));
CREATE INDEX evaluations_by_state ON evaluations (state, key);
CREATE INDEX evaluations_by_plan ON evaluations (plan_sha256) WHERE plan_sha256 IS NOT NULL;

ALTER TABLE evaluation_items ADD COLUMN sample INTEGER NOT NULL DEFAULT 0 CHECK (sample >= 0);
ALTER TABLE evaluation_items ADD COLUMN asked TEXT CHECK (json_valid(asked));
ALTER TABLE evaluation_items ADD COLUMN target TEXT;
ALTER TABLE evaluation_items ADD COLUMN outcome TEXT CHECK (outcome IN ('passed', 'failed', 'unjudged', 'unanswered'));
ALTER TABLE evaluation_items ADD COLUMN score REAL;
ALTER TABLE evaluation_items ADD COLUMN method TEXT;
ALTER TABLE evaluation_items ADD COLUMN flags TEXT CHECK (json_valid(flags));
ALTER TABLE evaluation_items ADD COLUMN judge TEXT CHECK (json_valid(judge));
ALTER TABLE evaluation_items ADD COLUMN details TEXT CHECK (json_valid(details));

CREATE TABLE evaluation_overrides (
  evaluation_key INTEGER NOT NULL REFERENCES evaluations (key) ON DELETE CASCADE,
  ordinal        INTEGER NOT NULL CHECK (ordinal >= 0),
  outcome        TEXT NOT NULL CHECK (outcome IN ('passed', 'failed')),
  by_whom        TEXT NOT NULL CHECK (length(by_whom) > 0),
  note           TEXT NOT NULL,
  at             TEXT NOT NULL,
  PRIMARY KEY (evaluation_key, ordinal)
) STRICT, WITHOUT ROWID;
`,
} as const;
