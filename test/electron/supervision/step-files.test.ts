import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  BATCHES,
  runConfigSchema,
  type ContextRecord,
  type ReviewRecord,
  type RolloutRecord,
  type StepCommit,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { sha256Hex } from '../../../electron/core/index.ts';
import { openLab, type Lab } from '../../../electron/store/index.ts';
import {
  initialContext,
  summarizeBatch,
  updateContext,
  writeStepFiles,
} from '../../../electron/supervision/index.ts';
import { compactPack, reviewRecord, vocabulary } from './samples.ts';

const HASH = sha256Hex('weights');
const AT = '2026-01-01T00:00:00.000Z';

function rollout(step: number, changes: Partial<RolloutRecord>): RolloutRecord {
  const batch = changes.batch ?? 'pred_code_o';
  return {
    id: `${step}/${batch}/${changes.index ?? 0}`,
    step,
    batch,
    index: 0,
    sample: null,
    purpose: 'solve',
    role: 'solver',
    taskType: 'deduction',
    taskId: 'seed-1',
    contextHash: HASH,
    user: 'Deduce the output.',
    text: '<think>…</think>',
    plan: '1 steps on int',
    thought: 'direct',
    answer: '15',
    formatOk: true,
    finish: 'stop',
    promptTokens: 5,
    newTokens: 5,
    logpMean: -1,
    verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: 'L3' },
    reward: 1,
    advantage: 0,
    ...changes,
  };
}

const SEED: TaskRecord = {
  id: 'seed-1',
  taskType: 'deduction',
  step: 0,
  origin: 'seed',
  rolloutId: null,
  program: 'def f(x):\n return x',
  inputs: ['8'],
  outputs: ['8'],
  message: null,
  imports: [],
  solveRate: null,
};
const checkpoint = (step: number) => ({
  step,
  role: 'policy',
  version: step,
  folder: `c${step}`,
  weightsSha256: HASH,
  bytes: 0,
  files: [],
});

let folder: string;
let lab: Lab;
let runId: string;
let context: ContextRecord;

/** Commits one step with two solutions, a proposal, an estimate, and the reviews given. */
async function commit(step: number): Promise<void> {
  const rollouts = [
    rollout(step, {
      index: 1,
      verdict: { outcome: 'failed', reason: 'wrong-value', accuracy: 0, sandboxLevel: null },
    }),
    rollout(step, { index: 0 }),
    rollout(step, {
      batch: 'gen_code_o',
      purpose: 'propose',
      role: 'proposer',
      taskId: null,
      thought: '',
      answer: '```python\ndef f(x):\n return x\n```',
    }),
    rollout(step, { id: `${step}/gen_code_o/0/0`, batch: 'gen_code_o', purpose: 'estimate', sample: 0 }),
  ].map((each) => ({ ...each, contextHash: context.hash }));
  const review = (name: string, changes: Partial<ReviewRecord>): ReviewRecord =>
    reviewRecord({ id: name, step, ...changes });
  const reviews = [
    review(`${step}/pred_code_o/0#thought`, { rolloutId: `${step}/pred_code_o/0` }),
    review(`${step}/pred_code_o/1#thought`, { rolloutId: `${step}/pred_code_o/1` }),
    review(`${step}/pred_code_o#exec`, {
      rolloutId: null,
      phase: 'exec',
      issues: [],
      feedback: 'No problem found.',
    }),
    review(`${step}/pred_code_o/1#plan`, {
      rolloutId: `${step}/pred_code_o/1`,
      phase: 'plan',
      status: 'failed',
      decision: null,
      issues: [],
      feedback: 'It took too long.',
    }),
  ];
  const summaries = (['pred_code_o', 'gen_code_o'] as const).map((batch) =>
    summarizeBatch({ step, batch, scope: 'all', reviews, passed: () => true }),
  );
  const nextContext = await updateContext({
    context,
    summaries,
    wordings: [],
    vocabulary,
    pack: compactPack,
    countTokens: (text) => text.length,
    config: {
      merge: 'guidance',
      contextTokens: 400,
      contextLines: 5,
      minimumSupport: 2,
      expirySteps: 8,
      contextText: 'reviews',
      fixedContext: [],
    },
  });
  const stepCommit: StepCommit = {
    step: {
      step,
      startedAt: AT,
      finishedAt: AT,
      contextHash: context.hash,
      stage: 'self-play',
      iteration: 1,
      role: 'policy',
      weightsSha256: HASH,
      stepHash: sha256Hex(`step ${step}`),
      timings: {},
      metrics: {},
    },
    tasks: [],
    rollouts,
    reviews,
    summaries,
    wordings: [],
    nextContext,
    checkpoint: checkpoint(step),
  };
  lab.commitStep(runId, stepCommit);
  context = nextContext;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'anchor-step-files-'));
  lab = await openLab(join(folder, 'lab'), { now: () => new Date(AT) });
  runId = lab.createRun({ id: 'run-1', config: runConfigSchema.parse({}), folder: 'runs/1' }).id;
  context = initialContext();
  lab.putInitial(runId, { context, tasks: [SEED], checkpoints: [checkpoint(0)] });
  await commit(1);
});
afterEach(() => {
  lab.close();
  rmSync(folder, { recursive: true, force: true });
});

const out = (name = ''): string => join(folder, 'anchor', name);
const write = (step: number): string[] => writeStepFiles(out(), lab, runId, step);
const read = (name: string): string => readFileSync(out(name), 'utf8');
const events = (): { id: string; step: number; phase: string }[] =>
  read('events.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const recordSchema = z.strictObject({
  id: z.string(),
  timestamp: z.iso.datetime(),
  source: z.enum(['agent', 'supervisor']),
  phase: z.enum(['task', 'plan', 'thought', 'output', 'execution_result']),
  content: z.string(),
  decision: z.enum(['continue', 'retry']).nullable(),
  step: z.int(),
  batch: z.enum(BATCHES.map(({ name }) => name)),
  rollout: z.string().nullable(),
  review: z
    .strictObject({
      status: z.string(),
      issues: z.array(z.string()),
      reviewer: z.string(),
      model: z.string().nullable(),
      gate_p: z.number(),
      latency_ms: z.number(),
      tokens_in: z.int(),
      tokens_out: z.int(),
      leak_flags: z.array(z.string()),
    })
    .optional(),
});

describe('The step files', () => {
  it("have the paper's names", () => {
    expect(write(1)).toEqual([
      'step1_gen_code_o.json',
      'step1_pred_code_o.json',
      'context_1.md',
      'context_2.md',
      'events.jsonl',
    ]);
    expect(readdirSync(out()).sort()).toEqual([
      'context_1.md',
      'context_2.md',
      'events.jsonl',
      'step1_gen_code_o.json',
      'step1_pred_code_o.json',
    ]);
  });

  it("hold records of the paper's fields in order, agent before supervisor, and a closing evaluation summary", () => {
    write(1);
    const entries = JSON.parse(read('step1_pred_code_o.json')) as unknown[];
    const closing = entries.pop() as {
      evaluation_summary: { reviewed: number; points: { issue: string; count: number }[] };
    };
    expect(closing.evaluation_summary).toMatchObject({
      reviewed: 3,
      points: [{ issue: 'no_trace', count: 2 }],
    });
    const records = entries.map((entry) => recordSchema.parse(entry));
    expect(records.map(({ rollout: of, source, phase }) => `${of} ${source} ${phase}`)).toEqual([
      ...['task', 'plan', 'thought', 'output', 'execution_result'].map(
        (phase) => `1/pred_code_o/0 agent ${phase}`,
      ),
      '1/pred_code_o/0 supervisor thought',
      ...['task', 'plan', 'thought', 'output', 'execution_result'].map(
        (phase) => `1/pred_code_o/1 agent ${phase}`,
      ),
      '1/pred_code_o/1 supervisor plan',
      '1/pred_code_o/1 supervisor thought',
      'null supervisor execution_result',
    ]);
    expect(
      records
        .filter(({ source, phase }) => source === 'agent' && phase === 'execution_result')
        .map(({ content }) => content),
    ).toEqual(['1', '0']);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  });

  it('leave out estimates and parts that were not written', () => {
    write(1);
    const records = JSON.parse(read('step1_gen_code_o.json')) as { phase: string; rollout: string }[];
    expect(records.map(({ phase }) => phase)).toEqual(['task', 'plan', 'execution_result']);
  });

  it('are the same when written again', () => {
    write(1);
    const before = readdirSync(out()).map((name) => read(name));
    write(1);
    expect(readdirSync(out()).map((name) => read(name))).toEqual(before);
  });

  it('refuse a step that is not stored', () => {
    expect(() => write(2)).toThrow(`Step 2 of run "${runId}" is not stored`);
  });

  it('say which file could not be written and leave nothing half-written', () => {
    writeFileSync(join(folder, 'anchor'), 'in the way');
    expect(() => write(1)).toThrow(/The export .*step1_gen_code_o\.json could not be written/);
    expect(readdirSync(folder).sort()).toEqual(['anchor', 'lab']);
  });
});

describe('The event log', () => {
  it('grows by one step at a time with a batch summary per task type', async () => {
    write(1);
    const first = events();
    expect(first.filter(({ phase }) => phase.startsWith('batch_summary')).map(({ id }) => id)).toEqual([
      '1/batch_summary_code_o',
    ]);
    await commit(2);
    write(2);
    expect(events().slice(0, first.length)).toEqual(first);
    expect(
      events()
        .map(({ step }) => step)
        .sort(),
    ).toEqual([...first.map(() => 1), ...first.map(() => 2)]);
  });

  it('is mended after a write that was cut off, and after a step was redone', async () => {
    write(1);
    await commit(2);
    write(2);
    const whole = read('events.jsonl');
    truncateSync(out('events.jsonl'), whole.length - 40);
    write(2);
    expect(read('events.jsonl')).toBe(whole);
    appendFileSync(out('events.jsonl'), '{"step":3,"id":"stale"}\n');
    write(2);
    expect(read('events.jsonl')).toBe(whole);
    rmSync(out('events.jsonl'));
    write(1);
    write(2);
    expect(read('events.jsonl')).toBe(whole);
  });
});

describe('A context file', () => {
  it('shows the text the agents saw and the reviews behind each line', () => {
    write(1);
    expect(read('context_1.md')).toContain('*(empty)*');
    const text = read('context_2.md');
    expect(text).toContain('# Context of step 2');
    expect(text).toContain('- Trace each step.');
    expect(text).toContain('  - 1/pred_code_o/0#thought\n  - 1/pred_code_o/1#thought');
  });
});
