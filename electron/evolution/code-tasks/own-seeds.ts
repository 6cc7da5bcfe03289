import {
  answerKind,
  CODE_TASK_TYPES,
  DEFAULT_TASK_TYPES,
  Failure,
  ownSeedsSchema,
  samplingOf,
  type AzrConfig,
  type CodeTaskType,
  type OwnSeeds,
  type SeedAttempt,
  type TaskRecord,
} from '../../contract/index.ts';
import { rolloutSeed, sampleWithoutReplacement } from '../../core/index.ts';
import { limitsOf, type Rollout, type RunnerClient } from '../../processes/index.ts';
import {
  generateItem,
  PausedBeforeStart,
  promptItem,
  wholeRollout,
  type InitContext,
  type Prompt,
  type SeedWriting,
} from '../loop/framework.ts';
import type { ConfigOf } from '../loop/run-state.ts';
import { taskKey } from './buffers.ts';
import { judgeProposal, prepareProposal, type ValidationRules } from './checking/proposals.ts';
import { reasonsAndExamples } from './format-report.ts';
import { literalStyleOf, proposalPrompt } from './prompts.ts';
import { proposalForm, readResponse } from './reader.ts';
import { seedTask } from './seeds.ts';
import { definitionOf } from './task-types/registry.ts';
import type { TaskContent } from './task-types/task-type.ts';

/** Below this many texts a share says too little. */
const FEWEST = 32;
/** Tasks that the policy wrote itself are told apart from those of a file. */
const OWN_SEED = 'own-seed';

type Config = ConfigOf<AzrConfig>;
type Init = Pick<InitContext, 'runner' | 'signal'> & { seeding: SeedWriting };

/** Types whose tasks are a program with one input; what they are made of is the same for all of them. */
const isTriplet = (taskType: CodeTaskType): boolean =>
  ['input', 'output'].includes(answerKind(taskType) ?? '');
const isProblem = (taskType: CodeTaskType): boolean => answerKind(taskType) === 'program';

/** What there is after the rounds so far; a function of them alone, so that any program goes on from them alike. */
type Written = {
  triplets: TaskContent[];
  problems: TaskContent[];
  rounds: number;
  tripletRounds: number;
  asked: { triplets: SeedAttempt[]; problems: SeedAttempt[] };
};

/**
 * The tasks of step 0 as the policy writes them itself (azr_ray_trainer.py:1030-1436): from the zero triplet on, programs with an input
 * until there are `count`, each round with those before it as references and the triplet types in turn; then inputs and a message for
 * these programs until there are as many problems. Every one runs in the sandbox. A round is stored as a whole before the next begins.
 * @throws Failure `badTask` (exit code 2) when too few texts become tasks; PausedBeforeStart; the signal's reason on abort.
 */
export async function tasksOfPolicy(config: Config, init: Init): Promise<TaskRecord[]> {
  const settings = config.framework.ownSeeds ?? ownSeedsSchema.parse({});
  const written = begin(config);
  addRound(written, init.seeding.earlier);
  written.rounds = init.seeding.earlier.at(-1)?.round ?? 0;
  written.tripletRounds = new Set(written.asked.triplets.map(({ round }) => round)).size;
  const wantsProblems = config.framework.taskTypes.some(isProblem);
  const wanted = settings.count * (wantsProblems ? 2 : 1);
  const kept = (): number =>
    Math.min(written.triplets.length, settings.count) +
    (wantsProblems ? Math.min(written.problems.length, settings.count) : 0);
  while (kept() < wanted) {
    init.signal.throwIfAborted();
    init.seeding.onWritten(kept(), wanted);
    if (init.seeding.isPausing())
      throw new PausedBeforeStart(
        `Paused while the policy writes its first tasks: ${kept()} of ${wanted} are stored; resuming goes on there.`,
      );
    const kind = written.triplets.length < settings.count ? 'triplets' : 'problems';
    requireAttemptsLeft(config, settings, written.asked[kind], kind);
    const round = await writeRound(config, init, written, kind);
    init.seeding.store(round);
    await init.seeding.weights.commit(null, 's0/');
    addRound(written, round);
    written.rounds += 1;
    if (kind === 'triplets') written.tripletRounds += 1;
    requireUsable(config, settings, written.asked[kind], kind);
  }
  init.seeding.onWritten(wanted, wanted);
  return tasksOf(config, written, settings.count);
}

/** The zero triplet and the zero problem, with which the original begins as well. */
function begin({ policy }: Config): Written {
  const style = literalStyleOf(policy.promptPack);
  const zero = (test: (taskType: CodeTaskType) => boolean): TaskContent[] =>
    definitionOf(CODE_TASK_TYPES.find(test) as CodeTaskType)
      .seeds([], style)
      .slice(0, 1);
  return {
    triplets: zero(isTriplet),
    problems: zero(isProblem),
    rounds: 0,
    tripletRounds: 0,
    asked: { triplets: [], problems: [] },
  };
}

function addRound(written: Written, round: readonly SeedAttempt[]): void {
  for (const attempt of round) {
    const kind = isProblem(attempt.taskType as CodeTaskType) ? 'problems' : 'triplets';
    written.asked[kind].push(attempt);
    if (attempt.task !== null) written[kind].push(attempt.task);
  }
}

/** One round: as many texts as are written together, or a batch of the run where that is more. */
async function writeRound(
  config: Config,
  { seeding, runner, signal }: Init,
  written: Written,
  kind: 'triplets' | 'problems',
): Promise<SeedAttempt[]> {
  const { framework, generation, policy, seed } = config;
  const round = written.rounds + 1;
  const types = typesOf(config, kind);
  const taskType = types[(kind === 'triplets' ? written.tripletRounds : 0) % types.length] as CodeTaskType;
  const size = Math.max(framework.batchSize, policy.maxConcurrent);
  const asks = await promptsOf(config, seeding, written, { round, taskType, size });
  const fitting = asks.filter(({ fits }) => fits);
  const judged = new Map<number, Promise<Judgement>>();
  await seeding.weights.generate(
    `s0/seeds-${round}`,
    fitting.map(({ index, prompt }) => ({
      key: String(index),
      ...generateItem(prompt),
      seed: rolloutSeed(seed, 0, 'seeds', round, index),
    })),
    {
      ...samplingOf(generation, 'proposer'),
      ...(framework.ownSeeds?.temperature == null ? {} : { temperature: framework.ownSeeds.temperature }),
      topK: 0,
      maxNewTokens: generation.maxNewTokens,
    },
    signal,
    (rollout) => {
      const ask = asks[Number(rollout.key)] as Ask;
      const verdict = judge(config, runner, taskType, ask, wholeRollout(ask.prompt, rollout));
      verdict.catch(() => {}); // the failure is thrown below, where all are awaited
      judged.set(ask.index, verdict);
    },
  );
  const keys = new Set(written.triplets.map((task) => taskKey(taskType, task)));
  const attempts: SeedAttempt[] = [];
  for (const { index, prompt } of asks) {
    const verdict = await (judged.get(index) ?? UNASKED);
    const key = verdict.task === null ? '' : taskKey(taskType, verdict.task);
    // The original drops a triplet that it has already, and keeps equal problems.
    const isTwice = kind === 'triplets' && verdict.task !== null && keys.has(key);
    keys.add(key);
    attempts.push({
      round,
      index,
      taskType,
      user: prompt.user,
      ...verdict,
      ...(isTwice ? { reason: 'duplicate', task: null } : {}),
    });
  }
  return attempts;
}

/** The types that are written: of those the run has, or all of the kind, because others lend their programs to problems. */
function typesOf({ framework }: Config, kind: 'triplets' | 'problems'): CodeTaskType[] {
  const ofKind = kind === 'triplets' ? isTriplet : isProblem;
  const own = CODE_TASK_TYPES.filter(
    (taskType) => ofKind(taskType) && framework.taskTypes.includes(taskType),
  );
  return own.length > 0 ? own : DEFAULT_TASK_TYPES.filter(ofKind);
}

type Ask = { index: number; prompt: Prompt; given: TaskContent | null; fits: boolean };

/** The prompts of a round; where references make one too long it has none. */
async function promptsOf(
  config: Config,
  { pack, context, weights }: SeedWriting,
  written: Written,
  { round, taskType, size }: { round: number; taskType: CodeTaskType; size: number },
): Promise<Ask[]> {
  const { framework, generation, seed } = config;
  const { triplets } = written;
  const asTasks = triplets.map((content, index) => seedTask(taskType, index, content));
  const promptOf = (index: number, withReferences: boolean): Pick<Ask, 'prompt' | 'given'> => {
    // Each program in turn, so that every one is asked about before one is asked about again.
    const given = isProblem(taskType)
      ? (triplets[(written.asked.problems.length + index) % triplets.length] as TaskContent)
      : null;
    const references =
      given === null && withReferences
        ? sampleWithoutReplacement(asTasks, framework.references, seed, 'seeds', round, index)
        : [];
    const ask = { ...framework, taskType, references, given };
    return { prompt: proposalPrompt(pack, ask, context, framework), given };
  };
  const fit = async (prompts: readonly Prompt[]): Promise<boolean[]> =>
    (await weights.countTokens(prompts.map(promptItem))).map(
      (tokens) => tokens <= generation.maxPromptTokens,
    );
  const whole = Array.from({ length: size }, (_, index) => promptOf(index, true));
  const wholeFits = await fit(whole.map(({ prompt }) => prompt));
  const chosen = whole.map((one, index) => (wholeFits[index] === true ? one : promptOf(index, false)));
  const fits = await fit(chosen.map(({ prompt }) => prompt));
  return chosen.map((one, index) => ({ ...one, index, fits: fits[index] === true }));
}

type Judgement = Pick<SeedAttempt, 'text' | 'finish' | 'newTokens' | 'reason' | 'task'>;
const UNASKED: Judgement = {
  text: '',
  finish: 'too-long',
  newTokens: 0,
  reason: 'prompt-too-long',
  task: null,
};

/** No form is asked of a seed: where the reader finds no answer, all of the text is looked through, as in the original. */
async function judge(
  { framework, policy, sandbox }: Config,
  runner: RunnerClient,
  taskType: CodeTaskType,
  { given }: Ask,
  { text, finish, newTokens }: Rollout,
): Promise<Judgement> {
  const type = definitionOf(taskType);
  const judged = (reason: string | null, task: TaskContent | null): Judgement => ({
    text,
    finish,
    newTokens,
    reason,
    task,
  });
  const { answer } = readResponse(framework, text, finish === 'length', proposalForm(type.writesProgram));
  const reading = type.readProposal(
    answer ?? text,
    { givenProgram: given?.program ?? null, inductionInputs: framework.inductionInputs },
    framework.validator,
  );
  if (!reading.ok) return judged(finish === 'length' ? 'cut-off' : reading.reason, null);
  const [facts] = await runner.parse([reading.proposal.program]);
  if (facts === undefined) throw new Error('The runner answered no facts for a program.');
  const rules: ValidationRules = {
    ...framework,
    rejectDuplicates: false,
    literalStyle: literalStyleOf(policy.promptPack),
  };
  const preparation = prepareProposal(reading.proposal, type, facts, rules);
  if (!preparation.ok) return judged(preparation.reason, null);
  const { program, entry, calls } = preparation.prepared;
  const check = await runner.check({ program, entry, calls, limits: limitsOf(sandbox) });
  const validation = judgeProposal(preparation.prepared, check, rules, new Set());
  if (!validation.ok) return judged(validation.reason, null);
  const { inputs, outputs, message } = validation.task;
  return judged(null, { program: validation.task.program, inputs, outputs, message });
}

/** Every triplet enters the buffer of each triplet type, as in the original; another type begins with what it has without a file. */
function tasksOf(
  { framework, policy }: Config,
  { triplets, problems }: Written,
  count: number,
): TaskRecord[] {
  const seeded = CODE_TASK_TYPES.filter(
    (taskType) => DEFAULT_TASK_TYPES.includes(taskType) || framework.taskTypes.includes(taskType),
  );
  return seeded.flatMap((taskType) => {
    const contents = isProblem(taskType)
      ? problems
      : isTriplet(taskType)
        ? triplets
        : definitionOf(taskType).seeds([], literalStyleOf(policy.promptPack));
    return contents
      .slice(0, count)
      .map((content, index) => ({ ...seedTask(taskType, index, content), origin: OWN_SEED }));
  });
}

const WORDS = { triplets: 'programs with an input', problems: 'inputs with a message' } as const;

function requireAttemptsLeft(
  config: Config,
  settings: OwnSeeds,
  asked: readonly SeedAttempt[],
  kind: keyof typeof WORDS,
): void {
  if (asked.length < settings.attempts) return;
  const kept = asked.filter(({ task }) => task !== null).length;
  throw unusable(
    config,
    asked,
    `The policy was asked ${asked.length} times for ${WORDS[kind]} as its first tasks, framework.ownSeeds.attempts allows no more, and ${kept} of the ${settings.count} that framework.ownSeeds.count wants became tasks.`,
  );
}

function requireUsable(
  config: Config,
  { leastUsable }: OwnSeeds,
  asked: readonly SeedAttempt[],
  kind: keyof typeof WORDS,
): void {
  const kept = asked.filter(({ task }) => task !== null).length;
  if (asked.length < FEWEST || kept >= leastUsable * asked.length) return;
  throw unusable(
    config,
    asked,
    `Of ${asked.length} texts that the policy wrote as its first tasks (${WORDS[kind]}) ${kept} could be used, less than the share of ${leastUsable} in framework.ownSeeds.leastUsable.`,
  );
}

function unusable(
  { framework, generation, policy }: Config,
  asked: readonly SeedAttempt[],
  said: string,
): Failure {
  const refused = asked.flatMap(({ reason, text }) => (reason === null ? [] : [{ reason, text }]));
  const { temperature } = samplingOf(generation, 'proposer');
  const advice = [
    `policy.promptPack, now ${policy.promptPack}`,
    `framework.ownSeeds.temperature, now ${framework.ownSeeds?.temperature ?? temperature}`,
    `generation.maxNewTokens, now ${generation.maxNewTokens}`,
    'or name a file of tasks in framework.seeds',
  ];
  return new Failure('badTask', said, 2, {
    details: [...reasonsAndExamples(refused), `What to change in a new run: ${advice.join('; ')}.`],
  });
}
