import { describe, expect, it } from 'vitest';
import { placeInSpan, runConfigSchema, viewOf } from '../../../../electron/contract/index.ts';
import { frameworkOf, spansOf } from '../../../../electron/evolution/index.ts';
import { layOutSpans, secondsByStage, spansSvg, stageAlong } from '../../../../electron/figures/index.ts';

/** Two of C, two of G and of L, three of S; the second iteration ends in its S. */
const config = runConfigSchema.parse({
  steps: 17,
  framework: {
    name: 'rzero',
    challenge: { steps: 2 },
    pose: { questions: 10, perStep: 5 },
    solve: { steps: 3 },
  },
});
const spans = spansOf(frameworkOf(config.framework), config);
const { stages } = viewOf('rzero');

describe('the stages of a run', () => {
  it('are stretches of steps, and each step has the place that its framework gives it', () => {
    expect(spans.map(({ stage, iteration, from, to }) => [stage, iteration, from, to])).toEqual([
      ['challenge', 1, 1, 2],
      ['pose', 1, 3, 4],
      ['label', 1, 5, 6],
      ['solve', 1, 7, 9],
      ['challenge', 2, 10, 11],
      ['pose', 2, 12, 13],
      ['label', 2, 14, 15],
      ['solve', 2, 16, 17],
    ]);
    const framework = frameworkOf(config.framework);
    for (let step = 1; step <= config.steps; step += 1) {
      const span = stageAlong(spans)(step);
      const { stage, iteration, position } = framework.stageAt(config, step);
      expect([span?.stage, span?.iteration]).toEqual([stage.name, iteration]);
      expect(span === undefined ? null : placeInSpan(span, step)).toEqual(position);
    }
    expect(stageAlong(spans)(18)).toBeUndefined();
    expect(stageAlong([])(1)).toBeUndefined();
  });

  it('are none of a run whose steps are all alike', () => {
    const alike = runConfigSchema.parse({ steps: 3 });
    expect(spansOf(frameworkOf(alike.framework), alike)).toEqual([]);
  });

  it('have the time of their steps, and none before one is stored', () => {
    const steps = [1, 2, 3, 10].map((step) => ({ step, seconds: step }));
    expect(secondsByStage(spans, stages, steps).map(({ stage, ...sum }) => [stage.letter, sum])).toEqual([
      ['C', { steps: 3, seconds: 13, share: 13 / 16 }],
      ['G', { steps: 1, seconds: 3, share: 3 / 16 }],
    ]);
    expect(secondsByStage(spans, stages, [])).toEqual([]);
  });

  it('stand side by side without a gap, as far as they are done', () => {
    const blocks = layOutSpans(spans, stages, { room: 1000, at: 10, stored: 8 });
    expect(blocks.map(({ view, done }) => [view.letter, done])).toEqual([
      ['C', 1],
      ['G', 1],
      ['L', 1],
      ['S', 2 / 3],
      ['C', 0],
      ['G', 0],
      ['L', 0],
      ['S', 0],
    ]);
    for (const [place, { left }] of blocks.entries())
      expect(left).toBeCloseTo(place === 0 ? 0 : blocks[place - 1]!.left + blocks[place - 1]!.width + 2, 9);
    expect(spansSvg('Stages <C>', blocks, (at) => `round ${at}`)).toMatch(
      /Stages &lt;C&gt;.*round 2.*L questions/s,
    );
  });

  it('are those around the step that is looked at where there is no room for all iterations', () => {
    const long = { ...config, steps: 9 * 1000 };
    const blocks = layOutSpans(spansOf(frameworkOf(config.framework), long), stages, {
      room: 300,
      at: 4501,
      stored: 4500,
    });
    expect(blocks).toHaveLength(4 * 4);
    expect(blocks.map(({ span }) => span.iteration)).toContain(501);
    const { left, width } = blocks.at(-1)!;
    expect(left + width).toBeLessThanOrEqual(300);
  });
});
