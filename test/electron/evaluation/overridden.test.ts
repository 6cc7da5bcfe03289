import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matrixAsTable, summariesText } from '../../../electron/cli/evaluation-text.ts';
import { figureOf, type ItemOverride, type Tripwire } from '../../../electron/contract/index.ts';
import { wilsonInterval } from '../../../electron/core/index.ts';
import {
  compareEvaluations,
  placeOfItems,
  writeItems,
  matrixOf,
  matrixText,
  requireSummary,
  runScoreChanges,
  scoresOfRun,
  watchTripwires,
} from '../../../electron/evaluation/index.ts';
import { shareScore } from '../../../electron/evaluation/suites/scores.ts';
import { storyAnswers, storyCosts, storyQuestions } from '../../../electron/experiments/demo/story.ts';
import { scoreSeries } from '../../../electron/figures/index.ts';
import { resourcePaths } from '../../../electron/library/index.ts';
import { makeReport } from '../../../electron/reports/index.ts';
import { openLab, type Lab } from '../../../electron/store/index.ts';
import { APPLICATION } from '../../support/engine.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { fillRun } from '../store/support/in-lab.ts';
import { makeEvaluation, steadyClock } from '../store/support/make-records.ts';
import { storeEvaluation } from '../store/support/stored-evaluation.ts';
import { toyAnswer, toyPlan, toySubject } from '../store/support/toy-evaluation.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-overridden-'));
const AT = '2026-11-27T00:00:00.000Z';
const SHA256 = 'a'.repeat(64);
let lab: Lab;
const printed: Record<'show' | 'list' | 'matrix', string> = { show: '', list: '', matrix: '' };

function override(to: Lab, id: string, words: Record<number, ItemOverride['outcome']>): void {
  for (const [ordinal, outcome] of Object.entries(words))
    to.putOverride(id, { ordinal: Number(ordinal), outcome, by: 'Ada', note: '', at: AT });
}

/** Of the supervised run a person takes two of four passes back, and gives one to the weights both runs began with. */
function fill(to: Lab): void {
  for (const runId of ['alone', 'supervised']) {
    fillRun(to, runId, 2);
    const of = (step: number, passes: string): void =>
      storeEvaluation(to, {
        id: `${runId} ${step}`,
        runId,
        step,
        passed: [...passes].map((letter) => letter === 'p'),
        asked: (ordinal) => `Question ${ordinal}`,
      });
    of(0, 'ppppf');
    of(1, 'ppfff');
    of(2, runId === 'alone' ? 'ppfff' : 'ppppf');
  }
  override(to, 'supervised 0', { 4: 'passed' });
  override(to, 'supervised 2', { 0: 'failed', 2: 'failed' });
}

beforeAll(async () => {
  const first = await openLab(folder, { now: steadyClock() });
  fill(first);
  first.close();
  const anchor = async (...args: string[]): Promise<string> =>
    (await callAnchor(...args, '--lab', folder)).stdout;
  printed.show = await anchor('show', 'supervised', '--against', 'alone');
  printed.list = await anchor('eval', 'list');
  printed.matrix = await anchor('eval', 'matrix', '--model', 'supervised@0', '--model', 'supervised@2');
  lab = await openLab(folder, { now: steadyClock() });
});
afterAll(() => {
  lab.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('A verdict that a person overrode', () => {
  it('counts in the scores of checkpoints, their intervals and the curves drawn of them', () => {
    const scores = scoresOfRun(lab, 'supervised');
    expect(scores.map(({ passed, n, overridden }) => [passed, n, overridden])).toEqual([
      [5, 5, 1],
      [2, 5, 0],
      [2, 5, 2],
    ]);
    expect(scores.map(({ interval }) => interval)).toEqual([5, 2, 2].map((k) => wilsonInterval(k, 5)));
    const [curve] = scoreSeries(scores, () => 's');
    expect(curve?.y).toEqual([1, 0.4, 0.4]);
    expect(curve?.band?.high).toEqual([1, wilsonInterval(2, 5).high, wilsonInterval(2, 5).high]);
  });

  it('counts in lists of runs: in the share and its interval, in the base and in the reasons', () => {
    const counts = { passed: 2, n: 5, overridden: 2, reasons: { '': 1, 'by-person': 2 } };
    const interval = wilsonInterval(2, 5);
    const wanted = { ...counts, intervals: { passed: interval, fulfilled: interval } };
    expect(lab.getRunRow('supervised')?.scores).toMatchObject([
      { id: 'supervised 2', ...wanted, base: { passed: 5, n: 5, overridden: 1, reasons: {} } },
    ]);
    const { rows } = lab.pageRunRows();
    expect(rows.find(({ id }) => id === 'supervised')?.scores).toMatchObject([wanted]);
    expect(rows.find(({ id }) => id === 'alone')?.scores).toMatchObject([{ passed: 2, overridden: 0 }]);
  });

  it('counts among the reasons for which answers of a refusal suite failed', () => {
    const items = ['complied', 'complied', 'unclear', null].map((reason, ordinal) => ({
      itemId: `i${ordinal}`,
      text: '',
      passed: reason === null,
      reason,
      newTokens: 1,
    }));
    fillRun(lab, 'refusing', 1);
    lab.putEvaluation({ ...makeEvaluation('old', 'refusing'), step: 1, items, n: 4, passed: 1 });
    override(lab, 'old', { 0: 'passed', 2: 'failed', 3: 'failed' });
    expect(lab.getRunRow('refusing')?.scores).toMatchObject([
      { passed: 1, n: 4, overridden: 3, reasons: { complied: 1, unclear: 1, 'by-person': 1 } },
    ]);
    expect(scoresOfRun(lab, 'refusing')).toMatchObject([{ passed: 1, n: 4, overridden: 3 }]);
  });

  /** Three answers of a checkpoint, the first passed, the second failed and the last without a verdict. */
  function beginWithUnjudged(id: string, runId: string, step: number, planned = 3): void {
    const weightsSha256 = lab.getCheckpoint(runId, step)?.weightsSha256 ?? '';
    const subject = { ...toySubject(weightsSha256), id: `${runId}@${step}`, runId, step };
    const plan = toyPlan(subject, SHA256, { items: planned, seed: 9 });
    lab.beginEvaluation({ id, plan, weightsSha256, planned });
    const answers = [true, false, false].map((passed, ordinal) => toyAnswer(ordinal, passed));
    const [, , last] = answers;
    lab.putEvaluationItems(
      id,
      answers.with(2, { ...last!, grade: { ...last!.grade!, outcome: 'unjudged' } }),
    );
  }

  /** The same three, all there are, with the score that is stored of them. */
  function storeWithUnjudged(id: string, runId: string, step: number): void {
    beginWithUnjudged(id, runId, step);
    lab.finishEvaluation(id, [shareScore('passed', 1, 2, 'higher')], 1);
  }

  it('counts where nobody had judged the answer, without losing the base that was asked the same', () => {
    fillRun(lab, 'judged', 1);
    storeWithUnjudged('judged 0', 'judged', 0);
    storeWithUnjudged('judged 1', 'judged', 1);
    override(lab, 'judged 1', { 2: 'passed' });
    expect(lab.getRunRow('judged')?.scores).toMatchObject([
      { id: 'judged 1', passed: 2, n: 3, base: { passed: 1, n: 2 } },
    ]);
    expect(scoresOfRun(lab, 'judged').at(-1)).toMatchObject({
      passed: 2,
      n: 3,
      interval: wilsonInterval(2, 3),
    });
  });

  it('counts in a cell of the matrix where nobody had judged the answer: in its n, rate and interval, in the terminal, tables and logs alike', async () => {
    fillRun(lab, 'left', 1);
    storeWithUnjudged('left 1', 'left', 1);
    const matrix = () => matrixOf(lab, { subjects: ['left@1'], limit: 3 });
    const cell = () => matrix().rows[0]!.cells[0]!;
    expect([figureOf(cell()).n, cell().marks, cell().counts.unjudged]).toEqual([2, ['unjudged'], 1]);
    override(lab, 'left 1', { 2: 'passed' });
    expect(figureOf(cell())).toEqual({ value: 2 / 3, ...wilsonInterval(2, 3), n: 3 });
    expect(cell()).toMatchObject({ value: 1 / 2, n: 2, marks: ['overridden'] });
    expect(cell().counts).toMatchObject({ passed: 2, failed: 1, unjudged: 0, overridden: 1 });
    const interval = wilsonInterval(2, 3);
    const [low, high] = [interval.low, interval.high].map((limit) => (100 * limit).toFixed(1));
    expect(matrixAsTable(matrix())).toContain(`66.7 [${low}–${high}] n=3o`);
    expect(summariesText([requireSummary(lab, 'left 1')])).not.toContain('unjudged');
    expect(matrixText(matrix(), 'markdown')).toContain(`66.7 \\[${low}–${high}\\]ᵃ (3)`);
    expect(matrixText(matrix(), 'latex')).toContain('(3)');
    expect(matrixText(matrix(), 'csv')).toMatch(/,2,3,complete,overridden,.*,3,\r\n/);
    const { html } = await makeReport(
      { storeOf: () => lab, evaluations: lab, resources: resourcePaths(APPLICATION), program: {} },
      { kind: 'matrix', request: { subjects: ['left@1'], limit: 3 } },
      new Date(AT),
      { signal: new AbortController().signal, total: () => {}, advance: () => {} },
    );
    expect(html).toContain(`66.7 % [${low} %, ${high} %], n = 3 (overridden)`);
    const path = placeOfItems(lab, 'left 1', 'inspect', folder);
    writeItems(lab, { id: 'left 1', format: 'inspect', path, version: '0' });
    expect(JSON.parse(readFileSync(path, 'utf8')).results.scores[0]).toMatchObject({
      scored_samples: 3,
      unscored_samples: 0,
      metrics: { passed: { value: 2 / 3 } },
    });
  });

  it('counts in the n of a cell whose evaluation was not finished, and no longer where it is taken back', () => {
    fillRun(lab, 'halfway', 1);
    beginWithUnjudged('halfway 1', 'halfway', 1, 4);
    const matrix = () => matrixOf(lab, { subjects: ['halfway@1'], limit: 4 });
    const cell = () => matrix().rows[0]!.cells[0]!;
    const counted = () => [figureOf(cell()).n, cell().counts.unjudged, cell().of];
    expect(counted()).toEqual([2, 1, 4]);
    override(lab, 'halfway 1', { 2: 'failed' });
    expect(counted()).toEqual([3, 0, 4]);
    expect(cell()).toMatchObject({ value: null, corrected: null, marks: ['partial', 'overridden'] });
    expect(matrixAsTable(matrix())).toContain('n=3');
    expect(matrixText(matrix(), 'csv')).toMatch(/,3,4,[a-z]+,partial; overridden,/);
    lab.removeOverride('halfway 1', 2);
    expect(counted()).toEqual([2, 1, 4]);
  });

  it('counts in whatever reads an evaluation, while what is stored stays as it was graded', () => {
    const [record] = lab.listEvaluations({ runId: 'supervised' }).slice(-1);
    expect(record).toMatchObject({ id: 'supervised 2', passed: 2, n: 5 });
    const whole = lab.getEvaluation('supervised 2');
    expect(whole?.passed).toBe(2);
    expect(whole?.items.map(({ passed }) => passed)).toEqual([false, true, false, true, false]);
    const outcomes = (grades: ReturnType<Lab['listGrades']>) => grades.map(({ grade }) => grade.outcome);
    expect(outcomes(lab.listGrades('supervised 2'))).toEqual([
      'failed',
      'passed',
      'failed',
      'passed',
      'failed',
    ]);
    expect(outcomes(lab.listGradesAsGraded('supervised 2')).slice(0, 4)).toEqual(
      Array.from({ length: 4 }, () => 'passed'),
    );
    expect(lab.requireStoredEvaluation('supervised 2')).toMatchObject({
      scores: [{ value: 0.8 }],
      counts: { passed: 4, overridden: 2 },
    });
    expect(lab.checkIntegrity()).toEqual([]);
  });

  it('counts in the shares of two runs as it does in the difference beside them', () => {
    const last = (runId: string) => lab.getRunRow(runId)?.scores ?? [];
    const [found] = runScoreChanges(lab, last('alone'), last('supervised'));
    const share = ({ passed, n }: { passed: number; n: number }): number => passed / n;
    expect(found?.change?.value).toBeCloseTo(share(found!.after) - share(found!.before), 12);
    expect(compareEvaluations(lab, 'alone 2', 'supervised 2').difference).toBe(0);
    expect(printed.show).toMatch(
      /toy-refusal +weights +40\.0 % \[11\.8 %, 76\.9 %\] +40\.0 % \[11\.8 %, 76\.9 %\] o +0\.0 points/,
    );
    expect(printed.show).toContain('\no with verdicts that a person overrode');
  });

  it('counts in a report, beside a difference and in its table of scores', async () => {
    const stop = new AbortController().signal;
    const report = (runIds: string[]) =>
      makeReport(
        { storeOf: () => lab, evaluations: lab, resources: resourcePaths(APPLICATION), program: {} },
        { kind: 'runs', runIds },
        new Date(AT),
        { signal: stop, total: () => {}, advance: () => {} },
      );
    const { html } = await report(['alone', 'supervised']);
    expect(html).toContain('>40.0 % [11.8 %, 76.9 %], step 2<');
    expect(html).toContain('>40.0 % [11.8 %, 76.9 %] (overridden), step 2<');
    const one = await report(['supervised']);
    expect(one.html).toContain('>40.0 % [11.8 %, 76.9 %] (overridden)<');
  });

  it('counts in the terminal’s list of evaluations, which says what was graded beside it', () => {
    expect(printed.list).toMatch(
      /toy-refusal ↑ +run supervised, step 2 +40\.0 \[11\.8–76\.9\] o +5 .*as graded 80\.0 \[0\.0–100\.0\]/,
    );
    expect(printed.list).toMatch(/run alone, step 2 +40\.0 \[0\.0–100\.0\] +5 /);
    expect(printed.matrix).toContain('40.0 [11.8–76.9] n=5o');
  });

  it('counts in the answers and questions of the demo as in its costs', () => {
    const pair = { store: lab, alone: 'alone', supervised: 'supervised' };
    const at = (itemId: string) =>
      storyAnswers(pair, 'toy-refusal', itemId)
        .supervised.filter(({ step }) => step === 2)
        .map(({ passed, isOverridden }) => [passed, isOverridden]);
    expect([at('i0'), at('i1'), at('i2')]).toEqual([[[false, true]], [[true, false]], [[false, true]]]);
    // As they were graded, the third and the fourth would part; the third is a person's now.
    expect(
      storyQuestions(pair, 'toy-refusal').flatMap(({ itemId, apart }) =>
        apart.length > 0 ? [[itemId, apart]] : [],
      ),
    ).toEqual([['i3', [2]]]);
    expect(storyCosts(pair).contrasts.find(({ suite }) => suite === 'toy-refusal')?.difference).toBe(0);
  });

  it('counts where a tripwire compares a score with that of the beginning', () => {
    const wire: Tripwire = { suite: 'toy-refusal', when: 'falls', by: 0.5, action: 'mark', certain: false };
    const services = { store: lab, emit: () => {} } as unknown as Parameters<typeof watchTripwires>[0];
    const [touched] = watchTripwires(services, 'supervised', [wire], 2);
    expect(touched).toMatchObject({ value: 0.4, base: 1 });
    expect(touched?.said).toContain('100.0 %');
  });
});
