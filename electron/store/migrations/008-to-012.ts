/**
 * A framework is a schedule of stages over named weight sets. Which batches, roles, purposes and origins there are is the
 * framework's to say, so only the shape of a name is left of those checks (their text is edited in place, as in 004); a step names
 * its stage, its iteration and the weight set it trains, and has no weights where it trains none; a checkpoint names its weight
 * set. Steps recorded before belong to the one stage their framework had, and train the one policy.
 */
const name = (column: string): string =>
  `CHECK (${column} GLOB ''[a-z]*'' AND ${column} NOT GLOB ''*[^a-z0-9_-]*'' AND length(${column}) <= 40)`;
const shape = (column: string): string => name(column).replaceAll("''", "'");

export const stagesAndRoles = {
  version: 8,
  name: 'stages and roles',
  editsSchema: true,
  sql: `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (origin IN (''seed'', ''proposal'', ''pressure''))', '${name('origin')}')
WHERE type = 'table' AND name = 'tasks';
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
  'CHECK (batch GLOB ''gen_?*'' OR batch GLOB ''pred_?*'')', '${name('batch')}'),
  'CHECK (purpose IN (''propose'', ''solve'', ''estimate''))', '${name('purpose')}'),
  'CHECK (role IN (''proposer'', ''solver'', ''assistant''))', '${name('role')}')
WHERE type = 'table' AND name = 'rollouts';
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (batch GLOB ''gen_?*'' OR batch GLOB ''pred_?*'')', '${name('batch')}')
WHERE type = 'table' AND name = 'reviews';
UPDATE sqlite_schema SET sql = replace(sql,
  'weights_sha256 TEXT NOT NULL CHECK (length(weights_sha256) = 64)', 'weights_sha256 TEXT CHECK (length(weights_sha256) = 64)')
WHERE type = 'table' AND name = 'steps';
PRAGMA writable_schema = RESET;

ALTER TABLE steps ADD COLUMN stage TEXT NOT NULL DEFAULT 'self-play' ${shape('stage')};
ALTER TABLE steps ADD COLUMN iteration INTEGER NOT NULL DEFAULT 1 CHECK (iteration >= 1);
ALTER TABLE steps ADD COLUMN role TEXT DEFAULT 'policy' ${shape('role')};
UPDATE steps SET stage = 'practice'
WHERE run_id IN (SELECT id FROM runs WHERE json_extract(config, '$.framework') = 'fixed-tasks');

ALTER TABLE checkpoints RENAME TO checkpoints_without_role;
CREATE TABLE checkpoints (
  run_id         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step           INTEGER NOT NULL CHECK (step >= 0),
  role           TEXT NOT NULL DEFAULT 'policy' ${shape('role')},
  version        INTEGER NOT NULL,
  folder         TEXT NOT NULL,
  weights_sha256 TEXT NOT NULL CHECK (length(weights_sha256) = 64),
  bytes          INTEGER NOT NULL,
  files          TEXT NOT NULL CHECK (json_valid(files)),
  -- Set when the files were pruned; the record stays, because it is part of what the step attests.
  removed_at     TEXT,
  PRIMARY KEY (run_id, step, role)
) STRICT;
INSERT INTO checkpoints (run_id, step, version, folder, weights_sha256, bytes, files, removed_at)
SELECT run_id, step, version, folder, weights_sha256, bytes, files, removed_at FROM checkpoints_without_role ORDER BY rowid;
DROP TABLE checkpoints_without_role;
`,
} as const;

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

/** The place of the material that a finding is about, in the words of the material; none where the reviewer quotes nothing. */
export const quotations = {
  version: 12,
  name: 'quotations',
  sql: `
ALTER TABLE review_texts ADD COLUMN quote TEXT CHECK (length(quote) > 0);
`,
} as const;
