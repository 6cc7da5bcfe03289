/**
 * How each response came about, so that what was sent can be told from what the records of a step say was sent: when it was complete, the
 * hash of its whole prompt, and the system prompt of it. System prompts are few and long, so each is kept once a run. Steps taken
 * before have no such rows.
 */
export const generations = {
  version: 14,
  name: 'generations',
  sql: `
CREATE TABLE system_prompts (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  text   TEXT NOT NULL,
  PRIMARY KEY (run_id, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE generations (
  key           INTEGER PRIMARY KEY REFERENCES rollouts (key) ON DELETE CASCADE,
  at            TEXT NOT NULL,
  prompt_sha256 TEXT NOT NULL CHECK (length(prompt_sha256) = 64),
  -- Null where the prompt is one text without a system message.
  system_sha256 TEXT CHECK (length(system_sha256) = 64)
) STRICT;
`,
} as const;
