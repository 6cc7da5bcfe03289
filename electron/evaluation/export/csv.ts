import type {
  EvaluationSummary,
  GradedItem,
  ItemOverride,
  EvaluationJudge,
  EvaluationMatrix,
} from '../../contract/index.ts';
import { uniqueLabels } from './tables.ts';

/** An evaluation to be written out. Its answers come beside it, one after another: there may be a hundred thousand. */
export type ExportedEvaluation = EvaluationSummary;

/** One answer with what a person said of its verdict; null when nobody did. */
export type ExportedItem = { item: GradedItem; override: ItemOverride | null };

const COLUMNS = [
  'suite',
  'subject',
  'ordinal',
  'item',
  'sample',
  'outcome',
  'score',
  'method',
  'reason',
  'flags',
  'judge',
  'person_outcome',
  'person',
  'person_note',
  'person_at',
  'new_tokens',
  'question',
  'answer',
  'target',
] as const;

/** One line per answer, piece by piece, one answer in memory at a time. @param items in the evaluation's order. */
export function* itemsCsv({ plan }: ExportedEvaluation, items: Iterable<ExportedItem>): Generator<string> {
  yield csvLine(COLUMNS);
  for (const { item, override } of items) {
    const { outcome, score, method, reason, flags, judge } = item.grade;
    yield csvLine([
      plan.suite,
      plan.subject.id,
      item.ordinal,
      item.itemId,
      item.sample,
      outcome,
      score,
      method,
      reason,
      flags.join('; '),
      judgeText(judge),
      override?.outcome,
      override?.by,
      override?.note,
      override?.at,
      item.newTokens,
      item.asked.map(({ role, content }) => `[${role}]\n${content}`).join('\n\n'),
      item.text,
      item.target,
    ]);
  }
}

/** A judge on one line, with the start of its file's hash. */
function judgeText(judge: EvaluationJudge | null): string | null {
  if (judge === null) return null;
  const { name, sha256, promptVersion } = judge;
  return `${name}${sha256 === null ? '' : ` ${sha256.slice(0, 8)}`} (rubric ${promptVersion})`;
}

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

/** What a spreadsheet takes for the start of a formula, also in its full-width form and behind space that some programs cut away. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

type CsvValue = string | number | boolean | null | undefined;

/**
 * One line of a CSV file after RFC 4180, with its line end. Numbers stay numbers. Text that a spreadsheet would take for a formula gets
 * a quote in front; control characters, which CSV has no room for, become their pictures (␀ for NUL); half a surrogate pair becomes U+FFFD.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const clean = value
    .toWellFormed()
    .replace(CONTROL, (control) =>
      control === '\u007f' ? '␡' : String.fromCharCode(0x2400 + control.charCodeAt(0)),
    );
  const text = FORMULA.test(value) ? `'${clean}` : clean;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
