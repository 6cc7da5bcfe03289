import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunConfig, Verification } from '../../../electron/contract/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import { openEngine } from '../../support/engine.ts';
import { verified } from './tampered-lab.ts';

export type Taken = { id: string; folder: string };

/** Takes a run in a lab of its own under `scratch`. */
export async function take(scratch: string, config: RunConfig): Promise<Taken> {
  const folder = mkdtempSync(join(scratch, 'lab-'));
  const engine = await openEngine(folder);
  try {
    return { id: await finished(engine, engine.startRun(config).id), folder };
  } finally {
    await engine.close();
  }
}

/** Waits for the last step of a run; its id. */
export async function finished(engine: Engine, id: string): Promise<string> {
  expect(await engine.waitFor(id)).toMatchObject({ state: 'done' });
  return id;
}

/** The one report of a run in which nothing differs. */
export async function soundly({ id, folder }: Taken, sample: number): Promise<Verification> {
  const { reports } = await verified(folder, [id], sample);
  const [report] = reports;
  if (report === undefined) throw new Error('Nothing was reported.');
  expect(report.rules.filter(({ differing }) => differing > 0)).toEqual([]);
  return report;
}

export const checkedBy = (report: Verification, rule: string): number =>
  report.rules.find((each) => each.rule === rule)?.checked ?? 0;

/**
 * Values that a verification of two small supervised steps of self-play compares at least, rule by rule: about half of what it does, and
 * one where few reviews decide whether there is anything. What compares nothing would find nothing in any records.
 */
export const LEAST: Readonly<Record<string, number>> = {
  'events.chain': 5,
  'records.attested': 3,
  'steps.chain': 2,
  'records.times': 40,
  'steps.place': 2,
  'tasks.gold': 20,
  'tasks.read': 1,
  'responses.read': 40,
  'proposals.verdict': 6,
  'solutions.verdict': 6,
  'estimates.verdict': 1,
  'estimates.number': 1,
  'tasks.solve_rate': 1,
  'rewards.proposer': 6,
  'rewards.solver': 6,
  'rewards.estimate': 1,
  'rewards.advantage': 12,
  'reviews.gate': 40,
  'reviews.material': 20,
  'reviews.statistics': 2,
  'reviews.quarantine': 10,
  'summaries.scope': 4,
  'summaries.points': 4,
  'contexts.text': 3,
  'prompts.context': 20,
  'prompts.system': 20,
  'prompts.sent': 20,
  'prompts.tokens': 20,
  'prompts.task': 6,
  'rollouts.logp': 4,
  'checkpoints.files': 4,
  'checkpoints.weights': 2,
};

/** Fails for each rule that compared fewer values than it should. `but` names other counts, 0 for a rule that has no work. */
export function expectWork(report: Verification, but: Readonly<Record<string, number>> = {}): void {
  const wanted = Object.entries({ ...LEAST, ...but });
  const few = wanted.filter(([rule, least]) => checkedBy(report, rule) < least);
  const compared = few.map(([rule, least]) => `${rule}: ${checkedBy(report, rule)} of ${least}`);
  expect(compared).toEqual([]);
  for (const [rule, least] of wanted) if (least === 0) expect(checkedBy(report, rule), rule).toBe(0);
}
