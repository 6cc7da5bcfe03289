import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aCell, aMatrix, aRow, HOSTILE } from './fixture.ts';
import { matrixLatex } from '../../../../electron/evaluation/export/tables.ts';

const missing =
  spawnSync('pdflatex', ['--version']).status === 0
    ? null
    : 'there is no pdflatex here; on Debian it is in texlive-latex-base, booktabs in texlive-latex-recommended';
const folder = mkdtempSync(join(tmpdir(), 'anchor-latex-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Plain LaTeX has no letters of other scripts, which the table says of itself. */
const latin = Object.entries(HOSTILE).map(([name, text]): [string, string] => [
  name,
  text.replaceAll(/[^\u0000-\u024f]/gu, ''),
]);

describe.skipIf(missing !== null)(`LaTeX${missing === null ? '' : ` (SKIPPED: ${missing})`}`, () => {
  it('prints a table of hostile labels without a complaint, each on its row', { timeout: 300_000 }, () => {
    const rows = latin.map(([, text], index) =>
      aRow({
        key: `row-${index}`,
        kind: (['suite', 'score', 'aggregate'] as const)[index % 3]!,
        label: `[${text}] -- * ± ≥ – —`,
        cells: [aCell({ marks: ['partial'] }), aCell({ value: null, why: text })],
      }),
    );
    const table = matrixLatex(
      aMatrix(
        rows,
        ['[base] {}', '* 50 %'],
        latin.map(([, text]) => text),
      ),
    );
    writeFileSync(
      join(folder, 'page.tex'),
      `\\documentclass{article}\n\\usepackage[paperwidth=60cm,paperheight=60cm]{geometry}\n\\usepackage{booktabs}\n\\begin{document}\n${table}\\end{document}\n`,
    );
    const { status, stdout } = spawnSync(
      'pdflatex',
      ['-interaction=nonstopmode', '-halt-on-error', '-no-shell-escape', 'page.tex'],
      { cwd: folder, encoding: 'utf8', timeout: 250_000 },
    );
    expect(stdout.split('\n').filter((line) => line.startsWith('!'))).toEqual([]);
    expect(status).toBe(0);
    expect(readFileSync(join(folder, 'page.log'), 'utf8')).not.toMatch(
      /Missing character|undefined|Extra alignment/,
    );
    expect(readFileSync(join(folder, 'page.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
  });
});
