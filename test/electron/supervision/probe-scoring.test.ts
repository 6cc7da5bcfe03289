import { describe, expect, it } from 'vitest';
import type { JudgeProbeAnswer, ProbePass } from '../../../electron/contract/index.ts';
import {
  ISSUES,
  itemsOfPass,
  probeResults,
  requireItems,
  type AskedIssue,
  type ProbeItem,
} from '../../../electron/supervision/index.ts';
import { solution } from './samples.ts';

/** So many pairs of an issue, short and long by turns. */
function pairsOf(issue: AskedIssue, pairs: number, from = 0): ProbeItem[] {
  return Array.from({ length: 2 * pairs }, (_, index) => ({
    ordinal: from + index,
    issue,
    kind: 'one',
    length: index % 4 < 2 ? ('short' as const) : ('long' as const),
    carries: index % 2 === 0,
    pair: from / 2 + Math.floor(index / 2),
    step: 1,
    supervised: { item: solution('output') },
  }));
}

const answer = (
  pass: ProbePass,
  { ordinal, issue }: ProbeItem,
  found: boolean,
  rest: Partial<JudgeProbeAnswer> = {},
): JudgeProbeAnswer => ({
  pass,
  ordinal,
  status: 'done',
  issues: found ? [issue] : [],
  feedback: found ? ISSUES[issue].feedback : 'No problem found.',
  leaks: 0,
  asked: [],
  tokensIn: 10,
  tokensOut: 2,
  milliseconds: 500,
  at: '2026-01-01T00:00:00.000Z',
  ...rest,
});

const judged = (
  items: readonly ProbeItem[],
  says: (item: ProbeItem, index: number) => boolean,
  pass: ProbePass = 'run',
): JudgeProbeAnswer[] => items.map((item, index) => answer(pass, item, says(item, index)));

describe('The figures of a probe', () => {
  const items = pairsOf('type_error', 10);

  it('are precision, recall and balanced accuracy of known counts', () => {
    // Eight of ten found, three of ten controls reported.
    const says = ({ carries, pair }: ProbeItem): boolean => (carries ? pair < 8 : pair < 3);
    const { run } = probeResults({ mode: 'asks' }, items, judged(items, says));
    const [cell] = run.issues;
    expect(cell).toMatchObject({
      name: 'type_error',
      phase: 'output',
      precision: { hits: 8, n: 11 },
      recall: { hits: 8, n: 10, share: 0.8 },
      falseAlarms: { hits: 3, n: 10, share: 0.3 },
    });
    expect(cell?.balanced?.accuracy).toBeCloseTo(0.75, 12);
    // Newcombe's limits of 0.8 − 0.3, method 10, from Wilson limits [0.490, 0.943] and [0.108, 0.603]: 0.0665 and 0.7397; halved and moved by one half.
    expect(cell?.balanced?.low).toBeCloseTo(0.5333, 3);
    expect(cell?.balanced?.high).toBeCloseTo(0.8699, 3);
    // Fisher: 8 of 10 against 3 of 10 has a chance of 0.035, above one in forty.
    expect(cell?.against).toBe('chance');
  });

  it.each([
    ['finds what is there', ({ carries }: ProbeItem) => carries, 1, 'better'],
    ['finds it where it is not', ({ carries }: ProbeItem) => !carries, 0, 'worse'],
    ['says yes to everything', () => true, 0.5, 'chance'],
    ['says no to everything', () => false, 0.5, 'chance'],
  ])('of a judge that %s', (_, says, accuracy, against) => {
    const { run } = probeResults({ mode: 'closed' }, items, judged(items, says));
    expect(run.phases[0]).toMatchObject({ name: 'output', against });
    expect(run.phases[0]?.balanced?.accuracy).toBeCloseTo(accuracy, 12);
  });

  it('of two pairs prove nothing, however right', () => {
    const two = pairsOf('type_error', 2);
    const { run } = probeResults(
      { mode: 'closed' },
      two,
      judged(two, ({ carries }) => carries),
    );
    expect(run.issues[0]).toMatchObject({ against: 'chance', balanced: { accuracy: 1 } });
  });

  it('count a failed answer as nothing found', () => {
    const answers = items.map((item) => answer('run', item, false, { status: 'failed' }));
    expect(probeResults({ mode: 'closed' }, items, answers)).toMatchObject({
      answered: 20,
      failed: 20,
      leaks: { n: 0 },
    });
  });

  it('say what was computed adds, item by item', () => {
    const answers = [...judged(items, ({ carries }) => carries), ...judged(items, () => true, 'alone')];
    const { computedAdds } = probeResults({ mode: 'words' }, items, answers);
    expect(computedAdds.map(({ phase, n, difference }) => [phase, n, difference])).toEqual([
      ['output', 20, 0.5],
      [null, 20, 0.5],
    ]);
    expect(computedAdds[0]?.low).toBeGreaterThan(0);
  });

  it('see a judge that favours the first place', () => {
    const asked = (found: readonly boolean[]) =>
      found.map((yes, place) => ({ issue: `i${place}`, found: yes }));
    const first = items.map((item) => answer('run', item, true, { asked: asked([true, false, false]) }));
    const { position } = probeResults({ mode: 'asks' }, items, first);
    expect(position?.places.map(({ share }) => share)).toEqual([1, 0, 0]);
    expect(position).toMatchObject({ degrees: 2, chiSquared: expect.closeTo(60, 9) as number });
    expect(position?.p).toBeLessThan(1e-9);
    const even = items.map((item, index) =>
      answer('run', item, true, { asked: asked([0, 1, 2].map((place) => index % 3 === place)) }),
    );
    expect(probeResults({ mode: 'asks' }, items, even).position?.p).toBeGreaterThan(0.5);
    expect(
      probeResults(
        { mode: 'closed' },
        items,
        judged(items, () => true),
      ).position,
    ).toBeNull();
  });

  it('see a judge that finds more in what is long', () => {
    const { length } = probeResults(
      { mode: 'closed' },
      items,
      judged(items, (item) => item.length === 'long'),
    );
    expect(length).toMatchObject({ difference: 1, short: { hits: 0 }, long: { share: 1 } });
    expect(length?.low).toBeGreaterThan(0);
  });

  it('see a judge that names something where nothing is wrong because it is long, whatever it names', () => {
    const says = ({ length, carries, pair }: ProbeItem): string[] =>
      // Half of the defects of short items are missed, which is no leaning to length.
      carries
        ? length === 'long' || pair % 4 === 0
          ? ['type_error']
          : []
        : length === 'long'
          ? ['other']
          : [];
    const answers = items.map((item) => answer('run', item, false, { issues: says(item) }));
    const { lengthOfControls } = probeResults({ mode: 'closed' }, items, answers);
    expect(lengthOfControls).toMatchObject({
      difference: 1,
      short: { n: 5, hits: 0 },
      long: { n: 5, hits: 5 },
    });
    // Wilson's limits of 0 and 5 of 5 are 0.4345 from where they stand; Newcombe's lower one is 1 less their norm.
    expect(lengthOfControls?.low).toBeCloseTo(1 - Math.hypot(0.4345, 0.4345), 3);
    const fair = items.map((item) => answer('run', item, item.carries && item.length === 'long'));
    expect(probeResults({ mode: 'closed' }, items, fair).lengthOfControls).toMatchObject({ difference: 0 });
    const batches = items.map((item) => ({ ...item, issue: 'timeouts' as const }));
    expect(probeResults({ mode: 'closed' }, batches, answers).lengthOfControls).toBeNull();
  });

  it('count as leaks only words of its own', () => {
    const answers = items.map((item, index) =>
      answer('run', item, true, {
        ...(index < 4 ? { feedback: 'The answer is 12.' } : {}),
        ...(index === 0 ? { status: 'quarantined', leaks: 1 } : {}),
      }),
    );
    expect(probeResults({ mode: 'words' }, items, answers).leaks).toMatchObject({ n: 4, hits: 1 });
  });

  it('compare a judge with itself in the pass in which it decides', () => {
    const answers = [
      ...judged(items, () => true),
      ...judged(items, ({ carries }) => carries, 'alone'),
      ...judged(items.slice(0, 8), ({ carries }) => carries, 'again'),
    ];
    const own = probeResults({ mode: 'words' }, items, answers).again;
    expect(own).toMatchObject({ agreement: { n: 8, hits: 8 }, kappa: { kappa: 1 } });
    // As in a run it said yes to everything, of which kappa says nothing.
    expect(probeResults({ mode: 'asks' }, items, answers).again).toMatchObject({
      agreement: { n: 8, hits: 4 },
      kappa: null,
    });
  });

  it('measure the time of reviews that the model took part in', () => {
    const answers = items.map((item, index) =>
      answer('run', item, true, index % 2 === 0 ? { milliseconds: 1000 + 100 * index } : { tokensIn: 0 }),
    );
    const { seconds } = probeResults({ mode: 'words' }, items, answers);
    expect(seconds).toMatchObject({ n: 10, mean: expect.closeTo(1.9, 9) as number });
    expect((seconds?.low ?? 0) < 1.9 && (seconds?.high ?? 0) > 1.9).toBe(true);
  });

  it('say by phase of how many items the model was asked, and what an item costs with those that cost nothing', () => {
    const both = [...items, ...pairsOf('no_trace', 3, items.length)];
    const answers = both.map((item, index) =>
      answer('run', item, true, index % 4 === 0 ? { milliseconds: 2000 } : { tokensIn: 0, milliseconds: 3 }),
    );
    expect(probeResults({ mode: 'words' }, items, []).pace).toEqual([]);
    expect(probeResults({ mode: 'words' }, both, answers).pace).toEqual([
      { phase: 'thought', n: 6, asked: 2, seconds: 2 / 3 },
      { phase: 'output', n: 20, asked: 5, seconds: 0.5 },
    ]);
  });

  it('of a probe that was cut off are those of the answers there are', () => {
    const { run, alone, again, seconds } = probeResults(
      { mode: 'closed' },
      items,
      judged(items.slice(0, 3), ({ carries }) => carries),
    );
    expect(run.issues[0]).toMatchObject({ recall: { n: 2 }, falseAlarms: { n: 1 } });
    expect([alone.issues, again.agreement.n, seconds?.n]).toEqual([[], 0, 3]);
    expect(probeResults({ mode: 'closed' }, items, [])).toMatchObject({ computedAdds: [], seconds: null });
  });
});

describe('A probe', () => {
  it('asks whole pairs again, a quarter of them, the same ones every time', () => {
    const items = [...pairsOf('type_error', 20), ...pairsOf('no_trace', 20, 40)];
    const again = itemsOfPass(items, 'again', { seed: 1 });
    expect(again).toHaveLength(20);
    for (const { pair } of again) expect(again.filter((other) => other.pair === pair)).toHaveLength(2);
    expect(itemsOfPass(items, 'again', { seed: 1 })).toEqual(again);
    expect(itemsOfPass(items, 'again', { seed: 2 })).not.toEqual(again);
    expect(new Set(again.map(({ issue }) => issue)).size).toBe(2);
    expect(itemsOfPass(items, 'run', { seed: 1 })).toEqual(items);
  });

  it.each([
    [30, 'at least 32 items'],
    [33, 'even number'],
    [0, 'at least 32 items'],
  ])('of %i items is refused in one sentence', (count, why) => {
    expect(() =>
      requireItems({ items: count, phases: ['task', 'plan', 'thought', 'output', 'exec'] }),
    ).toThrow(why);
  });
});
