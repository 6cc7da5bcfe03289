import { describe, expect, it } from 'vitest';
import type { AuditItem, AuditLabels, JudgeLabel, PersonLabel } from '../../../../electron/contract/index.ts';
import { auditCsv, auditResults } from '../../../../electron/supervision/index.ts';

const at = '2026-01-01T00:00:00.000Z';
const item = (ordinal: number, changes: Partial<AuditItem> = {}): AuditItem => ({
  ordinal,
  reviewId: `1/pred_code_o/${ordinal}#plan`,
  rolloutId: `1/pred_code_o/${ordinal}`,
  step: 1,
  batch: 'pred_code_o',
  phase: 'plan',
  decision: 'continue',
  status: 'done',
  leaks: 0,
  reviewer: 'llama',
  model: 'm',
  ...changes,
});
const person = (changes: Partial<PersonLabel> = {}): PersonLabel => ({
  state: 'done',
  decision: 'continue',
  safetyRisk: false,
  leaks: false,
  safetyRelevance: 80,
  actionability: 90,
  comment: '',
  seen: true,
  blind: true,
  seconds: 12,
  at,
  ...changes,
});
const judge = (changes: Partial<JudgeLabel> = {}): JudgeLabel => ({
  state: 'done',
  correct: true,
  safetyRelevance: 70,
  specificity: 60,
  problem: null,
  milliseconds: 5,
  at,
  ...changes,
});
const results = (items: AuditItem[], labels: AuditLabels[]) =>
  auditResults({ head: { judge: null }, items, labels });
const measure = (found: ReturnType<typeof results>, name: string, rater: string) =>
  found.measures.find((each) => each.name === name && each.rater === rater);

describe('What an audit found', () => {
  it('counts what is done, drafted, discarded and open, and measures only what is done', () => {
    const found = results(
      [0, 1, 2, 3].map((ordinal) => item(ordinal)),
      [
        { ordinal: 0, person: person(), judge: null },
        { ordinal: 1, person: person({ state: 'draft', leaks: true }), judge: null },
        { ordinal: 2, person: person({ state: 'discarded', leaks: true }), judge: judge({ correct: false }) },
      ],
    );
    expect(found).toMatchObject({ items: 4, done: 1, drafts: 1, discarded: 1, open: 1, judged: 0 });
    expect(measure(found, 'non-leakage', 'person')).toMatchObject({ n: 1, mean: 100 });
    expect(measure(found, 'correctness', 'judge')).toEqual({
      name: 'correctness',
      rater: 'judge',
      n: 0,
      mean: null,
      low: null,
      high: null,
    });
  });

  it('turns shares into scores of 0 to 100 with Wilson limits, as the paper converts its two Bernoulli measures', () => {
    const items = Array.from({ length: 50 }, (_, ordinal) => item(ordinal));
    const found = results(
      items,
      items.map(({ ordinal }) => ({
        ordinal,
        person: person({ leaks: ordinal === 0 }),
        judge: judge({ correct: ordinal >= 5 }),
      })),
    );
    expect(measure(found, 'non-leakage', 'person')).toMatchObject({ n: 50, mean: 98 });
    expect(measure(found, 'non-leakage', 'person')?.low).toBeCloseTo(89.5, 1);
    expect(measure(found, 'correctness', 'judge')).toMatchObject({ n: 50, mean: 90 });
    expect(measure(found, 'safety-relevance', 'judge')).toMatchObject({ n: 50, mean: 70 });
    expect(found.safety).toMatchObject({ n: 50, difference: 10, meanAbsolute: 10 });
  });

  it('compares decisions that were made blind only, and never the unsure ones', () => {
    const items = [item(0), item(1, { decision: 'retry' }), item(2), item(3)];
    const found = results(items, [
      { ordinal: 0, person: person(), judge: null },
      { ordinal: 1, person: person({ decision: 'retry' }), judge: null },
      { ordinal: 2, person: person({ decision: 'retry', blind: false }), judge: null },
      { ordinal: 3, person: person({ decision: 'unsure' }), judge: null },
    ]);
    expect(found.decision).toMatchObject({
      raw: { n: 2, hits: 2 },
      kappa: { value: 1 },
      table: [1, 0, 0, 1],
    });
    expect(found).toMatchObject({ blind: 3, unsure: 1 });
  });

  it('has no kappa where both said the same of everything, but still the raw agreement', () => {
    const found = results(
      [item(0), item(1)],
      [0, 1].map((ordinal) => ({ ordinal, person: person(), judge: null })),
    );
    expect(found.decision).toMatchObject({ raw: { n: 2, hits: 2, share: 1 }, kappa: null });
  });

  it('tells who differs where: on the decision, on a leak, and on safety when far apart', () => {
    const items = [item(0), item(1, { leaks: 1, status: 'quarantined' }), item(2)];
    const found = results(items, [
      { ordinal: 0, person: person({ decision: 'retry' }), judge: judge({ safetyRelevance: 90 }) },
      { ordinal: 1, person: person(), judge: null },
      { ordinal: 2, person: person({ safetyRelevance: 10 }), judge: judge({ safetyRelevance: 60 }) },
    ]);
    expect(found.differ).toEqual([
      { ordinal: 0, what: 'decision', person: 'retry', other: 'continue' },
      { ordinal: 1, what: 'leak', person: 'no leak', other: 'leaks' },
      { ordinal: 2, what: 'safety', person: '10', other: '60' },
    ]);
  });
});

describe('A judge that cannot judge', () => {
  it('keeps its marks in its own rows, and nobody is compared with it', () => {
    const unfit = {
      model: 'm',
      path: '/m',
      sha256: 'a'.repeat(64),
      embedded: true,
      probe: { asked: 12, right: 6 },
      fit: false,
    };
    const labels = [0, 1].map((ordinal) => ({
      ordinal,
      person: person(),
      judge: judge({ safetyRelevance: 0 }),
    }));
    const found = auditResults({ head: { judge: unfit }, items: [item(0), item(1)], labels });
    expect(found).toMatchObject({ judgeFit: false, judged: 2, safety: null, differ: [] });
    expect(measure(found, 'safety-relevance', 'judge')).toMatchObject({ n: 2, mean: 0 });
    expect(
      auditResults({ head: { judge: { ...unfit, fit: true } }, items: [item(0), item(1)], labels }).differ,
    ).toHaveLength(2);
  });
});

describe('The table for other programs', () => {
  it('has a line for every item, labelled or not, quoted as CSV wants it, and no formula', () => {
    const text = auditCsv({
      items: [item(0), item(1)],
      labels: [{ ordinal: 0, person: person({ comment: '=HYPERLINK("x"), "so"' }), judge: judge() }],
    });
    const lines = text.split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain(
      `,done,continue,true,false,false,80,90,12.0,"'=HYPERLINK(""x""), ""so""",done,true,70,60,`,
    );
    expect(lines[2]).toContain(',pending,');
    expect(
      new Set(lines.slice(0, 3).map((line) => line.replaceAll(/"[^"]*(?:""[^"]*)*"/g, '').split(',').length))
        .size,
    ).toBe(1);
  });
});
