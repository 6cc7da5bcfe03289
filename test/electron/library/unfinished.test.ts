import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  clearUnfinished,
  copyInto,
  noteUnfinished,
  Removals,
  unfinishedPaths,
} from '../../../electron/library/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-unfinished-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const GOING = /^\.going-[0-9a-f]{8}\.tmp$/;
let labs = 0;
const newLab = (): string => join(scratch, `lab-${labs++}`);
function put(...names: string[]): string {
  const path = join(...names);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'x');
  return path;
}

describe('what a killed program left', () => {
  it('goes from the copies, test sets and runs of a lab, and nothing else does', async () => {
    const lab = newLab();
    const left = [
      put(lab, 'models/.mine.tmp/config.json'),
      put(lab, 'datasets/.rows.tmp/rows.jsonl'),
      put(lab, 'test-sets/.import-123-0/items.jsonl'),
      put(lab, 'test-sets/.import-123-own-1/items.jsonl'),
    ].map(dirname);
    const parked = dirname(put(lab, 'runs/a/parked/weights'));
    const aside = dirname(put(lab, 'runs/a/.going-00000000.tmp/weights'));
    // A model may be called so.
    const kept = [
      put(lab, 'models/mine.tmp/config.json'),
      put(lab, 'models/mine/config.json'),
      put(lab, 'test-sets/own-questions-1/items.jsonl'),
      put(lab, 'runs/a/checkpoints/step-00001/weights'),
    ];
    expect(unfinishedPaths(lab).toSorted()).toEqual(left.toSorted());
    const removals = new Removals();
    clearUnfinished({ root: lab, runs: join(lab, 'runs') }, removals);
    expect([...left, parked, aside].filter((path) => existsSync(path))).toEqual([aside]);
    await removals.close();
    expect(existsSync(aside)).toBe(false);
    expect(left.filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => existsSync(path))).toEqual(kept);
  });

  it('goes from where its note says, if it has a name for the unfinished, and the note with it', async () => {
    const lab = newLab();
    const [copy, journal, mine] = ['.to.tmp', 'to.salvaged.tmp-journal', 'mine'].map((name) =>
      put(lab, '..', `beside-${labs}`, name),
    ) as [string, string, string];
    noteUnfinished(lab, copy, journal, mine);
    expect(unfinishedPaths(lab)).toEqual([copy, journal]);
    const removals = new Removals();
    clearUnfinished({ root: lab, runs: join(lab, 'runs') }, removals);
    expect([copy, journal].filter((path) => existsSync(path))).toEqual([]);
    expect(unfinishedPaths(lab).map((path) => basename(path))).toEqual([
      expect.stringMatching(GOING),
      expect.stringMatching(GOING),
    ]);
    await removals.close();
    expect(readdirSync(dirname(mine))).toEqual(['mine']);
    expect(existsSync(join(lab, 'unfinished'))).toBe(false);
  });
});

it('a copy takes nothing away that has its name with ".tmp" behind it', async () => {
  const lab = newLab();
  const other = put(lab, 'models/mine.tmp/config.json');
  await copyInto(join(lab, 'models/mine'), [{ from: put(lab, 'elsewhere'), name: 'config.json' }]);
  expect(existsSync(other)).toBe(true);
  expect(readdirSync(join(lab, 'models')).toSorted()).toEqual(['mine', 'mine.tmp']);
});
