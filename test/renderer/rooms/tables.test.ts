// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import {
  csvParts,
  shownIndicator,
  type AuditHead,
  type AuditResults,
  type CsvTable,
  type JudgeCalibration,
  type RunScore,
  type SuiteChoice,
} from '../../../electron/contract/index.ts';
import { wilsonInterval } from '../../../electron/core/index.ts';
import { effectTable } from '../../../renderer/rooms/contexts/line-detail.tsx';
import { workTable } from '../../../renderer/rooms/demo/parts/costs.tsx';
import { calibrationsTable, judgesTable } from '../../../renderer/rooms/evaluations/judges/tables.ts';
import { suitesTable } from '../../../renderer/rooms/evaluations/suites/table.ts';
import { costsTable, issuesTable, phasesTable } from '../../../renderer/rooms/live/model/tables.ts';
import {
  agreementTable,
  auditsTable,
  differTable,
  measuresTable,
} from '../../../renderer/rooms/reviews/audits/tables.ts';
import { everyRow } from '../../../renderer/data/every-row.ts';
import { evaluationsTable } from '../../../renderer/rooms/evaluations/items/table.ts';
import { runsTable } from '../../../renderer/rooms/runs/model/table.ts';
import { summary } from './evaluations/made.ts';
import { aRunRow } from './runs/run-row.ts';

/** The rows by their columns, once each is as wide as the head. */
function read(table: CsvTable): Record<string, unknown>[] {
  expect(new Set(table.columns).size).toBe(table.columns.length);
  for (const row of table.rows) expect(row).toHaveLength(table.columns.length);
  return table.rows.map((row) => Object.fromEntries(table.columns.map((name, at) => [name, row[at]])));
}

describe('a table as CSV has its numbers in full and its units in its columns', () => {
  it('what supervision cost', () => {
    const cost = { phase: 'plan', status: 'done', byPerson: false, reviews: 8, retries: 2 } as const;
    const spent = { tokensIn: 100, tokensOut: 10, milliseconds: 4001 };
    expect(read(costsTable([{ ...cost, ...spent }]))).toEqual([
      {
        phase: 'plan',
        status: 'done',
        by_person: false,
        reviews: 8,
        retries: 2,
        tokens_in: 100,
        tokens_out: 10,
        time_s: 4.001,
      },
    ]);
  });

  it('what findings are worth, by issue and by phase', () => {
    const counted = { phase: 'thought', verified: 3, failed: 1, told: 4 } as const;
    const precision = { share: 1 / 3, low: 0.06, high: 0.79 };
    const issue = { ...counted, issue: 'vague', raised: 5, precision, stated: 2 };
    const findings = {
      issues: [issue, { ...issue, issue: 'unread', precision: null }],
      phases: [{ ...counted, reviews: 9, named: 3, beyond: 1, silent: 2 }],
    };
    expect(read(issuesTable(findings))).toMatchObject([
      { issue: 'vague', reviews: 5, precision: 1 / 3, precision_high: 0.79, stated_by_facts: 2 },
      { issue: 'unread', precision: undefined },
    ]);
    expect(read(phasesTable(findings))).toMatchObject([
      { phase: 'thought', reviews: 9, named: 3, beyond_facts: 1, silent: 2 },
    ]);
  });

  it('what steps before and after a line came to', () => {
    const side = { fromStep: 1, toStep: 2, n: 8, passed: 2, satisfied: null, formatFailures: 1 };
    const after = { ...side, fromStep: 3, toStep: 4, passed: 6 };
    const change = { difference: 0.5, low: 0.1, high: 0.9 };
    const unchanged = { passChange: null, satisfiedChange: null, formatFailureChange: null };
    const around = { ...unchanged, role: 'solver', before: side, after, passChange: change };
    const users = { ...side, passed: null, satisfied: 2 };
    const rated = { ...unchanged, role: 'assistant', before: users, after: users, satisfiedChange: change };
    expect(read(effectTable([around, rated]))).toMatchObject([
      {
        role: 'solver',
        measure: 'passed',
        before_share: 0.25,
        after_n: 8,
        after_share: 0.75,
        change_low: 0.1,
      },
      { role: 'solver', measure: 'format_failures', before_share: 0.125, change: undefined },
      { role: 'assistant', measure: 'users_satisfied', before_share: 0.25, change_low: 0.1 },
      { role: 'assistant', measure: 'format_failures', before_share: 0.125 },
    ]);
  });

  it('audits, their measures, agreement and differences', () => {
    const measure = { name: 'non-leakage', rater: 'person', n: 4, mean: 98.25, low: 90, high: 100 } as const;
    const raw = { n: 4, hits: 3, share: 0.75, low: 0.3, high: 0.95 };
    const results = {
      done: 4,
      measures: [measure],
      decision: { raw, kappa: null, table: [1, 0, 1, 2] },
      leak: null,
      differ: [{ ordinal: 3, what: 'decision', person: 'retry', other: 'continue' }],
    } as unknown as AuditResults;
    const plan = { runId: 'r', fromStep: 1, toStep: 9, seed: 7 };
    const head = { id: 'a', runName: 'alone', plan, wanted: 12, results, judge: null, createdAt: 'c' };
    const heads = [{ ...head, finishedAt: null }] as unknown as AuditHead[];
    expect(read(auditsTable(heads))).toMatchObject([
      {
        audit: 'a',
        run_name: 'alone',
        items: 12,
        labelled: 4,
        non_leakage_0_to_100: 98.25,
        judge: undefined,
      },
    ]);
    expect(read(measuresTable(results))).toMatchObject([{ measure: 'non-leakage', mean_0_to_100: 98.25 }]);
    expect(read(agreementTable(results))).toMatchObject([
      { question: 'decision', both_yes: 1, both_no: 2, agreed: 3, n: 4, share: 0.75, kappa: undefined },
    ]);
    expect(read(differTable(results))).toEqual([
      { item: 3, question: 'decision', person: 'retry', other: 'continue' },
    ]);
  });

  it('judges and their calibrations', () => {
    const calibration = {
      at: 't',
      set: 'people.csv',
      setSha256: 's',
      judge: { name: 'judge', sha256: 'j', promptVersion: 2 },
      n: 40,
      unjudged: 1,
      tied: 2,
      agreement: { share: 0.9, low: 0.77, high: 0.96 },
      kappa: { kappa: -0.1, low: -0.2, high: 0.1 },
      humanRate: 0.5,
      judgeRate: 0.6,
      unanimous: { n: 30, agreed: 29 },
    } as unknown as JudgeCalibration;
    const judges = [
      { name: 'judge', sha256: 'j', calibrations: [calibration] },
      { name: 'new', sha256: null, calibrations: [] },
    ];
    expect(read(judgesTable(judges, 'judge'))).toMatchObject([
      { judge: 'judge', chosen: true, agreement: 0.9, kappa: -0.1, n: 40, at: 't' },
      { judge: 'new', chosen: false, agreement: null },
    ]);
    expect(read(calibrationsTable([calibration]))).toMatchObject([
      { judge: 'judge', rubric_version: 2, set_sha256: 's', people_yes: 0.5, unanimous_agreed: 29 },
    ]);
  });

  it('suites', () => {
    const suite = {
      name: 'humaneval-plus',
      title: 'HumanEval+',
      group: 'code',
      measures: 'programs',
      better: 'higher',
      items: 164,
      source: { kind: 'dataset', dataset: 'humaneval', state: 'ready', note: null },
      needs: { sandbox: true, judge: 'none', maths: false },
      hazardous: false,
      protocols: [{ name: 'greedy' }, { name: 'sampled' }],
      secondsPerItem: 1.25,
      mini: false,
    } as unknown as SuiteChoice;
    expect(read(suitesTable([suite]))).toMatchObject([
      {
        suite: 'humaneval-plus',
        source: 'humaneval (ready)',
        protocols: 'greedy; sampled',
        time_per_answer_s: 1.25,
      },
    ]);
  });

  it('what the supervised run of the demo took, without a ratio where there is none', () => {
    const work = { steps: 24, reviews: 300, tokens: 9000, reviewSeconds: 61.5, hiddenSeconds: 60 };
    const table = workTable({ ...work, stepRatio: Number.NaN } as Parameters<typeof workTable>[0]);
    expect([...csvParts(table)].join('')).toBe(
      'steps,reviews,tokens,review_time_s,hidden_time_s,step_ratio\r\n24,300,9000,61.5,60,\r\n',
    );
  });

  it('runs, with columns for every suite that one of them was asked', () => {
    const score = {
      id: 'e',
      suite: 'toy-code',
      step: 8,
      n: 40,
      passed: 10,
      overridden: 0,
      withContext: false,
      seed: 1,
      reasons: {},
      intervals: { passed: { low: 0, high: 1 }, fulfilled: { low: 0, high: 1 } },
      base: null,
    };
    const scores = [score, { ...score, withContext: true, passed: 20 }];
    const rows = read(
      runsTable([
        aRunRow({ name: 'asked', scores, seconds: 61.25 }),
        aRunRow({ name: 'unasked', scores: [] }),
      ]),
    );
    expect(rows).toMatchObject([
      {
        name: 'asked',
        time_s: 61.25,
        'toy-code: share': 0.25,
        'toy-code + context: share': 0.5,
        'toy-code: n': 40,
      },
      { name: 'unasked', 'toy-code: share': null },
    ]);
  });

  it('runs, with the interval of a score that the list and the terminal have', () => {
    const [passed, n] = [17, 60];
    const interval = wilsonInterval(passed, n);
    const score: RunScore = {
      id: 'e',
      suite: 'toy-memory',
      step: 8,
      n,
      passed,
      overridden: 2,
      withContext: false,
      seed: 1,
      reasons: {},
      intervals: { passed: interval, fulfilled: { low: 0, high: 1 } },
      base: null,
    };
    const [row = {}] = read(runsTable([aRunRow({ scores: [score] })]));
    expect(row).toMatchObject({
      'toy-memory: share': passed / n,
      'toy-memory: low': interval.low,
      'toy-memory: high': interval.high,
      'toy-memory: overridden': 2,
    });
    const told = shownIndicator('rr', [score], []).score?.interval;
    expect(told?.low).toBeCloseTo(row['toy-memory: low'] as number, 12);
    expect(told?.high).toBeCloseTo(row['toy-memory: high'] as number, 12);
    const [unanswered = {}] = read(runsTable([aRunRow({ scores: [{ ...score, passed: 0, n: 0 }] })]));
    expect(unanswered).toMatchObject({
      'toy-memory: share': null,
      'toy-memory: low': null,
      'toy-memory: n': 0,
    });
  });

  it('the runs of all pages, and not only of those that the list has read', async () => {
    const pages = [
      { rows: [aRunRow({ id: 'a' }), aRunRow({ id: 'b' })], next: '2' },
      { rows: [aRunRow({ id: 'c' })], next: null },
    ];
    const rows = await everyRow((cursor) => Promise.resolve(pages[Number(cursor ?? 1) - 1]!));
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('evaluations with their first score as people corrected it, and what they were asked under', () => {
    const { columns, rows } = evaluationsTable([
      summary('e', { corrected: null }),
      summary('f', { scores: [] }),
    ]);
    const [first, second] = rows.map((values) =>
      Object.fromEntries(columns.map((name, at) => [name, values[at]])),
    );
    const { plan, scores, weightsSha256 } = summary('e');
    expect(first).toMatchObject({
      evaluation: 'e',
      suite: plan.suite,
      of: plan.subject.label,
      value: scores[0]!.value,
      low: scores[0]!.low,
      n: scores[0]!.n,
      corrected: false,
      weights_sha256: weightsSha256,
    });
    expect(second).toMatchObject({ evaluation: 'f', value: null, unit: null });
    const mended = { ...scores[0]!, value: 0.25 };
    const [corrected] = evaluationsTable([summary('e', { corrected: [mended] })]).rows;
    expect(corrected![columns.indexOf('value')]).toBe(0.25);
    expect(corrected![columns.indexOf('corrected')]).toBe(true);
  });
});
