import type { UnusedCount } from '../../../../electron/contract/index.ts';
import type { Bar, CurveSeries } from '../../../charts/index.ts';
import type { api } from '../../../data/index.ts';
import type { Translate } from '../../../i18n/index.ts';

export type Inside = NonNullable<Awaited<ReturnType<typeof api.live.inside.query>>>;
export type Unused = UnusedCount & { sentence: string | null };
type Span = { from: number; to: number };

/** Spans that overlap or touch, as one each; in order. */
export function merged(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else found.push({ from, to });
  }
  return found;
}

/** Seconds in which a reviewer was at work, and how many of them the step stood still for. */
export function reviewSeconds({ parts, reviews }: Inside): { busy: number; waited: number } {
  const wait = parts.find(({ part }) => part === 'supervise_wait');
  return {
    busy: merged(reviews).reduce((sum, { from, to }) => sum + to - from, 0),
    waited: wait === undefined ? 0 : wait.to - wait.from,
  };
}

const nameOf = (t: Translate, { kind, reason }: Pick<Unused, 'kind' | 'reason'>): string =>
  reason === null
    ? t(`live.unused.${kind}`)
    : t('live.unused.of', {
        kind: t(`live.unused.${kind}`),
        reason: kind === 'review' ? t(`live.unused.review.${reason as ReviewEnd}`) : reason,
      });
type ReviewEnd = 'failed' | 'quarantined' | 'skipped-by-budget';

const meaningOf = (t: Translate, { kind, sentence }: Unused): string =>
  kind === 'review' || sentence === null ? t(`live.unused.means.${kind}`) : sentence;

export type UnusedReason = {
  id: string;
  name: string;
  /** In a sentence. */ means: string;
  count: number;
  perStep: ReadonlyMap<number, number>;
};

/** Each kind and reason over these steps, the most frequent first. */
export function unusedReasons(
  rows: readonly Unused[],
  range: { from: number; to: number | null } | null,
  t: Translate,
): UnusedReason[] {
  const inside = rows.filter(
    ({ step }) => range === null || (step >= range.from && step <= (range.to ?? Infinity)),
  );
  return [...Map.groupBy(inside, ({ kind, reason }) => `${kind} ${reason ?? ''}`)]
    .map(([id, of]) => ({
      id,
      name: nameOf(t, of[0]!),
      means: meaningOf(t, of[0]!),
      count: of.reduce((sum, { count }) => sum + count, 0),
      perStep: new Map(of.map(({ step, count }) => [step, count])),
    }))
    .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
}

export const unusedBars = (reasons: readonly UnusedReason[]): Bar[] =>
  reasons.map(({ id, name, count }) => ({ id, label: name, value: count }));

/** A line each for the most frequent reasons; a step without one counts 0. */
export const unusedSeries = (
  reasons: readonly UnusedReason[],
  steps: readonly number[],
  most: number,
): CurveSeries[] =>
  reasons.slice(0, most).map(({ id, name, perStep }) => ({
    id,
    label: name,
    kind: 'count',
    x: steps,
    y: steps.map((step) => perStep.get(step) ?? 0),
  }));
