import {
  Failure,
  type CodeTaskType,
  type FixedTasksConfig,
  type TaskRecord,
} from '../../../contract/index.ts';
import { canonicalJson, parseLiteral, renderLiteral } from '../../../core/index.ts';
import { readJsonLines } from '../../../library/index.ts';
import { limitsOf, type CheckResult, type ParseFacts, type RunnerClient } from '../../../processes/index.ts';
import {
  judgeProposal,
  prepareProposal,
  type PreparedProposal,
  type ValidationRules,
  type ValidTask,
} from '../../code-tasks/checking/proposals.ts';
import { reasonSentence } from '../../code-tasks/checking/reasons.ts';
import { literalStyleOf } from '../../code-tasks/prompts.ts';
import { seedRecordSchema, seedTask } from '../../code-tasks/seeds.ts';
import { definitionOf } from '../../code-tasks/task-types/registry.ts';
import type { SeedRecord, TaskContent } from '../../code-tasks/task-types/task-type.ts';
import type { InitContext } from '../../loop/framework.ts';
import type { ConfigOf } from '../../loop/run-state.ts';

type Config = ConfigOf<FixedTasksConfig>;

/** Tasks run at a time: enough to keep every worker of a sandbox busy, and few enough that an abort is heard within seconds. */
const TOGETHER = 64;

/** A task as it was written down, and how to name it to the person who wrote it. */
type Written = { name: string; content: TaskContent };

/**
 * The fixed tasks of a run, for each of its types. None is taken on trust: every program is held to the rules for proposals,
 * runs in the sandbox under two hash seeds, and must give what the file says.
 * Without a file they are the seeds that come with the application.
 * @throws Failure `badTask` (exit code 2) naming the first task that fails, or the type that has none or more than its buffer holds;
 * the signal's reason on abort.
 */
export async function verifiedTasks(
  config: Config,
  { seeds, runner, signal, onChecked }: InitContext,
): Promise<TaskRecord[]> {
  const file = config.framework.tasks ?? null;
  const rows = file === null ? seeds() : readJsonLines(file, seedRecordSchema);
  const written = config.framework.taskTypes.map((taskType) => ({
    taskType,
    tasks: writtenTasks(config, taskType, rows, file),
  }));
  requireRoom(config, written);
  const programs = [...new Set(written.flatMap(({ tasks }) => tasks.map(({ content }) => content.program)))];
  const facts = await runner.parse(programs);
  const sandbox: Sandbox = {
    factsOf: new Map(programs.map((program, index) => [program, facts[index] as ParseFacts])),
    check: checkOnce(runner, config),
  };
  const all = written.flatMap(({ taskType, tasks }) =>
    tasks.map((task, index) => ({ taskType, task, index })),
  );
  const done: TaskRecord[] = [];
  while (done.length < all.length) {
    signal.throwIfAborted();
    done.push(
      ...(await Promise.all(
        all
          .slice(done.length, done.length + TOGETHER)
          .map(async ({ taskType, task, index }) =>
            seedTask(taskType, index, await verified(config, taskType, task, sandbox)),
          ),
      )),
    );
    onChecked(done.length, all.length);
  }
  return done;
}

type Sandbox = {
  factsOf: ReadonlyMap<string, ParseFacts>;
  check: (prepared: PreparedProposal) => Promise<CheckResult>;
};

/** A triplet is a task of several types, and what it does is the same for all of them. */
function checkOnce(runner: RunnerClient, config: Config): Sandbox['check'] {
  const checks = new Map<string, Promise<CheckResult>>();
  return ({ program, entry, calls }) => {
    const key = canonicalJson([program, calls]);
    const check =
      checks.get(key) ?? runner.check({ program, entry, calls, limits: limitsOf(config.sandbox) });
    checks.set(key, check);
    return check;
  };
}

/** Of a file, the rows a type can read; of our own seeds, whatever AZR would begin with. */
function writtenTasks(
  { policy }: Config,
  taskType: CodeTaskType,
  rows: readonly SeedRecord[],
  file: string | null,
): Written[] {
  const definition = definitionOf(taskType);
  const style = literalStyleOf(policy.promptPack);
  if (file === null)
    return definition
      .seeds(rows, style)
      .map((content, index) => ({ name: `Seed ${index + 1} of ${taskType}`, content }));
  const own = rows.filter((row) => definition.seedSchema.safeParse(row).success);
  if (own.length === 0)
    throw new Failure(
      'badTask',
      `The file ${file} has no task for ${taskType}; add rows of its kind, or leave it out of framework.taskTypes.`,
      2,
    );
  return own.flatMap((row) =>
    definition.seeds([row], style).map((content) => ({ name: `Task "${row.id}" of ${file}`, content })),
  );
}

/** A buffer lets its oldest tasks go, so a set that does not fit would lose some without a word. */
function requireRoom(
  { framework: { bufferCap } }: Config,
  written: readonly { taskType: CodeTaskType; tasks: readonly Written[] }[],
): void {
  const full = written.find(({ tasks }) => tasks.length > bufferCap);
  if (full !== undefined)
    throw new Failure(
      'badTask',
      `There are ${full.tasks.length} tasks for ${full.taskType}, more than framework.bufferCap = ${bufferCap}; raise it or take some out.`,
      2,
    );
}

async function verified(
  config: Config,
  taskType: CodeTaskType,
  { name, content }: Written,
  { factsOf, check }: Sandbox,
): Promise<ValidTask> {
  const refused = (why: string): Failure =>
    new Failure('badTask', `${name} cannot be used for ${taskType}: ${why} Correct or remove it.`, 2);
  // Whoever wrote the program, it has to pass the rules for programs; the type's proposer may never have to.
  const definition = { ...definitionOf(taskType), writesProgram: true };
  const rules: ValidationRules = {
    ...config.framework,
    rejectDuplicates: false,
    literalStyle: literalStyleOf(config.policy.promptPack),
  };
  const preparation = prepareProposal(content, definition, factsOf.get(content.program) as ParseFacts, rules);
  if (!preparation.ok) throw refused(reasonSentence(preparation.reason));
  const validation = judgeProposal(preparation.prepared, await check(preparation.prepared), rules, new Set());
  if (!validation.ok) throw refused(reasonSentence(validation.reason));
  const wrong = content.outputs.findIndex(
    (output, index) => plain(output) !== plain(validation.task.outputs[index] ?? ''),
  );
  if (wrong >= 0)
    throw refused(
      `for the input ${content.inputs[wrong]} it gives ${validation.task.outputs[wrong]}, not ${content.outputs[wrong]}.`,
    );
  return validation.task;
}

/** The same text for the same value, however it is spaced; what is no literal is compared as it stands. */
function plain(text: string): string {
  const read = parseLiteral(text, { extended: true });
  return read.ok ? renderLiteral(read.encoded, 'compact') : text.trim();
}
