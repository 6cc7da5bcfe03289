import {
  CODE_TASK_TYPES,
  codeBatchName,
  type Phase,
  type ReviewRecord,
  type RolloutRecord,
  type StepCommit,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import {
  hex,
  makeCheckpoint,
  makeContext,
  makeTask,
  seededRandom,
} from '../../electron/store/support/make-records.ts';

/** What the generated run holds. Every field is part of the name it is cached under; `version` changes with the code below. */
export const RECIPE = {
  version: 1,
  steps: 500,
  batch: 12,
  estimates: 128,
  reviewShare: 0.35,
  longText: 1_000_000,
} as const;
/** Three task types, proposed and solved, and the estimates of a step. */
export const PER_STEP = 6 * RECIPE.batch + RECIPE.estimates;
export const RECORDS = RECIPE.steps * PER_STEP;

/** A word that one record of all holds, and the records with texts no screen may choke on. */
export const RARE = {
  word: 'quetzalcoatl',
  id: '250/pred_code_o/3',
  longId: '251/pred_code_f/0',
  longLineId: '252/pred_code_f/0',
} as const;

const TYPES = CODE_TASK_TYPES.slice(0, 3);
const WORDS = (
  'def return for while if else range append value list number string total count index trace step first then because answer input output sort ' +
  'reverse sum min max join split lower upper even odd prime digit word pair triple zip map filter'
).split(' ');
const ISSUES = ['skipped-trace', 'wrong-format', 'vague-plan', 'unsupported-claim', 'complied', 'off-task'];
const ANSWERED: Record<string, readonly Phase[]> = {
  propose: ['task', 'plan', 'thought'],
  solve: ['plan', 'thought', 'output'],
};

/** The whole run, a step at a time, the same for the same recipe. */
export function* makeSteps(steps: number = RECIPE.steps): Generator<StepCommit> {
  const random = seededRandom(2026 + RECIPE.version);
  for (let step = 1; step <= steps; step += 1) {
    const contextHash = makeContext(step).hash;
    const rollouts = [...trained(step, random), ...estimates(step, random)].map((one) => ({
      ...one,
      contextHash,
    }));
    const reviews = rollouts.flatMap((rollout) => reviewsOf(rollout, random));
    const checkpoint = makeCheckpoint(step);
    yield {
      step: {
        step,
        startedAt: at(step, 0),
        finishedAt: at(step, 50),
        contextHash,
        stage: 'self-play',
        iteration: 1,
        role: checkpoint.role,
        weightsSha256: checkpoint.weightsSha256,
        stepHash: hex(`window ${step}`),
        timings: { step: 50, generate: 20, verify: 6, review: 14, update: 10 },
        metrics: { 'reward/mean': Math.sin(step / 40) / 2, 'context/lines': Math.min(5, step) },
      },
      wordings: [],
      tasks: tasksOf(step),
      rollouts,
      reviews: [...reviews, ...execReviews(step)],
      summaries: [],
      nextContext: { ...makeContext(step + 1), lines: [] },
      checkpoint,
    };
  }
}

const at = (step: number, second: number): string =>
  new Date(Date.UTC(2026, 0, 1) + (step * 60 + second) * 1000).toISOString();

function tasksOf(step: number): TaskRecord[] {
  return TYPES.flatMap((type) =>
    Array.from({ length: RECIPE.batch }, (_, index) => ({
      ...makeTask(`${step}-${type}-${index}`, step, type),
      rolloutId: `${step}/${codeBatchName('propose', type)}/${index}`,
    })),
  );
}

function prose(random: () => number, words: number): string {
  return Array.from({ length: words }, () => {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? 'value';
    return random() < 0.2 ? `${word}_${Math.floor(random() * 5000)}` : word;
  }).join(' ');
}

function* trained(step: number, random: () => number): Generator<RolloutRecord> {
  for (const purpose of ['propose', 'solve'] as const) {
    for (const taskType of TYPES) {
      for (let index = 0; index < RECIPE.batch; index += 1) {
        const batch = codeBatchName(purpose, taskType);
        yield makeRollout(
          {
            id: `${step}/${batch}/${index}`,
            step,
            batch,
            index,
            sample: null,
            purpose,
            taskType,
            taskId: `${step}-${taskType}-${index}`,
          },
          random,
        );
      }
    }
  }
}

function* estimates(step: number, random: () => number): Generator<RolloutRecord> {
  for (let n = 0; n < RECIPE.estimates; n += 1) {
    const taskType = TYPES[n % TYPES.length] ?? 'deduction';
    const index = Math.floor(n / TYPES.length) % RECIPE.batch;
    const sample = Math.floor(n / (TYPES.length * RECIPE.batch));
    const batch = codeBatchName('estimate', taskType);
    yield makeRollout(
      {
        id: `${step}/${batch}/${index}/${sample}`,
        step,
        batch,
        index,
        sample,
        purpose: 'estimate',
        taskType,
        taskId: `${step}-${taskType}-${index}`,
      },
      random,
    );
  }
}

type Identity = Pick<
  RolloutRecord,
  'id' | 'step' | 'batch' | 'index' | 'sample' | 'purpose' | 'taskType' | 'taskId'
>;

function makeRollout(identity: Identity, random: () => number): RolloutRecord {
  const [plan, thought] = [prose(random, 12), prose(random, 60)];
  const answer = `def f(x):\n    ${prose(random, 6)}\n    return x + ${Math.floor(random() * 100)}${oddity(identity.id)}`;
  const passed = random() < 0.2 + 0.5 * (identity.step / RECIPE.steps);
  const trainedOne = identity.purpose !== 'estimate';
  return {
    ...identity,
    role: identity.purpose === 'propose' ? 'proposer' : 'solver',
    contextHash: '',
    user: prose(random, 60),
    text: `<plan>${plan}</plan>\n<think>${thought}</think>\n<answer>${answer}</answer>`,
    plan,
    thought,
    answer,
    formatOk: random() < 0.95,
    finish: random() < 0.97 ? 'stop' : 'length',
    promptTokens: 180,
    newTokens: 90,
    logpMean: -0.5,
    verdict: {
      outcome: passed ? 'passed' : random() < 0.8 ? 'failed' : 'invalid',
      reason: passed ? null : 'wrong-answer',
      accuracy: passed ? 1 : 0,
      sandboxLevel: 'L3',
    },
    reward: trainedOne ? (passed ? 1 : -0.5) : null,
    advantage: trainedOne ? (passed ? 0.7 : -0.6) : null,
  };
}

function oddity(id: string): string {
  if (id === RARE.id) return ` # ${RARE.word}`;
  if (id === RARE.longId)
    return `\n${'    total = total + 1  # one of very many lines\n'.repeat(RECIPE.longText / 50)}`;
  return id === RARE.longLineId ? `\n    text = "${'x\u202e\u0007y'.repeat(RECIPE.longText / 4)}"` : '';
}

function reviewsOf(record: RolloutRecord, random: () => number): ReviewRecord[] {
  return (ANSWERED[record.purpose] ?? [])
    .filter(() => random() < RECIPE.reviewShare)
    .map((phase) => {
      const leaks = random() < 0.03 ? ['states the hidden answer'] : [];
      return {
        id: `${record.id}#${phase}`,
        step: record.step,
        batch: record.batch,
        phase,
        rolloutId: record.id,
        status: leaks.length > 0 ? 'quarantined' : 'done',
        gateProbability: RECIPE.reviewShare,
        decision: random() < 0.3 ? 'retry' : 'continue',
        issues: random() < 0.5 ? [ISSUES[Math.floor(random() * ISSUES.length)] ?? 'complied'] : [],
        feedback: prose(random, 16),
        reviewer: 'rubric',
        model: null,
        prompt: prose(random, 100),
        leaks,
        tokensIn: 240,
        tokensOut: 30,
        milliseconds: 40 + 60 * random(),
        createdAt: at(record.step, 30),
      };
    });
}

function execReviews(step: number): ReviewRecord[] {
  const batch = 'pred_code_o' as const;
  return [
    {
      id: `${step}/${batch}#exec`,
      step,
      batch,
      phase: 'exec',
      rolloutId: null,
      status: 'done',
      gateProbability: 1,
      decision: 'continue',
      issues: [],
      feedback: 'Pass rate is steady.',
      reviewer: 'rubric',
      model: null,
      prompt: 'n 12, passed 5',
      leaks: [],
      tokensIn: 60,
      tokensOut: 8,
      milliseconds: 12,
      createdAt: at(step, 40),
    },
  ];
}
