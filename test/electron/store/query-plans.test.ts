import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLab } from '../../../electron/store/index.ts';
import { misplacedIssuesQuery } from '../../../electron/store/audit-log/integrity.ts';
import { runPageQuery } from '../../../electron/store/runs/queries.ts';
import { seriesQuery, stepPageQuery } from '../../../electron/store/steps/rows.ts';
import {
  labelledTasksQuery,
  paidProposalsQuery,
  proposalOutcomesQuery,
} from '../../../electron/store/steps/proposals.ts';
import { tasksOfStepQuery, tasksOfTypeQuery } from '../../../electron/store/steps/outputs.ts';
import { answeredQuery, unreviewedQuery } from '../../../electron/store/records/facet-counts.ts';
import { agentHitsQuery, reviewHitsQuery } from '../../../electron/store/records/find.ts';
import { countQuery, rolloutPageQuery } from '../../../electron/store/records/cursor.ts';
import { recordRowsQuery } from '../../../electron/store/records/rows.ts';
import { reviewSearchQuery, rolloutSearchQuery } from '../../../electron/store/records/search.ts';
import type { Query } from '../../../electron/store/sql.ts';
import { fillRun } from './support/in-lab.ts';
import { steadyClock } from './support/make-records.ts';

let folder: string;
let db: SqliteDatabase.Database;

// A new lab has no statistics until it is closed once, and a first run may take days: plans must not depend on them.
describe.each(['a lab in use', 'a new lab'])('query plans of %s', (age) => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'anchor-plans-'));
    const lab = await openLab(folder, { now: steadyClock() });
    fillRun(lab, 'a', 6, 40);
    fillRun(lab, 'b', 2, 40);
    lab.close();
    const own = new SqliteDatabase(join(folder, 'lab.sqlite'));
    own.exec('ANALYZE');
    if (age === 'a new lab') own.exec('DELETE FROM sqlite_stat1; DELETE FROM sqlite_stat4');
    own.close();
    db = new SqliteDatabase(join(folder, 'lab.sqlite'), { readonly: true });
  });

  afterAll(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function planOf(query: Query): string[] {
    return db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${query.text}`)
      .all(...query.values)
      .map((row) => row.detail);
  }

  const FILTER = { batch: 'pred_code_o', outcome: 'failed', reviewed: true } as const;
  const AFTER = { step: 2, key: 17 };

  /** Steps of a plan that read a whole table, or sort rows. The subquery p is one page. */
  // The few ids of runs that are being deleted come from one setting.
  const scans = (plan: string[]): string[] =>
    plan.filter((step) =>
      /^SCAN (?!p$|json_each VIRTUAL|rollout_search VIRTUAL|review_search VIRTUAL)/.test(step),
    );
  const sorts = (plan: string[]): string[] => plan.filter((step) => step.includes('TEMP B-TREE'));

  const paging: [string, () => Query, RegExp][] = [
    [
      'first page',
      () => rolloutPageQuery('a', {}, null, 100),
      /SEARCH r USING COVERING INDEX rollouts_by_place \(run_id=\?\)/,
    ],
    [
      'later page',
      () => rolloutPageQuery('a', {}, AFTER, 100),
      /SEARCH r USING COVERING INDEX rollouts_by_place \(run_id=\? AND step>\?\)/,
    ],
    [
      'page of a step range',
      () => rolloutPageQuery('a', { fromStep: 2, toStep: 4 }, null, 100),
      /SEARCH r USING COVERING INDEX rollouts_by_place \(run_id=\? AND step>\? AND step<\?\)/,
    ],
    [
      'page under facets',
      () => rolloutPageQuery('a', FILTER, AFTER, 100),
      /SEARCH r USING COVERING INDEX rollouts_by_place/,
    ],
    [
      'page of an issue',
      () => rolloutPageQuery('a', { issue: 'complied' }, AFTER, 100),
      /SEARCH i USING COVERING INDEX review_issues_by_place \(run_id=\? AND issue=\?/,
    ],
    [
      'page of an issue under facets',
      () => rolloutPageQuery('a', { issue: 'complied', ...FILTER }, AFTER, 100),
      /SEARCH i USING COVERING INDEX review_issues_by_place \(run_id=\? AND issue=\?/,
    ],
    [
      'page of a review',
      () => rolloutPageQuery('a', { phase: 'plan', decision: 'retry', leak: true, ...FILTER }, AFTER, 100),
      /SEARCH r USING COVERING INDEX rollouts_by_place \(run_id=\? AND step>\?/,
    ],
    [
      'page of an issue in a review',
      () => rolloutPageQuery('a', { issue: 'complied', phase: 'plan' }, AFTER, 100),
      /SEARCH v USING INTEGER PRIMARY KEY/,
    ],
    [
      'rows of a list',
      () => recordRowsQuery('a', { fromStep: 2, toStep: 4, ...FILTER }, 17, 100),
      /SEARCH r USING COVERING INDEX rollouts_by_place \(run_id=\? AND step>\? AND step<\?\)/,
    ],
    [
      'reviews of some steps',
      () => answeredQuery('a', 2, 4),
      /SEARCH v USING INDEX reviews_by_step \(run_id=\? AND step>\? AND step<\?\)/,
    ],
    [
      'tasks of a type',
      () => tasksOfTypeQuery('a', 'deduction'),
      /USING INDEX tasks_by_type \(run_id=\? AND task_type=\?\)/,
    ],
    [
      'tasks of a step',
      () => tasksOfStepQuery('a', 1),
      /USING INDEX tasks_by_step \(run_id=\? AND step=\?\)/,
    ],
    [
      'runs, newest first',
      () => runPageQuery(null, null, { createdAt: '2026', id: 'a' }, 50),
      /SEARCH runs USING INDEX runs_by_age/,
    ],
    ['steps', () => stepPageQuery('a', 3, 10), /SEARCH s USING PRIMARY KEY \(run_id=\? AND step>\?\)/],
    [
      'steps of a stage',
      () => stepPageQuery('a', 3, 10, { stage: 'self-play', iteration: 1 }),
      /SEARCH s USING PRIMARY KEY \(run_id=\? AND step>\?\)/,
    ],
    [
      'metrics of each step',
      () => stepPageQuery('a', 3, 10),
      /SEARCH m USING INDEX metrics_by_step \(run_id=\? AND step=\? AND kind=\?\)/,
    ],
  ];
  it.each(paging)('%s: an index gives the rows in order, without a scan or a sort', (_name, query, uses) => {
    const plan = planOf(query());
    expect(
      plan.some((step) => uses.test(step)),
      plan.join('\n'),
    ).toBe(true);
    expect(scans(plan), plan.join('\n')).toEqual([]);
    expect(sorts(plan), plan.join('\n')).toEqual([]);
  });

  const counting: [string, () => Query, RegExp][] = [
    ['count', () => countQuery('a', FILTER), /SEARCH r USING COVERING INDEX rollouts_by_place/],
    [
      'count of an issue',
      () => countQuery('a', { issue: 'complied', ...FILTER }),
      /SEARCH i USING COVERING INDEX review_issues_by_place/,
    ],
    [
      'records nobody reviewed',
      () => unreviewedQuery('a', 2, 4),
      /SEARCH r USING COVERING INDEX rollouts_by_place \(run_id=\? AND step>\? AND step<\?\)/,
    ],
    [
      'one curve',
      () => seriesQuery('a', 'metric', 'loss', 4),
      /SEARCH metrics USING PRIMARY KEY \(run_id=\? AND kind=\? AND name=\?\)/,
    ],
  ];
  it.each(counting)('%s: counted on a covering index', (_name, query, uses) => {
    const plan = planOf(query());
    expect(
      plan.some((step) => uses.test(step)),
      plan.join('\n'),
    ).toBe(true);
    expect(scans(plan), plan.join('\n')).toEqual([]);
  });

  it.each<[string, () => Query, RegExp]>([
    [
      'answers to the proposals paid most',
      () => paidProposalsQuery('a', 50),
      /SEARCH e USING INDEX sqlite_autoindex_rollouts_1 \(run_id=\? AND id>\? AND id<\?\)/,
    ],
    [
      'proposals that were asked for again',
      () => proposalOutcomesQuery('a'),
      /SEARCH again USING (?:COVERING )?INDEX sqlite_autoindex_rollouts_1 \(run_id=\? AND id=\?\)/,
    ],
    [
      'labels with their iterations',
      () => labelledTasksQuery('a', 'labelled'),
      /SEARCH [ts] USING .*\(run_id=\? AND step=\?\)/,
    ],
  ])('%s are looked up, so that the whole costs one pass over the run', (_name, query, uses) => {
    const plan = planOf(query());
    expect(
      plan.some((step) => uses.test(step)),
      plan.join('\n'),
    ).toBe(true);
    expect(scans(plan), plan.join('\n')).toEqual([]);
  });

  it('searches walk the full-text index backwards within the keys of the run', () => {
    const run = { first: 1, last: 500 };
    for (const query of [
      rolloutSearchQuery('"item"', 'a', 1, 500, 50),
      reviewSearchQuery('"item"', null, 1, 500, 50),
      agentHitsQuery('"item"', 'agent', 'a', run, { ...FILTER, phase: 'plan', issue: 'complied' }, 50),
      reviewHitsQuery('"item"', 'a', run, { ...FILTER, leak: true, issue: 'complied' }, 50),
    ]) {
      const plan = planOf(query);
      expect(plan[0]).toMatch(/^SCAN (rollout|review)_search VIRTUAL TABLE INDEX \d+:/);
      expect(scans(plan), plan.join('\n')).toEqual([]);
      expect(sorts(plan), plan.join('\n')).toEqual([]);
    }
  });

  it('the check of issues looks each review up by its key', () => {
    const plan = planOf(misplacedIssuesQuery());
    expect(
      plan.filter((step) => step.startsWith('SEARCH')),
      plan.join('\n'),
    ).toEqual(['SEARCH i USING PRIMARY KEY (review_key=?)', 'SEARCH v USING INTEGER PRIMARY KEY (rowid=?)']);
  });
});
