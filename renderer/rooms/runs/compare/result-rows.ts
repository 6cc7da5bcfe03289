import { bytesText, durationText, percentText } from '../../../ui/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import { comparedRow, type ComparedRow } from '../model/compare.ts';
import { pointsText } from '../parts/score-cell.tsx';
import type { ComparedRun } from './compared-run.ts';

const SHORT_HASH = 12;

/** Files, isolation and times: what surrounded the runs and was not configured. */
export function environmentRows(t: Translate, runs: readonly ComparedRun[]): ComparedRow[] {
  const short = (sha256: string | null): string | null =>
    sha256 === null ? null : `${sha256.slice(0, SHORT_HASH)}…`;
  return [
    comparedRow(
      [t('compare.env.policy')],
      runs.map(({ run }) => short(run.policySha256)),
    ),
    comparedRow(
      [t('compare.env.supervisor')],
      runs.map(({ run }) => short(run.supervisorSha256)),
    ),
    comparedRow(
      [t('compare.env.sandbox')],
      runs.map(({ sandboxLevels }) => (sandboxLevels.length === 0 ? null : sandboxLevels.join(', '))),
    ),
    comparedRow(
      [t('compare.env.made')],
      runs.map(({ run }) => new Date(run.createdAt).toLocaleString('en-GB')),
      true,
    ),
  ];
}

/** What the runs came to; scores carry their change from the baseline in points. */
export function resultRows(t: Translate, runs: readonly ComparedRun[], baseline: string): ComparedRow[] {
  const rows = runs.map(({ row }) => row);
  const scored = rows.flatMap((row) => row?.scores ?? []);
  const asked = [...new Map(scored.map((score) => [score.suite, score])).values()];
  const base = runs.find(({ run }) => run.id === baseline)?.row ?? null;
  return [
    comparedRow(
      [t('compare.metric.steps')],
      rows.map((row) =>
        row === null ? null : t('runs.progress', { done: row.committedSteps, steps: row.steps }),
      ),
    ),
    comparedRow(
      [t('compare.metric.pace')],
      rows.map((row) => (row?.secondsPerStep == null ? null : durationText(row.secondsPerStep))),
    ),
    comparedRow(
      [t('compare.metric.hours')],
      rows.map((row) => (row === null ? null : durationText(row.seconds))),
    ),
    comparedRow(
      [t('compare.metric.reviews')],
      rows.map((row) => row?.reviews.toLocaleString('en') ?? null),
    ),
    comparedRow(
      [t('compare.metric.disk')],
      rows.map((row) => (row === null ? null : bytesText(row.checkpointBytes))),
    ),
    ...(asked.length === 0
      ? []
      : [
          comparedRow(
            [t('compare.metric.evaluated')],
            rows.map((row) => row?.scores[0]?.step.toLocaleString('en') ?? null),
          ),
        ]),
    ...asked.map(({ suite, n, withContext }) => {
      const scores = rows.map((row) => row?.scores.find((other) => other.suite === suite));
      const compared = base?.scores.find((other) => other.suite === suite);
      const shown = scores.map((score, index) => {
        if (score === undefined) return null;
        const share = score.passed / score.n;
        // Answers with and without the context in the prompt answer different questions.
        if (compared === undefined || rows[index] === base || compared.withContext !== score.withContext)
          return percentText(share);
        return `${percentText(share)} (${t('runs.points', { points: pointsText((share - compared.passed / compared.n) * 100) })})`;
      });
      return comparedRow(
        [t('compare.metric.suite', { suite, n, context: withContext ? 'yes' : 'no' })],
        shown,
        false,
        scores.map((score) => (score === undefined ? null : percentText(score.passed / score.n))),
      );
    }),
  ];
}
