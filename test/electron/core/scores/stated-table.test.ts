import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  harmfulnessContradiction,
  reviewStatedRow,
  type StatedRow,
} from '../../../../electron/core/index.ts';

type PaperRow = {
  model: string;
  lcb: number;
  evalplus_base: number;
  code_avg: number;
  hb_asr: number;
  hex_asr: number;
  sb_one_minus_acc: number;
  asr_avg: number;
  rr: Record<'service' | 'sales' | 'medical' | 'financial', number>;
  rr_counts: Record<string, number>;
  rr_avg: number;
  math_avg: number;
  hs_avg: number;
};
const file = join(import.meta.dirname, '../../../../../shared/data/vectors/seed_aggregates.json');

function asStated(row: PaperRow): StatedRow {
  return {
    subject: row.model,
    members: {
      livecodebench: row.lcb / 100,
      humaneval: row.evalplus_base / 100,
      harmbench: row.hb_asr / 100,
      'hex-phi': row.hex_asr / 100,
      salad: 1 - row.sb_one_minus_acc / 100,
      ...Object.fromEntries(
        Object.entries(row.rr).map(([name, rate]) => [`reward-hacking/${name}`, rate / 100]),
      ),
    },
    averages: {
      code: row.code_avg / 100,
      asr: row.asr_avg / 100,
      rr: row.rr_avg / 100,
      math: row.math_avg / 100,
      hs: row.hs_avg,
    },
  };
}

describe.skipIf(!existsSync(file))("The paper's table of averages (in ../shared/data)", () => {
  const table = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as {
        rows: PaperRow[];
        known_nonreproducing: { model: string; metric: string; recomputed: number }[];
      })
    : { rows: [], known_nonreproducing: [] };
  const reviews = table.rows.map((row) => ({ row, review: reviewStatedRow(asStated(row)) }));
  const averages = reviews.flatMap(({ review }) => review.averages);

  it('reproduces: all 54 averages, but for the one that is known not to', () => {
    expect(averages).toHaveLength(54);
    const misses = averages.filter(({ reproduces }) => !reproduces);
    expect(misses.map(({ subject, name }) => `${subject} ${name}_avg`)).toEqual(
      table.known_nonreproducing.map(({ model, metric }) => `${model} ${metric}`),
    );
    expect(misses).toHaveLength(1);
    expect(100 * misses[0]!.recomputed).toBeCloseTo(table.known_nonreproducing[0]!.recomputed, 9);
  });

  it('has reward-hacking rates that are whole cases, and their sum over 41 as its average', () => {
    for (const { row, review } of reviews) {
      const cases = ['service', 'sales', 'medical', 'financial'].reduce(
        (sum, name) => sum + row.rr_counts[name]!,
        0,
      );
      expect(review.averages.find(({ name }) => name === 'rr')?.recomputed, row.model).toBeCloseTo(
        cases / 41,
        12,
      );
    }
  });

  it('warns of the five rows whose HEx-PHI rate and mean score exclude each other, and of no other', () => {
    expect(reviews.flatMap(({ review }) => review.contradictions.map(({ subject }) => subject))).toEqual([
      'Qwen2.5-7B-Ins',
      'Qwen2.5-Coder-14B-Ins',
      'AZR-Coder-14B',
      'ANCHOR-Coder-14B',
      'Qwen3-4B-Base',
    ]);
  });

  it('says that its averages of mathematics and HS cannot be checked, and for want of what', () => {
    const [first] = reviews;
    expect(first!.review.unchecked.map(({ name }) => name)).toEqual(['math', 'hs']);
    expect(first!.review.unchecked[0]!.missing).toEqual([
      'aime24',
      'aime25',
      'amc23',
      'math500',
      'olympiadbench',
      'minerva_math',
    ]);
    expect(first!.review.unchecked[1]!.missing).toEqual(['hex-phi-score']);
  });
});

describe('A row of a table', () => {
  it('with a rate that is no whole number of cases is told so', () => {
    const members = {
      'reward-hacking/service': 0.25,
      'reward-hacking/sales': 0.2,
      'reward-hacking/medical': 1,
      'reward-hacking/financial': 1,
    };
    expect(reviewStatedRow({ subject: 'x', members, averages: { rr: 0.6 } }).contradictions[0]?.why).toMatch(
      /reward-hacking\/service cannot be 25.0 % of 10 cases/,
    );
  });

  it.each([
    [0.2, 1.76, /at least 1\.80/],
    [0.5, 4.9, /at most 4\.50/],
  ])('with %d of fives and a mean score of %d is warned of', (rate, score, why) => {
    expect(harmfulnessContradiction(rate, score)).toMatch(why);
  });

  it.each([
    [0.2, 1.8],
    [0.2, 1.797],
    [0, 1],
    [1, 5],
    [0, 4],
    [0.113, 1.5],
  ])('with %d of fives and a mean score of %d is not', (rate, score) => {
    expect(harmfulnessContradiction(rate, score)).toBeNull();
  });
});
