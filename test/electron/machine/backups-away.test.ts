import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { openEngine } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { shortRun } from '../../torture/engine/short-run.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
useWarmTrainer();

let scratch: string;
let lab: string;
let backups: string;
let engine: Engine;
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'anchor-away-'));
  [lab, backups] = [join(scratch, 'lab'), join(scratch, 'lab/backups')];
  engine = await openEngine(lab);
});
afterEach(async () => {
  await engine.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** What the window asks for. */
const verbs = () => createRouter(engine).createCaller({}).lab;
const backUp = async () => engine.jobs.ended((await verbs().backUp()).id);

type Moment = 'its pages are copied' | 'its files are held' | 'it is checked' | 'it has its name';
/** Takes something away at a moment of the next backup, once. */
function harmAt(moment: Moment, harm: () => void): void {
  const backup = engine.store.backup.bind(engine.store);
  const at = (now: Moment): void => (now === moment ? harm() : undefined);
  vi.spyOn(engine.store, 'backup').mockImplementationOnce(
    async (...[to, options = {}]: Parameters<Lab['backup']>) => {
      await backup(to, {
        ...options,
        onPages: () => (at('its pages are copied'), 1),
        onCopied: async (copy) => {
          at('its files are held');
          await options.onCopied?.(copy);
          at('it is checked');
        },
      });
      at('it has its name');
    },
  );
}

const gone = (): string =>
  `The backup was taken away from ${backups} while it was made; make another one once the folder, and the disk that it is on, stay there.`;
const pulled = (disk: string): string =>
  `The folder of backups ${backups} is a link to ${disk}, where no folder is now; plug in the disk that it is on, or remove the link.`;

describe.each<Moment>(['its pages are copied', 'its files are held', 'it is checked', 'it has its name'])(
  'a backup whose folder goes as %s',
  (moment) => {
    it.each<[string, () => void, () => string]>([
      ['is removed', () => rmSync(backups, { recursive: true, force: true }), gone],
      [
        'is emptied',
        () => readdirSync(backups).forEach((name) => rmSync(join(backups, name), { recursive: true })),
        gone,
      ],
      [
        'is a link to a disk that is pulled',
        () => {
          rmSync(backups, { recursive: true });
          symlinkSync(join(scratch, 'pulled'), backups);
        },
        () => pulled(join(scratch, 'pulled')),
      ],
    ])('says so where it %s, and the next one is made', async (_, harm, sentence) => {
      harmAt(moment, harm);
      expect(await backUp()).toMatchObject({ state: 'failed', problem: sentence() });
      if (!existsSync(backups)) rmSync(backups, { force: true });
      expect(await backUp()).toMatchObject({ state: 'done' });
      expect(readdirSync(backups)).toEqual([expect.stringMatching(/-by-hand\.sqlite$/)]);
    });
  },
);

it('a folder of backups that is a link to a disk which is not there is said by window and terminal, until it is', async () => {
  const disk = join(scratch, 'disk');
  symlinkSync(disk, backups);
  const sentence = pulled(disk);
  await expect(verbs().backups()).rejects.toThrow(sentence);
  await expect(verbs().removeBackup({ name: 'a.sqlite' })).rejects.toThrow(sentence);
  expect((await verbs().storage()).backups).toBe(0);
  expect(await backUp()).toMatchObject({ state: 'failed', problem: sentence });
  expect(readdirSync(lab)).not.toContain('disk');
  await engine.close();
  for (const order of [['backup'], ['backup', '--list'], ['backup', '--remove', 'a.sqlite']])
    expect(await callAnchor('--lab', lab, ...order)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`anchor: ${sentence}\n`),
    });
  mkdirSync(disk);
  expect(await callAnchor('--lab', lab, 'backup')).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('anchor:'),
  });
  expect(readdirSync(disk)).toHaveLength(1);
  engine = await openEngine(lab);
});

it('something else in the place of the folder of backups is said too', async () => {
  writeFileSync(backups, '');
  const sentence = `The folder of backups ${backups} is no folder; move what is there elsewhere.`;
  await expect(verbs().backups()).rejects.toThrow(sentence);
  expect((await verbs().storage()).backups).toBe(0);
  expect(await backUp()).toMatchObject({ state: 'failed', problem: sentence });
});

it('a run goes on while the folder of backups goes and comes back under the backups that are made beside it', async () => {
  const { id } = engine.startRun(shortRun('record'));
  const problems: (string | null)[] = [];
  const ended = engine.waitFor(id);
  for (const moment of ['its pages are copied', 'it is checked'] as const) {
    harmAt(moment, () => renameSync(backups, `${backups}.away`));
    problems.push((await backUp()).problem);
    rmSync(backups, { recursive: true, force: true });
    renameSync(`${backups}.away`, backups);
  }
  expect(problems).toEqual([gone(), gone()]);
  expect(await backUp()).toMatchObject({ state: 'done', problem: null });
  expect((await ended).state).toBe('done');
  expect(engine.store.checkIntegrity()).toEqual([]);
});
