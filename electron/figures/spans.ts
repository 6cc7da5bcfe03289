import type { StageSpan, StageView } from '../contract/index.ts';
import { escapeXml, picture } from './picture.ts';
import { printColor } from './series.ts';

/** A span of a schedule where it is drawn, in pixels. */
export type SpanBlock = {
  span: StageSpan;
  view: StageView;
  /** Number of its colour, the same wherever its stage comes again. */
  color: number;
  left: number;
  width: number;
  /** Share of its steps that are stored. */
  done: number;
  /** Whether an iteration begins with it. */
  isFirst: boolean;
};

export const SPANS = { height: 26, head: 16, gap: 2, mostStep: 30, bar: 5 };
/** Where a letter still stands. */
const LEAST = 18;

/**
 * The spans of a schedule side by side, as wide as their steps are many but never too narrow for a letter. Where there is no room for all
 * iterations, those around the step `at`.
 */
export function layOutSpans(
  spans: readonly StageSpan[],
  stages: readonly StageView[],
  { room, at, stored }: { room: number; at: number; stored: number },
): SpanBlock[] {
  const iterations = [...Map.groupBy(spans, ({ iteration }) => iteration).values()];
  const most = Math.max(1, Math.floor(room / (LEAST * Math.max(1, stages.length))));
  const here = iterations.findIndex((own) => own.some(({ from, to }) => at >= from && at <= to));
  const first = Math.max(0, Math.min((here < 0 ? 0 : here) - Math.floor(most / 2), iterations.length - most));
  const shown = iterations.slice(first, first + most).flat();
  const steps = shown.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const spare = Math.max(0, Math.min(room - shown.length * LEAST, steps * SPANS.mostStep));
  let left = 0;
  return shown.map((span, place) => {
    const count = span.to - span.from + 1;
    const color = stages.findIndex(({ name }) => name === span.stage);
    const width = LEAST + (spare * count) / steps;
    const block: SpanBlock = {
      span,
      view: stages[color] ?? { name: span.stage, letter: '?', label: span.stage },
      color: Math.max(0, color),
      left,
      width: width - SPANS.gap,
      done: Math.max(0, Math.min(count, stored - span.from + 1)) / count,
      isFirst: shown[place - 1]?.iteration !== span.iteration,
    };
    left += width;
    return block;
  });
}

/** The seconds of steps by stage, in the stages' order; those that no step belongs to are left out. */
export function secondsByStage(
  spans: readonly StageSpan[],
  stages: readonly StageView[],
  steps: readonly { step: number; seconds: number }[],
): { stage: StageView; steps: number; seconds: number; share: number }[] {
  const stageOf = stageAlong(spans);
  const sums = new Map<string, { steps: number; seconds: number }>();
  for (const { step, seconds } of steps) {
    const name = stageOf(step)?.stage;
    if (name === undefined) continue;
    const sum = sums.get(name) ?? { steps: 0, seconds: 0 };
    sums.set(name, { steps: sum.steps + 1, seconds: sum.seconds + seconds });
  }
  const whole = [...sums.values()].reduce((all, { seconds }) => all + seconds, 0);
  return stages.flatMap((stage) => {
    const sum = sums.get(stage.name);
    return sum === undefined ? [] : [{ stage, ...sum, share: whole === 0 ? 0 : sum.seconds / whole }];
  });
}

/** The span that a step belongs to, found by halving. */
export function stageAlong(spans: readonly StageSpan[]): (step: number) => StageSpan | undefined {
  return (step) => {
    let [low, high] = [0, spans.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((spans[middle]?.from ?? Infinity) <= step) low = middle;
      else high = middle - 1;
    }
    const found = spans[low];
    return found !== undefined && step >= found.from && step <= found.to ? found : undefined;
  };
}

/** The strip as a picture file that stands alone. */
export function spansSvg(
  title: string,
  blocks: readonly SpanBlock[],
  iterationText: (iteration: number) => string,
): string {
  const top = 34;
  const stages = [...new Map(blocks.map(({ view, color }) => [view.name, { view, color }])).values()];
  const drawn = blocks.map(({ span, view, color, left, width, done, isFirst }) =>
    [
      isFirst ? `<text x="${left.toFixed(1)}" y="10">${escapeXml(iterationText(span.iteration))}</text>` : '',
      `<rect x="${left.toFixed(1)}" y="${SPANS.head}" width="${width.toFixed(1)}" height="${SPANS.height}" fill="#fff" stroke="${printColor(color)}"/>`,
      `<rect x="${left.toFixed(1)}" y="${SPANS.head + SPANS.height - SPANS.bar}" width="${(width * done).toFixed(1)}" height="${SPANS.bar}" fill="${printColor(color)}"/>`,
      `<text x="${(left + width / 2).toFixed(1)}" y="${SPANS.head + 16}" text-anchor="middle">${escapeXml(view.letter)}</text>`,
    ].join(''),
  );
  const legend = stages.map(
    ({ view, color }, place) =>
      `<rect x="0" y="${SPANS.head + SPANS.height + 12 + place * 16}" width="10" height="10" fill="${printColor(color)}"/><text x="16" y="${SPANS.head + SPANS.height + 21 + place * 16}">${escapeXml(`${view.letter} ${view.label}`)}</text>`,
  );
  const height = top + SPANS.head + SPANS.height + 20 + stages.length * 16;
  return picture(
    title,
    640,
    height,
    12,
    `<g transform="translate(12 ${top})">${drawn.join('')}${legend.join('')}</g>`,
  );
}
