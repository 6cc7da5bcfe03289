import { describe, expect, it } from 'vitest';
import type { CellMark, MatrixCell } from '../../../../electron/contract/index.ts';
import {
  escapeLatex,
  escapeMarkdown,
  matrixLatex,
  matrixMarkdown,
} from '../../../../electron/evaluation/export/tables.ts';
import { aCell, aMatrix, aRow, HOSTILE } from './fixture.ts';

const marked = aMatrix(
  [
    aRow({ cells: [aCell({ marks: ['partial'], n: 20 }), aCell({ marks: ['judge', 'partial'] })] }),
    aRow({
      key: 'hs',
      kind: 'score',
      label: 'Harmfulness',
      unit: 'scale',
      better: 'lower',
      cells: [aCell({ value: 1.456, low: 1.2, high: 1.7, n: 300 }), null],
    }),
    aRow({
      key: 'aggregate:asr',
      kind: 'aggregate',
      label: 'ASR',
      better: 'lower',
      cells: [
        aCell({ value: null, low: null, high: null, n: 0, state: 'incomplete', why: 'hex-phi is missing' }),
        aCell({ corrected: { value: 0.6, low: 0.449, high: 0.734, n: 45 }, marks: ['overridden'] }),
      ],
    }),
    aRow({
      key: 'toy',
      group: 'toy',
      label: 'Counted',
      unit: 'count',
      better: 'neither',
      cells: [
        aCell({ value: 12, low: null, high: null }),
        aCell({ value: 3, low: null, high: null, state: 'running' }),
      ],
    }),
  ],
  ['base', 'run_1 step 4'],
  ['The judges differ.'],
);

describe('A matrix in Markdown', () => {
  it('has rows for suites and aggregates, columns for subjects, value, interval, n and marks with a legend', () => {
    expect(matrixMarkdown(marked)).toBe(
      [
        '|  | base | run\\_1 step 4 |',
        '| :-- | --: | --: |',
        '| *Safety* |  |  |',
        '| Reward hacking resisted (%) ↑ | 53.7 \\[38.7–67.9\\]ᵃ (20) | 53.7 \\[38.7–67.9\\]ᵃᵇ (41) |',
        '| &nbsp;&nbsp;Harmfulness ↓ | 1.46 \\[1.20–1.70\\] (300) | – |',
        '| **ASR (%) ↓** | – | 60.0 \\[44.9–73.4\\]ᶜ (45) |',
        '| *Toy* |  |  |',
        '| Counted | 12 (41) | 3ᵈ (41) |',
        '',
        '- ᵃ not every item was answered',
        '- ᵇ given by another judge than other cells of its row: not comparable',
        '- ᶜ a person gave other verdicts on some answers',
        '- ᵈ still being evaluated',
        '- Value \\[its 95 % interval\\], then the number of observations; with people’s verdicts where there are any; ↑ higher is better, ↓ lower is better, – not evaluated.',
        '- ASR, base: hex-phi is missing',
        "- ASR, run\\_1 step 4: with people's verdicts; 53.7 as graded",
        '- The judges differ.',
        '',
      ].join('\n'),
    );
  });

  it.each(Object.entries(HOSTILE))('keeps its shape with %s in labels', (_, text) => {
    const lines = matrixMarkdown(aMatrix([aRow({ label: text }), aRow()], [text, 'other'], [text]))
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line.replaceAll(/\\./g, '').split('|')).toHaveLength(5);
  });

  it.each(Object.entries(HOSTILE))('shows %s as text', (_, text) => {
    const bare = escapeMarkdown(text).replaceAll(/\\[\\`*_{}[\]<>|~&$#!]/g, '');
    expect(bare).not.toMatch(/[\\`*_{}[\]<>|~&$#!\u0000-\u001f\u202e]/);
    expect(bare.isWellFormed()).toBe(true);
  });
});

describe('A matrix in LaTeX', () => {
  it('is a booktabs table with the same figures and legend', () => {
    const text = matrixLatex(marked);
    expect(text.split('\n')).toEqual([
      '% Needs \\usepackage{booktabs}.',
      '\\begin{tabular}{lrr}',
      '\\toprule',
      ' & base & run\\_1 step 4 \\\\',
      '\\midrule',
      '\\multicolumn{3}{l}{\\textit{Safety}} \\\\',
      'Reward hacking resisted (\\%) $\\uparrow$ & 53.7 {[}38.7--67.9{]}\\textsuperscript{a} (20) & 53.7 {[}38.7--67.9{]}\\textsuperscript{a,b} (41) \\\\',
      '\\quad Harmfulness $\\downarrow$ & 1.46 {[}1.20--1.70{]} (300) & -- \\\\',
      '\\textbf{ASR (\\%) $\\downarrow$} & -- & 60.0 {[}44.9--73.4{]}\\textsuperscript{c} (45) \\\\',
      '\\midrule',
      '\\multicolumn{3}{l}{\\textit{Toy}} \\\\',
      'Counted & 12 (41) & 3\\textsuperscript{d} (41) \\\\',
      '\\bottomrule',
      '\\end{tabular}',
      '',
      '\\smallskip',
      '{\\footnotesize \\textsuperscript{a}~not every item was answered.\\par',
      '\\textsuperscript{b}~given by another judge than other cells of its row: not comparable.\\par',
      '\\textsuperscript{c}~a person gave other verdicts on some answers.\\par',
      '\\textsuperscript{d}~still being evaluated.\\par',
      "Value {[}its 95 \\% interval{]}, then the number of observations; with people's verdicts where there are any; $\\uparrow$ higher is better, $\\downarrow$ lower is better, {\\textendash} not evaluated.\\par",
      'ASR, base: hex-phi is missing\\par',
      "ASR, run\\_1 step 4: with people{'}s verdicts; 53.7 as graded\\par",
      'The judges differ.\\par}',
      '',
    ]);
  });

  it.each(Object.entries(HOSTILE))('lets no command through from %s', (_, text) => {
    const escaped = escapeLatex(text);
    // What remains after our own commands are taken away has no meaning to LaTeX.
    const bare = escaped.replaceAll(
      /\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|symbol\{(?:34|96)\})(?:\{\})?|\{['[\]*]\}|\{\\text(?:en|em)dash\}|-\{\}|\\[{}$&#_%]/g,
      '',
    );
    expect(bare).not.toMatch(/[\\{}$&#_%~^<>|`"[\]*\u0000-\u001f]|--/);
    expect(bare.isWellFormed()).toBe(true);
  });

  it('keeps brackets at the start of a row from becoming an argument of the line end before it', () => {
    expect(escapeLatex('[2ex] *')).toBe('{[}2ex{]} {*}');
  });

  it.each(Object.entries(HOSTILE))('keeps its cells with %s in labels', (_, text) => {
    const rows = matrixLatex(aMatrix([aRow({ label: text }), aRow()], [text, 'other'], [text]))
      .split('\n')
      .filter((line) => line.endsWith(' \\\\') && !line.startsWith('\\multicolumn'));
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.replaceAll('\\&', '').split('&')).toHaveLength(3);
  });

  it('says when a plain LaTeX lacks letters', () => {
    expect(matrixLatex(aMatrix([aRow({ label: '模型' })])).split('\n')[0]).toMatch(/use LuaLaTeX or XeLaTeX/);
    expect(matrixLatex(aMatrix([aRow({ label: 'Modèle ± –' })])).split('\n')[0]).not.toMatch(/LuaLaTeX/);
  });
});

describe('The notes of a matrix', () => {
  const notesOf = (cell: Partial<MatrixCell>): string[] =>
    matrixMarkdown(aMatrix([aRow({ label: 'RR', cells: [aCell(cell), null] })]))
      .split('\n')
      .filter((line) => line.startsWith('- RR, base: '));

  it('say on what less a value rests', () => {
    expect(notesOf({ marks: ['partial'], why: 'Only the first 5 were asked.' })).toEqual([
      '- RR, base: Only the first 5 were asked.',
    ]);
  });

  it('say which of the two values is shown where a person gave other verdicts', () => {
    expect(
      notesOf({ marks: ['overridden'], corrected: { value: 0.6, low: 0.449, high: 0.734, n: 45 } }),
    ).toEqual(["- RR, base: with people's verdicts; 53.7 as graded"]);
    expect(notesOf({ marks: ['overridden'] })).toEqual(["- RR, base: with people's verdicts"]);
  });

  it('say that there is no value where nothing else is known', () => {
    expect(notesOf({ value: null })).toEqual(['- RR, base: no value']);
    expect(notesOf({})).toEqual([]);
  });
});

it('Marks are lettered in one order, whatever the order of cells', () => {
  const marks: CellMark[] = [
    'overridden',
    'load-affected',
    'unjudged',
    'items',
    'protocol',
    'judge',
    'partial',
  ];
  const text = matrixMarkdown(aMatrix([aRow({ cells: [aCell({ marks, state: 'running' }), null] })]));
  expect(text).toContain('53.7 \\[38.7–67.9\\]ᵃᵇᶜᵈᵉᶠᵍʰ (41)');
  expect(text.split('\n').filter((line) => /^- [ᵃᵇᶜᵈᵉᶠᵍʰ] /u.test(line))).toHaveLength(8);
});
