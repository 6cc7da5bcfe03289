import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { anchor, labsOfThisFile, query, saidBy, startAnchor } from './anchor-cli.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const REGISTER = new URL('../support/relay/register.ts', import.meta.url).href;
const STEPS = 5;
/** A few of the seeds, so that a run begins at once. */
const SEEDS = readFileSync(join(import.meta.dirname, '../../resources/suites/seeds.jsonl'), 'utf8');
const runIn = (folder: string): string[] => {
  const tasks = join(folder, 'tasks.jsonl');
  writeFileSync(tasks, SEEDS.split('\n').slice(0, 12).join('\n'));
  return [...RUN, '--set', `framework.tasks=${tasks}`];
};
const RUN = [
  'run',
  '--preset',
  'demo',
  ...[
    'framework.name=relay',
    'framework.batchSize=3',
    'framework.taskTypes=[deduction, abduction]',
    `steps=${STEPS}`,
    'generation.maxNewTokens=96',
    'checkpoints.keepEvery=1',
    'sandbox.workers=1',
  ].flatMap((setting) => ['--set', setting]),
];

/** The framework of test/support/relay, for every program started from here. */
const usual = process.env['NODE_OPTIONS'];
beforeAll(() => {
  process.env['NODE_OPTIONS'] = `${usual ?? ''} --import ${REGISTER}`.trim();
});
afterAll(() => {
  if (usual === undefined) delete process.env['NODE_OPTIONS'];
  else process.env['NODE_OPTIONS'] = usual;
});
const lab = labsOfThisFile();

type Step = {
  step: number;
  stage: string;
  iteration: number;
  role: string | null;
  weights: string | null;
  hash: string;
};
const stepsOf = (folder: string): Step[] =>
  query<Step>(
    folder,
    'SELECT step, stage, iteration, role, weights_sha256 AS weights, step_hash AS hash FROM steps ORDER BY step',
  );
const checkpointsOf = (folder: string): { step: number; role: string; version: number; weights: string }[] =>
  query(folder, 'SELECT step, role, version, weights_sha256 AS weights FROM checkpoints ORDER BY step, role');

describe('a framework of two roles and three stages, one of which trains nothing', () => {
  const folder = lab();
  let run: ReturnType<typeof anchor> | undefined;
  /** Several tests ask of the same run; whichever is first takes it. */
  const whole = (): ReturnType<typeof anchor> => (run ??= anchor(folder, runIn(folder)));
  it('trains each role in its own stage and stores its checkpoints beside the other’s', () => {
    const { code, stderr } = whole();
    expect(code, stderr).toBe(0);
    expect(stepsOf(folder).map(({ step, stage, iteration, role }) => [step, stage, iteration, role])).toEqual(
      [
        [1, 'warm-up', 1, 'first'],
        [2, 'mark', 1, null],
        [3, 'learn', 1, 'second'],
        [4, 'warm-up', 2, 'first'],
        [5, 'mark', 2, null],
      ],
    );
    expect(checkpointsOf(folder).map(({ step, role, version }) => [step, role, version])).toEqual([
      [0, 'first', 0],
      [0, 'second', 0],
      [1, 'first', 1],
      [3, 'second', 1],
      [4, 'first', 2],
    ]);
    const [first0, second0, first1, , first2] = checkpointsOf(folder).map(({ weights }) => weights);
    expect(first0).toBe(second0);
    expect(new Set([first0, first1, first2]).size).toBe(3);
    expect(stepsOf(folder).map(({ weights }) => weights === null)).toEqual([false, true, false, false, true]);
  });

  it('hands what one stage wrote to the next: the third learns only from tasks that the second marked', () => {
    const marked = query<{ id: string }>(folder, `SELECT id FROM tasks WHERE step = 2 AND origin = 'marked'`);
    expect(marked.length).toBeGreaterThan(0);
    const learned = query<{ task_id: string }>(
      folder,
      `SELECT DISTINCT task_id FROM rollouts WHERE step = 3 AND batch IN
        (SELECT replace(batch, 'mark_', 'learn_') FROM rollouts WHERE step = 2 AND outcome = 'passed')`,
    );
    expect(learned.length).toBeGreaterThan(0);
    for (const { task_id } of learned) expect(marked.map(({ id }) => id)).toContain(task_id);
  });

  it('supervises its batches, and a review of one stage stands in the context of the next', () => {
    const batches = query<{ batch: string }>(folder, 'SELECT DISTINCT batch FROM reviews').map(
      (row) => row.batch,
    );
    for (const stage of ['warm-up', 'mark', 'learn'])
      expect(batches.some((batch) => batch.startsWith(`${stage}_`))).toBe(true);
  });

  it(
    'ends in the same hashes when the program is killed in the fourth step and resumed',
    { tags: ['full'] },
    async () => {
      const other = lab();
      const child = startAnchor(other, runIn(other));
      const ended = new Promise((resolve) => child.once('close', resolve));
      await vi.waitFor(() => expect(stepsOf(other).length, saidBy(other)).toBeGreaterThanOrEqual(3), {
        timeout: 400_000,
        interval: 50,
      });
      child.kill('SIGKILL');
      await ended;
      expect(stepsOf(other).length).toBeLessThan(STEPS);
      const { code, stderr } = anchor(other, [
        'resume',
        query<{ id: string }>(other, 'SELECT id FROM runs')[0]?.id ?? '',
      ]);
      expect(code, stderr).toBe(0);
      expect(whole().code).toBe(0);
      expect(stepsOf(other)).toEqual(stepsOf(folder));
      expect(checkpointsOf(other)).toEqual(checkpointsOf(folder));
    },
  );

  it('is unknown to the program where nobody adds it', () => {
    const { code, stderr } = anchorWithout(() => anchor(lab(), RUN));
    expect(code).toBe(2);
    expect(stderr).toContain('framework');
  });
});

function anchorWithout<T>(work: () => T): T {
  const added = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = usual ?? '';
  try {
    return work();
  } finally {
    process.env['NODE_OPTIONS'] = added;
  }
}
