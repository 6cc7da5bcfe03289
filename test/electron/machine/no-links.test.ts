import type * as Files from 'node:fs';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { holdFiles } from '../../../electron/machine/backup-files.ts';

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof Files>()),
  linkSync: (path: string) => {
    throw Object.assign(new Error(`EPERM: operation not permitted, link '${path}'`), { code: 'EPERM', path });
  },
}));

const root = mkdtempSync(join(tmpdir(), 'anchor-no-links-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('What unfinished runs of a backup go on from is copied where the file system makes no hard links, and what is gone is left out', async () => {
  const from = join(root, 'model.safetensors');
  writeFileSync(from, 'weights');
  mkdirSync(join(root, 'backups'));
  const held = join(root, 'backups/copy.files');
  await holdFiles(held, [
    { from, name: 'runs/a/checkpoints/step-00001/model.safetensors' },
    { from: join(root, 'gone'), name: 'runs/a/gone' },
  ]);
  const copy = join(held, 'runs/a/checkpoints/step-00001/model.safetensors');
  expect(readFileSync(copy, 'utf8')).toBe('weights');
  expect(statSync(copy).ino).not.toBe(statSync(from).ino);
});
