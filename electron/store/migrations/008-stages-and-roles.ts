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
