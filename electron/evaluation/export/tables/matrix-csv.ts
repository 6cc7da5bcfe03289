import type { EvaluationMatrix } from '../../../contract/index.ts';
import { judgeText } from '../items-csv.ts';
import { csvLine } from './csv.ts';
import { uniqueLabels } from './matrix-table.ts';

const ROW = ['group', 'kind', 'key', 'suite', 'score', 'label', 'unit', 'better'] as const;
const CELL = [
  'value',
  'low',
  'high',
  'half_interval',
  'n',
  'of',
  'state',
  'marks',
  'judge',
  'corrected',
  'why',
] as const;

/** A line per suite, score and aggregate, eleven columns per subject. Shares are 0 to 1, in full; marks are words, so it needs no legend. */
export function matrixCsv({ columns, rows }: EvaluationMatrix): string {
  const head = [...ROW, ...uniqueLabels(columns).flatMap((label) => CELL.map((name) => `${label}: ${name}`))];
  const lines = rows.map(({ group, kind, key, suite, score, label, unit, better, cells }) =>
    csvLine([
      group,
      kind,
      key,
      suite,
      score,
      label,
      unit,
      better,
      ...cells.flatMap((cell) =>
        cell === null
          ? CELL.map(() => null)
          : [
              cell.value,
              cell.low,
              cell.high,
              cell.low === null || cell.high === null ? null : (cell.high - cell.low) / 2,
              cell.n,
              cell.of,
              cell.state,
              cell.marks.join('; '),
              judgeText(cell.judge),
              cell.corrected,
              cell.why,
            ],
      ),
    ]),
  );
  return csvLine(head) + lines.join('');
}
