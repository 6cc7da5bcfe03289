import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvaluationScore } from '../../../../electron/contract/index.ts';
import type { Engine } from '../../../../electron/engine/index.ts';
import type { StoredItem } from '../../../../electron/store/index.ts';
import { openEngine } from '../in-engine.ts';
import { ORDERS, type OrderName } from './order.ts';
import { useWarmTrainer } from '../../../support/warm-trainer.ts';

useWarmTrainer();

type Result = Record<string, { items: StoredItem[]; scores: EvaluationScore[] }>;

const resultOf = ({ store }: Engine): Result =>
  Object.fromEntries(
    store
      .listStoredEvaluations()
      .map(({ id, plan, scores }) => [plan.suite, { items: [...store.eachEvaluationItem(id)], scores }]),
  );

/** Starts the evaluation in a process of its own and kills it once `after` answers are stored. Resolves with what it said. */
async function killAfter(folder: string, name: OrderName, after: number): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'evaluate-and-say.ts'), folder, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (lines.filter((each) => each.startsWith('stored')).length >= after) child.kill('SIGKILL');
  });
  await once(child, 'exit');
  return lines;
}

/** An evaluation that is killed after so many answers goes on with the missing ones and comes to the result of one that was not. */
export function killEach(strikes: readonly (readonly [name: OrderName, after: number])[]): void {
  const base = mkdtempSync(join(tmpdir(), 'anchor-eval-kill-'));
  const undisturbed = new Map<OrderName, Result>();
  beforeAll(async () => {
    for (const name of new Set(strikes.map(([order]) => order))) {
      const engine = await openEngine(join(base, name));
      const { problem } = await engine.jobs.ended((await engine.evaluations.start(ORDERS[name])).id);
      expect(problem).toBeNull();
      undisturbed.set(name, resultOf(engine));
      await engine.close();
    }
  }, 900_000);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  describe('an evaluation whose program is killed', () => {
    it.each(strikes)(
      '(%s) after %i answers goes on with the missing ones and comes to the same result',
      async (name, after) => {
        const order = ORDERS[name];
        const folder = join(base, `killed-${name}-${after}`);
        const lines = await killAfter(folder, name, after);
        expect(lines).not.toContain('done');
        const engine = await openEngine(folder);
        const unfinished = engine.evaluations.unfinished();
        expect(unfinished.map(({ summary }) => summary.state)).toContain('stopped');
        const before = new Set(
          engine.store.listStoredEvaluations().flatMap(({ id }) =>
            engine.store
              .listEvaluationPlaces(id)
              .filter(({ graded }) => graded)
              .map(({ ordinal }) => `${id} ${ordinal}`),
          ),
        );
        expect(before.size).toBeGreaterThanOrEqual(after);
        const put = engine.store.putEvaluationItems;
        const stored: string[] = [];
        engine.store.putEvaluationItems = (id, items) => {
          put(id, items);
          stored.push(...items.map(({ ordinal }) => `${id} ${ordinal}`));
        };
        const { problem } = await engine.jobs.ended((await engine.evaluations.start(order)).id);
        expect(problem).toBeNull();
        expect(stored.filter((place) => before.has(place))).toEqual([]);
        expect(new Set(stored).size).toBe(stored.length);
        expect(before.size + stored.length).toBe(2 * (order.limit ?? 0));
        expect(resultOf(engine)).toEqual(undisturbed.get(name));
        expect(engine.store.checkIntegrity()).toEqual([]);
        await engine.close();
      },
      900_000,
    );
  });
}
