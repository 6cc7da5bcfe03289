import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunConfig } from '../../electron/contract/index.ts';
import type { Engine } from '../../electron/engine/index.ts';
import { openEngine } from '../support/engine.ts';
import { smallRun, type MadeLab } from '../support/made-lab.ts';
import { copyPreparedLab } from '../support/prepared-lab.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';
import { query } from './anchor-cli.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-determinism-'));
/** Holds two runs that another program took: `supervised` by the model at p = 0.6, and `alone` at p = 0. */
let prepared: MadeLab;
const labs = { there: join(scratch, 'there'), here: join(scratch, 'here'), warm: join(scratch, 'warm') };
/** Starts each trainer as a person's would. */
let engine: Engine;
/** Its trainers are forks of one process: for runs that are compared with what the first two programs took. */
let warm: Engine;
beforeAll(async () => {
  prepared = await copyPreparedLab(labs.there);
  engine = await openEngine(labs.here, 1);
  useWarmTrainer();
  warm = await openEngine(labs.warm, 1);
});
afterAll(async () => {
  await engine?.close();
  await warm?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A run of the lab `labs[at]`. */
type Taken = { at: keyof typeof labs; id: string };
type Changes = { steps?: number; supervision?: Partial<RunConfig['supervision']> } & Partial<
  Pick<RunConfig, 'seed' | 'train'>
>;

/** Takes a run like the prepared ones, with other settings. */
async function take(
  at: 'here' | 'warm',
  name: string,
  p: number,
  { supervision, ...changes }: Changes = {},
): Promise<Taken> {
  const taker = at === 'here' ? engine : warm;
  const base = smallRun(name, p, 2);
  const config = runConfigSchema.parse({
    ...base,
    ...changes,
    supervision: { ...base.supervision, ...supervision },
  });
  const { id } = taker.startRun(config);
  expect((await taker.waitFor(id)).state).toBe('done');
  return { at, id };
}

/** Several tests ask of the same run; it is taken once. */
const taken = new Map<string, Promise<Taken>>();
const once = (name: string, begin: () => Promise<Taken>): Promise<Taken> => {
  const known = taken.get(name) ?? begin();
  taken.set(name, known);
  return known;
};
const rubric = { reviewer: 'rubric' } as const;
const fullyReviewed = (): Promise<Taken> =>
  once('rubric, p = 1', () => take('warm', 'rubric, p = 1', 1, { supervision: rubric }));
const alone = (): Taken => ({ at: 'there', id: prepared.alone });

const rowsOf = <Row>({ at, id }: Taken, sql: string): Row[] => query<Row>(labs[at], sql, id);
const column = (run: Taken, name: 'step_hash' | 'weights_sha256'): string[] =>
  rowsOf<Record<string, string>>(run, `SELECT ${name} FROM steps WHERE run_id = ? ORDER BY step`).map(
    (row) => row[name] as string,
  );
const hashes = (run: Taken): string[] => column(run, 'step_hash');
const weights = (run: Taken): string[] => column(run, 'weights_sha256');

describe('the same seed on the same machine', () => {
  it('gives the same records, rewards and weights bit for bit in another program, reviewed by the model', async () => {
    const again = await take('here', 'supervised, small', 0.6);
    expect(hashes(again)).toHaveLength(2);
    expect(hashes(again)).toEqual(hashes({ at: 'there', id: prepared.supervised }));
  });

  it(
    'gives the same records, rewards and weights bit for bit in the same program, reviewed by the rubric',
    { tags: ['full'] },
    async () => {
      const again = await take('here', 'rubric, p = 1', 1, { supervision: rubric });
      expect(hashes(again)).toHaveLength(2);
      expect(hashes(again)).toEqual(hashes(await fullyReviewed()));
    },
  );

  it('another seed gives other weights', { tags: ['full'] }, async () => {
    const other = await take('warm', 'other seed', 0, { seed: 2, steps: 1 });
    expect(weights(other)).toHaveLength(1);
    expect(weights(other)[0]).not.toBe(weights(alone())[0]);
  });
});

describe('review probabilities', () => {
  it('moves weights, answers and rewards through the context alone: reviews that can never enter it change nothing', async () => {
    // Everything is reviewed and found; no line is supported often enough, and none would fit.
    const kept = await take('warm', 'reviews that cannot enter', 1, {
      supervision: { ...rubric, minimumSupport: 100_000, contextTokens: 1 },
    });
    const count = (run: Taken, table: 'reviews' | 'context_lines'): number =>
      rowsOf<{ n: number }>(run, `SELECT count(*) AS n FROM ${table} WHERE run_id = ?`)[0]?.n ?? -1;
    expect(count(kept, 'reviews')).toBeGreaterThan(40);
    expect(count(kept, 'context_lines')).toBe(0);
    expect(count(alone(), 'reviews')).toBe(0);
    const rollouts = (run: Taken): unknown[] =>
      rowsOf(
        run,
        'SELECT id, text, reward, advantage, outcome FROM rollouts JOIN rollout_texts USING (key) WHERE run_id = ? ORDER BY id',
      );
    expect(rollouts(alone()).length).toBeGreaterThan(40);
    expect(rollouts(kept)).toEqual(rollouts(alone()));
    expect(weights(kept)).toHaveLength(2);
    expect(weights(kept)).toEqual(weights(alone()));

    // The control: the same reviews, where their lines do enter, move the second step away and leave the first.
    const entered = await fullyReviewed();
    expect(count(entered, 'context_lines')).toBeGreaterThan(0);
    expect(weights(entered)[0]).toBe(weights(alone())[0]);
    expect(weights(entered)[1]).not.toBe(weights(alone())[1]);
  });

  it(
    'also with summaries and merges in words of the model: as long as no line fits, nothing moves',
    { tags: ['full'] },
    async () => {
      const worded = await take('warm', 'words that cannot enter', 0.6, {
        supervision: { summary: 'model', merge: 'model', contextTokens: 1 },
      });
      const count = (table: string): number =>
        rowsOf<{ n: number }>(worded, `SELECT count(*) AS n FROM ${table} WHERE run_id = ?`)[0]?.n ?? -1;
      expect(count('reviews')).toBeGreaterThan(20);
      expect(count('wordings')).toBeGreaterThan(2);
      expect(count('context_lines')).toBe(0);
      expect(weights(worded)).toHaveLength(2);
      expect(weights(worded)).toEqual(weights(alone()));
    },
  );

  it('p = 1 reviews every part of every trained rollout and every batch', async () => {
    const run = await fullyReviewed();
    const count = (from: string, where: string): number =>
      rowsOf<{ n: number }>(run, `SELECT count(*) AS n FROM ${from} WHERE run_id = ? AND ${where}`)[0]?.n ??
      -1;
    const reviews = (where: string): number => count('reviews', where);
    const trained = (where: string): number =>
      count('rollouts JOIN rollout_texts USING (key)', `purpose <> 'estimate' AND ${where}`);
    expect(reviews(`phase = 'task'`)).toBe(trained(`purpose = 'propose'`));
    expect(reviews(`phase = 'plan'`)).toBe(trained(`trim(coalesce(plan, '')) <> ''`));
    expect(reviews(`phase = 'thought'`)).toBe(trained(`trim(coalesce(thought, '')) <> ''`));
    expect(reviews(`phase = 'output'`)).toBe(trained(`purpose = 'solve'`));
    expect(reviews(`phase = 'exec'`)).toBe(
      rowsOf(run, 'SELECT DISTINCT step, batch FROM rollouts WHERE run_id = ?').length,
    );
    expect(reviews(`status <> 'done'`)).toBe(0);
    expect(reviews(`phase = 'output'`)).toBeGreaterThan(0);
  });
});

describe('decision = retry', () => {
  it('enforced, generates what was sent back once more and trains on that; recorded, changes nothing', async () => {
    const enforced = await take('warm', 'enforced', 1, {
      steps: 1,
      supervision: { ...rubric, retry: 'enforce' },
    });
    const sentBack = rowsOf<{ id: string }>(
      enforced,
      `SELECT DISTINCT r.id FROM reviews v JOIN rollouts r ON r.key = v.rollout_key WHERE v.run_id = ? AND v.decision = 'retry' ORDER BY r.id`,
    ).map((row) => row.id);
    expect(sentBack.length).toBeGreaterThan(0);
    const rewardOf = new Map(
      rowsOf<{ id: string; reward: number | null }>(
        enforced,
        'SELECT id, reward FROM rollouts WHERE run_id = ?',
      ).map((row) => [row.id, row.reward]),
    );
    for (const id of sentBack) {
      expect(rewardOf.get(id), id).toBeNull();
      expect(rewardOf.get(`${id}/r1`), `${id}/r1`).not.toBeNull();
    }
    // The first step is the only one in which nothing was learnt from a review yet.
    const recorded = await fullyReviewed();
    expect(weights(recorded)[0]).toBe(weights(alone())[0]);
    expect(weights(enforced)[0]).not.toBe(weights(alone())[0]);
  });
});

describe('a KL term', () => {
  it(
    'is measured against the weights the run started from, not against the last checkpoint',
    { tags: ['full'] },
    async () => {
      const { train } = smallRun('kl', 0, 2);
      const run = await take('warm', 'kl', 0, {
        train: { ...train, kl: { coefficient: 0.05, estimator: 'k3' }, learningRate: 0.001 },
      });
      const divergence = rowsOf<{ step: number; value: number }>(
        run,
        `SELECT step, value FROM metrics WHERE run_id = ? AND name = 'actor/kl_reference' ORDER BY step`,
      );
      expect(divergence).toHaveLength(2);
      expect(Math.abs(divergence[0]?.value ?? 1)).toBeLessThan(1e-6);
      expect(divergence[1]?.value).toBeGreaterThan(1e-5);
    },
  );
});
