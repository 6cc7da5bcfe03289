// @module-tag full
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunConfig, Verification } from '../../../electron/contract/index.ts';
import { useScriptedPolicy } from '../../support/scripted-policy/index.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import {
  MUTATED_QUESTIONS,
  MUTATED_SELF_PLAY,
  shortQuestions,
  shortSelfPlay,
  type MutatedRule,
} from './mutated-rules.ts';
import { verified } from './tampered-lab.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

const PROGRAM = join(import.meta.dirname, 'mutated-run.ts');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-mutated-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Takes a run by sources with that mutant in them, and verifies it by rules that know nothing of it. */
async function verifiedRun(config: RunConfig, mutant?: string): Promise<Verification> {
  const folder = mkdtempSync(join(scratch, 'run-'));
  const [lab, file] = [join(folder, 'lab'), join(folder, 'run.json')];
  writeFileSync(file, JSON.stringify(config));
  const args = [PROGRAM, lab, file, ...(mutant === undefined ? [] : [mutant])];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const { reports } = await verified(lab, [], 0);
  rmSync(folder, { recursive: true, force: true });
  const [report] = reports;
  if (report === undefined) throw new Error('Nothing was reported.');
  return report;
}

/** The first difference under the rule that has to find it. */
async function expectFound({ mutant, rule, about }: MutatedRule, config: RunConfig): Promise<void> {
  const { rules } = await verifiedRun(config, mutant);
  const differing = rules.filter((each) => each.differing > 0).map((each) => each.rule);
  expect(differing).toContain(rule);
  const first = rules.find((each) => each.rule === rule)?.first;
  expect(first?.about).toEqual(typeof about === 'string' ? about : expect.stringMatching(about));
  expect(first?.stored).not.toBe(first?.recomputed);
}

const differences = ({ rules }: Verification): unknown[] => rules.filter(({ differing }) => differing > 0);
const named = (rules: readonly MutatedRule[]): (readonly [string, MutatedRule])[] =>
  rules.map((each) => [each.mutant, each]);

describe('of self-play, the verifier', () => {
  let restore = (): void => {};
  beforeAll(() => {
    restore = useWarmTrainer();
    return () => restore();
  });

  it('finds nothing in the run without a mutant', async () => {
    expect(differences(await verifiedRun(shortSelfPlay()))).toEqual([]);
  });

  it.for(named(MUTATED_SELF_PLAY))('names what a mutant changed: %s', ([, rule]) =>
    expectFound(rule, shortSelfPlay(rule.supervision)),
  );
});

describe('of challenger and solver, the verifier', () => {
  beforeAll(() => useScriptedPolicy());

  it('finds nothing in the run without a mutant', async () => {
    expect(differences(await verifiedRun(shortQuestions()))).toEqual([]);
  });

  it.for(named(MUTATED_QUESTIONS))('names what a mutant changed: %s', ([, rule]) =>
    expectFound(rule, shortQuestions()),
  );
});
