import {
  FORMAT_CAUSE_SENTENCES,
  FORMAT_CAUSES,
  formatMetric,
  lineMetric,
  MISMATCH_OUTSIDE,
  MISMATCH_SIZES,
  mismatchMetric,
  OTHER_CAUSE,
  READABLE,
  REFUSALS,
  type FormatCause,
  type ReviewRecord,
  type RunRecord,
  type StepRecord,
} from '../contract/index.ts';
import { formatDuration, formatPercent } from './table.ts';

type Cause = FormatCause | typeof OTHER_CAUSE;
/** Causes that a step has counts of, with these. */
const causesOf = (metrics: StepRecord['metrics']): [cause: Cause, count: number][] =>
  ([...FORMAT_CAUSES, OTHER_CAUSE] as const).flatMap((cause): [Cause, number][] => {
    const count = metrics[formatMetric(cause)] ?? 0;
    return count === 0 ? [] : [[cause, count]];
  });

/** How many of a step's answers to program tasks could be read; a step of before this was counted says nothing. */
export function readableOf(metrics: StepRecord['metrics']): string {
  const readable = metrics[formatMetric(READABLE)];
  if (readable === undefined) return '–';
  return `${readable}/${causesOf(metrics).reduce((sum, [, count]) => sum + count, readable)}`;
}

/** What of a step's answers could be read, and why the others could not. */
export function formatText({ metrics }: StepRecord): string[] {
  if (metrics[formatMetric(READABLE)] === undefined) return [];
  const causes = causesOf(metrics)
    .toSorted(([, a], [, b]) => b - a)
    .map(
      ([cause, count]) =>
        `\n  ${count} × ${cause === OTHER_CAUSE ? 'another cause.' : FORMAT_CAUSE_SENTENCES[cause]}`,
    );
  return [`Readable answers: ${readableOf(metrics)}.${causes.join('')}`];
}

/** A number that may be any power of ten. */
const sizeText = (value: number | undefined): string =>
  value === undefined ? '–' : value === 0 || value >= 0.001 ? value.toFixed(3) : value.toExponential(1);

/** The 99th percentile alone, for a table of steps. */
export const mismatchOf = (metrics: StepRecord['metrics']): string =>
  sizeText(metrics[mismatchMetric('p99')]);

/** How far sampler and trainer were apart; a step of before this was measured says nothing. */
export function mismatchText({ metrics }: Pick<StepRecord, 'metrics'>): string[] {
  const outside = metrics[MISMATCH_OUTSIDE];
  if (outside === undefined) return [];
  const sizes = MISMATCH_SIZES.map((size) => `${size} ${sizeText(metrics[mismatchMetric(size)])}`);
  return [
    `Sampler against trainer, log-probability of a token in nats: ${sizes.join(', ')}; ratio off by over 10 % for ${formatPercent(outside)} of the tokens.`,
  ];
}

const refusedLines = (metrics: StepRecord['metrics']): number =>
  REFUSALS.reduce((sum, reason) => sum + (metrics[lineMetric(reason)] ?? 0), 0);
/** Lines that the supervisor's model wrote in a step, refused or not. */
export const writtenLines = (metrics: StepRecord['metrics']): number =>
  refusedLines(metrics) + (metrics[lineMetric('model')] ?? 0);

export const refusedText = (metrics: StepRecord['metrics']): string =>
  metrics[lineMetric('model')] === undefined ? '–' : `${refusedLines(metrics)}/${writtenLines(metrics)}`;

/** What became of the lines that the supervisor's model wrote in a step. */
export function linesText({ metrics }: Pick<StepRecord, 'metrics'>): string[] {
  const taken = metrics[lineMetric('model')];
  if (taken === undefined) return [];
  const reasons = REFUSALS.flatMap((reason) => {
    const count = metrics[lineMetric(reason)] ?? 0;
    return count === 0 ? [] : [`${count} ${reason}`];
  });
  const rule = metrics[lineMetric('rule')] ?? 0;
  return [
    `Lines by the supervisor's model: ${taken} in its words, ${refusedLines(metrics)} refused${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}; the rule took the place of ${rule === 1 ? '1 answer' : `${rule} answers`}.`,
  ];
}

/** How fast reviews were answered and what the steps lost by them; nothing where nobody reviewed. */
function paceText(answered: number, seconds: number | null, waited: number, taken: number): string {
  const each = seconds === null || answered === 0 ? '' : `, ${shortSeconds(seconds / answered)} each`;
  const share = taken === 0 ? '' : ` (${formatPercent(waited / taken)})`;
  return `${answered} ${answered === 1 ? 'review' : 'reviews'} answered${each}; ${shortSeconds(waited)} of ${shortSeconds(taken)}${share} went by waiting for reviews`;
}

const shortSeconds = (seconds: number): string =>
  seconds < 10 ? `${seconds.toFixed(2)} s` : formatDuration(seconds);

/** What it cost a step that its roles were not all in memory; nothing where they were. */
export function movedText({ timings }: Pick<StepRecord, 'timings'>): string[] {
  const seconds = timings['move_weights'];
  if (seconds === undefined) return [];
  const share = formatPercent(seconds / (timings['step'] ?? seconds));
  return [`Roles took turns in memory: ${shortSeconds(seconds)} of the step (${share}) went by moving them.`];
}

/** What a step had of its supervisor. A person's answers wait for a person, so their time is not the supervisor's. */
export function supervisionText(
  { timings }: StepRecord,
  reviews: readonly ReviewRecord[],
  { config: { supervision } }: RunRecord,
): string[] {
  if (reviews.length === 0) return [];
  const answered = reviews.filter(({ status }) => status === 'done' || status === 'quarantined');
  const own = answered.filter(({ reviewer }) => reviewer === supervision.reviewer);
  const seconds = own.reduce((sum, { milliseconds }) => sum + milliseconds / 1000, 0);
  const count = (status: ReviewRecord['status']): number =>
    reviews.filter((review) => review.status === status).length;
  const [failed, skipped] = [count('failed'), count('skipped-by-budget')];
  const lost = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped for want of time`]),
  ];
  const pace = paceText(
    answered.length,
    own.length === answered.length ? seconds : null,
    timings['supervise_wait'] ?? 0,
    timings['step'] ?? 0,
  );
  return [`Supervision: ${pace}${lost.length === 0 ? '' : `; ${lost.join(', ')}`}.`];
}

type Cost = { status: string; byPerson: boolean; reviews: number; milliseconds: number };

/** The same over all steps of a run. */
export function runSupervisionText(steps: readonly StepRecord[], costs: readonly Cost[]): string {
  if (costs.length === 0) return '';
  // What a person took to think is no speed of the supervisor.
  const own = costs.filter(({ byPerson }) => !byPerson);
  const answered = own.filter(({ status }) => status === 'done' || status === 'quarantined');
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const seconds = sum(answered.map(({ milliseconds }) => milliseconds / 1000));
  const byPerson = sum(costs.map(({ reviews }) => reviews)) - sum(own.map(({ reviews }) => reviews));
  const lost = sum(own.map(({ reviews }) => reviews)) - sum(answered.map(({ reviews }) => reviews));
  const pace = paceText(
    sum(answered.map(({ reviews }) => reviews)),
    seconds,
    sum(steps.map(({ timings }) => timings['supervise_wait'] ?? 0)),
    sum(steps.map(({ timings }) => timings['step'] ?? 0)),
  );
  return `Supervision: ${pace}${byPerson === 0 ? '' : `; ${byPerson} more by a person`}${lost === 0 ? '' : `; ${lost} without an answer`}.`;
}
