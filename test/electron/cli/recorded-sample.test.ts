import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvaluationMatrix, Verifications } from '../../../electron/contract/index.ts';
import { SAMPLE_FOLDER } from '../../../electron/library/index.ts';
import { makeLab, removeLab } from '../../e2e/anchor-cli.ts';
import { openEngine } from '../../support/engine.ts';
import { callAnchor } from './call-anchor.ts';

const lab = makeLab();
afterAll(() => removeLab(lab));
const anchor = (...args: readonly string[]): ReturnType<typeof callAnchor> =>
  callAnchor('--lab', lab, ...args);

beforeAll(async () => {
  const engine = await openEngine(lab);
  await engine.sample.open();
  await engine.sample.toEnd();
  await engine.close();
});

describe('of the recorded sample, which has a database of its own', () => {
  it('a matrix has its columns and an evaluation its answers', async () => {
    const { code, stdout, stderr } = await anchor(
      '--json',
      'eval',
      'matrix',
      '--model',
      'sample-alone@0',
      '--model',
      'sample-alone@last',
    );
    expect(code, stderr).toBe(0);
    const { columns, rows } = JSON.parse(stdout) as EvaluationMatrix;
    expect(columns.map(({ subject }) => subject)).toEqual([
      'sample-alone@0',
      expect.stringMatching(/^sample-alone@[1-9]/),
    ]);
    const cells = rows.filter(({ kind }) => kind === 'suite').flatMap((row) => row.cells);
    const found = cells.flatMap((cell) => (cell === null ? [] : [cell]));
    expect(found.length).toBeGreaterThan(4);
    const page = await anchor('eval', 'matrix', '--model', 'sample-alone@0', '--format', 'html');
    expect(page.code, page.stderr).toBe(0);
    expect(page.stdout).toContain('demo: alone');
  });

  it('an evaluation is computed again there, and a name that is nowhere is refused', async () => {
    const listed = await openEngine(lab);
    await listed.sample.open();
    const [evaluation] = listed.sample.storeOf('sample-alone').listStoredEvaluations();
    await listed.close();
    const { code, stdout, stderr } = await anchor('--json', 'verify', evaluation?.id ?? '');
    expect(code, stderr).toBe(0);
    const { reports, differing } = JSON.parse(stdout) as Verifications;
    expect([reports.map(({ id }) => id), differing]).toEqual([[evaluation?.id], 0]);
    expect(reports[0]?.checked).toBeGreaterThan(60);
    const nowhere = await anchor('verify', 'sample-nobody');
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      expect.stringContaining('There is no run, experiment or evaluation "sample-nobody"'),
    ]);
  });

  it.each([
    ['eval', 'matrix', '--model', 'sample-alone@last'],
    ['verify', 'sample-alone'],
    ['report', 'sample-alone'],
  ])('%s %s says what to do where nobody opened it', async (...args) => {
    rmSync(join(lab, SAMPLE_FOLDER), { recursive: true, force: true });
    const { code, stderr } = await anchor(...args);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        'The recorded run "sample-alone" is not in this lab; open the lab\'s window once (npm start), whose first page stores it.',
      ),
    ]);
  });
});
