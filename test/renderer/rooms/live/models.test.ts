import { describe, expect, it } from 'vitest';
import {
  type ContextLine,
  type ContextRecord,
  PHASES,
  type RunConfig,
  runConfigSchema,
} from '../../../../electron/contract/index.ts';
import { type BannerFacts, bannersOf } from '../../../../renderer/rooms/live/model/banners.ts';
import { contextDiff, likeness, wordDiff } from '../../../../renderer/rooms/live/model/context-diff.ts';
import { choiceOf, CURVE_IDS } from '../../../../renderer/rooms/live/model/curve-choices.ts';
import {
  chosenCurves,
  metricNames,
  newestScores,
  runScoreSeries,
  timelineSeries,
} from '../../../../renderer/rooms/live/model/curves.ts';
import {
  ALL_PARTS,
  cellAt,
  EMPTY_TIMELINE,
  partPath,
  quantile,
  reviewCount,
  SUPERVISION_METRICS,
  timeLeft,
  type Timeline,
  stripWidth,
  timelineCeiling,
  timelineCells,
  withSteps,
} from '../../../../renderer/rooms/live/model/timeline.ts';
import { liveSearchSchema } from '../../../../renderer/rooms/live/search.ts';

const t = (id: string, values?: Record<string, unknown>): string =>
  values === undefined ? id : `${id} ${JSON.stringify(values)}`;

describe('the time left', () => {
  it('the time left is known from three steps on', () => {
    expect(timeLeft([10, null, 10], 5)).toBeNull();
  });
  it('the time left is the median of the last ten steps with the quarters around it; one stall does not move it', () => {
    const steps = [999, 999, ...Array.from({ length: 9 }, () => 10), 500];
    expect(timeLeft(steps, 4)).toEqual({ median: 40, low: 40, high: 40 });
    expect(timeLeft([10, 20, 30, 40, 50], 2)).toEqual({ median: 60, low: 40, high: 80 });
  });
  it('a quantile lies between two values where there is no middle one', () => {
    expect(quantile([1, 2], 0.5)).toBe(1.5);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('the timeline of a run', () => {
  const timeline: Timeline = {
    steps: [1, 2],
    timings: { step: [5, 6] },
    metrics: {
      a: [1, null],
      'supervision/task/reviews': [3, 4],
      'supervision/leaks': [1, 0],
      'supervision/retries': [0, 1],
    },
  };
  it('a timeline grows by the events of steps, in order, each step once', () => {
    const event = (step: number) => ({
      step,
      timings: { step: step * 10, retry: 1 },
      metrics: {
        b: step,
        'supervision/task/reviews': 2,
        'supervision/plan/reviews': 1,
        'supervision/leaks': 1,
        'supervision/retries': 1,
      },
    });
    const grown = withSteps(timeline, [event(4), event(2), event(3), event(3)]);
    expect(grown).toMatchObject({
      steps: [1, 2, 3, 4],
      timings: { step: [5, 6, 30, 40], retry: [null, null, 1, 1] },
      metrics: {
        a: [1, null, null, null],
        b: [null, null, 3, 4],
        'supervision/task/reviews': [3, 4, 2, 2],
        'supervision/plan/reviews': [null, null, 1, 1],
        'supervision/retries': [0, 1, 1, 1],
      },
    });
    expect([reviewCount(timeline), reviewCount(grown)]).toEqual([8, 16]);
  });
  it('the review count has every answered review of every phase, and those withheld as leaks', () => {
    const one = (name: string): number => reviewCount({ steps: [1], timings: {}, metrics: { [name]: [1] } });
    expect(SUPERVISION_METRICS.map(one)).toEqual([...PHASES.map(() => 1), 1, 0]);
    expect(['supervision/skipped', 'supervision/failed'].map(one)).toEqual([0, 0]);
    expect(reviewCount(EMPTY_TIMELINE)).toBe(0);
  });
  it('a timeline stays the same object when nothing is new, so that nothing is drawn again', () => {
    expect(withSteps(timeline, [{ step: 2, timings: {}, metrics: {} }])).toBe(timeline);
    expect(withSteps(EMPTY_TIMELINE, [])).toBe(EMPTY_TIMELINE);
  });
});

const score = (suite: string, step: number, passed: number) => ({
  id: `${suite} ${step}`,
  suite,
  step,
  passed,
  n: 10,
  overridden: 0,
  contextHash: null,
  isOwnContext: true,
  interval: { low: 0, high: 1 },
});

describe('curves of one’s choice', () => {
  it('the chosen curves are four, known and each once, whatever a link says', () => {
    const alone = runConfigSchema.parse({});
    const evaluated = { ...alone, evaluation: {} as NonNullable<RunConfig['evaluation']> };
    expect(chosenCurves('', alone)).toEqual(['reward', 'pass', 'reviews', 'length']);
    expect(chosenCurves('', evaluated)).toEqual(['scores', 'pass', 'reviews', 'reward']);
    const unverified = runConfigSchema.parse({ framework: { name: 'rzero' } });
    expect(chosenCurves('', unverified)).toEqual(['reward', 'agreement', 'reviews', 'length']);
    const rewardedPrompts = { ...alone.rewardedPrompts, share: 0.5 };
    expect(chosenCurves('', { ...alone, rewardedPrompts })).toEqual([
      'reward',
      'pass',
      'reviews',
      'satisfied',
    ]);
    expect(chosenCurves('', { ...evaluated, rewardedPrompts })).toEqual([
      'scores',
      'pass',
      'reviews',
      'satisfied',
    ]);
    expect(chosenCurves('gpu.constructor.gpu.nonsense.scores', alone)).toEqual([
      'gpu',
      'scores',
      'reward',
      'pass',
    ]);
    expect(metricNames(['scores', 'seconds', 'gpu'])).toEqual([
      'resources/gpu_share',
      'resources/gpu_slowed_share',
    ]);
  });
  it('a curve shows the lines a run has values for, with its gaps', () => {
    const timeline: Timeline = {
      ...EMPTY_TIMELINE,
      steps: [1, 2],
      metrics: { 'pred_code_i/accuracy': [0.5, null], 'pred_code_o/accuracy': [null, null] },
    };
    expect(timelineSeries('pass', timeline, t as never)).toMatchObject([
      { id: 'pred_code_i/accuracy', kind: 'line', x: [1, 2], y: [0.5, null] },
    ]);
  });
  it('answers that users rated are drawn apart from those that passed, and more satisfied users are not better', () => {
    const metrics = {
      'pred_code_o/accuracy': [0.5],
      'pred_code_o/critic/rewards/mean': [0.2],
      'gen_code_o/critic/rewards/mean': [0.4],
      'pred_request/accuracy': [0.9],
      'pred_memory/accuracy': [0.8],
      'pred_request/critic/rewards/mean': [0.7],
    };
    const drawn = (id: Parameters<typeof choiceOf>[0]): string[] =>
      timelineSeries(id, { ...EMPTY_TIMELINE, steps: [1], metrics }, t as never).map((line) => line.id);
    expect(drawn('pass')).toEqual(['pred_code_o/accuracy']);
    expect(drawn('satisfied')).toEqual(['pred_request/accuracy', 'pred_memory/accuracy']);
    expect(drawn('reward')).toEqual(['gen_code_o/critic/rewards/mean', 'pred_code_o/critic/rewards/mean']);
    expect(drawn('ratedReward')).toEqual(['pred_request/critic/rewards/mean']);
    for (const id of CURVE_IDS) {
      const { note, lines } = choiceOf(id);
      const isRated = lines.some(({ name }) => /^pred_(?:request|memory)\/(?:accuracy|critic)/.test(name));
      expect({ id, isBetter: isRated && note === 'live.curve.up' }).toEqual({ id, isBetter: false });
    }
  });
  it('answers that could not be read are drawn by cause, each in words of its own', () => {
    const metrics = {
      'format/readable': [3],
      'format/no-block': [2],
      'format/cut-off': [1],
      'format/other': [4],
    };
    const series = timelineSeries('causes', { ...EMPTY_TIMELINE, steps: [1], metrics }, t as never);
    expect(Object.fromEntries(series.map(({ id, y }) => [id, y]))).toEqual(metrics);
    expect(new Set(series.map(({ label }) => label)).size).toBe(4);
  });
  it('the gap between sampler and trainer is drawn at its quantiles, with digits where it is small', () => {
    const metrics = {
      'actor/logp_mismatch_p50': [1e-7],
      'actor/logp_mismatch_max': [0.5],
      'actor/logp_mismatch_outside': [0.02],
    };
    const timeline = { ...EMPTY_TIMELINE, steps: [1], metrics };
    expect(timelineSeries('mismatch', timeline, t as never).map(({ label }) => label)).toEqual([
      'p50',
      'max',
    ]);
    expect(timelineSeries('outside', timeline, t as never)).toHaveLength(1);
    const { format } = choiceOf('mismatch');
    expect([0, 1e-7, 0.5].map(format)).toEqual(['0.000', '1.0e-7', '0.500']);
    expect(choiceOf('outside').format(0.02)).toBe('2.0 %');
  });
  it('lines of the supervisor’s model are drawn by what became of them, without reasons that never came up', () => {
    const metrics = {
      'wording/model': [2, null, 0],
      'wording/leak': [0, null, 1],
      'wording/deed': [0, null, 0],
    };
    const series = timelineSeries('wordings', { ...EMPTY_TIMELINE, steps: [1, 2, 3], metrics }, t as never);
    expect(series.map(({ id, kind, y }) => [id, kind, y])).toEqual([
      ['wording/model', 'count', metrics['wording/model']],
      ['wording/leak', 'count', metrics['wording/leak']],
    ]);
  });
  it('a curve never smooths what is counted or scored', () => {
    const timeline: Timeline = {
      ...EMPTY_TIMELINE,
      steps: [1],
      metrics: { 'supervision/task/reviews': [2] },
    };
    expect(timelineSeries('reviews', timeline, t as never)[0]?.kind).toBe('count');
    expect(runScoreSeries([score('s', 1, 1)], t as never)[0]?.kind).toBe('score');
  });
  it('of scores those suites are drawn that are followed along the run; all of them where none is', () => {
    const ids = (scores: Parameters<typeof runScoreSeries>[0]) =>
      runScoreSeries(scores, t as never).map(({ id }) => id.split('\n')[0]);
    expect(ids([score('a', 1, 1), score('a', 2, 1), score('b', 2, 1)])).toEqual(['a']);
    expect(ids([score('a', 2, 1), score('b', 2, 1)])).toEqual(['a', 'b']);
  });
  it('the overview names only the newest evaluated step', () => {
    expect(newestScores([score('s', 5, 1), score('s', 10, 2), score('s', 10, 4)], t as never)).toMatchObject({
      step: 10,
      bars: [{ value: 0.4, low: 0, high: 1 }],
    });
    expect(newestScores([], t as never)).toEqual({ step: null, bars: [] });
  });
  it('the overview marks a score into which a person’s verdicts went', () => {
    const { bars } = newestScores([{ ...score('s', 5, 1), overridden: 1 }, score('u', 5, 1)], t as never);
    expect(bars.map(({ label }) => label.includes('✎'))).toEqual([true, false]);
  });
});

describe('the timeline', () => {
  const timeline = (seconds: (number | null)[]): Timeline => ({
    steps: seconds.map((_, index) => index + 1),
    timings: { step: seconds, gen: seconds.map((each) => (each === null ? null : each / 2)) },
    metrics: { 'supervision/retries': seconds.map((_, index) => index % 2) },
  });
  it('the timeline has one cell per step, and the rest of a step is other', () => {
    const [cell] = timelineCells(timeline([10, 20]), 100);
    expect(cell).toMatchObject({ from: 1, to: 1, seconds: 10, retries: 0, parts: { gen: 5, other: 5 } });
  });
  it('a cell takes a few steps together where there are more steps than pixels', () => {
    const cells = timelineCells(timeline(Array.from({ length: 500 }, () => 4)), 250);
    expect(cells).toHaveLength(250);
    expect(cells[0]).toMatchObject({ from: 1, to: 2, seconds: 4, retries: 1 });
    expect(cells.at(-1)).toMatchObject({ from: 499, to: 500 });
  });
  it('the timeline leaves out a step whose duration is not known', () => {
    expect(timelineCells(timeline([10, null]), 100)).toHaveLength(1);
  });
  it('one stalled step does not press all others flat', () => {
    expect(timelineCeiling(timelineCells(timeline([10, 10, 10, 5000]), 100))).toBe(30);
  });

  it('a strip of eight steps or more takes all the room, a shorter one has cells of an eighth', () => {
    expect([8, 24, 500].map((cells) => stripWidth(1160, cells))).toEqual([1160, 1160, 1160]);
    expect([0, 1, 4].map((cells) => stripWidth(1160, cells))).toEqual([0, 145, 580]);
  });
  it('each sub-phase is drawn as one path, stacked, never above the strip', () => {
    const cells = timelineCells(timeline([10, 5000, 10]), 100);
    const strip = { width: 30, height: 60, ceiling: timelineCeiling(cells) };
    expect(partPath(cells, 'gen', strip).match(/M/g)).toHaveLength(3);
    const heights = ALL_PARTS.flatMap((part) =>
      [...partPath(cells, part, strip).matchAll(/v(-[\d.]+)h/g)].map((match) => Number(match[1])),
    );
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(-60);
    expect([15, 30, -1].map((x) => cellAt(cells, strip, x))).toEqual([1, 2, 0]);
    expect(cellAt([], strip, 15)).toBeNull();
  });
});

describe('banners', () => {
  const facts: BannerFacts = {
    run: { state: 'stepping', reason: null },
    redo: null,
    children: [],
    waitingForReviewer: 0,
    stage: 'generate',
    person: { count: 0, secondsLeft: null },
    lastSteps: [],
  };
  it('a run that works as it should has no banner', () => {
    expect(bannersOf(facts)).toEqual([]);
  });
  it.each(['failed', 'interrupted', 'paused'] as const)(
    'a run that is %s has one banner: why, and what resuming repeats',
    (state) => {
      expect(
        bannersOf({
          ...facts,
          run: { state, reason: 'Because.' },
          redo: 'Step 5 again.',
          person: { count: 3, secondsLeft: 1 },
        }),
      ).toEqual([{ kind: state, reason: 'Because.', redo: 'Step 5 again.' }]);
    },
  );
  it('trouble of a process comes first, with its seconds and limit', () => {
    const child = {
      child: 'trainer',
      runId: 'r',
      state: 'silent',
      seconds: 12,
      limitSeconds: 30,
      detail: '',
    } as const;
    expect(
      bannersOf({
        ...facts,
        children: [child, { ...child, child: 'supervisor', state: 'ready' }],
        person: { count: 1, secondsLeft: 9 },
      }).map(({ kind }) => kind),
    ).toEqual(['silent', 'person']);
  });
  it('a banner calls the supervisor behind when the trainer waits for it, or waited for a tenth of the last steps', () => {
    expect(bannersOf({ ...facts, stage: 'supervise', waitingForReviewer: 14 })).toEqual([
      { kind: 'behind', waiting: 14, share: null },
    ]);
    expect(
      bannersOf({
        ...facts,
        lastSteps: [
          { seconds: 90, waited: 0 },
          { seconds: 10, waited: 10 },
        ],
      }),
    ).toMatchObject([{ kind: 'behind', share: 0.1 }]);
    expect(bannersOf({ ...facts, waitingForReviewer: 14, lastSteps: [{ seconds: 100, waited: 9 }] })).toEqual(
      [],
    );
  });
  it('no banner blames the supervisor for a person’s time', () => {
    expect(
      bannersOf({
        ...facts,
        stage: 'supervise',
        waitingForReviewer: 1,
        person: { count: 2, secondsLeft: 10 },
      }).map(({ kind }) => kind),
    ).toEqual(['person']);
  });
  it('a run that is done has no banner', () => {
    expect(
      bannersOf({
        ...facts,
        run: { state: 'done', reason: null },
        waitingForReviewer: 3,
        stage: 'supervise',
      }),
    ).toEqual([]);
  });
});

describe('two contexts', () => {
  const line = (id: string, text: string): ContextLine => ({
    id,
    text,
    key: null,
    enteredStep: 1,
    lastSupportedStep: 1,
    support: 1,
    reviewIds: [],
  });
  const context = (
    step: number,
    lines: ContextLine[],
    removed: ContextRecord['removed'] = [],
  ): ContextRecord => ({ step, hash: '0'.repeat(64), text: '', tokens: 0, lines, removed });
  it('two contexts differ in lines that came, left and were reworded', () => {
    const before = context(1, [
      line('1.1', 'Trace each step.'),
      line('1.2', 'Name every variable well.'),
      line('1.3', 'Gone.'),
    ]);
    const after = context(
      2,
      [
        line('2.1', 'Name every variable very well.'),
        line('1.1', 'Trace each step.'),
        line('2.2', 'Entirely new thing.'),
      ],
      [{ id: '1.3', text: 'Gone.', reason: 'expired' }],
    );
    expect(contextDiff(before, after).map(({ id, is, reason }) => [id, is, reason])).toEqual([
      ['2.1', 'changed', null],
      ['1.1', 'same', null],
      ['2.2', 'added', null],
      ['1.3', 'removed', 'expired'],
    ]);
    expect(contextDiff(before, after)[0]?.parts.filter(({ is }) => is !== 'same')).toEqual([
      { text: 'very ', is: 'added' },
    ]);
  });
  it('a context without an earlier one has no marks', () => {
    expect(contextDiff(null, context(1, [line('1.1', 'a')])).map(({ is }) => is)).toEqual(['same']);
  });
  it('two new lines are not both the rewording of one old line', () => {
    const diff = contextDiff(
      context(1, [line('1.1', 'one two three')]),
      context(2, [line('2.1', 'one two four'), line('2.2', 'one two five')]),
    );
    expect(diff.map(({ is }) => is)).toEqual(['changed', 'added']);
  });
  it('contexts are compared word by word, whatever language or sign', () => {
    expect(wordDiff('für a', 'für b').map(({ text, is }) => `${is}:${text}`)).toEqual([
      'same:für ',
      'removed:a',
      'added:b',
    ]);
    expect([likeness('', ''), likeness('A b', 'a B!'), likeness('a', 'b')]).toEqual([0, 1, 0]);
  });
});

describe('the address of the page', () => {
  it('a wrong address still opens the page', () => {
    expect(
      liveSearchSchema.parse({
        from: 'x',
        to: '-3',
        tab: 'elsewhere',
        phase: 'no',
        smoothing: '7',
        type: 4,
        compare: '0',
      }),
    ).toEqual({
      from: undefined,
      to: undefined,
      tab: undefined,
      phase: undefined,
      smoothing: undefined,
      type: undefined,
      compare: undefined,
      curves: undefined,
      decision: undefined,
    });
  });
  it('an address gives numbers back from its text', () => {
    expect(liveSearchSchema.parse({ from: '3', to: 9, smoothing: '0.5' })).toMatchObject({
      from: 3,
      to: 9,
      smoothing: 0.5,
    });
  });
});
