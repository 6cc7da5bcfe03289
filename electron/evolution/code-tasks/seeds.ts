import { z } from 'zod';
import {
  CODE_TASK_TYPES,
  DEFAULT_TASK_TYPES,
  type CodeTaskType,
  type TaskRecord,
} from '../../contract/index.ts';
import type { LiteralStyle } from '../../core/index.ts';
import { importLines } from './checking/program.ts';
import { definitionOf } from './task-types/registry.ts';
import type { SeedRecord, TaskContent } from './task-types/task-type.ts';

/** A row of a seed file: of a kind that some task type begins with. */
export const seedRecordSchema: z.ZodType<SeedRecord> = z.union([
  ...new Set(CODE_TASK_TYPES.map((name) => definitionOf(name).seedSchema)),
]);

/**
 * The tasks of step 0. Those of the default types are always there, because a type that a run leaves out may still lend its
 * programs to another; those of other types are there when the run has them.
 */
export function seedTasks(
  records: readonly SeedRecord[],
  style: LiteralStyle,
  wanted: readonly CodeTaskType[] = DEFAULT_TASK_TYPES,
): TaskRecord[] {
  const seeded = CODE_TASK_TYPES.filter(
    (taskType) => DEFAULT_TASK_TYPES.includes(taskType) || wanted.includes(taskType),
  );
  return seeded.flatMap((taskType) =>
    definitionOf(taskType)
      .seeds(records, style)
      .map((content, index) => seedTask(taskType, index, content)),
  );
}

/** A task that was there before the first step; `index` counts within its type. */
export function seedTask(taskType: CodeTaskType, index: number, content: TaskContent): TaskRecord {
  return {
    ...content,
    id: `seed/${taskType}/${index}`,
    taskType,
    step: 0,
    origin: 'seed',
    rolloutId: null,
    imports: importedModules(content.program),
    solveRate: null,
  };
}

/** Modules named by the import lines of a seed program. */
function importedModules(program: string): string[] {
  return importLines(program).flatMap((line) => {
    const from = /^from\s+([\w.]+)\s+import\b/.exec(line);
    return from
      ? [from[1] as string]
      : line
          .replace(/^import\s+/, '')
          .split(',')
          .map((part) => part.trim().split(/\s+/)[0] as string);
  });
}
