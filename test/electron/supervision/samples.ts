import { fileURLToPath } from 'node:url';
import type { Phase, PhaseItem, ReviewRecord, SummaryRecord } from '../../../electron/contract/index.ts';
import { loadGuidance, loadPromptPack } from '../../../electron/library/index.ts';

export const promptFolder = (name: string): string =>
  fileURLToPath(new URL(`../../../resources/prompts/${name}`, import.meta.url));
export const compactPack = loadPromptPack(promptFolder('compact'), 'compact');
export const fullPack = loadPromptPack(promptFolder('full'), 'full');
export const vocabulary = loadGuidance(promptFolder('compact'));

/** A clock that stands still unless moved. */
export function handClock(): { now(): Date; monotonicMs(): number; advance(milliseconds: number): void } {
  let elapsed = 0;
  return {
    now: () => new Date(Date.UTC(2026, 0, 1) + elapsed),
    monotonicMs: () => elapsed,
    advance(milliseconds) {
      elapsed += milliseconds;
    },
  };
}

export const TRIPLE = 'def f(x):\n y=x*3\n return y-9';

/** A sound deduction solution at the given phase, with overrides. */
export function solution(phase: Phase, changes: Partial<PhaseItem> = {}): PhaseItem {
  return {
    step: 1,
    batch: 'pred_code_o',
    index: 0,
    phase,
    role: 'solver',
    taskType: 'deduction',
    rolloutId: '1/pred_code_o/0',
    task: {
      program: TRIPLE,
      inputs: ['8'],
      output: null,
      examples: [],
      message: null,
      references: [],
      request: null,
    },
    plan: '1 steps on int',
    thought: 'y=x*3=8*3=24 y-9=24-9=15',
    answer: '15',
    formatOk: true,
    validity: null,
    statistics: null,
    ...changes,
  };
}

export function proposal(
  program: string,
  changes: Partial<PhaseItem> = {},
  references: string[] = [],
): PhaseItem {
  return {
    step: 1,
    batch: 'gen_code_o',
    index: 0,
    phase: 'task',
    role: 'proposer',
    taskType: 'deduction',
    rolloutId: '1/gen_code_o/0',
    task: { program, inputs: ['4'], output: null, examples: [], message: null, references, request: null },
    plan: '2 steps on int',
    thought: null,
    answer: program,
    formatOk: true,
    validity: { valid: true, reason: null },
    statistics: null,
    ...changes,
  };
}

export function exec(
  statistics: Partial<NonNullable<PhaseItem['statistics']>>,
  changes: Partial<PhaseItem> = {},
): PhaseItem {
  return {
    ...solution('exec'),
    rolloutId: null,
    task: null,
    plan: null,
    thought: null,
    answer: null,
    statistics: {
      n: 8,
      passed: 4,
      invalid: 0,
      formatFailures: 0,
      timeouts: 0,
      solveRateHistogram: [],
      ...statistics,
    },
    ...changes,
  };
}

export function asked(
  request: string,
  answer: string,
  taskType: 'request' | 'memory' = 'request',
): PhaseItem {
  return solution('output', {
    role: 'assistant',
    taskType,
    batch: `pred_${taskType}`,
    answer,
    task: { program: null, inputs: [], output: null, examples: [], message: null, references: [], request },
  });
}

export function reviewRecord(changes: Partial<ReviewRecord> = {}): ReviewRecord {
  return {
    id: '1/pred_code_o/0#thought',
    step: 1,
    batch: 'pred_code_o',
    phase: 'thought',
    rolloutId: '1/pred_code_o/0',
    status: 'done',
    gateProbability: 1,
    decision: 'continue',
    issues: ['no_trace'],
    feedback: 'The reasoning shows no steps.',
    reviewer: 'rubric',
    model: null,
    prompt: 'p',
    leaks: [],
    tokensIn: 0,
    tokensOut: 0,
    milliseconds: 0,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

/** A summary in which `ids.length` reviews found `issue`. */
export function summaryOf(
  issue: string,
  feedback: string,
  ids: string[],
  changes: Partial<SummaryRecord> = {},
): SummaryRecord {
  return {
    step: 1,
    batch: 'pred_code_o',
    scope: 'verified',
    reviewed: ids.length,
    eligible: ids.length,
    points: [{ issue, feedback, count: ids.length, reviewIds: ids }],
    text: '',
    ...changes,
  };
}
