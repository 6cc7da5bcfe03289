import {
  countedScores,
  figureOf,
  maybeMixed,
  type EvaluationComparison,
  type EvaluationMatrix,
  type EvaluationScore,
  type EvaluationSummary,
  type MatrixCell,
} from '../contract/index.ts';
import type { ItemPage } from '../evaluation/index.ts';
import { OVERRIDDEN, renderTable } from './table.ts';

type Figure = Pick<EvaluationScore, 'value' | 'low' | 'high' | 'unit'>;

const number = (value: number, unit: Figure['unit']): string =>
  unit === 'share' ? (100 * value).toFixed(1) : unit === 'count' ? String(value) : value.toFixed(2);

/** `43.5 [36.8–50.4]`; a dash where there is nothing to measure it by. */
export function figure({ value, low, high, unit }: Figure): string {
  if (value === null) return '–';
  return low === null || high === null
    ? number(value, unit)
    : `${number(value, unit)} [${number(low, unit)}–${number(high, unit)}]`;
}

/** One line an evaluation: its first score with its interval, as people corrected it where they did, then what else it counted. */
export function summariesText(all: readonly EvaluationSummary[]): string {
  const rows = all.map(
    ({ id, plan, state, scores, counts, graded, planned, corrected, milliseconds, problem }) => {
      const [first, ...others] = countedScores({ scores, corrected });
      const notes = [
        ...others
          .filter(({ value }) => value !== null)
          .slice(0, 4)
          .map((score) => `${score.name} ${figure({ ...score, low: null, high: null })}`),
        ...(counts.unjudged > 0 ? [`${counts.unjudged} unjudged`] : []),
        ...(counts.unanswered > 0 ? [`${counts.unanswered} unanswered`] : []),
        ...(counts.loadAffected > 0 ? [`${counts.loadAffected} load-affected`] : []),
        ...(maybeMixed(plan) ? ['computed in batches that could mix up first words: ask again'] : []),
        ...(corrected === null ? [] : [`as graded ${figure(scores[0] as EvaluationScore)}`]),
        ...(state === 'done'
          ? []
          : [`${state}: ${graded} of ${planned} graded${problem === null ? '' : `. ${problem}`}`]),
      ];
      const arrow = first === undefined ? '' : { higher: ' ↑', lower: ' ↓', neither: '' }[first.better];
      return [
        `${plan.suite}${arrow}`,
        plan.subject.label,
        plan.context === null ? '' : '+C',
        first === undefined ? '–' : `${figure(first)}${corrected === null ? '' : ` ${OVERRIDDEN}`}`,
        String(first?.n ?? 0),
        `${(milliseconds / 1000).toFixed(0)} s`,
        plan.judge?.name ?? '',
        notes.join(', '),
        id,
      ];
    },
  );
  return `Scores in %, 95 % interval in brackets; ↑ higher is better, ↓ lower is better; +C under the supervision context; ${OVERRIDDEN} with verdicts that a person overrode\n\n${renderTable(['suite', 'model', '', 'score', 'n', 'time', 'judge', 'besides', 'evaluation'], rows)}`;
}

const MARKS: Record<MatrixCell['marks'][number], { sign: string; says: string }> = {
  partial: { sign: '½', says: 'partial' },
  judge: { sign: 'J', says: 'judged differently' },
  protocol: { sign: 'P', says: 'asked differently' },
  items: { sign: 'I', says: 'other items' },
  rules: { sign: 'V', says: 'graded by another version of the suite' },
  unjudged: { sign: 'u', says: 'some unjudged' },
  'load-affected': { sign: 'L', says: 'time-outs under load' },
  overridden: { sign: OVERRIDDEN, says: 'overridden by a person' },
  'mixed-answers': { sign: 'M', says: 'computed in batches that could mix up first words' },
};
const LEGEND = Object.values(MARKS)
  .map(({ sign, says }) => `${sign} ${says}`)
  .join(', ');

/** Suites and aggregates as rows, models and checkpoints as columns. */
export function matrixAsTable({ columns, rows, warnings }: EvaluationMatrix): string {
  const table = renderTable(
    ['', ...columns.map(({ label }) => label)],
    rows.map(({ kind, label, better, unit, cells }) => [
      `${kind === 'score' ? '  ' : ''}${label}${{ higher: ' ↑', lower: ' ↓', neither: '' }[better]}`,
      ...cells.map((cell) =>
        cell === null
          ? ''
          : `${figure({ ...figureOf(cell), unit })} n=${figureOf(cell).n}${cell.marks.map((mark) => MARKS[mark].sign).join('')}`,
      ),
    ]),
  );
  const why = [
    ...new Set(
      rows.flatMap(({ label, cells }) =>
        cells.flatMap((cell) => (cell?.value === null && cell.why !== null ? [`${label}: ${cell.why}`] : [])),
      ),
    ),
  ];
  return [table, LEGEND, ...why, ...warnings].join('\n');
}

const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

export function itemsText({ rows, total }: ItemPage): string {
  if (rows.length === 0) return 'No answer is of this kind.';
  const table = renderTable(
    ['', 'item', 'verdict', 'before', 'why', 'answer'],
    rows.map(({ flip, itemId, sample, outcome, override, against, reason, flags, excerpt }) => [
      flip ?? '',
      sample === 0 ? itemId : `${itemId}#${sample}`,
      override === null ? outcome : `${override.outcome} (${outcome} overridden)`,
      against?.outcome ?? '',
      [reason, ...flags].filter((text) => text !== null && text !== '').join(', '),
      oneLine(excerpt).slice(0, 60),
    ]),
  );
  return `${table}\n${rows.length} of ${total}`;
}

export function comparisonText({
  before,
  after,
  common,
  items,
  lost,
  gained,
  exact,
  mid,
  difference,
  low,
  high,
  detectable,
  onlyBefore,
  onlyAfter,
  warnings,
}: EvaluationComparison): string {
  const signed = (value: number): string => `${value >= 0 ? '+' : '−'}${Math.abs(100 * value).toFixed(1)}`;
  const both = common === items ? `${items} items` : `${common} answers to ${items} items`;
  const test = common === items ? 'McNemar' : 'sign test of the items';
  return [
    `${before.plan.subject.label} → ${after.plan.subject.label}, ${after.plan.suite}: ${lost} lost, ${gained} gained of ${both} both answered` +
      `${onlyBefore + onlyAfter > 0 ? ` (${onlyBefore} only before, ${onlyAfter} only after)` : ''}`,
    `difference ${signed(difference)} points [${signed(low)} … ${signed(high)}], ${test} exact p = ${exact.toPrecision(3)}, mid-p = ${mid.toPrecision(3)}`,
    detectable === null
      ? 'too few items to find any difference'
      : `smallest difference found with power 80 % at 5 %: ${(100 * detectable).toFixed(1)} points`,
    ...warnings.map((text) => `Careful: ${text}`),
  ].join('\n');
}
