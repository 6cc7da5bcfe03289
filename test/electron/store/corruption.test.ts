import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../electron/contract/index.ts';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { damageIndex } from './support/damage-index.ts';
import { failureOf } from './support/failures.ts';
import { inTempFolder, seededRandom, steadyClock } from './support/make-records.ts';
import { makeWholeLab } from './support/whole-lab.ts';

const SEED = 4242;
const FLIPS = 40;
const PAGE = 4096;

/** Every row of every table that holds data, as text. */
function contents(file: string): string {
  const db = new SqliteDatabase(file, { readonly: true });
  try {
    const tables = db
      .prepare<[], { name: string }>(
        `
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%search%' ORDER BY name`,
      )
      .all();
    return tables
      .map(({ name }) => `${name} ${JSON.stringify(db.prepare(`SELECT * FROM ${name}`).all())}`)
      .join('\n');
  } finally {
    db.close();
  }
}

async function makeLab(folder: string): Promise<string> {
  await makeWholeLab(folder);
  return join(folder, DATABASE_FILE);
}

/** `detected`: opening or the check objects; `harmless`: both are content and every row is as it was; else `silent`. */
async function outcomeOf(folder: string, original: string): Promise<'detected' | 'harmless' | 'silent'> {
  try {
    const lab = await openLab(folder, { now: steadyClock() });
    try {
      if (lab.checkIntegrity().length > 0) return 'detected';
    } finally {
      lab.close();
    }
  } catch (error) {
    // Whatever is damaged, a person gets one sentence.
    expect(error).toBeInstanceOf(Failure);
    return 'detected';
  }
  return contents(join(folder, DATABASE_FILE)).replace(/"clean_exit","value":"\w+"/, '') === original
    ? 'harmless'
    : 'silent';
}

describe('a damaged database', () => {
  it(
    `is noticed, or the damage changes nothing (${FLIPS} bytes flipped, seed ${SEED})`,
    () =>
      inTempFolder(async (root) => {
        const file = await makeLab(join(root, 'sound'));
        const original = contents(file).replace(/"clean_exit","value":"\w+"/, '');
        const bytes = readFileSync(file);
        const random = seededRandom(SEED);
        const tally = { detected: 0, harmless: 0, silent: 0 };
        for (let flip = 0; flip < FLIPS; flip += 1) {
          // A quarter of the flips fall into the header and the schema, the rest anywhere.
          const offset = flip % 4 === 0 ? Math.floor(random() * PAGE) : Math.floor(random() * bytes.length);
          const bit = 1 << Math.floor(random() * 8);
          const folder = join(root, `flip-${flip}`);
          mkdirSync(folder);
          const damaged = Buffer.from(bytes);
          damaged[offset] = (damaged[offset] ?? 0) ^ bit;
          writeFileSync(join(folder, DATABASE_FILE), damaged);
          const outcome = await outcomeOf(folder, original);
          expect(outcome, `byte ${offset}, bit ${bit}`).not.toBe('silent');
          tally[outcome] += 1;
          rmSync(folder, { recursive: true });
        }
        // Flips in free space change nothing; if all were harmless, the test would not be looking.
        expect(tally.detected).toBeGreaterThan(FLIPS / 10);
      }),
    120_000,
  );

  it('is noticed when its file was cut at any length', () =>
    inTempFolder(async (root) => {
      const file = await makeLab(join(root, 'sound'));
      const original = contents(file).replace(/"clean_exit","value":"\w+"/, '');
      const size = readFileSync(file).length;
      for (const keep of [
        1,
        17,
        99,
        100,
        500,
        PAGE,
        PAGE + 1,
        2 * PAGE,
        Math.floor(size / 2),
        size - PAGE,
        size - 1,
      ]) {
        const folder = join(root, `cut-${keep}`);
        mkdirSync(folder);
        copyFileSync(file, join(folder, DATABASE_FILE));
        truncateSync(join(folder, DATABASE_FILE), keep);
        expect(await outcomeOf(folder, original), `${keep} of ${size} bytes`).not.toBe('silent');
      }
    }));

  it('after an unclean exit is only read, from the first moment', () =>
    inTempFolder(async (root) => {
      const file = await makeLab(root);
      const bytes = damageIndex(file);
      const lab = await openLab(root, { now: steadyClock() });
      expect(lab.damage()?.message).toMatch(/damaged/);
      expect(lab.allRuns().length).toBeGreaterThan(0);
      expect((await failureOf(() => lab.setRunState('run', 'queued', null))).kind).toBe('corrupt');
      lab.close();
      expect(readFileSync(file).equals(bytes)).toBe(true);
    }));
});
