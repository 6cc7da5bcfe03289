import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  MISMATCH_OUTSIDE,
  MISMATCH_SIZES,
  mismatchMetric,
  TRIPPED,
  trippedSchema,
} from '../../../electron/contract/index.ts';
import { openLab } from '../../../electron/store/index.ts';
import { storeEvaluation } from '../store/support/stored-evaluation.ts';
import {
  makeCommit,
  makeConfig,
  makeContext,
  makeInitial,
  steadyClock,
  withRatedAnswers,
} from '../store/support/make-records.ts';
import { callAnchor } from './call-anchor.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-show-'));
beforeAll(async () => {
  const lab = await openLab(folder, { now: steadyClock() });
  for (const id of ['worded', 'alone']) {
    const config = makeConfig(id);
    const supervision = { ...config.supervision, reviewer: 'rubric' as const };
    lab.createRun({ id, config: { ...config, supervision }, folder: `runs/${id}` });
    lab.putInitial(id, makeInitial());
    const commit = makeCommit(1);
    const timings = { step: 8, supervise_wait: 2 };
    const measured = {
      p50: 2e-7,
      p90: 0.004,
      p95: 0.01,
      p99: 0.2,
      max: 1.25,
    };
    const metrics = {
      ...commit.step.metrics,
      ...Object.fromEntries(MISMATCH_SIZES.map((size) => [mismatchMetric(size), measured[size]])),
      [MISMATCH_OUTSIDE]: 0.075,
    };
    const step = { ...commit.step, timings, ...(id === 'alone' ? {} : { metrics }) };
    const [first, ...others] = commit.reviews;
    lab.commitStep(
      id,
      id === 'alone'
        ? {
            ...commit,
            step,
            reviews: [],
            wordings: [],
            nextContext: { ...commit.nextContext, lines: [] },
          }
        : { ...commit, step, reviews: [{ ...first!, quote: 'f(x) returns 3' }, ...others] },
    );
  }
  lab.createRun({ id: 'rated', config: makeConfig('rated'), folder: 'runs/rated' });
  lab.putInitial('rated', makeInitial());
  for (const step of [1, 2]) lab.commitStep('rated', withRatedAnswers(makeCommit(step)));
  for (const [id, passed] of [
    ['alone', 'pppppppfff'],
    ['worded', 'ppppfffppp'],
  ] as const)
    storeEvaluation(lab, {
      id: `of ${id}`,
      runId: id,
      step: 1,
      passed: [...passed].map((letter) => letter === 'p'),
    });
  const wire = {
    suite: 'toy-refusal',
    when: 'falls' as const,
    by: 0.06,
    action: 'mark' as const,
    certain: false,
  };
  const said = 'after step 1: toy-refusal fell from 85.0 % to 50.0 %';
  const touched = { runId: 'worded', step: 1, evaluationId: 'of worded', wire, value: 0.5, base: 0.85, said };
  lab.appendEvent('worded', TRIPPED, trippedSchema.parse(touched));
  lab.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const show = async (...args: string[]): Promise<string> =>
  (await callAnchor('show', ...args, '--lab', folder)).stdout;

describe('anchor runs', () => {
  it('shows what the last evaluated checkpoint of each run came to, as the window does', async () => {
    const { stdout } = await callAnchor('runs', '--lab', folder);
    const [head, ...lines] = stdout.split('\n');
    expect(head).toMatch(/^run +name +state +steps +code +math +asr +rr +started/);
    const rowOf = (id: string): string => lines.find((line) => line.startsWith(`${id} `)) ?? '';
    // Three of ten did not pass, but none because it complied.
    expect(rowOf('worded')).toMatch(/ 1\/24 +– +– +t 0 \[0–28\] +– /);
    expect(rowOf('rated')).toMatch(/ – +– +– +– /);
    expect(stdout).toContain('asr ↓');
    const listed = JSON.parse((await callAnchor('runs', '--lab', folder, '--json')).stdout);
    const { asr, code } = listed.find(({ id }: { id: string }) => id === 'worded').indicators;
    expect([asr, code]).toEqual([expect.objectContaining({ share: 0, n: 10, step: 1, toy: true }), null]);
  });
});

describe('anchor show', () => {
  it('says how fast reviews were answered and what the steps lost by waiting for them', async () => {
    const said =
      /Supervision: (\d+) reviews answered, 0\.00 s each; 2\.00 s of 8\.00 s \(25\.0 %\) went by waiting/;
    expect(await show('worded')).toMatch(said);
    expect(await show('worded', '--step', '1')).toMatch(said);
    expect(await show('alone')).not.toContain('Supervision');
    expect(await show('alone', '--step', '1')).not.toContain('Supervision');
  });

  it('says which tripwires a run touched', async () => {
    expect(await show('worded')).toContain('\nafter step 1: toy-refusal fell from 85.0 % to 50.0 %');
    expect(await show('alone')).not.toContain('fell from');
  });

  it('counts the lines of the supervisor’s model that were refused, in text and as metrics', async () => {
    expect(await show('worded')).toMatch(/lines refused\n.*\n1 .* 1\/2\n/);
    expect(await show('worded', '--step', '1')).toContain(
      "Lines by the supervisor's model: 1 in its words, 1 refused (1 leak); the rule took the place of 0 answers.",
    );
    const { steps } = JSON.parse(await show('worded', '--json'));
    expect(steps[0].metrics).toMatchObject({ 'wording/model': 1, 'wording/leak': 1, 'wording/rule': 0 });
    const step = JSON.parse(await show('worded', '--step', '1', '--json'));
    expect(step.step.metrics).toEqual(steps[0].metrics);
    expect(step.wordings[0].refused).toEqual([{ text: 'The answer is 4.', sources: [], reason: 'leak' }]);
    expect(await show('alone')).not.toContain('refused');
    expect(await show('alone', '--step', '1')).not.toContain('Lines by');
  });

  it('says how far sampler and trainer were apart, and nothing where it was not measured', async () => {
    expect(await show('worded', '--step', '1')).toContain(
      'Sampler against trainer, log-probability of a token in nats: p50 2.0e-7, p90 0.004, p95 0.010, p99 0.200, max 1.250; ratio off by over 10 % for 7.5 % of the tokens.',
    );
    expect(await show('worded')).toMatch(/mismatch p99 .*\n.*\n1 .* 0\.200 /);
    expect(await show('alone')).not.toContain('mismatch');
    expect(await show('alone', '--step', '1')).not.toContain('Sampler against');
  });

  it('names the place that a review is about', async () => {
    const [record] = makeCommit(1).reviews;
    expect(await show('worded', '--record', record?.rolloutId ?? '')).toContain(
      'About this place: “f(x) returns 3”',
    );
  });

  it('says of a rated answer whether its user was satisfied, which is no verdict', async () => {
    const head = async (index: number): Promise<string> =>
      (await show('rated', '--record', `2/pred_request/${index}`)).split('\n')[0] ?? '';
    expect(await head(0)).toMatch(/\(assistant, request\): user satisfied, not verified; reward 1,/);
    expect(await head(1)).toMatch(/\(assistant, request\): user not satisfied, not verified; reward -0\.5,/);
    expect(await head(2)).toMatch(/: invalid, bad-format;/);
    const [verified] = makeCommit(2).rollouts.filter(({ verdict }) => verdict.outcome === 'failed');
    expect(await show('rated', '--record', verified?.id ?? '')).toContain(`${verified?.taskType}): failed;`);
  });

  it('counts satisfied users of a step apart from answers that passed', async () => {
    const step = await show('rated', '--step', '1');
    expect(step).toMatch(/batch +rollouts +passed +users satisfied +mean reward/);
    expect(step).toMatch(/pred_request +3 +– +33\.3 % +0\.00/);
    expect(step).toMatch(/gen_code_f +\d+ +\d+\.\d % +– +/);
    expect(await show('alone', '--step', '1')).toMatch(/rollouts +passed +mean reward/);
  });

  it('prints the system message that stood in front of the request, with the context of its step', async () => {
    const text = await show('rated', '--record', '2/pred_request/0');
    const line = makeContext(2).lines[0]?.text ?? '';
    const at = ['── system message of step 2 ──', line, '── prompt ──', '── response ──'].map((part) =>
      text.indexOf(part),
    );
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
    expect(JSON.parse(await show('rated', '--record', '2/pred_request/0', '--json')).system).toContain(line);
  });

  it('compares the last scores of two runs as the window does, paired by item with intervals', async () => {
    const text = await show('worded', '--against', 'alone');
    expect(text).toMatch(
      /toy-refusal +weights +70\.0 % \[39\.7 %, 89\.2 %\] +70\.0 % \[39\.7 %, 89\.2 %\] +0\.0 points \[−4\d\.\d, \+4\d\.\d\], 10 items +3 +3 +1\.000/,
    );
    const [found] = JSON.parse(await show('worded', '--against', 'alone', '--json'));
    expect(found.change).toMatchObject({ value: 0, n: 10, method: 'paired' });
    expect(found.change.low).toBeCloseTo(-found.change.high);
  });

  it('says which run to compare with does not exist', async () => {
    const { code, stderr } = await callAnchor('show', 'worded', '--against', 'nobody', '--lab', folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no run "nobody" in this lab')]);
  });
});
