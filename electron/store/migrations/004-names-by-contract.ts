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
