import type { RunFindings } from '../contract/index.ts';
import { formatPercent, renderTable } from './table.ts';

const share = (part: number, whole: number): string => (whole === 0 ? '–' : formatPercent(part / whole));

/** What a run's findings are worth: issue by issue against the verifier, phase by phase beside the computed facts. */
export function findingsText({ phases, issues }: RunFindings): string {
  if (phases.length === 0) return 'This run has no reviews that stand.';
  return [
    'Of the work that an issue was named in, the share that the verifier failed; and how often the facts in the prompt had stated it:',
    renderTable(
      ['issue', 'phase', 'reviews', 'verifier failed', 'stated by the facts'],
      issues.map(({ issue, phase, raised, verified, precision, told, stated }) => [
        issue,
        phase,
        String(raised),
        precision === null
          ? 'not verified'
          : `${formatPercent(precision.share)} [${formatPercent(precision.low)}, ${formatPercent(precision.high)}] of ${verified}`,
        share(stated, told),
      ]),
    ),
    '',
    'All reviews of a phase: named an issue; named one that the facts do not state; named none although they state one:',
    renderTable(
      ['phase', 'reviews', 'verifier failed', 'named', 'beyond the facts', 'facts passed over'],
      phases.map(({ phase, reviews, verified, failed, told, named, beyond, silent }) => [
        phase,
        String(reviews),
        share(failed, verified),
        share(named, told),
        share(beyond, told),
        share(silent, told),
      ]),
    ),
  ].join('\n');
}
