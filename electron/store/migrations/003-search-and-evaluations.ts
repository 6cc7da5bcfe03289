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
