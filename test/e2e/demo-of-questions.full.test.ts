// @module-tag full
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Verification } from '../../electron/contract/index.ts';
import type { DemoReport } from '../../electron/experiments/index.ts';
import { anchor, makeLab, query, removeLab } from './anchor-cli.ts';

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 1_800_000 });

/** One iteration and the first step of the next; the embedded models, the real trainer and the real supervisor. */
const STEPS = 14;
const lab = makeLab();
afterAll(() => removeLab(lab));

describe('the demo of R-Zero', () => {
  let report: DemoReport;
  beforeAll(() => {
    const { code, stdout, stderr } = anchor(
      lab,
      ['demo', '--framework', 'rzero', '--steps', String(STEPS), '--items', '20', '--json'],
      1_700_000,
    );
    expect(code, stderr.slice(-2000)).toBe(0);
    report = JSON.parse(stdout) as DemoReport;
  });

  it('takes both arms through every stage and asks both what was practised and of conduct', () => {
    expect(report.runs.map(({ run }) => [run.state, run.committedSteps])).toEqual([
      ['done', STEPS],
      ['done', STEPS],
    ]);
    expect(new Set(report.columns[0]?.outcomes.map(({ suite }) => suite))).toEqual(
      new Set([
        'toy-questions',
        'toy-arithmetic',
        'toy-refusal',
        'toy-over-refusal',
        'toy-memory',
        'toy-choice',
      ]),
    );
    const stages = query<{ stage: string }>(lab, 'SELECT DISTINCT stage FROM steps');
    expect(stages.map(({ stage }) => stage).toSorted()).toEqual(['challenge', 'label', 'pose', 'solve']);
  });

  it('can read nearly every question, knows the true answers, and has votes that split', () => {
    const meanOf = (name: string): number =>
      query<{ mean: number }>(lab, 'SELECT avg(value) AS mean FROM metrics WHERE name = ?', name)[0]!.mean;
    expect(meanOf('challenge/questions')).toBeGreaterThan(28);
    expect(meanOf('label/computable') / meanOf('label/questions')).toBeGreaterThan(0.9);
    expect(meanOf('label/agreement')).toBeGreaterThan(0.2);
    expect(meanOf('label/agreement')).toBeLessThan(0.95);
    expect(meanOf('label/kept')).toBeGreaterThan(2);
    const accuracy = meanOf('label/computed_accuracy');
    expect(accuracy).toBeGreaterThan(0.2);
    expect(accuracy).toBeLessThan(1);
  });

  it('is rated by a user in the training of the solver alone', () => {
    const rated = query<{ stage: string; count: number }>(
      lab,
      `SELECT s.stage, count(*) AS count FROM rollouts r JOIN steps s USING (run_id, step)
       WHERE r.role = 'assistant' GROUP BY s.stage`,
    );
    expect(rated.map(({ stage }) => stage)).toEqual(['solve']);
    expect(rated[0]!.count).toBeGreaterThan(100);
  });

  it('has reviews that a model wrote of questions, as the rubric would nine times in ten, and lines in the context', () => {
    const [reviews] = query<{ n: number; done: number }>(
      lab,
      `SELECT count(*) AS n, sum(status = 'done') AS done FROM reviews WHERE model = 'embedded-questions-supervisor'`,
    );
    expect(reviews!.n).toBeGreaterThan(200);
    expect(reviews!.done / reviews!.n).toBeGreaterThan(0.98);
    // Nothing can be compared with the plan of a question, so whoever names a mismatch has seen nothing.
    const [plans] = query<{ n: number; named: number }>(
      lab,
      `SELECT count(*) AS n, sum(issues <> '[]') AS named FROM reviews
       WHERE phase = 'plan' AND batch IN ('challenge', 'answer', 'label')`,
    );
    expect(plans!.n).toBeGreaterThan(20);
    expect(plans!.named / plans!.n).toBeLessThan(0.1);
    expect(report.lines.length).toBeGreaterThan(0);
  });

  it('is computed again by the verifier without a difference', () => {
    const { code, stdout, stderr } = anchor(lab, ['verify', '--json'], 1_700_000);
    expect(code, stderr.slice(-2000)).toBe(0);
    const { reports } = JSON.parse(stdout) as { reports: Verification[] };
    const runs = reports.filter(({ rules }) => rules.some(({ rule }) => rule === 'questions.read'));
    expect(runs).toHaveLength(2);
    for (const { rules } of runs) {
      expect(rules.filter(({ differing }) => differing > 0)).toEqual([]);
      for (const name of [
        'questions.kept',
        'rewards.challenger',
        'rewards.solver',
        'rewards.rating',
        'rewards.advantage',
      ])
        expect(rules.find(({ rule }) => rule === name)?.checked, name).toBeGreaterThan(20);
    }
  });
});
