import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { openEngine } from '../../support/engine.ts';
import { startChild } from '../store/support/children.ts';
import { placeFixture } from '../store/support/in-lab.ts';
import { makeConfig, steadyClock } from '../store/support/make-records.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-killed-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const below = (...names: string[]): string => join(scratch, ...names);

/** Kills a program that does something to a lab, as soon as it writes at `mark`. */
async function killAt(mark: string, lab: string, what: string, to: string): Promise<void> {
  const child = startChild('die-in-copy.ts', [lab, what, to, mark]);
  await child.ended;
  expect([child.lines, child.process.signalCode, existsSync(mark)]).toEqual([[], 'SIGKILL', true]);
}

describe('what a program leaves that is killed goes when the lab is opened again', () => {
  const lab = below('lab');
  beforeAll(async () => {
    const store = await openLab(lab, { now: steadyClock() });
    store.createRun({ id: 'a', config: makeConfig('first'), folder: 'runs/a' });
    mkdirSync(join(lab, 'backups'));
    await store.backup(join(lab, 'backups/whole.sqlite'));
    store.close();
    // Something to copy before the database comes.
    mkdirSync(join(lab, 'runs/a'), { recursive: true });
    writeFileSync(join(lab, 'runs/a/trace'), Buffer.alloc(4e6));
  });

  it.each([
    ['a whole copy', 'copy', '.to.tmp'],
    ['a restore', 'restore', '.to.tmp'],
    ['a salvage, of the database', 'salvage', 'to.salvaged.tmp'],
    ['a salvage, of the files', 'salvage', '.to.tmp'],
  ])('of %s', async (_, what, name) => {
    const place = mkdtempSync(below(`${what}-`));
    await killAt(join(place, name), lab, what, join(place, 'to'));
    await (await openEngine(lab)).close();
    expect(readdirSync(place)).toEqual([]);
    expect(existsSync(join(lab, 'unfinished'))).toBe(false);
    expect(readdirSync(join(lab, 'backups'))).toEqual(['whole.sqlite']);
  });

  it('of the backup before a migration, and the lab is brought up to date then', async () => {
    const older = below('older');
    mkdirSync(older);
    placeFixture(older, 1);
    const copy = '1970-01-01T00-00-00.000Z-schema-1.sqlite';
    await killAt(join(older, 'backups', `${copy}.tmp`), older, 'open', '');
    const engine = await openEngine(older);
    expect(engine.store.getRun('old')?.config.name).toBe('from an older lab');
    expect(engine.store.checkIntegrity()).toEqual([]);
    await engine.close();
    const left = readdirSync(join(older, 'backups'));
    expect(left).toEqual([expect.stringMatching(/^20.*-schema-1\.sqlite$/)]);
    expect(readdirSync(older)).toContain(DATABASE_FILE);
  });
});
