import type { EvaluationMatrix } from '../../../contract/index.ts';
import { matrixTable, type TableCell, type TableRow, oneLine } from './matrix-table.ts';

const ARROW = { up: ' ↑', down: ' ↓' } as const;
/** Raised letters as plain text, which shows wherever the table is pasted. */
const RAISED: Record<string, string> = { a: 'ᵃ', b: 'ᵇ', c: 'ᶜ', d: 'ᵈ', e: 'ᵉ', f: 'ᶠ', g: 'ᵍ', h: 'ʰ' };

/** A matrix as a table of GitHub's Markdown, with its legend below. */
export function matrixMarkdown(matrix: EvaluationMatrix): string {
  const { head, groups, legend, notes } = matrixTable(matrix);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const body = groups.flatMap(({ title, rows }) => [
    line([`*${title}*`, ...head.map(() => '')]),
    ...rows.map((row) => line([labelOf(row), ...row.cells.map(cellText)])),
  ]);
  const table = [line(['', ...head.map(escapeMarkdown)]), line([':--', ...head.map(() => '--:')]), ...body];
  const below = [
    ...legend.map(({ letter, meaning }) => `- ${RAISED[letter]} ${meaning}`),
    ...notes.map((note) => `- ${escapeMarkdown(note)}`),
  ];
  return `${[...table, '', ...below].join('\n')}\n`;
}

function labelOf({ label, kind, direction }: TableRow): string {
  const text = escapeMarkdown(label) + (direction === null ? '' : ARROW[direction]);
  if (kind === 'aggregate') return `**${text}**`;
  return kind === 'score' ? `&nbsp;&nbsp;${text}` : text;
}

function cellText(cell: TableCell | null): string {
  if (cell === null || cell.value === null) return '–';
  return `${cell.value}${cell.half === null ? '' : ` ± ${cell.half}`}${cell.letters.map((letter) => RAISED[letter]).join('')} (${cell.n})`;
}

/** Text that shows as itself: no emphasis, code, link, tag, entity, formula or further cell. */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>|~&$#!]/g, '\\$&');
}
