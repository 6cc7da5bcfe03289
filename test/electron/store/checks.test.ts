import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkInThread } from '../../../electron/store/opening/check-thread.ts';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { longestSilence } from '../../support/stillness.ts';
import { fillLab } from './support/big-lab.ts';
import { steadyClock } from './support/make-records.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Beyond this a person notices that the window stands still. */
const STILL_MS = 250;

const PAGE = 4096;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'anchor-checks-'));
  await fillLab(folder, ['a'], 8);
  file = join(folder, DATABASE_FILE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the lab with one page of this tree overwritten. */
function damaged(name: string, tree: string, bytes: (page: number) => Buffer): string {
  const copy = join(folder, `${name}.sqlite`);
  copyFileSync(file, copy);
  const db = new SqliteDatabase(copy);
  const { page } = db
    .prepare<[string], { page: number }>(
      `SELECT pageno AS page FROM dbstat WHERE name = ? AND pagetype = 'leaf' LIMIT 1`,
    )
    .get(tree)!;
  db.close();
  const descriptor = openSync(copy, 'r+');
  writeSync(descriptor, bytes(page), 0, PAGE, (page - 1) * PAGE);
  closeSync(descriptor);
  return copy;
}

describe('a check in a thread', () => {
  it.each(['records', 'afterCrash', 'backup', 'salvage'] as const)(
    'of %s tells how far it is and keeps this thread free',
    async (check) => {
      const shares: number[] = [];
      const { busyMs, result } = await longestSilence(() =>
        checkInThread(check, file, {
          onShare: (share) => shares.push(share),
          to: join(folder, 'salvaged.sqlite'),
        }),
      );
      expect(busyMs).toBeLessThan(STILL_MS);
      expect(shares.length).toBeGreaterThan(20);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(shares.at(-1)).toBeGreaterThan(0.9);
      expect(result).toMatchObject(
        {
          records: { damage: [], events: 13 },
          afterCrash: {},
          backup: { runs: 1, steps: 8, events: 13 },
          salvage: { runs: { whole: 1, cut: 0 }, lost: [] },
        }[check] ?? {},
      );
    },
  );

  it('sees the lab as it was when it began, while steps are stored', async () => {
    const lab = await openLab(folder, { now: steadyClock() });
    const found = lab.examine();
    for (let n = 0; n < 40; n += 1) {
      lab.setRunState('a', 'done', `Reason ${n}.`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await found).damage).toEqual([]);
    lab.close();
  });

  it('ends within a second of being cancelled, with the reason', async () => {
    const stop = new AbortController();
    let began = 0;
    const check = checkInThread('records', file, {
      signal: stop.signal,
      onShare: () => {
        if (stop.signal.aborted) return;
        began = performance.now();
        stop.abort(new Error('enough'));
      },
    });
    await expect(check).rejects.toThrow('enough');
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('that cannot be made says why, and so does one that fails unexpectedly', async () => {
    const nowhere = checkInThread('records', join(folder, 'none.sqlite'));
    await expect(nowhere).rejects.toMatchObject({ kind: 'cannotOpen' });
    const odd = checkInThread('nothing' as 'records', file);
    await expect(odd).rejects.toThrow(TypeError);
  });
});

describe('the check of pages', () => {
  it('finds a page of a table that holds garbage', async () => {
    const copy = damaged('garbage', 'rollouts', () => Buffer.alloc(PAGE, 0xff));
    expect(await checkInThread('afterCrash', copy)).toMatch(/malformed|rollouts/);
    await expect(checkInThread('backup', copy)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('finds a page with two uses, and pages with none', async () => {
    const db = new SqliteDatabase(file, { readonly: true });
    const trees = db
      .prepare<[], { name: string; page: number }>(
        `SELECT name, pageno AS page FROM dbstat WHERE name IN ('rollout_texts', 'review_texts') AND pagetype = 'internal'`,
      )
      .all();
    db.close();
    const [from, to] = ['rollout_texts', 'review_texts'].map(
      (name) => trees.find((tree) => tree.name === name)?.page ?? 0,
    ) as [number, number];
    const copy = join(folder, 'twice.sqlite');
    copyFileSync(file, copy);
    const descriptor = openSync(copy, 'r+');
    const page = Buffer.alloc(PAGE);
    readSync(descriptor, page, 0, PAGE, (from - 1) * PAGE);
    writeSync(descriptor, page, 0, PAGE, (to - 1) * PAGE);
    closeSync(descriptor);
    expect(await checkInThread('afterCrash', copy)).toMatch(/second use/);
  });

  it('finds texts that the full-text index does not hold, beside whoever writes to the lab', async () => {
    const copy = join(folder, 'search.sqlite');
    copyFileSync(file, copy);
    const db = new SqliteDatabase(copy);
    db.exec(
      `INSERT INTO rollout_search (rollout_search, rowid, text, user) SELECT 'delete', key, text, user FROM rollout_texts LIMIT 1`,
    );
    db.close();
    const { damage } = await checkInThread('records', copy);
    expect(damage.filter(({ part }) => part === 'search')).toHaveLength(1);
  });
});
