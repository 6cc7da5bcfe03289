import { describe, expect, it } from 'vitest';
import {
  judgedOutcome,
  judgedOutcomeSchema,
  type ReviewRecord,
  type RolloutRecord,
} from '../../../electron/contract/index.ts';
import type { Lab, RolloutFilter } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import { fillRun, inLab } from './support/in-lab.ts';
import { makeCommit, makeContext, seededRandom, withRatedAnswers } from './support/make-records.ts';

function walk(
  lab: Lab,
  filter: RolloutFilter,
  limit: number,
  between: () => void = () => undefined,
): RolloutRecord[] {
  const rows: RolloutRecord[] = [];
  for (let cursor: string | null = null, pages = 0; pages === 0 || cursor !== null; pages += 1) {
    const page = lab.pageRollouts('a', filter, { cursor, limit });
    rows.push(...page.rows);
    cursor = page.next;
    if (cursor !== null) between();
  }
  return rows;
}

type Reviewed = { rollout: RolloutRecord; answered: ReviewRecord[] };

/** All rollouts of a run with what the answered reviews say, read step by step. */
function everything(lab: Lab, steps: number): Reviewed[] {
  return Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) => {
    const reviews = lab
      .listReviews('a', step)
      .filter((review) => review.status === 'done' || review.status === 'quarantined');
    return lab
      .listRollouts('a', step)
      .map((rollout) => ({ rollout, answered: reviews.filter((review) => review.rolloutId === rollout.id) }));
  });
}

/** The filter in plain words, against which the SQL is compared. */
function matching(all: Reviewed[], filter: RolloutFilter): RolloutRecord[] {
  const { issue, phase, decision, leak } = filter;
  const asked = issue !== undefined || phase !== undefined || decision !== undefined || leak !== undefined;
  return all
    .filter(
      ({ rollout, answered }) =>
        (filter.fromStep ?? 0) <= rollout.step &&
        rollout.step <= (filter.toStep ?? Infinity) &&
        (filter.batch ?? rollout.batch) === rollout.batch &&
        (filter.role ?? rollout.role) === rollout.role &&
        (filter.taskType ?? rollout.taskType) === rollout.taskType &&
        (filter.outcome ?? judgedOutcome(rollout.verdict.outcome, rollout.batch)) ===
          judgedOutcome(rollout.verdict.outcome, rollout.batch) &&
        (filter.reviewed ?? answered.length > 0) === answered.length > 0 &&
        (!asked ||
          answered.some(
            (review) =>
              (issue === undefined || review.issues.includes(issue)) &&
              (phase ?? review.phase) === review.phase &&
              (decision ?? review.decision) === review.decision &&
              (leak === undefined || review.status === 'quarantined'),
          )),
    )
    .map((each) => each.rollout);
}

function randomFilter(random: () => number): RolloutFilter {
  const maybe = <T>(...choices: T[]): T | undefined =>
    random() < 0.6 ? undefined : choices[Math.floor(random() * choices.length)];
  return {
    fromStep: maybe(1, 2, 4),
    toStep: maybe(2, 3, 5),
    batch: maybe('gen_code_i' as const, 'pred_code_f' as const),
    role: maybe('proposer' as const, 'solver' as const),
    taskType: maybe('abduction' as const, 'induction' as const),
    outcome: maybe(...judgedOutcomeSchema.options),
    reviewed: maybe(true, false),
    issue: maybe('complied', 'skipped-trace', 'never-raised'),
    phase: maybe('task' as const, 'plan' as const, 'output' as const),
    decision: maybe('continue' as const, 'retry' as const),
    leak: maybe(true as const),
  };
}

describe('paging through records', () => {
  it('visits every row exactly once, in order, while steps are added', () =>
    inLab(
      (lab) => {
        let added = 5;
        const rows = walk(lab, {}, 7, () => {
          if (added < 9) lab.commitStep('a', makeCommit((added += 1), 30));
        });
        const ids = rows.map((row) => row.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(matching(everything(lab, 9), {}).map((row) => row.id));
      },
      5,
      30,
    ));

  it('gives what the filter says, whatever is combined', () =>
    inLab(
      (lab) => {
        fillRun(lab, 'other', 2, 25);
        const random = seededRandom(11);
        const all = everything(lab, 5);
        for (let round = 0; round < 120; round += 1) {
          const filter = randomFilter(random);
          const expected = matching(all, filter);
          expect({ filter, rows: walk(lab, filter, 1 + Math.floor(random() * 40)) }).toEqual({
            filter,
            rows: expected,
          });
          expect({ filter, count: lab.countRollouts('a', filter) }).toEqual({
            filter,
            count: expected.length,
          });
        }
      },
      5,
      25,
    ));

  it('ends a full last page with no further page', () =>
    inLab((lab) => {
      expect(lab.pageRollouts('a', {}, { limit: 24 }).next).toBeNull();
      expect(lab.pageRollouts('a', {}, { limit: 23 }).next).not.toBeNull();
    }, 2));

  it.each(['', '1', '1.2.3', '-1.2', '1.2; DROP TABLE runs', '1.9999999999999999'])(
    'refuses the cursor "%s"',
    (cursor) =>
      inLab(async (lab) => {
        expect(await failureOf(() => lab.pageRollouts('a', {}, { cursor }))).toMatchObject({
          kind: 'badCursor',
          exitCode: 2,
        });
      }),
  );
});

describe('facets', () => {
  it('count each choice under all other conditions', () =>
    inLab(
      (lab) => {
        const random = seededRandom(5);
        const all = everything(lab, 4);
        const dimensions = [
          'batch',
          'role',
          'taskType',
          'outcome',
          'reviewed',
          'issue',
          'phase',
          'decision',
          'leak',
        ] as const;
        const oneEach: readonly string[] = ['batch', 'role', 'taskType', 'outcome', 'reviewed'];
        for (let round = 0; round < 60; round += 1) {
          const filter = randomFilter(random);
          const facets = lab.rolloutFacets('a', filter);
          expect(facets.total).toBe(matching(all, filter).length);
          for (const dimension of dimensions) {
            for (const { value, count } of facets[dimension]) {
              const expected = matching(all, { ...filter, [dimension]: value }).length;
              expect({ filter, dimension, value, count }).toEqual({
                filter,
                dimension,
                value,
                count: expected,
              });
            }
            const chosen = matching(all, { ...filter, [dimension]: undefined });
            if (oneEach.includes(dimension))
              expect(facets[dimension].reduce((sum, each) => sum + each.count, 0)).toBe(chosen.length);
          }
        }
      },
      4,
      25,
    ));
});

describe('one record', () => {
  it('comes with its reviews and its task', () =>
    inLab((lab) => {
      const record = lab.getRecord('a', '2/pred_code_i/3');
      expect(record?.rollout).toEqual(makeCommit(2).rollouts[3]);
      expect(record?.reviews).toEqual(
        makeCommit(2).reviews.filter((review) => review.rolloutId === '2/pred_code_i/3'),
      );
      expect(record?.reviews.length).toBe(2);
      expect(record?.task?.id).toBe('seed-abduction');
      expect(lab.getRecord('a', '2/gen_code_f/8')?.task).toBeNull();
      expect(lab.getRecord('a', '9/none/1')).toBeNull();
    }, 2));
});

describe('supervision', () => {
  it('is summed up by phase and status', () =>
    inLab(
      (lab) => {
        const reviews = [1, 2, 3].flatMap((step) => lab.listReviews('a', step));
        const costs = lab.supervisionCost('a');
        for (const cost of costs) {
          const same = reviews.filter(
            (review) => review.phase === cost.phase && review.status === cost.status,
          );
          expect(cost).toEqual({
            phase: cost.phase,
            status: cost.status,
            byPerson: false,
            reviews: same.length,
            retries: same.filter((review) => review.decision === 'retry').length,
            tokensIn: 40 * same.length,
            tokensOut: 8 * same.length,
            milliseconds: 1.5 * same.length,
          });
        }
        expect(costs.reduce((sum, cost) => sum + cost.reviews, 0)).toBe(reviews.length);
        expect(new Set(costs.map((cost) => cost.status))).toEqual(
          new Set(['done', 'quarantined', 'skipped-by-budget']),
        );
      },
      3,
      60,
    ));

  it('that nobody was asked for costs nothing, is no finding and counts under its phase alone', () =>
    inLab((lab) => {
      fillRun(lab, 'b', 0);
      const { reviews, ...commit } = makeCommit(1);
      const plans = reviews.filter(({ phase, status }) => phase === 'plan' && status === 'done');
      expect(plans.length).toBeGreaterThan(0);
      lab.commitStep('b', {
        ...commit,
        reviews: reviews.map((review) =>
          plans.includes(review) ? { ...review, decision: null, issues: [] } : review,
        ),
      });
      const isPlan = ({ phase, status = 'done' }: { phase: string; status?: string }): boolean =>
        phase === 'plan' && status === 'done';
      expect(lab.supervisionCost('b').filter(isPlan)).toEqual([]);
      expect(lab.reviewedWork('b').filter(isPlan)).toEqual([]);
      expect(lab.supervisionCost('b').length).toBeGreaterThan(0);
      const under = (filter: RolloutFilter): number => lab.countRollouts('b', filter);
      const facets = lab.rolloutFacets('b', { phase: 'plan' });
      for (const { value, count } of facets.decision)
        expect([value, count]).toEqual([value, under({ phase: 'plan', decision: value })]);
      expect(facets.phase.find(({ value }) => value === 'plan')?.count).toBe(under({ phase: 'plan' }));
      expect(under({ phase: 'plan' })).toBeGreaterThan(under({ phase: 'plan', decision: 'continue' }));
    }));

  it('counts issues of reviews that stand, the most frequent first', () =>
    inLab(
      (lab) => {
        const counts = lab.issueCounts('a');
        const standing = [1, 2]
          .flatMap((step) => lab.listReviews('a', step))
          .filter((review) => review.status === 'done');
        for (const { issue, phase, count } of counts)
          expect(count).toBe(
            standing.filter((review) => review.phase === phase && review.issues.includes(issue)).length,
          );
        expect(counts.reduce((sum, each) => sum + each.count, 0)).toBe(
          standing.flatMap((review) => review.issues).length,
        );
        expect(counts.map((each) => each.count)).toEqual(
          counts.map((each) => each.count).sort((left, right) => right - left),
        );
      },
      2,
      60,
    ));
});

describe('lineage', () => {
  it('leads from a line of the context to the reviews and the records that caused it', () =>
    inLab((lab) => {
      const lineage = lab.lineageOf('a', '2.0');
      expect(lineage?.line).toMatchObject({
        text: 'Trace every step before the answer.',
        firstContext: 2,
        lastContext: 5,
        sources: 4,
      });
      expect(
        lineage?.causes.map((cause) => [cause.sinceContext, cause.review.id, cause.rollout?.id]),
      ).toEqual([1, 2, 3, 4].map((step) => [step + 1, `${step}/gen_code_i/0#task`, `${step}/gen_code_i/0`]));
      expect(lab.lineageOf('a', '2.0', 2)?.causes).toHaveLength(2);
      expect(lab.lineageOf('a', '9.9')).toBeNull();
      expect(lab.contextLines('a').map((line) => line.id)).toEqual(['2.0']);
    }, 4));

  it('gives every context the sources it had, also when reviews are dropped or put in another order', () =>
    inLab((lab) => {
      const sources = [
        ['1/gen_code_i/0#task'],
        ['2/gen_code_i/0#task', '1/gen_code_i/0#task'],
        ['2/gen_code_i/0#task'],
        [],
        ['1/gen_code_i/0#task', '5/gen_code_i/0#plan'],
      ];
      sources.forEach((reviewIds, index) => {
        const commit = makeCommit(index + 1);
        const before = lab.getContext('a', index + 1);
        const lines = makeContext(index + 2).lines.map((line) => ({ ...line, reviewIds }));
        lab.commitStep('a', {
          ...commit,
          step: { ...commit.step, contextHash: before?.hash ?? '' },
          nextContext: { ...commit.nextContext, lines },
        });
      });
      sources.forEach((reviewIds, index) =>
        expect(lab.getContext('a', index + 2)?.lines[0]?.reviewIds).toEqual(reviewIds),
      );
      expect(lab.checkIntegrity()).toEqual([]);
    }));
});

describe('answers that a user rated', () => {
  it('are found as satisfied or not, and neither found nor counted among what the verifier passed or failed', () =>
    inLab((lab) => {
      lab.commitStep('a', withRatedAnswers(makeCommit(1)));
      const found = (outcome: RolloutFilter['outcome']): string[] =>
        walk(lab, { outcome, role: 'assistant' }, 50).map(({ id }) => id);
      expect(Object.fromEntries(judgedOutcomeSchema.options.map((each) => [each, found(each)]))).toEqual({
        passed: [],
        failed: [],
        invalid: ['1/pred_request/2'],
        satisfied: ['1/pred_request/0'],
        dissatisfied: ['1/pred_request/1'],
      });
      for (const outcome of ['passed', 'failed'] as const)
        expect(walk(lab, { outcome }, 50).filter(({ role }) => role === 'assistant')).toEqual([]);
      const facets = lab.rolloutFacets('a', {});
      const verified = lab.listRollouts('a', 1).filter(({ role }) => role !== 'assistant');
      const counted = (wanted: 'passed' | 'failed'): number =>
        verified.filter(({ verdict }) => verdict.outcome === wanted).length;
      expect(Object.fromEntries(facets.outcome.map(({ value, count }) => [value, count]))).toMatchObject({
        passed: counted('passed'),
        failed: counted('failed'),
        satisfied: 1,
        dissatisfied: 1,
      });
      expect(lab.rolloutFacets('a', { outcome: 'satisfied' }).total).toBe(1);
    }));

  it('are stored as before: the verdict of a record keeps the words that its hash was made from', () =>
    inLab((lab) => {
      lab.commitStep('a', withRatedAnswers(makeCommit(1)));
      expect(lab.getRecord('a', '1/pred_request/1')?.rollout.verdict).toEqual({
        outcome: 'failed',
        reason: 'user-dissatisfied',
        accuracy: 0,
        sandboxLevel: null,
      });
      expect(lab.checkIntegrity()).toEqual([]);
    }));
});
