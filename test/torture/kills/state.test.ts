import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { record } from './campaign.ts';
import { KillState, summarize } from './state.ts';
import { drawStrike, TARGETS, type Measure } from './strike.ts';

const MEASURE: Measure = { seconds: 10, events: 20, operations: { engine: 500, trainer: 100 } };
const occasion = { seed: 3, round: 0, move: 0, door: 'engine' as const, fresh: true, first: true, avoid: [] };

it('the same seed, run and move draw the same kill, and all targets and clocks come up', () => {
  expect(drawStrike(occasion, MEASURE)).toEqual(drawStrike(occasion, MEASURE));
  const strikes = Array.from({ length: 400 }, (_, round) => drawStrike({ ...occasion, round }, MEASURE));
  expect(new Set(strikes.map(({ target, moment }) => `${target} ${moment.clock}`)).size).toBe(2 * 3 + 2 * 2);
  expect(new Set(strikes.map(({ target }) => target))).toEqual(new Set(TARGETS));
  const operations = strikes.flatMap(({ target, moment }) =>
    target === 'engine' && moment.clock === 'operation' ? [moment.operation] : [],
  );
  expect(Math.min(...operations)).toBeLessThan(100);
  expect(Math.max(...operations)).toBeGreaterThan(400);
});

it('an interrupted campaign goes on after the last whole line, and one difference is in the summary', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-state-'));
  const file = join(folder, 'kills.jsonl');
  const kill = {
    target: 'trainer' as const,
    moment: { clock: 'time' as const, seconds: 1 },
    life: 0,
    step: 1,
    phase: 'update' as const,
    awake: true,
  };
  const round = {
    round: 4,
    door: 'engine' as const,
    variant: 'record' as const,
    kills: [kill, kill],
    hash: 'aa',
    difference: null,
    seconds: 12,
  };
  new KillState(file).add(round, 1);
  appendFileSync(file, '{"kill":3,"rou');
  const resumed = new KillState(file);
  expect(resumed.lines).toHaveLength(2);
  expect(resumed.nextRound).toBe(5);
  resumed.add({ ...round, round: 5, kills: [kill], difference: 'the steps are others' }, 1);
  expect(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kill: number }).kill),
  ).toEqual([1, 2, 3]);
  expect(summarize(new KillState(file).lines)).toMatchObject({
    kills: 3,
    different: 1,
    byTarget: { trainer: 3 },
    byPhase: { update: 3 },
    differences: ['round 5 of seed 1: the steps are others'],
  });
  rmSync(folder, { recursive: true });
});

it('a run that comes out otherwise without a kill ends the campaign instead of being forgotten', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-state-'));
  const state = new KillState(join(folder, 'kills.jsonl'));
  const calm = {
    round: 7,
    door: 'engine' as const,
    variant: 'record' as const,
    kills: [],
    hash: 'aa',
    difference: null,
    seconds: 12,
  };
  record(state, calm, 1);
  expect(() => record(state, { ...calm, difference: 'the engine ended by itself' }, 1)).toThrow(
    'Run 7 of seed 1 came out otherwise although nothing was killed in it: the engine ended by itself',
  );
  expect(state.lines).toHaveLength(0);
  rmSync(folder, { recursive: true });
});
