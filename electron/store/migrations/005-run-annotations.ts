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
