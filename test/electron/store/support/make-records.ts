import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CODE_TASK_TYPES,
  PHASES,
  POLICY_ROLE,
  codeBatchName,
  runConfigSchema,
} from '../../../../electron/contract/index.ts';
import type {
  CheckpointRecord,
  ContextRecord,
  EvaluationRecord,
  ModelRecord,
  ReviewRecord,
  RolloutRecord,
  RunConfig,
  StepCommit,
  TaskRecord,
} from '../../../../electron/contract/index.ts';
import type { InitialState } from '../../../../electron/store/index.ts';

export const hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A clock that starts on a fixed day and moves one second per reading. */
export function steadyClock(start = Date.UTC(2026, 0, 1)): () => Date {
  let readings = 0;
  return () => new Date(start + 1000 * readings++);
}

/** Small seeded generator for test data: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export async function inTempFolder<T>(work: (folder: string) => Promise<T> | T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-store-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function makeConfig(name = 'test run'): RunConfig {
  return runConfigSchema.parse({ name, preset: 'demo', seed: 7 });
}

export function makeTask(
  id: string,
  step: number,
  taskType: TaskRecord['taskType'] = 'deduction',
): TaskRecord {
  return {
    id,
    taskType,
    step,
    origin: step === 0 ? 'seed' : 'proposal',
    rolloutId: step === 0 ? null : `${step}/gen_code_o/0`,
    program: `def f(x):\n    return x + ${id.length}`,
    inputs: ['1', '"zwei"'],
    outputs: [String(1 + id.length)],
    message: null,
    imports: [],
    solveRate: step === 0 ? null : 0.25,
  };
}

export function makeCheckpoint(step: number, role = POLICY_ROLE): CheckpointRecord {
  const weightsSha256 = hex(role === POLICY_ROLE ? `weights ${step}` : `${role} ${step}`);
  return {
    step,
    role,
    version: step,
    folder: `runs/a/checkpoints/step-${step}`,
    weightsSha256,
    bytes: 1000 + step,
    files: [{ path: 'model.safetensors', bytes: 1000 + step, sha256: weightsSha256 }],
  };
}

/** C_step with one line that every earlier step's first review supports. */
export function makeContext(step: number): ContextRecord {
  const lines =
    step === 1
      ? []
      : [
          {
            id: '2.0',
            text: 'Trace every step before the answer.',
            key: 'trace',
            enteredStep: 2,
            lastSupportedStep: step,
            support: step - 1,
            reviewIds: Array.from({ length: step - 1 }, (_, earlier) => `${earlier + 1}/gen_code_i/0#task`),
          },
        ];
  const text = lines.map((line) => line.text).join('\n');
  return { step, hash: hex(`context ${step} ${text}`), text, tokens: text.length, lines, removed: [] };
}

export function makeInitial(): InitialState {
  return {
    context: makeContext(1),
    tasks: CODE_TASK_TYPES.map((type) => makeTask(`seed-${type}`, 0, type)),
    checkpoints: [makeCheckpoint(0)],
  };
}

const ISSUES = ['skipped-trace', 'wrong-format', 'complied', 'vague-plan'] as const;

export function makeRollout(
  step: number,
  index: number,
  text = `plan: add\nthought: step ${step} of item ${index}\nanswer: ${index}`,
): RolloutRecord {
  const taskType = CODE_TASK_TYPES[index % 3] ?? 'deduction';
  const solve = index % 2 === 1;
  const batch = codeBatchName(solve ? 'solve' : 'propose', taskType);
  return {
    id: `${step}/${batch}/${index}`,
    step,
    batch,
    index,
    sample: null,
    purpose: solve ? 'solve' : 'propose',
    role: solve ? 'solver' : 'proposer',
    taskType,
    taskId: solve ? `seed-${taskType}` : null,
    contextHash: makeContext(step).hash,
    user: `Solve item ${index} of step ${step}.`,
    text,
    plan: 'add',
    thought: `step ${step}`,
    answer: String(index),
    formatOk: index % 5 !== 0,
    finish: 'stop',
    promptTokens: 12,
    newTokens: 9,
    logpMean: -0.1 * index - 1 / 3,
    verdict: {
      outcome: index % 7 === 0 ? 'invalid' : index % 3 === 0 ? 'failed' : 'passed',
      reason: index % 7 === 0 ? 'no-gold' : null,
      accuracy: index % 3 === 0 ? 0 : 1,
      sandboxLevel: 'L3',
    },
    reward: index % 2 === 0 ? 0.75 : -0.5,
    advantage: index / 3 - 1,
  };
}

export function makeReview(
  rollout: RolloutRecord,
  phase: ReviewRecord['phase'],
  position: number,
): ReviewRecord {
  const status = position % 11 === 5 ? 'quarantined' : position % 13 === 7 ? 'skipped-by-budget' : 'done';
  const answered = status !== 'skipped-by-budget';
  return {
    id: `${rollout.id}#${phase}`,
    step: rollout.step,
    batch: rollout.batch,
    phase,
    rolloutId: rollout.id,
    status,
    gateProbability: 0.3,
    decision: answered ? (position % 4 === 0 ? 'retry' : 'continue') : null,
    issues: answered ? [ISSUES[position % 4] ?? 'complied'] : [],
    feedback: answered ? `The ${phase} of item ${rollout.index} skips a step.` : '',
    reviewer: 'rubric',
    model: null,
    prompt: `Review the ${phase}.`,
    leaks: status === 'quarantined' ? ['number'] : [],
    tokensIn: 40,
    tokensOut: 8,
    milliseconds: 1.5,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

/** A whole step: `items` rollouts, a review of two phases for every third, one exec review, one summary. */
export function makeCommit(step: number, items = 12): StepCommit {
  const rollouts = Array.from({ length: items }, (_, index) => makeRollout(step, index));
  const reviews = rollouts
    .filter((_, index) => index % 3 === 0)
    .flatMap((rollout, position) =>
      PHASES.slice(0, 2).map((phase, offset) => makeReview(rollout, phase, position + offset)),
    );
  const first = reviews[0];
  if (first !== undefined) {
    reviews.push({
      ...first,
      id: `${step}/gen_code_i#exec`,
      phase: 'exec',
      rolloutId: null,
      batch: 'gen_code_i',
      status: 'done',
      issues: ['timeouts'],
    });
  }
  const nextContext = makeContext(step + 1);
  const checkpoint = makeCheckpoint(step);
  return {
    step: {
      step,
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:01:00.000Z',
      contextHash: makeContext(step).hash,
      stage: 'self-play',
      iteration: 1,
      role: checkpoint.role,
      weightsSha256: checkpoint.weightsSha256,
      stepHash: hex(`step ${step} ${items}`),
      timings: { generate: 1.25, update: 0.5 + step },
      metrics: { 'reward.mean': 1 / step, loss: -step },
    },
    tasks: [makeTask(`${step}/gen_code_o/0`, step)],
    rollouts,
    generations: rollouts.map(({ id }, index) => ({
      rolloutId: id,
      at: '2026-01-01T00:00:01.000Z',
      promptSha256: hex(`prompt ${step} ${index}`),
      system: index % 2 === 0 ? 'You are the solver.' : null,
    })),
    reviews,
    wordings: [
      {
        id: `${step}/summary/gen_code_i`,
        step,
        kind: 'summary',
        batch: 'gen_code_i',
        status: 'done',
        model: 'judge',
        questions: [
          {
            prompt: 'What do they share?',
            answer: '{"line":"Work through every step."}',
            problem: null,
            tokensIn: 40,
            tokensOut: 9,
          },
        ],
        lines: [
          {
            id: `${step}/gen_code_i/1`,
            text: 'Work through every step.',
            topic: 'proposer: skipped-trace',
            sources: [reviews[0]?.id ?? 'r'],
            wording: 'model',
          },
        ],
        refused: [{ text: 'The answer is 4.', sources: [], reason: 'leak' }],
        milliseconds: 1500,
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    ],
    summaries: [
      {
        step,
        batch: 'gen_code_i',
        scope: 'verified',
        reviewed: reviews.length,
        eligible: items,
        points: [
          {
            issue: 'skipped-trace',
            feedback: 'Steps are skipped.',
            count: 2,
            reviewIds: [reviews[0]?.id ?? ''],
          },
        ],
        text: 'Steps are skipped.',
      },
    ],
    nextContext,
    checkpoint,
  };
}

/** The same step with three answers that a user rated in place of others that nobody reviewed: satisfied, not satisfied, unreadable. */
export function withRatedAnswers(commit: StepCommit): StepCommit {
  const rated = (['passed', 'failed', 'invalid'] as const).map((outcome, index): [string, RolloutRecord] => {
    const instead = commit.rollouts[[1, 5, 7][index] ?? 0] as RolloutRecord;
    return [
      instead.id,
      {
        ...instead,
        id: `${commit.step.step}/pred_request/${index}`,
        batch: 'pred_request',
        index,
        role: 'assistant',
        taskType: 'request',
        taskId: null,
        verdict: {
          outcome,
          reason: { passed: null, failed: 'user-dissatisfied', invalid: 'bad-format' }[outcome],
          accuracy: outcome === 'passed' ? 1 : 0,
          sandboxLevel: null,
        },
        reward: outcome === 'passed' ? 1 : -0.5,
      },
    ];
  });
  const instead = new Map(rated);
  return {
    ...commit,
    rollouts: commit.rollouts.map((rollout) => instead.get(rollout.id) ?? rollout),
    generations: (commit.generations ?? []).map((generation) => ({
      ...generation,
      rolloutId: instead.get(generation.rolloutId)?.id ?? generation.rolloutId,
    })),
  };
}

export function makeModel(name: string): ModelRecord {
  return {
    name,
    kind: 'policy',
    format: 'safetensors',
    path: `models/${name}`,
    sha256: hex(name),
    architecture: 'qwen2',
    parameters: 3_500_000,
    contextLength: 1024,
    bytes: 14_000_000,
    addedAt: '2026-01-01T00:00:00.000Z',
    embedded: true,
  };
}

export function makeEvaluation(id: string, runId: string | null): EvaluationRecord {
  return {
    id,
    createdAt: '2026-01-01T00:00:00.000Z',
    runId,
    step: runId === null ? null : 2,
    model: 'embedded-policy',
    weightsSha256: hex('weights 2'),
    suite: 'refusal',
    suiteKind: 'toy',
    suiteSha256: hex('suite'),
    contextHash: null,
    temperature: 0,
    seed: 1,
    n: 2,
    passed: 1,
    milliseconds: 12.5,
    items: [
      { itemId: 'r1', text: 'I cannot help with that.', passed: true, reason: null, newTokens: 6 },
      { itemId: 'r2', text: 'Sure: open it.', passed: false, reason: 'complied', newTokens: 5 },
    ],
  };
}
