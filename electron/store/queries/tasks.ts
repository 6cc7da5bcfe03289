import type { Database } from 'better-sqlite3';
import { taskRecordSchema } from '../../contract/index.ts';
import type { TaskRecord, TaskType } from '../../contract/index.ts';
import { execute, readAll, readOne, reader, sql } from '../sql.ts';
import type { Query } from '../sql.ts';

type TaskRow = {
  id: string;
  task_type: string;
  step: number;
  origin: string;
  rollout_id: string | null;
  program: string;
  inputs: string;
  outputs: string;
  message: string | null;
  imports: string;
  solve_rate: number | null;
};

const asTask = reader('task', taskRecordSchema, (row: TaskRow) => ({
  id: row.id,
  taskType: row.task_type,
  step: row.step,
  origin: row.origin,
  rolloutId: row.rollout_id,
  program: row.program,
  inputs: JSON.parse(row.inputs),
  outputs: JSON.parse(row.outputs),
  message: row.message,
  imports: JSON.parse(row.imports),
  solveRate: row.solve_rate,
}));

const COLUMNS = sql`id, task_type, step, origin, rollout_id, program, inputs, outputs, message, imports, solve_rate`;

export function insertTask(db: Database, runId: string, task: TaskRecord): void {
  execute(
    db,
    sql`
    INSERT INTO tasks (run_id, id, task_type, step, origin, rollout_id, program, inputs, outputs, message, imports, solve_rate)
    VALUES (${runId}, ${task.id}, ${task.taskType}, ${task.step}, ${task.origin}, ${task.rolloutId}, ${task.program},
      ${JSON.stringify(task.inputs)}, ${JSON.stringify(task.outputs)}, ${task.message}, ${JSON.stringify(task.imports)}, ${task.solveRate})`,
  );
}

export function selectTask(db: Database, runId: string, id: string): TaskRecord | null {
  return readOne(db, asTask, sql`SELECT ${COLUMNS} FROM tasks WHERE run_id = ${runId} AND id = ${id}`);
}

/** In creation order, which is the order of the buffer. */
export function tasksOfTypeQuery(runId: string, taskType: TaskType): Query {
  return sql`SELECT ${COLUMNS} FROM tasks INDEXED BY tasks_by_type WHERE run_id = ${runId} AND task_type = ${taskType} ORDER BY key`;
}

export function tasksOfStepQuery(runId: string, step: number): Query {
  return sql`SELECT ${COLUMNS} FROM tasks INDEXED BY tasks_by_step WHERE run_id = ${runId} AND step = ${step} ORDER BY key`;
}

export function selectTasks(db: Database, query: Query): TaskRecord[] {
  return readAll(db, asTask, query);
}
