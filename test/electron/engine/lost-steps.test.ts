import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRouter } from '../../../electron/engine/index.ts';
import { filesOfRun } from '../../../electron/library/index.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { fillRun } from '../store/support/in-lab.ts';
import { makeLab, openEngine, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** Files that a run leaves of a step, without what is in them. */
function leaveStep(lab: Lab, step: number): string[] {
  const { checkpoint, records } = filesOfRun(join(lab.folder, 'runs/a'));
  mkdirSync(checkpoint(step), { recursive: true });
  mkdirSync(records, { recursive: true });
  const files = [
    join(checkpoint(step), 'model.safetensors'),
    join(records, `step${step}_gen_code_o.json`),
    join(records, `context_${step + 1}.md`),
  ];
  for (const file of files) writeFileSync(file, 'x');
  return files;
}

let lab: Lab;
let restored: string;
let later: string[];
const LOST =
  /^The database has 2 steps of run "run a" \(a\), but its folder has files of step 4: .*"anchor resume a --from 2"/;
beforeAll(async () => {
  lab = await makeLab();
  const { store } = lab.engine;
  fillRun(store, 'a', 2);
  for (const step of [1, 2]) leaveStep(lab, step);
  await lab.ended(await lab.verbs.lab.backUp());
  later = [...leaveStep(lab, 3), ...leaveStep(lab, 4)];
  mkdirSync(join(lab.folder, 'runs/stranger/checkpoints'), { recursive: true });
  writeFileSync(join(lab.folder, 'runs/stranger/trainer.log'), 'x'.repeat(100));
  const [backup] = await lab.verbs.lab.backups();
  restored = join(lab.scratch, 'restored');
  const job = await lab.verbs.lab.restore({ from: backup!.name, to: restored, withRuns: true });
  expect((await lab.ended(job)).problem).toBeNull();
  store.setRunState('a', 'interrupted', 'It ended.');
  await lab.engine.close();
});
afterAll(() => lab.remove());

describe('a run whose folder knows more steps than the database', () => {
  it('is told by every command, and not resumed; its folder stays as it is', async () => {
    const listed = await callAnchor('--lab', lab.folder, 'runs');
    expect(listed.code).toBe(0);
    expect(listed.stderr.split('\n')[0]).toMatch(LOST);
    const { code, stderr } = await callAnchor('--lab', lab.folder, 'resume', 'a');
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nanchor: The database has 2 steps/);
    for (const file of later) expect(existsSync(file)).toBe(true);
    const shown = await callAnchor('--lab', lab.folder, 'runs', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject([{ state: 'interrupted', committedSteps: 2 }]);
  });

  it('is told to the window, beside folders that no run has, whose size counts; no checkpoint is let go', async () => {
    lab.engine = await openEngine(lab.folder);
    lab.verbs = createRouter(lab.engine).createCaller({});
    const { notices } = await lab.verbs.lab.status();
    expect(notices).toEqual([
      expect.stringMatching(LOST),
      expect.stringMatching(/^1 folder in .*runs belongs to no run of this lab \(stranger\): look for/),
    ]);
    await expect(lab.verbs.lab.dropCheckpoints({ runId: 'a' })).rejects.toThrow(LOST);
    await expect(lab.verbs.runs.resume({ runId: 'a' })).rejects.toThrow(LOST);
    for (const file of later) expect(existsSync(file)).toBe(true);
    expect((await lab.verbs.lab.storage()).strangers).toBe(100);
  });

  it('is none in a lab that was restored from a backup: what was done since stays behind', async () => {
    const { checkpoints, records } = filesOfRun(join(restored, 'runs/a'));
    expect(readdirSync(checkpoints).toSorted()).toEqual(['step-00001', 'step-00002']);
    expect(readdirSync(records).filter((name) => /4|context_5/.test(name))).toEqual([]);
    expect((await callAnchor('--lab', restored, 'runs')).stderr).toBe('');
  });
});
