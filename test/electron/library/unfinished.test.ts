import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  clearUnfinished,
  copyInto,
  noteUnfinished,
  unfinishedPaths,
} from '../../../electron/library/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-unfinished-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let labs = 0;
const newLab = (): string => join(scratch, `lab-${labs++}`);
function put(...names: string[]): string {
  const path = join(...names);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'x');
  return path;
}

describe('what a killed program left', () => {
  it('goes from the copies and test sets of a lab, and nothing else does', () => {
    const lab = newLab();
    const left = [
      put(lab, 'models/.mine.tmp/config.json'),
      put(lab, 'datasets/.rows.tmp/rows.jsonl'),
      put(lab, 'test-sets/.import-123-0/items.jsonl'),
      put(lab, 'test-sets/.import-123-own-1/items.jsonl'),
    ].map(dirname);
    // A model may be called so.
    const kept = [
      put(lab, 'models/mine.tmp/config.json'),
      put(lab, 'models/mine/config.json'),
      put(lab, 'test-sets/own-questions-1/items.jsonl'),
    ];
    expect(unfinishedPaths(lab).toSorted()).toEqual(left.toSorted());
    clearUnfinished(lab);
    expect(left.filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => existsSync(path))).toEqual(kept);
  });

  it('goes from where its note says, if it has a name for the unfinished, and the note with it', () => {
    const lab = newLab();
    const [copy, journal, mine] = ['.to.tmp', 'to.salvaged.tmp-journal', 'mine'].map((name) =>
      put(lab, '..', `beside-${labs}`, name),
    ) as [string, string, string];
    noteUnfinished(lab, copy, journal, mine);
    expect(unfinishedPaths(lab)).toEqual([copy, journal]);
    clearUnfinished(lab);
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
