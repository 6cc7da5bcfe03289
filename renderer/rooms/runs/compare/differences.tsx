import { Fragment } from 'react';
import type { RunRow, RunScore } from '../../../../electron/contract/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { bytesText, durationText, percentText, Table, Quiet, visibleString } from '../../../ui/index.ts';
import { type ComparedRow, comparedRow } from '../../../../electron/figures/index.ts';
import { type ComparedRun, sections } from '../model/compare.ts';
import { pointsText } from '../parts/run-cells.tsx';

type DifferencesProps = {
  title: string;
  rows: readonly ComparedRow[];
  runs: readonly ComparedRun[];
  baseline: string;
  showAll: boolean;
  /** What the key column shows of a path; the last part unless given. */
  labelOf?: (row: ComparedRow) => string;
};

/** One block of the comparison: a column per run, the baseline first, keys nested under their section. */
export function Differences({
  title,
  rows,
  runs,
  baseline,
  showAll,
  labelOf = ({ path }) => path.slice(path.length > 1 ? 1 : 0).join('.'),
}: DifferencesProps) {
  const t = useTranslate();
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
      <h2>{title}</h2>
      {shown.length === 0 && <Quiet>{t('compare.same')}</Quiet>}
      {(shown.length > 0 || folded.length > 0) && (
        <div className="compare-scroll">
          <Table verticalSpacing={3} fz={13} className="compare-table">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('compare.key')}</Table.Th>
                {runs.map(({ run }) => (
                  <Table.Th key={run.id} scope="col" title={run.id} data-base={run.id === baseline}>
                    {visibleString(run.config.name)}
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

/** What the runs came to; scores carry their change from the baseline in points. */
export function resultRows(t: Translate, runs: readonly ComparedRun[], baseline: string): ComparedRow[] {
  const rows = runs.map(({ row }) => row);
  const base = runs.find(({ run }) => run.id === baseline)?.row ?? null;
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
    ...suites.map((asked) => suiteRow(t, rows, base, asked)),
  ];
}

/** One suite over all runs; runs differ in it by their share alone, not by the change that is shown beside it. */
function suiteRow(
  t: Translate,
  rows: readonly (RunRow | null)[],
  base: RunRow | null,
  { suite, n, withContext }: RunScore,
): ComparedRow {
  const scoreOf = (row: RunRow | null): RunScore | undefined =>
    row?.scores.find((score) => score.suite === suite);
  const compared = scoreOf(base);
  return comparedRow({
    path: [t('compare.metric.suite', { suite, n, context: withContext ? 'yes' : 'no' })],
    values: rows.map((row) => {
      const score = scoreOf(row);
      if (score === undefined) return null;
      const share = score.passed / score.n;
      // Answers with and without the context in the prompt answer different questions.
      if (compared === undefined || row === base || compared.withContext !== score.withContext)
        return percentText(share);
      const points = pointsText((share - compared.passed / compared.n) * 100);
      return `${percentText(share)} (${t('runs.points', { points })})`;
    }),
    compared: rows.map((row) => {
      const score = scoreOf(row);
      return score === undefined ? null : percentText(score.passed / score.n);
    }),
  });
}
