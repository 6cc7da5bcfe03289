import type { EvaluationMatrix } from '../../../contract/index.ts';
import { matrixTable, type TableCell, type TableRow, oneLine } from './matrix-table.ts';

const ARROW = { up: ' $\\uparrow$', down: ' $\\downarrow$' } as const;

/** A matrix as a booktabs table of LaTeX with its legend below; text that is not Latin asks for LuaLaTeX or XeLaTeX, which a comment says. */
export function matrixLatex(matrix: EvaluationMatrix): string {
  const { head, groups, legend, notes } = matrixTable(matrix);
  const line = (cells: readonly string[]): string => `${cells.join(' & ')} \\\\`;
  const body = groups.flatMap(({ title, rows }) => [
    '\\midrule',
    `\\multicolumn{${head.length + 1}}{l}{\\textit{${title}}} \\\\`,
    ...rows.map((row) => line([labelOf(row), ...row.cells.map(cellText)])),
  ]);
  const table = [
    `\\begin{tabular}{l${'r'.repeat(head.length)}}`,
    '\\toprule',
    line(['', ...head.map(escapeLatex)]),
    ...body,
    '\\bottomrule',
    '\\end{tabular}',
  ];
  const below = [
    ...legend.map(({ letter, meaning }) => `\\textsuperscript{${letter}}~${escapeLatex(meaning)}.`),
    ...notes.map(escapeLatex),
  ];
  const text = [...table, '', '\\smallskip', `{\\footnotesize ${below.join('\\par\n')}\\par}`].join('\n');
  return `% Needs \\usepackage{booktabs}.${BEYOND_LATIN.test(text) ? ' Some labels are not in Latin letters: use LuaLaTeX or XeLaTeX with a font that has them.' : ''}\n${text}\n`;
}

function labelOf({ label, kind, direction }: TableRow): string {
  const text = escapeLatex(label) + (direction === null ? '' : ARROW[direction]);
  if (kind === 'aggregate') return `\\textbf{${text}}`;
  return kind === 'score' ? `\\quad ${text}` : text;
}

function cellText(cell: TableCell | null): string {
  if (cell === null || cell.value === null) return '--';
  const half = cell.half === null ? '' : ` \\pm ${cell.half}`;
  const letters = cell.letters.length === 0 ? '' : `\\textsuperscript{${cell.letters.join(',')}}`;
  return `$${cell.value}${half}$${letters} (${cell.n})`;
}

const BEYOND_LATIN = /[^\u0000-\u024f\u2010-\u2027\u2030-\u203a]/;

/** Commands stand in braces, so that nothing after them is taken for their argument. */
const SPECIAL: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  _: '\\_',
  '%': '\\%',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  // By number, for their names need an encoding or a package that older set-ups lack; \" is also a command of some languages.
  '`': '\\symbol{96}',
  '"': '\\symbol{34}',
  "'": "{'}",
  // A row that begins with a bracket or a star would be an argument of the line end before it.
  '[': '{[}',
  ']': '{]}',
  '*': '{*}',
  '±': '$\\pm$',
  '↑': '$\\uparrow$',
  '↓': '$\\downarrow$',
  '–': '{\\textendash}',
  '—': '{\\textemdash}',
  '·': '$\\cdot$',
  '×': '$\\times$',
  '≤': '$\\leq$',
  '≥': '$\\geq$',
  '−': '$-$',
  Δ: '$\\Delta$',
  '’': "'",
};

/** Text that LaTeX prints as itself: no command, no formula, no further cell or row. */
export function escapeLatex(text: string): string {
  const escaped = oneLine(text).replace(
    /[\\{}$&#_%~^<>|`"'[\]*±↑↓–—·×≤≥−Δ’]/g,
    (character) => SPECIAL[character] as string,
  );
  return escaped.replace(/-(?=-)/g, '-{}'); // two dashes would join into a longer one
}
