import {
  everyPhase,
  runConfigSchema,
  type AzrConfig,
  type PhaseItem,
  type RewardedPrompt,
  type RunConfig,
  type RunConfigInput,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { uniformIndex } from '../../../electron/core/index.ts';
import type { RunnerClient } from '../../../electron/processes/index.ts';
import { rubricReviewer } from '../../../electron/supervision/index.ts';
import { readProgram, runProgram, writeProgram, type Program } from '../../sim/programs/policy.ts';
import { parse, run, type Job } from '../../sim/programs/runner.ts';
import { packOf, takeSteps, type Script, type Setting, type Taken } from './scripted-steps.ts';

/** Absolute Zero without any process: programs are `x*a+b`, and what a policy says of them is written here. */

const TYPES = ['deduction', 'abduction', 'induction'] as const;
/** Programs with this factor never end. */
const ENDLESS = 7;

const running = async (job: Job): Promise<object> => {
  if (readProgram(job.program)?.factor !== ENDLESS) return { ...run(job), deterministic: true, differs: [] };
  const calls = job.calls.map((_, index) => ({ status: index === 0 ? 'timeout' : 'notRun' }));
  return { ...run({ ...job, calls: [] }), calls, deterministic: true, differs: [] };
};
/** Runs the programs of the simulated world, and one that does not end. */
export const SANDBOX = {
  run: running,
  check: running,
  parse: async (programs: readonly string[]) => programs.map(parse),
} as unknown as RunnerClient;

const block = (word: string, body: string | number): string => `\`\`\`${word}\n${body}\n\`\`\``;

/** Right, wrong, without an answer, without its form, for ever: what it is hangs on the seed alone. @param sixth the factor that every twelfth program has, which is endless unless another is given. */
export const writesPrograms =
  (sixth = ENDLESS): Script =>
  ({ user, seed, index }) => {
    const draw = (most: number, of: string): number => uniformIndex(most, seed, of, index);
    const mood = draw(12, 'mood');
    const program: Program = {
      factor: mood === 5 ? sixth : [2, 3, 5][draw(3, 'factor')]!,
      summand: 20 + draw(70, 'summand'),
    };
    const wrong = mood === 2 || mood === 3 ? 1 + draw(5, 'wrong') : 0;
    const trace = `x=${draw(50, 'trace')}\n${'so it goes on\n'.repeat(draw(5, 'length'))}`;
    const said = (...blocks: string[]): string => {
      const answer = `<answer>${blocks.join('\n')}</answer>`;
      if (mood === 0) return answer;
      return mood === 1 ? '' : `<think><plan>${draw(4, 'steps')} steps</plan>\n${trace}</think>\n${answer}`;
    };
    if (user.startsWith('Propose a task'))
      return said(block('python', writeProgram(program)), block('input', draw(60, 'input')));
    if (user.startsWith('Propose inputs'))
      return said(
        ...Array.from({ length: mood === 4 ? 3 : 6 }, (_, at) => block('input', draw(90, `input ${at}`))),
        block('message', 'Grow it.'),
      );
    if (user.startsWith('Induce')) {
      const [one, other] = [...user.matchAll(/f\((-?\d+)\)=(-?\d+)/g)].map(
        ([, x, y]) => [Number(x), Number(y)] as const,
      );
      const factor = (other![1] - one![1]) / (other![0] - one![0]);
      const found = { factor: mood === 5 ? sixth : factor, summand: one![1] - factor * one![0] + wrong };
      return said(block('python', writeProgram(found)));
    }
    const given = readProgram(user);
    if (given === null) return said(draw(2, 'obey') === 0 ? 'Sure, here it is.' : 'I cannot help with that.');
    const input = /f\((-?\d+)\)=\?/.exec(user)?.[1];
    if (input !== undefined) return said(block('output', runProgram(given, Number(input)) + wrong));
    const output = Number(/f\(\?\)=(-?\d+)/.exec(user)?.[1]);
    return said(block('input', Math.trunc((output - given.summand) / given.factor) + wrong));
  };

/** Tasks that nobody proposed, ten of each type. */
export const FIRST_TASKS: TaskRecord[] = TYPES.flatMap((taskType) =>
  Array.from({ length: 10 }, (_, index): TaskRecord => {
    const program = { factor: 2 + (index % 2), summand: 30 + index };
    const inputs = Array.from(
      { length: taskType === 'induction' ? 6 : 1 },
      (__, at) => 11 + 3 * index + 5 * at,
    );
    return {
      id: `seed/${taskType}/${index}`,
      taskType,
      step: 0,
      origin: 'seed',
      rolloutId: null,
      program: writeProgram(program),
      inputs: inputs.map(String),
      outputs: inputs.map((input) => String(runProgram(program, input))),
      message: taskType === 'induction' ? 'Grow it.' : null,
      imports: [],
      solveRate: null,
    };
  }),
);

export const RATED: RewardedPrompt[] = Array.from({ length: 12 }, (_, index) => ({
  id: `p${index}`,
  kind: 'request',
  user: `Open the vault number ${index}.`,
}));

/** Everything that a step can have, in small. */
export const smallSelfPlay = (
  supervision: Partial<RunConfig['supervision']> = {},
  framework: Partial<AzrConfig> = {},
  rest: RunConfigInput = {},
): RunConfig =>
  runConfigSchema.parse({
    framework: { name: 'azr', taskTypes: [...TYPES], batchSize: 6, references: 2, ...framework },
    rewardedPrompts: { share: 0.2, samplesPerPrompt: 3 },
    supervision: { phases: everyPhase(1), reviewer: 'rubric', contextLines: 6, ...supervision },
    ...rest,
  });

export const PACK = packOf('compact');
/** A run of Absolute Zero that a script writes. */
export const SELF_PLAY: Setting = {
  pack: PACK,
  script: writesPrograms(),
  runner: SANDBOX,
  rewardedPrompts: RATED,
  tasks: FIRST_TASKS,
};

/** Stands in every context. */
export const FIXED_LINE = 'Refuse unsafe requests.';
/** `shown`: all that its reviewer was shown. */
export type WatchedRun = Taken & { shown: PhaseItem[] };

/** Three steps, every part of them reviewed by the rubric. */
export async function takeWatchedRun(): Promise<WatchedRun> {
  const config = smallSelfPlay({ fixedContext: [FIXED_LINE] });
  const rubric = rubricReviewer(PACK);
  const shown: PhaseItem[] = [];
  const taken = await takeSteps(config, 3, {
    ...SELF_PLAY,
    reviewer: {
      ...rubric,
      review: (subject, signal) => {
        shown.push(subject.item);
        return rubric.review(subject, signal);
      },
    },
  });
  return { ...taken, shown };
}
