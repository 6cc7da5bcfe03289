/**
 * What a policy wrote when it was asked for its first tasks, round by round before step 1: with these rows the rest can be gone on
 * with after any interruption. `reason` is null where the text became a task.
 */
export const ownSeeds = {
  version: 10,
  name: 'own seeds',
  sql: `
CREATE TABLE seed_attempts (
  run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  round      INTEGER NOT NULL CHECK (round >= 1),
  ordinal    INTEGER NOT NULL CHECK (ordinal >= 0),
  task_type  TEXT NOT NULL CHECK (length(task_type) BETWEEN 1 AND 40),
  user       TEXT NOT NULL,
  text       TEXT NOT NULL,
  finish     TEXT NOT NULL,
  new_tokens INTEGER NOT NULL CHECK (new_tokens >= 0),
  reason     TEXT,
  task       TEXT CHECK (json_valid(task)),
  PRIMARY KEY (run_id, round, ordinal),
  CHECK ((reason IS NULL) = (task IS NOT NULL))
) STRICT, WITHOUT ROWID;
`,
} as const;
