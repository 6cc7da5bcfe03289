/** What the supervisor's model wrote from reviews: a step's summaries and the next context, with prompt and answer. */
export const wordings = {
  version: 9,
  name: 'wordings',
  sql: `
CREATE TABLE wordings (
  run_id       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step         INTEGER NOT NULL CHECK (step >= 1),
  ordinal      INTEGER NOT NULL,
  id           TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('summary', 'merge')),
  batch        TEXT,
  status       TEXT NOT NULL CHECK (status IN ('done', 'fallback')),
  model        TEXT NOT NULL,
  questions    TEXT NOT NULL CHECK (json_valid(questions)),
  lines        TEXT NOT NULL CHECK (json_valid(lines)),
  refused      TEXT NOT NULL CHECK (json_valid(refused)),
  milliseconds REAL NOT NULL,
  created_at   TEXT NOT NULL,
  PRIMARY KEY (run_id, step, ordinal)
) STRICT, WITHOUT ROWID;
-- Of a line that a model wrote: what it was made of and whose words it has.
ALTER TABLE context_lines ADD COLUMN worded TEXT CHECK (json_valid(worded));
`,
} as const;
