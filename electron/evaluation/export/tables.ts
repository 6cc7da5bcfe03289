import {
  figureOf,
  type CellMark,
  type EvaluationMatrix,
  type MatrixCell,
  type MatrixRow,
  type SuiteGroup,
} from '../../contract/index.ts';

/** A matrix as text for a page, before it is escaped for one format. */
type MatrixTable = {
  head: string[];
  groups: { title: string; rows: TableRow[] }[];
  /** Marks that occur, with what they mean. */
  legend: { letter: string; meaning: string }[];
  /** How to read a cell, then why values are absent or not to be compared. */
  notes: string[];
};
type TableRow = {
  label: string;
  kind: MatrixRow['kind'];
  direction: 'up' | 'down' | null;
  cells: (TableCell | null)[];
};
/** Null stands for a value that is not there. `letters` are those of the legend. */
type TableCell = {
  value: string | null;
  low: string | null;
  high: string | null;
  n: number;
  letters: string[];
};

const GROUP_TITLES: Record<SuiteGroup, string> = {
  code: 'Coding',
  maths: 'Mathematics',
  safety: 'Safety',
  own: 'Own questions',
  toy: 'Toy',
};

type Mark = CellMark | 'running';
const MEANING: Record<Mark, string> = {
  partial: 'not every item was answered',
  judge: 'given by another judge than other cells of its row: not comparable',
  protocol: 'asked under another protocol than other cells of its row: not comparable',
  items: 'over other items than other cells of its row',
  rules: 'graded by another version of the suite than other cells of its row: not comparable',
  unjudged: 'answers without a verdict are left out',
  'load-affected': 'includes time-outs while the machine was busy',
  overridden: 'a person gave other verdicts on some answers',
  'mixed-answers': 'computed in batches that could mix up first words; ask again',
  running: 'still being evaluated',
};
const MARKS = Object.keys(MEANING) as Mark[];

function matrixTable({ columns, rows, warnings }: EvaluationMatrix): MatrixTable {
  const used = MARKS.filter((mark) =>
    rows.some(({ cells }) => cells.some((cell) => cell !== null && marksOf(cell).includes(mark))),
  );
  const letterOf = new Map(used.map((mark, index) => [mark, 'abcdefghi'[index] as string]));
  const head = uniqueLabels(columns);
  const asCell =
    (row: MatrixRow) =>
    (cell: MatrixCell | null): TableCell | null => {
      if (cell === null) return null;
      const { value, low, high, n } = figureOf(cell);
      const shown = (part: number | null): string | null => (part === null ? null : figure(row.unit, part));
      return {
        value: shown(value),
        low: shown(low),
        high: shown(high),
        n,
        letters: marksOf(cell).map((mark) => letterOf.get(mark) as string),
      };
    };
  const groups = [...new Set(rows.map(({ group }) => group))].map((group) => ({
    title: GROUP_TITLES[group],
    rows: rows
      .filter((row) => row.group === group)
      .map((row): TableRow => ({
        label: row.unit === 'share' ? `${row.label} (%)` : row.label,
        kind: row.kind,
        direction: row.better === 'neither' ? null : row.better === 'higher' ? 'up' : 'down',
        cells: row.cells.map(asCell(row)),
      })),
  }));
  const reading =
    'Value [its 95 % interval], then the number of observations; with people’s verdicts where there are any; ↑ higher is better, ↓ lower is better, – not evaluated.';
  return {
    head,
    groups,
    legend: used.map((mark) => ({ letter: letterOf.get(mark) as string, meaning: MEANING[mark] })),
    notes: [reading, ...cellNotes(rows, head), ...warnings],
  };
}

const marksOf = ({ marks, state }: MatrixCell): Mark[] =>
  MARKS.filter((mark) => (mark === 'running' ? state === 'running' : marks.includes(mark)));

/** Shares as percent with a tenth, numbers on a suite's own scale with two digits, counts whole. */
function figure(unit: MatrixRow['unit'], value: number): string {
  if (unit === 'share') return (100 * value).toFixed(1);
  return unit === 'scale' ? value.toFixed(2) : String(Math.round(value));
}

/** What a number alone does not tell: why it is absent or rests on less, and what people's verdicts do to it. */
function cellNotes(rows: readonly MatrixRow[], head: readonly string[]): string[] {
  return rows.flatMap((row) =>
    row.cells.flatMap((cell, column) => {
      if (cell === null) return [];
      const isCorrected = cell.value !== null && cell.marks.includes('overridden') && cell.corrected === null;
      const said = [
        cell.why ?? (figureOf(cell).value === null ? 'no value' : null),
        cell.corrected === null
          ? null
          : `with people's verdicts; ${cell.value === null ? 'no value' : figure(row.unit, cell.value)} as graded`,
        isCorrected ? "with people's verdicts" : null,
      ];
      return said.filter((note) => note !== null).map((note) => `${row.label}, ${head[column]}: ${note}`);
    }),
  );
}

/** Labels of columns; two of the same name are told apart by what they are. */
export function uniqueLabels(columns: EvaluationMatrix['columns']): string[] {
  return columns.map(({ label, subject }) =>
    columns.filter((other) => other.label === label).length > 1 ? `${label} [${subject}]` : label,
  );
}

/** Text for a cell of a page: one line, no control characters, nothing that turns its neighbours around, no half characters. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
}

const MARKDOWN_ARROWS = { up: ' ↑', down: ' ↓' } as const;
/** Raised letters as plain text, which shows wherever the table is pasted. */
const RAISED: Record<string, string> = { a: 'ᵃ', b: 'ᵇ', c: 'ᶜ', d: 'ᵈ', e: 'ᵉ', f: 'ᶠ', g: 'ᵍ', h: 'ʰ' };

/** A matrix as a table of GitHub's Markdown, with its legend below. */
export function matrixMarkdown(matrix: EvaluationMatrix): string {
  const { head, groups, legend, notes } = matrixTable(matrix);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const body = groups.flatMap(({ title, rows }) => [
    line([`*${title}*`, ...head.map(() => '')]),
    ...rows.map((row) => line([markdownLabel(row), ...row.cells.map(markdownCell)])),
  ]);
  const table = [line(['', ...head.map(escapeMarkdown)]), line([':--', ...head.map(() => '--:')]), ...body];
  const below = [
    ...legend.map(({ letter, meaning }) => `- ${RAISED[letter]} ${meaning}`),
    ...notes.map((note) => `- ${escapeMarkdown(note)}`),
  ];
  return `${[...table, '', ...below].join('\n')}\n`;
}

function markdownLabel({ label, kind, direction }: TableRow): string {
  const text = escapeMarkdown(label) + (direction === null ? '' : MARKDOWN_ARROWS[direction]);
  if (kind === 'aggregate') return `**${text}**`;
  return kind === 'score' ? `&nbsp;&nbsp;${text}` : text;
}

function markdownCell(cell: TableCell | null): string {
  if (cell === null || cell.value === null) return '–';
  const interval = cell.low === null || cell.high === null ? '' : ` \\[${cell.low}–${cell.high}\\]`;
  return `${cell.value}${interval}${cell.letters.map((letter) => RAISED[letter]).join('')} (${cell.n})`;
}

/** Text that shows as itself: no emphasis, code, link, tag, entity, formula or further cell. */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>|~&$#!]/g, '\\$&');
}

const LATEX_ARROWS = { up: ' $\\uparrow$', down: ' $\\downarrow$' } as const;

/** A matrix as a booktabs table of LaTeX with its legend below; text that is not Latin asks for LuaLaTeX or XeLaTeX, which a comment says. */
export function matrixLatex(matrix: EvaluationMatrix): string {
  const { head, groups, legend, notes } = matrixTable(matrix);
  const line = (cells: readonly string[]): string => `${cells.join(' & ')} \\\\`;
  const body = groups.flatMap(({ title, rows }) => [
    '\\midrule',
    `\\multicolumn{${head.length + 1}}{l}{\\textit{${title}}} \\\\`,
    ...rows.map((row) => line([latexLabel(row), ...row.cells.map(latexCell)])),
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

function latexLabel({ label, kind, direction }: TableRow): string {
  const text = escapeLatex(label) + (direction === null ? '' : LATEX_ARROWS[direction]);
  if (kind === 'aggregate') return `\\textbf{${text}}`;
  return kind === 'score' ? `\\quad ${text}` : text;
}

function latexCell(cell: TableCell | null): string {
  if (cell === null || cell.value === null) return '--';
  const interval = cell.low === null || cell.high === null ? '' : ` {[}${cell.low}--${cell.high}{]}`;
  const letters = cell.letters.length === 0 ? '' : `\\textsuperscript{${cell.letters.join(',')}}`;
  return `${cell.value}${interval}${letters} (${cell.n})`;
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
