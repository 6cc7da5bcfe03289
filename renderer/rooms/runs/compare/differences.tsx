import { Fragment } from 'react';
import type { ChartTable } from '../../../charts/index.ts';
import type { RunRow, RunScore, ScoreChange } from '../../../../electron/contract/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import {
  bytesText,
  CsvButton,
  durationText,
  OVERRIDDEN,
  percentText,
  Table,
  Quiet,
  visibleString,
} from '../../../ui/index.ts';
import { type ComparedRow, comparedRow } from '../../../../electron/figures/index.ts';
import { type ComparedRun, runLabels, sections } from '../model/compare.ts';
import { bracketText, pointsText } from '../parts/run-cells.tsx';

type DifferencesProps = {
  title: string;
  /** What the first column lists. */
  heading: string;
  rows: readonly ComparedRow[];
  runs: readonly ComparedRun[];
  baseline: string;
  showAll: boolean;
  /** What the key column shows of a path; the last part unless given. */
  labelOf?: (row: ComparedRow) => string;
  /** What is saved of it; the rows as they are shown unless given. */
  csv?: () => ChartTable;
  /** Below the title. */
  note?: string;
};

/** One block of the comparison: a column per run, the baseline first, keys nested under their section. */
export function Differences({
  title,
  heading,
  rows,
  runs,
  baseline,
  showAll,
  labelOf = ({ path }) => path.slice(path.length > 1 ? 1 : 0).join('.'),
  csv,
  note,
}: DifferencesProps) {
  const t = useTranslate();
  const labels = runLabels(runs);
  const base = runs.findIndex(({ run }) => run.id === baseline);
  const wanted = showAll ? rows : rows.filter(({ differs }) => differs);
  const shown = wanted.filter(({ folded }) => !folded);
  const folded = wanted.filter((row) => row.folded);
  const cells = (row: ComparedRow) =>
    row.values.map((value, index) => {
      const other = value !== null && index !== base && row.compared[index] !== row.compared[base];
      return (
        <Table.Td key={(runs[index] as ComparedRun).run.id} className="numbers" data-other={other}>
          {other && (
            <span
              className="compare-mark"
              title={t('compare.differs')}
              role="img"
              aria-label={t('compare.differs')}
            >
              ●{' '}
            </span>
          )}
          {value ?? '–'}
        </Table.Td>
      );
    });
  const line = (row: ComparedRow) => (
    <Table.Tr key={row.path.join('.')}>
      <Table.Th scope="row">{labelOf(row)}</Table.Th>
      {cells(row)}
    </Table.Tr>
  );
  return (
    <section className="compare-block">
      <h2>
        {title} <CsvButton title={title} table={csv ?? (() => differencesTable(heading, wanted, runs))} />
      </h2>
      {note !== undefined && (
        <Quiet size="xs" mb={4}>
          {note}
        </Quiet>
      )}
      {shown.length === 0 && <Quiet>{t('compare.same')}</Quiet>}
      {(shown.length > 0 || folded.length > 0) && (
        <div className="compare-scroll">
          <Table verticalSpacing={3} fz={13} className="compare-table">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{heading}</Table.Th>
                {runs.map(({ run }) => (
                  <Table.Th key={run.id} scope="col" title={run.id} data-base={run.id === baseline}>
                    {visibleString(labels.get(run.id) ?? run.id)}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sections(shown).map((group) => (
                <Fragment key={group.section}>
                  {group.section !== '' && (
                    <Table.Tr className="compare-section">
                      <Table.Th colSpan={runs.length + 1} scope="rowgroup">
                        {group.section}
                      </Table.Th>
                    </Table.Tr>
                  )}
                  {group.rows.map(line)}
                </Fragment>
              ))}
            </Table.Tbody>
          </Table>
          {folded.length > 0 && (
            <details className="compare-folded">
              <summary>{t('compare.folded', { n: folded.length })}</summary>
              <Table verticalSpacing={3} fz={13} className="compare-table">
                <Table.Tbody>{folded.map(line)}</Table.Tbody>
              </Table>
            </details>
          )}
        </div>
      )}
    </section>
  );
}

const SHORT_HASH = 12;

/** Files, isolation and times: what surrounded the runs and was not configured. */
export function environmentRows(t: Translate, runs: readonly ComparedRun[]): ComparedRow[] {
  const short = (sha256: string | null): string | null =>
    sha256 === null ? null : `${sha256.slice(0, SHORT_HASH)}…`;
  const row = (name: string, of: (run: ComparedRun) => string | null, folded = false): ComparedRow =>
    comparedRow({ path: [name], values: runs.map(of), folded });
  return [
    row(t('compare.env.policy'), ({ run }) => short(run.policySha256)),
    row(t('compare.env.supervisor'), ({ run }) => short(run.supervisorSha256)),
    row(t('compare.env.sandbox'), ({ sandboxLevels }) =>
      sandboxLevels.length === 0 ? null : sandboxLevels.join(', '),
    ),
    row(t('compare.env.made'), ({ run }) => new Date(run.createdAt).toLocaleString('en-GB'), true),
  ];
}

/** What is known of the scores beside their shares: intervals by evaluation, and how they differ from the baseline's. */
export type ScoreFacts = {
  intervals: ReadonlyMap<string, Interval>;
  changes: readonly { runId: string; changes: readonly RunScoreChange[] }[];
};
type Interval = { low: number; high: number };
type RunScoreChange = { suite: string; withContext: boolean; change: ScoreChange | null };

export const NO_FACTS: ScoreFacts = { intervals: new Map(), changes: [] };

/** What the runs came to; scores carry their interval, and their change from the baseline in points with its own. */
export function resultRows(
  t: Translate,
  runs: readonly ComparedRun[],
  baseline: string,
  facts: ScoreFacts,
): ComparedRow[] {
  const rows = runs.map(({ row }) => row);
  const scored = rows.flatMap((row) => row?.scores ?? []);
  const suites = [...new Map(scored.map((score) => [score.suite, score])).values()];
  const result = (name: string, of: (row: RunRow) => string | null): ComparedRow =>
    comparedRow({ path: [name], values: rows.map((row) => (row === null ? null : of(row))) });
  return [
    result(t('compare.metric.steps'), ({ committedSteps, steps }) =>
      t('runs.progress', { done: committedSteps, steps }),
    ),
    result(t('compare.metric.pace'), ({ secondsPerStep }) =>
      secondsPerStep === null ? null : durationText(secondsPerStep),
    ),
    result(t('compare.metric.hours'), ({ seconds }) => durationText(seconds)),
    result(t('compare.metric.reviews'), ({ reviews }) => reviews.toLocaleString('en')),
    result(t('compare.metric.disk'), ({ checkpointBytes }) => bytesText(checkpointBytes)),
    ...(suites.length === 0
      ? []
      : [
          result(t('compare.metric.evaluated'), ({ scores }) => scores[0]?.step.toLocaleString('en') ?? null),
        ]),
    ...suites.map((asked) => suiteRow(t, runs, baseline, asked, facts)),
  ];
}

const scoreOf = (run: ComparedRun, suite: string): RunScore | undefined =>
  run.row?.scores.find((score) => score.suite === suite);

/** Nothing for the baseline, and where answers with and without the context in the prompt answer different questions. */
const changeOf = (
  { changes }: ScoreFacts,
  runId: string,
  { suite, withContext }: RunScore,
): ScoreChange | null =>
  changes
    .find((one) => one.runId === runId)
    ?.changes.find((one) => one.suite === suite && one.withContext === withContext)?.change ?? null;

/** One suite over all runs; runs differ in it by their share alone, not by the change that is shown beside it. */
function suiteRow(
  t: Translate,
  runs: readonly ComparedRun[],
  baseline: string,
  { suite, n, withContext }: RunScore,
  facts: ScoreFacts,
): ComparedRow {
  const shares = runs.map((run) => {
    const score = scoreOf(run, suite);
    return score === undefined ? null : percentText(score.passed / score.n);
  });
  return comparedRow({
    path: [t('compare.metric.suite', { suite, n, context: withContext ? 'yes' : 'no' })],
    values: runs.map((run, index) => {
      const [score, share] = [scoreOf(run, suite), shares[index]];
      if (score === undefined || share == null) return null;
      const own = facts.intervals.get(score.id);
      const change = run.run.id === baseline ? null : changeOf(facts, run.run.id, score);
      const bracket = own === undefined ? '' : ` ${bracketText(own)}`;
      const mark = score.overridden > 0 ? ` ${OVERRIDDEN}` : '';
      return `${share}${bracket}${mark}${change === null ? '' : `\n${changeText(t, change)}`}`;
    }),
    compared: shares,
  });
}

function changeText(t: Translate, { value, low, high, n }: ScoreChange): string {
  const points = (share: number): string => pointsText(100 * share);
  return t('compare.change', {
    points: points(value),
    hasInterval: low === null || high === null ? 'no' : 'yes',
    low: low === null ? '' : points(low),
    high: high === null ? '' : points(high),
    n: n ?? 0,
  });
}

/** The scores of the comparison as numbers: shares and differences between 0 and 1, a row for each suite of each run. */
export function scoresTable(t: Translate, runs: readonly ComparedRun[], facts: ScoreFacts): ChartTable {
  const columns = [
    'run',
    'suite',
    'context',
    'step',
    'n',
    'share',
    'low',
    'high',
    'difference',
    'differenceLow',
    'differenceHigh',
    'items',
  ] as const;
  const labels = runLabels(runs);
  return {
    columns: columns.map((column) => t(`compare.csv.${column}`)),
    rows: runs.flatMap(({ run, row }) =>
      (row?.scores ?? []).map((score) => {
        const own = facts.intervals.get(score.id);
        const change = changeOf(facts, run.id, score);
        return [
          labels.get(run.id) ?? run.id,
          score.suite,
          t('compare.csv.asked', { context: score.withContext ? 'yes' : 'no' }),
          score.step,
          score.n,
          score.passed / score.n,
          own?.low ?? null,
          own?.high ?? null,
          change?.value ?? null,
          change?.low ?? null,
          change?.high ?? null,
          change?.n ?? null,
        ];
      }),
    ),
  };
}

/** A block of the comparison as it is shown, a column for each run. */
export function differencesTable(
  heading: string,
  rows: readonly ComparedRow[],
  runs: readonly ComparedRun[],
): ChartTable {
  const labels = runLabels(runs);
  return {
    columns: [heading, ...runs.map(({ run }) => labels.get(run.id) ?? run.id)],
    rows: rows.map(({ path, values }) => [path.join('.'), ...values]),
  };
}
