import SqliteDatabase from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EvaluationScore } from '../../../electron/contract/index.ts';
import { DATABASE_FILE, openLab, type StoredItem } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import { toyPlan, toySubject } from './support/toy-evaluation.ts';
import { inTempFolder, makeEvaluation, steadyClock } from './support/make-records.ts';

const hex = (letter: string): string => letter.repeat(64);
const open = (folder: string) => openLab(folder, { now: steadyClock(Date.UTC(2026, 5, 1)) });
const plan = toyPlan(toySubject(hex('a')), hex('b'), { limit: 3, items: 3 });
const answer = (ordinal: number, passed: boolean | null, flags: string[] = []): StoredItem => ({
  ordinal,
  itemId: `i${ordinal}`,
  sample: 0,
  asked: [{ role: 'user', content: 'q' }],
  target: null,
  text: `answer ${ordinal}`,
  newTokens: 3,
  grade:
    passed === null
      ? null
      : {
          outcome: passed ? 'passed' : 'failed',
          score: null,
          method: 'rules',
          reason: passed ? null : 'complied',
          flags,
          judge: null,
          details: { n: ordinal },
        },
});
const score: EvaluationScore = {
  name: 'passed',
  value: 2 / 3,
  low: 0.2,
  high: 0.9,
  unit: 'share',
  n: 3,
  better: 'higher',
  interval: 'wilson',
};
const begun = (lab: Awaited<ReturnType<typeof open>>, id = 'e'): void =>
  lab.beginEvaluation({ id, plan, weightsSha256: hex('c'), planned: 3 });

describe('an evaluation', () => {
  it('is stored before its first answer, keeps each as it comes, and ends with its scores', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      begun(lab);
      expect(lab.listStoredEvaluations()[0]).toMatchObject({
        id: 'e',
        state: 'running',
        planned: 3,
        graded: 0,
        scores: [],
      });
      lab.putEvaluationItems('e', [answer(0, true), answer(2, null)]);
      expect(lab.listEvaluationPlaces('e')).toEqual([
        { ordinal: 0, graded: true },
        { ordinal: 2, graded: false },
      ]);
      expect((await failureOf(() => lab.finishEvaluation('e', [score], 10))).message).toContain(
        '1 of 3 answers are graded',
      );
      lab.putEvaluationItems('e', [answer(1, false, ['load-affected']), answer(2, true)]);
      expect(lab.finishEvaluation('e', [score], 10)).toMatchObject({
        state: 'done',
        graded: 3,
        scores: [score],
        counts: { passed: 2, failed: 1, unjudged: 0, flagged: 1, loadAffected: 1, overridden: 0 },
      });
      expect([...lab.eachEvaluationItem('e')]).toEqual([
        answer(0, true),
        answer(1, false, ['load-affected']),
        answer(2, true),
      ]);
      expect(lab.listEvaluations()).toMatchObject([{ id: 'e', n: 3, passed: 2, suite: 'toy-refusal' }]);
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it('keeps of an answer without a verdict that it was ended for repeating itself, and attests it', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      begun(lab);
      const looped = { ...answer(0, null), ended: 'loop' as const };
      lab.putEvaluationItems('e', [looped, answer(1, null)]);
      expect([...lab.eachEvaluationItem('e')]).toEqual([looped, answer(1, null)]);
      lab.setEvaluationState('e', 'stopped', 'It was stopped.', 10);
      expect(lab.checkIntegrity()).toEqual([]);
      lab.setEvaluationState('e', 'running', null, 10);
      lab.putEvaluationItems('e', [
        { ...looped, grade: answer(0, true).grade },
        answer(1, false),
        answer(2, true),
      ]);
      lab.finishEvaluation('e', [score], 10);
      expect(lab.getEvaluationItem('e', 0)).toEqual(answer(0, true));
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it('that is not finished is not among results, and one that was cut off is found and goes on', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      begun(lab);
      lab.putEvaluationItems('e', [answer(0, true)]);
      expect(lab.listEvaluations()).toEqual([]);
      expect(lab.stopCutOffEvaluations()).toEqual(['e']);
      expect(lab.requireStoredEvaluation('e')).toMatchObject({
        state: 'stopped',
        graded: 1,
        problem: expect.stringContaining('resuming goes on') as string,
      });
      expect((await failureOf(() => lab.putEvaluationItems('e', [answer(1, true)]))).kind).toBe(
        'evaluationState',
      );
      lab.setEvaluationState('e', 'running', null, 5);
      lab.putEvaluationItems('e', [answer(1, true)]);
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it.each([
    [`UPDATE evaluation_items SET outcome = 'passed' WHERE ordinal = 1`, 'evaluation "e"'],
    [`UPDATE evaluation_items SET text = 'other' WHERE ordinal = 0`, 'evaluation "e"'],
    [`UPDATE evaluations SET scores = replace(scores, '0.9', '0.8')`, 'evaluation "e"'],
    [`DELETE FROM evaluation_overrides`, 'override of answer 1'],
    [`UPDATE evaluation_overrides SET outcome = 'failed'`, 'override of answer 1'],
    [`UPDATE evaluations SET plan = replace(plan, '"seed":1', '"seed":2')`, 'evaluation "e"'],
  ])('changed behind the lab’s back is noticed: %s', (change, about) =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      begun(lab);
      lab.putEvaluationItems('e', [answer(0, true), answer(1, false), answer(2, true)]);
      lab.finishEvaluation('e', [score], 10);
      lab.putOverride('e', {
        ordinal: 1,
        outcome: 'passed',
        by: 'a person',
        note: 'it does refuse',
        at: '2026-06-01T00:00:00.000Z',
      });
      expect(lab.checkIntegrity()).toEqual([]);
      const db = new SqliteDatabase(join(folder, DATABASE_FILE));
      db.exec(change);
      db.close();
      expect(
        lab
          .checkIntegrity()
          .map(({ finding }) => finding)
          .join(),
      ).toContain(about);
      lab.close();
    }),
  );

  it('keeps a person’s word beside the verdict, and gives it back when it is withdrawn', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      begun(lab);
      lab.putEvaluationItems('e', [answer(0, true), answer(1, false), answer(2, true)]);
      lab.finishEvaluation('e', [score], 10);
      const override = {
        ordinal: 1,
        outcome: 'passed' as const,
        by: 'a person',
        note: '',
        at: '2026-06-01T00:00:00.000Z',
      };
      lab.putOverride('e', override);
      expect(lab.listOverrides('e')).toEqual([override]);
      expect(lab.requireStoredEvaluation('e').counts.overridden).toBe(1);
      expect(lab.getEvaluationItem('e', 1)?.grade?.outcome).toBe('failed');
      expect((await failureOf(() => lab.putOverride('e', { ...override, ordinal: 9 }))).kind).toBe(
        'unknownEvaluationItem',
      );
      lab.removeOverride('e', 1);
      expect(lab.listOverrides('e')).toEqual([]);
      lab.putOverride('e', override);
      lab.removeEvaluation('e');
      expect(lab.listStoredEvaluations()).toEqual([]);
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it('of an earlier program is shown in the same shape and stays as attested', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      lab.putEvaluation(makeEvaluation('old', null));
      expect(lab.requireStoredEvaluation('old')).toMatchObject({
        form: 1,
        state: 'done',
        graded: 2,
        plan: { suite: 'refusal', subject: { id: 'model:embedded-policy' } },
        counts: { passed: 1, failed: 1 },
      });
      expect(lab.listGrades('old').map(({ grade }) => grade.outcome)).toEqual(['passed', 'failed']);
      expect(lab.listEvaluationItemRows('old', 'failed', { offset: 0, limit: 10 })).toMatchObject({
        total: 1,
        rows: [{ itemId: 'r2', outcome: 'failed' }],
      });
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it('is found again by what it asks, whatever its subject is called', () =>
    inTempFolder(async (folder) => {
      const { planSha256 } = await import('../../../electron/store/index.ts');
      const renamed = { ...plan, subject: { ...plan.subject, label: 'renamed' } };
      expect(planSha256(renamed, hex('c'))).toBe(planSha256(plan, hex('c')));
      for (const other of [
        { ...plan, seed: 2 },
        { ...plan, limit: null },
        { ...plan, context: { hash: hex('d'), runId: null, step: null } },
      ])
        expect(planSha256(other, hex('c'))).not.toBe(planSha256(plan, hex('c')));
      expect(planSha256(plan, hex('e'))).not.toBe(planSha256(plan, hex('c')));
      const lab = await open(folder);
      begun(lab);
      expect(
        lab.listStoredEvaluations({ planSha256: planSha256(renamed, hex('c')) }).map(({ id }) => id),
      ).toEqual(['e']);
      lab.close();
    }));
});
