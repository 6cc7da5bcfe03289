import { z } from 'zod';
import {
  answerKind,
  CODE_TASK_TYPES,
  DEFAULT_TASK_TYPES,
  Failure,
  type AzrConfig,
  type CodeTaskType,
  type TaskRecord,
} from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { readJsonLines } from '../../library/index.ts';
import { limitsOf, type CheckResult, type ParseFacts, type RunnerClient } from '../../processes/index.ts';
import type { InitContext } from '../loop/framework.ts';
import type { ConfigOf } from '../loop/run-state.ts';
import {
  judgeProposal,
  prepareProposal,
  type Validation,
  type ValidationRules,
} from './checking/proposals.ts';
import { reasonSentence } from './checking/reasons.ts';
import { literalStyleOf } from './prompts.ts';
import { seedRecordSchema, seedTask } from './seeds.ts';
import { definitionOf } from './task-types/registry.ts';
import type { SeedRecord, TaskContent } from './task-types/task-type.ts';

/** A problem's rows are of the kind that its type is called. */
const PROBLEM = CODE_TASK_TYPES.find((taskType) => answerKind(taskType) === 'program') ?? '';

/** Tasks run at a time: enough to keep every worker of a sandbox busy, and few enough that an abort is heard within seconds. */
const TOGETHER = 64;

const text = z.string();
/** A row of the original's seed files (data/*_seed_io.jsonl and *_code_f_seed_io.jsonl); its other fields are not needed. */
const azrRowSchema = z.union([
  z.object({ snippet: text.min(1), input: text, output: text }),
  z.object({ snippet: text.min(1), inputs: z.array(text), outputs: z.array(text), message: text }),
]);

/** A row of a seed file, in either form. */
export const seedFileRow = z.union([azrRowSchema, seedRecordSchema]);

/** Rows of a seed file in the original's form or in that of resources/suites/seeds.jsonl, in one file or mixed. */
function readSeedFile(file: string): SeedRecord[] {
  const rows = readJsonLines(file, seedFileRow);
  return rows.map((row, index): SeedRecord => {
    if (!('snippet' in row)) return row;
    const { snippet: program, ...rest } = row;
    const id = String(index + 1);
    // The original's files hold empty outputs; what a program gives is found out anyway, so only the shape counts.
    const some = (output: string): string => (output === '' ? 'None' : output);
    const task =
      'input' in rest
        ? { ...rest, id, kind: 'triplet', program, output: some(rest.output) }
        : { ...rest, id, kind: PROBLEM, program, outputs: rest.outputs.map(some) };
    return task;
  });
}

/**
 * The tasks of step 0 from a file. Every program is held to the rules for proposals and runs in the sandbox; its gold is what it gives
 * there, not what the file says, because the original's files hold cut-off and empty outputs. Rows that are no task are left out.
 * A type without rows begins with the zero task.
 * @throws Failure `badTask` (exit code 2) when more than half of a type's rows are no tasks; the signal's reason on abort.
 */
export async function tasksOfSeedFile(
  config: ConfigOf<AzrConfig>,
  file: string,
  { runner, signal, onChecked }: Pick<InitContext, 'runner' | 'signal' | 'onChecked'>,
): Promise<TaskRecord[]> {
  const rows = readSeedFile(file);
  const style = literalStyleOf(config.policy.promptPack);
  const all = seededTypes(config.framework.taskTypes).flatMap((taskType) =>
    definitionOf(taskType)
      .seeds(
        rows.filter((row) => definitionOf(taskType).seedSchema.safeParse(row).success),
        style,
      )
      .map((content) => ({ taskType, content })),
  );
  const programs = [...new Set(all.map(({ content }) => content.program))];
  const facts = await runner.parse(programs);
  const factsOf = new Map(programs.map((program, index) => [program, facts[index] as ParseFacts]));
  const check = checkOnce(runner, config);
  const judged: { taskType: CodeTaskType; validation: Validation }[] = [];
  while (judged.length < all.length) {
    signal.throwIfAborted();
    const part = all.slice(judged.length, judged.length + TOGETHER);
    judged.push(
      ...(await Promise.all(
        part.map(async ({ taskType, content }) => ({
          taskType,
          validation: await judge(config, taskType, content, factsOf, check),
        })),
      )),
    );
    onChecked(judged.length, all.length);
  }
  return [...Map.groupBy(judged, ({ taskType }) => taskType)].flatMap(([taskType, of]) => {
    const tasks = of.flatMap(({ validation }) => (validation.ok ? [validation.task] : []));
    if (tasks.length * 2 < of.length)
      throw mostlyUnusable(
        file,
        taskType,
        of.map(({ validation }) => validation),
      );
    return tasks.map((task, index) => seedTask(taskType, index, task));
  });
}

/** Those of the default types are always there, because a type that a run leaves out may still lend its programs to another. */
const seededTypes = (wanted: readonly CodeTaskType[]): CodeTaskType[] =>
  CODE_TASK_TYPES.filter((taskType) => DEFAULT_TASK_TYPES.includes(taskType) || wanted.includes(taskType));

type Prepared = Extract<ReturnType<typeof prepareProposal>, { ok: true }>['prepared'];

/** A triplet is a task of several types, and what it does is the same for all of them. */
function checkOnce(
  runner: RunnerClient,
  { sandbox }: ConfigOf<AzrConfig>,
): (prepared: Prepared) => Promise<CheckResult> {
  const checks = new Map<string, Promise<CheckResult>>();
  return ({ program, entry, calls }) => {
    const key = canonicalJson([program, calls]);
    const check = checks.get(key) ?? runner.check({ program, entry, calls, limits: limitsOf(sandbox) });
    checks.set(key, check);
    return check;
  };
}

async function judge(
  { framework, policy }: ConfigOf<AzrConfig>,
  taskType: CodeTaskType,
  content: TaskContent,
  factsOf: ReadonlyMap<string, ParseFacts>,
  check: (prepared: Prepared) => Promise<CheckResult>,
): Promise<Validation> {
  // Whoever wrote the program, it has to pass the rules for programs; the type's proposer may never have to.
  const definition = { ...definitionOf(taskType), writesProgram: true };
  const rules: ValidationRules = {
    ...framework,
    rejectDuplicates: false,
    literalStyle: literalStyleOf(policy.promptPack),
  };
  const preparation = prepareProposal(content, definition, factsOf.get(content.program) as ParseFacts, rules);
  return preparation.ok
    ? judgeProposal(preparation.prepared, await check(preparation.prepared), rules, new Set())
    : preparation;
}

function mostlyUnusable(file: string, taskType: CodeTaskType, validations: readonly Validation[]): Failure {
  const reasons = validations.flatMap((one) => (one.ok ? [] : [one.reason]));
  const [reason, of] = [...Map.groupBy(reasons, (one) => one)].toSorted(
    (a, b) => b[1].length - a[1].length,
  )[0] ?? ['', []];
  return new Failure(
    'badTask',
    `Of the ${validations.length} seeds for ${taskType} in ${file} ${reasons.length} are no tasks, ${of.length} of them because: ${reasonSentence(reason)} Correct the file, or relax framework.validator or framework.maxLiteralChars.`,
    2,
  );
}
