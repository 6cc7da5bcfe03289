import { describe, expect, it } from 'vitest';
import {
  EVALUATION_ORDERS,
  type EvaluationPlanRecord,
  type EvaluationRowFilter,
  type EvaluationRowOrder,
} from '../../../electron/contract/index.ts';
import { pageSummaries } from '../../../electron/evaluation/index.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import { inLab } from './support/in-lab.ts';
import { toyAnswer, toyPlan } from './support/toy-evaluation.ts';
import { hex, makeConfig, makeEvaluation } from './support/make-records.ts';

const SHA256 = 'a'.repeat(64);
const judge = { kind: 'gguf', name: 'Strict', sha256: SHA256, promptVersion: '1' } as const;
const subjectOf = (id: string): EvaluationPlanRecord['subject'] => {
  const [run = '', step] = id.split('@');
  const isModel = step === undefined;
  return {
    id: isModel ? `model:${id}` : id,
    kind: isModel ? 'model' : 'checkpoint',
    label: isModel ? id : `run ${run}, step ${step}`,
    runId: isModel ? null : run,
    step: isModel ? null : Number(step),
    model: isModel ? id : 'm',
    format: 'safetensors',
    sha256: SHA256,
  };
};
const planOf = (subject: string, part: Partial<EvaluationPlanRecord> = {}): EvaluationPlanRecord =>
  toyPlan(subjectOf(subject), SHA256, part);

/** Stores `n` answers of which the first ones passed. */
function store(lab: Lab, id: string, plan: EvaluationPlanRecord, passed: number, n: number, ms = 10): void {
  lab.beginEvaluation({ id, plan, weightsSha256: SHA256, planned: n });
  lab.putEvaluationItems(
    id,
    Array.from({ length: n }, (_, ordinal) => toyAnswer(ordinal, ordinal < passed)),
  );
  const interval = { low: 0, high: 1, interval: 'wilson' as const };
  lab.finishEvaluation(
    id,
    [{ name: 'passed', value: passed / n, unit: 'share', n, better: 'higher', ...interval }],
    ms,
  );
}

/** One of every kind, begun in the order of their letters: `d` is of an earlier program, `f` ended before its last answer. */
function fill(lab: Lab): void {
  for (const id of ['one', 'two'])
    lab.createRun({ id, config: { ...makeConfig(id), name: `run ${id}` }, folder: `runs/${id}` });
  const context = { hash: hex('context'), runId: 'one', step: 5 };
  store(lab, 'a', planOf('one@10'), 1, 4, 40);
  store(lab, 'b', planOf('one@4', { context }), 3, 4, 30);
  store(lab, 'c', planOf('two@4', { suite: 'HarmBench', judge }), 2, 6, 20);
  lab.putEvaluation({ ...makeEvaluation('d', null), model: 'old', suite: 'toy-memory' });
  store(lab, 'e', planOf('small', { judge }), 7, 8, 10);
  lab.beginEvaluation({ id: 'f', plan: planOf('one@2'), weightsSha256: SHA256, planned: 9 });
  lab.setEvaluationState('f', 'failed', 'The disk was full.', 70);
}

const found = (lab: Lab, filter: EvaluationRowFilter, order?: EvaluationRowOrder): string =>
  pageSummaries(lab, filter, order)
    .rows.map(({ id }) => id)
    .join('');

describe('the list of evaluations', () => {
  it('is filtered by everything a person can name', () =>
    inLab((lab) => {
      fill(lab);
      const cases: [EvaluationRowFilter, string][] = [
        [{}, 'fedcba'],
        [{ suites: ['HarmBench', 'toy-memory'] }, 'dc'],
        [{ subjects: ['one'] }, 'fba'],
        [{ subjects: ['one@4', 'model:small'] }, 'eb'],
        [{ subjects: ['model:old'] }, 'd'],
        [{ subjects: ['small'] }, ''],
        [{ context: 'run' }, 'b'],
        [{ context: 'weights', subjects: ['one'] }, 'fa'],
        [{ judges: ['Strict'] }, 'ec'],
        [{ judges: [null] }, 'fdba'],
        [{ judges: [null, 'Strict'], states: ['failed'] }, 'f'],
        [{ words: ['RUN ONE', 'step'] }, 'fba'],
        [{ words: ['disk'] }, 'f'],
        [{ words: ['100%_'] }, ''],
      ];
      for (const [filter, wanted] of cases) expect([filter, found(lab, filter)]).toEqual([filter, wanted]);
    }));

  it('is ordered by each column both ways, with what has no value last', () =>
    inLab((lab) => {
      fill(lab);
      const cases: [EvaluationRowOrder['by'], string, string][] = [
        ['time', 'abcdef', 'fedcba'],
        ['suite', 'cdabef', 'febadc'],
        ['subject', 'dfbace', 'ecabfd'],
        ['step', 'fbcade', 'acbfed'],
        ['score', 'acdbef', 'ebdcaf'],
        ['items', 'dabcef', 'fecbad'],
        ['duration', 'edcbaf', 'fabcde'],
      ];
      expect(cases.map(([by]) => by)).toEqual(EVALUATION_ORDERS);
      for (const [by, up, down] of cases)
        expect([
          by,
          found(lab, {}, { by, descending: false }),
          found(lab, {}, { by, descending: true }),
        ]).toEqual([by, up, down]);
    }));

  it('goes by the score that a person’s verdicts lead to, which is the one it shows', () =>
    inLab((lab) => {
      fill(lab);
      const at = '2026-11-27T00:00:00.000Z';
      for (const ordinal of [0, 1, 2])
        lab.putOverride('b', { ordinal, outcome: 'failed', by: 'Ada', note: '', at });
      const { rows } = pageSummaries(lab, {}, { by: 'score', descending: false });
      expect(rows.map(({ id, scores, corrected }) => [id, (corrected ?? scores)[0]?.value])).toEqual([
        ['b', 0],
        ['a', 0.25],
        ['c', 1 / 3],
        ['d', 0.5],
        ['e', 0.875],
        ['f', undefined],
      ]);
    }));

  it('counts what each choice leaves under the other conditions, and what hides everything', () =>
    inLab(async (lab) => {
      fill(lab);
      const { counts } = pageSummaries(lab, { subjects: ['one'], states: ['done'] });
      expect([counts?.total, counts?.all, counts?.lifted]).toEqual([2, 6, {}]);
      expect(counts?.facets).toEqual({
        suite: [{ value: 'toy-refusal', count: 2 }],
        subject: [
          { value: 'one', count: 2, label: 'run one' },
          { value: 'model:old', count: 1, label: 'old' },
          { value: 'model:small', count: 1, label: 'small' },
          { value: 'two', count: 1, label: 'run two' },
        ],
        context: [
          { value: 'run', count: 1 },
          { value: 'weights', count: 1 },
        ],
        judge: [{ value: null, count: 2 }],
        state: [
          { value: 'done', count: 2 },
          { value: 'failed', count: 1 },
        ],
      });
      lab.deleteRun('two');
      await lab.takeOutDeleted();
      expect(pageSummaries(lab, { words: ['two'] }).counts?.facets.subject).toEqual([
        { value: 'two', count: 1, label: 'two' },
      ]);
      const { counts: nothing } = pageSummaries(lab, {
        suites: ['HarmBench'],
        judges: [null],
        words: ['two'],
      });
      expect([nothing?.total, nothing?.lifted]).toEqual([0, { suites: 0, judges: 1, words: 0 }]);
    }));

  it('pages in every order without losing or doubling one, also when others come meanwhile', () =>
    inLab(async (lab) => {
      for (let at = 0; at < 23; at += 1)
        store(lab, `e${at}`, planOf(at % 4 === 0 ? 'small' : `one@${at % 3}`), at % 3, 3, at % 2);
      for (const by of EVALUATION_ORDERS) {
        for (const descending of [true, false]) {
          const seen: string[] = [];
          for (let cursor: string | null = null; ;) {
            const page = lab.pageStoredEvaluations({}, { by, descending }, { cursor, limit: 5 });
            seen.push(...page.rows.map(({ id }) => id));
            expect(page.counts?.total).toBe(cursor === null ? 23 : undefined);
            if ((cursor = page.next) === null) break;
          }
          expect([by, descending, seen.length, new Set(seen).size]).toEqual([by, descending, 23, 23]);
        }
      }
      const first = lab.pageStoredEvaluations({}, undefined, { limit: 2 });
      store(lab, 'later', planOf('small'), 0, 1);
      expect(
        lab.pageStoredEvaluations({}, undefined, { limit: 2, cursor: first.next }).rows.map(({ id }) => id),
      ).toEqual(['e20', 'e19']);
      for (const cursor of ['x', '[]', '{"a":1}', '["a"]'])
        expect((await failureOf(() => lab.pageStoredEvaluations({}, undefined, { cursor }))).message).toBe(
          `"${cursor}" is not a page cursor of evaluations; use the one the previous page returned.`,
        );
    }));
});
