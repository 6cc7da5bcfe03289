import {
  type Indicator,
  INDICATORS,
  type IndicatorScore,
  isHigherBetter,
  type RunAggregate,
  type RunRecord,
  shownIndicator,
} from '../contract/index.ts';
import type { Records } from './program.ts';
import { OVERRIDDEN, renderTable } from './table.ts';

/** A run of the list with what its last evaluated checkpoint came to, as the window's list of runs has it. */
export type ListedRun = RunRecord & {
  indicators: Record<Indicator, (IndicatorScore & { toy: boolean }) | { why: string } | null>;
};

export async function listedRuns(records: Records, runs: readonly RunRecord[]): Promise<ListedRun[]> {
  const scored = runs.map((run) => ({ run, scores: records.getRunRow(run.id)?.scores ?? [] }));
  const ofPublicSuites = await aggregatesOf(
    records,
    scored.flatMap(({ run, scores }) => (scores.length === 0 ? [] : [run.id])),
  );
  return scored.map(({ run, scores }) => {
    const entries = INDICATORS.map((indicator) => {
      const { score, aggregate } = shownIndicator(indicator, scores, ofPublicSuites[run.id] ?? []);
      const missing = aggregate === null ? null : { why: aggregate.cell.why ?? '' };
      return [indicator, score === null ? missing : { ...score, toy: aggregate === null }];
    });
    return { ...run, indicators: Object.fromEntries(entries) as ListedRun['indicators'] };
  });
}

/** Suites and graders are loaded only where something was asked. */
async function aggregatesOf(
  records: Records,
  runIds: readonly string[],
): Promise<Record<string, RunAggregate[]>> {
  if (runIds.length === 0) return {};
  const { runAggregates } = await import('../evaluation/index.ts');
  return runAggregates(records, runIds);
}

export function runsText(rows: readonly ListedRun[], recorded: readonly ListedRun[]): string {
  const isScored = [...rows, ...recorded].some(({ indicators }) =>
    Object.values(indicators).some((one) => one !== null),
  );
  return [
    rows.length === 0
      ? 'No runs yet. Start one with "anchor demo" or "anchor run".'
      : runsTable(rows, isScored),
    ...(recorded.length === 0 ? [] : [`Recorded sample:\n${runsTable(recorded, isScored)}`]),
    ...(isScored ? [LEGEND] : []),
  ].join('\n\n');
}

const LEGEND = `Scores of the last evaluated checkpoint in %, 95 % interval in brackets, then points against the weights the run began with; ${INDICATORS.map(
  (indicator) => `${indicator} ${isHigherBetter(indicator) ? '↑' : '↓'}`,
).join(
  ', ',
)} is better; t of toy suites, +C under the supervision context, ${OVERRIDDEN} with verdicts that a person overrode`;

const runsTable = (rows: readonly ListedRun[], isScored: boolean): string =>
  renderTable(
    ['run', 'name', 'state', 'steps', ...(isScored ? INDICATORS : []), 'started'],
    rows.map((run) => [
      run.id,
      run.config.name,
      run.state,
      `${run.committedSteps}/${run.config.steps}`,
      ...(isScored ? INDICATORS.map((indicator) => indicatorText(run.indicators[indicator])) : []),
      run.createdAt.slice(0, 16).replace('T', ' '),
    ]),
  );

function indicatorText(indicator: ListedRun['indicators'][Indicator]): string {
  if (indicator === null) return '–';
  if ('why' in indicator) return 'open';
  const { share, interval, change, toy, withContext, overridden } = indicator;
  return [
    `${toy ? 't ' : ''}${(100 * share).toFixed(0)}`,
    ...(interval === null
      ? []
      : [`[${(100 * interval.low).toFixed(0)}–${(100 * interval.high).toFixed(0)}]`]),
    ...(change === null ? [] : [`${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(0)}`]),
    ...(withContext ? ['+C'] : []),
    ...(overridden > 0 ? [OVERRIDDEN] : []),
  ].join(' ');
}
