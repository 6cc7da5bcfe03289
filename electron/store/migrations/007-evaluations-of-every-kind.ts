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
