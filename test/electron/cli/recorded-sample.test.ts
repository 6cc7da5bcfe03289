import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  EvaluationMatrix,
  EvaluationSummary,
  RunRecord,
  Verifications,
} from '../../../electron/contract/index.ts';
import { SAMPLE_FOLDER } from '../../../electron/library/index.ts';
import { makeLab, removeLab } from '../../e2e/anchor-cli.ts';
import { openEngine } from '../../support/engine.ts';
import { callAnchor } from './call-anchor.ts';

type Listed = RunRecord & { sample?: true };
type ListedEvaluation = EvaluationSummary & { sample?: true };

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

  it('runs are listed after those of the lab, and marked in what programs read', async () => {
    const rows = JSON.parse((await anchor('--json', 'runs')).stdout) as Listed[];
    expect(rows.map(({ id, sample }) => [id, sample])).toEqual([
      ['sample-supervised', true],
      ['sample-alone', true],
    ]);
    expect((await anchor('runs')).stdout).toMatch(
      /^No runs yet\.[^]*\n\nRecorded sample:\nrun [^]*sample-alone /,
    );
  });

  it('a run is shown with its steps, records and the scores by which it differs', async () => {
    const shown = await anchor('show', 'sample-alone');
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toMatch(/^demo: alone \(sample-alone, of the recorded sample\) is done: /);
    const step = await anchor('--json', 'show', 'sample-alone', '--step', '1');
    const { rollouts } = JSON.parse(step.stdout) as { rollouts: { id: string }[] };
    const record = await anchor('show', 'sample-alone', '--record', rollouts[0]!.id);
    expect([record.code, record.stdout]).toEqual([0, expect.stringContaining('── prompt ──')]);
    const changes = await anchor('show', 'sample-supervised', '--against', 'sample-alone');
    expect([changes.code, changes.stdout]).toEqual([0, expect.stringMatching(/\btoy-\w+ +weights +/)]);
  });

  it('evaluations are listed as a group, narrowed as those of the lab and within one limit', async () => {
    const list = async (...args: string[]) =>
      JSON.parse((await anchor('--json', 'eval', 'list', ...args)).stdout) as ListedEvaluation[];
    const alone = await list('--model', 'sample-alone');
    expect(alone.length).toBeGreaterThan(2);
    expect(new Set(alone.map(({ plan, sample }) => `${plan.subject.runId} ${sample}`))).toEqual(
      new Set(['sample-alone true']),
    );
    expect((await list()).length).toBeGreaterThan(alone.length);
    expect(await list('--limit', '2')).toHaveLength(2);
    const last = await list('--model', 'sample-alone@last');
    expect(new Set(last.map(({ plan }) => plan.subject.step))).toEqual(
      new Set([Math.max(...alone.map(({ plan }) => plan.subject.step ?? 0))]),
    );
    const { stdout } = await anchor('eval', 'list', '--limit', '1');
    expect(stdout).toMatch(/^There is no evaluation in this lab yet\.\n\nRecorded sample:\n/);
  });

  it('a run is not exported, and what can be done with it is said', async () => {
    const { code, stderr } = await anchor('export', 'sample-alone');
    expect([code, stderr]).toEqual([
      2,
      'anchor: The recorded sample is not exported; "anchor show" reads its runs and "anchor report" takes them along as a page.\n',
    ]);
  });

  it.each([
    ['eval', 'matrix', '--model', 'run-nobody@last'],
    ['eval', 'list', '--model', 'run-nobody@last'],
  ])('%s %s refuses the last step of a run that is nowhere', async (...args) => {
    const { code, stdout, stderr } = await anchor(...args);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      'anchor: There is no run "run-nobody" in this lab, so "run-nobody@last" names no step; "anchor runs" lists the runs, and evaluations of one that was deleted are named by their step, as in "run-nobody@8".\n',
    ]);
  });

  it.each([
    ['show', 'sample-alone'],
    ['show', 'run-1', '--against', 'sample-alone'],
    ['eval', 'list', '--model', 'sample-alone'],
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
