import { describe, expect, it } from 'vitest';
import {
  leakReading,
  neighbourPhase,
  pairRows,
  linesWithCauses,
  comparison,
  type Task,
} from '../../../../renderer/rooms/records/record/record.ts';
import { record, review, task } from './records.ts';

const P = { task: 0.5, plan: 0.3, thought: 0.3, output: 0, exec: 1 };
const reasons = (found: ReturnType<typeof record>) =>
  Object.fromEntries(
    pairRows(found, P).map(({ phase, review: said, unreviewed }) => [
      phase,
      said === null ? unreviewed : 'reviewed',
    ]),
  );

describe('the phases of a record', () => {
  it('of a solution stand beside their reviews, or say why there is none', () => {
    expect(reasons(record())).toEqual({
      task: 'at-proposal',
      plan: 'reviewed',
      thought: 'not-drawn',
      output: 'never',
      exec: 'not-drawn',
    });
    expect(reasons(record({ thought: ' ' }))).toMatchObject({ thought: 'nothing-written' });
    expect(reasons(record({}, { execReview: review({ phase: 'exec', rolloutId: null }) }))).toMatchObject({
      exec: 'reviewed',
    });
  });

  it('of a proposal are reviewed as a task, not twice as its answer', () => {
    expect(reasons(record({ purpose: 'propose' }, { reviews: [] }))).toEqual({
      task: 'not-drawn',
      plan: 'not-drawn',
      thought: 'not-drawn',
      output: 'is-the-task',
      exec: 'not-drawn',
    });
  });

  it('of an estimate are never reviewed', () => {
    expect(reasons(record({ purpose: 'estimate' }, { reviews: [] }))).toMatchObject({
      task: 'estimate',
      plan: 'estimate',
      output: 'estimate',
    });
  });

  it('tell the probability of the gate only where a coin was tossed', () => {
    expect(pairRows(record(), P).map(({ probability }) => probability)).toEqual([null, 0.3, 0.3, 0, 1]);
  });

  it('follow each other and end at the ends', () => {
    expect([
      neighbourPhase(undefined, 1),
      neighbourPhase('task', 1),
      neighbourPhase('exec', 1),
      neighbourPhase('task', -1),
      neighbourPhase(undefined, -1),
    ]).toEqual(['task', 'plan', 'exec', 'task', 'exec']);
  });
});

describe('the leak meter', () => {
  it('reads findings as quarantine, answers without any as clean, and no answer as nothing to check', () => {
    expect(leakReading(review())).toEqual({ verdict: 'clean', found: [] });
    expect(leakReading(review({ status: 'quarantined', leaks: ['states the answer'] }))).toEqual({
      verdict: 'quarantined',
      found: ['states the answer'],
    });
    expect(leakReading(review({ status: 'failed' }))).toMatchObject({ verdict: 'nothing-to-check' });
  });
});

describe('what the verifier compared', () => {
  it('is both values where a value was predicted', () =>
    expect(comparison(record())).toEqual({ kind: 'value', expected: '2', got: '3' }));
  it('is the output to reach where an input was to be found', () => {
    expect(
      comparison(record({ taskType: 'abduction', answer: '7' }, { task: task({ taskType: 'abduction' }) })),
    ).toEqual({ kind: 'input', output: '2', got: '7' });
  });
  it('is how many pairs a written program got right', () => {
    const found = record(
      {
        taskType: 'induction',
        verdict: { outcome: 'failed', reason: 'wrong-value', accuracy: 0.5, sandboxLevel: 'L3' },
      },
      { task: task({ taskType: 'induction', outputs: ['1', '2', '3', '4'] }) },
    );
    expect(comparison(found)).toEqual({ kind: 'program', pairs: 4, accuracy: 0.5 });
  });
  it('is the task a proposal became, or none', () => {
    expect(comparison(record({ purpose: 'propose' }))).toEqual({
      kind: 'proposal',
      taskId: 't1',
      solveRate: 0.25,
    });
    expect(comparison(record({ purpose: 'propose' }, { task: null }))).toEqual({
      kind: 'proposal',
      taskId: null,
      solveRate: null,
    });
  });
  it('is the stored value for a task type that only a framework knows', () => {
    const taskType = 'sum' as Task['taskType'];
    expect(comparison(record({ taskType }, { task: task({ taskType }) }))).toEqual({
      kind: 'value',
      expected: '2',
      got: '3',
    });
  });
  it('is nothing for rated answers and for tasks that are gone', () => {
    const prompt = { program: '', inputs: [], outputs: [], message: 'Write a letter.' };
    expect(
      comparison(record({ taskType: 'request' }, { task: task({ taskType: 'request', ...prompt }) })),
    ).toEqual({ kind: 'none' });
    expect(comparison(record({}, { task: null }))).toEqual({ kind: 'none' });
  });
});

describe('the context of the next step', () => {
  const line = (id: string, reviewIds: string[]) => ({
    id,
    text: 'Trace each step.',
    key: null,
    enteredStep: 4,
    lastSupportedStep: 4,
    support: 1,
    reviewIds,
  });

  it('tells which lines the reviews of a record brought', () => {
    const found = record(
      {},
      { execReview: review({ id: '3/pred_code_o#exec', phase: 'exec', rolloutId: null }) },
    );
    const lines = [
      line('4.0', ['3/pred_code_o/1#plan', '3/pred_code_o#exec']),
      line('4.1', ['3/pred_code_o/2#plan']),
    ];
    expect(linesWithCauses(lines, found).map(({ phases }) => phases)).toEqual([['plan', 'exec'], []]);
    expect(linesWithCauses(lines, null).map(({ phases }) => phases)).toEqual([[], []]);
  });
});
