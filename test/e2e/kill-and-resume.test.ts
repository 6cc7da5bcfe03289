import type { ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { uniform } from '../../electron/core/index.ts';
import { anchor, makeLab, query, removeLab, saidBy, startAnchor, steps } from './anchor-cli.ts';

vi.setConfig({ testTimeout: 1_500_000 });

const labs: string[] = [];
afterAll(() => labs.forEach(removeLab));

const KILLS = 20;
const SEED = 20_261_120;
const RUN = [
  'run', '--preset', 'demo', '--set', 'steps=6', '--set', 'azr.batchSize=3', '--set', 'azr.estimateSamples=2', '--set', 'pressure.samplesPerPrompt=2',
  '--set', 'azr.maxNewTokens=128', ...['task', 'plan', 'thought', 'output', 'exec'].flatMap((phase) => ['--set', `supervision.phases.${phase}=0.6`]),
];

const VICTIMS = ['engine', 'trainer', 'supervisor', 'runner'] as const;
type Victim = (typeof VICTIMS)[number];
const MARK: Record<Exclude<Victim, 'engine'>, string> = { trainer: 'anchor_trainer', supervisor: 'supervisor/worker.ts', runner: 'broker.py' };

/** Direct children of a process, from /proc, with their command lines. */
function childrenOf(pid: number): { pid: number; command: string }[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]);
      return parent === pid ? [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }] : [];
    } catch {
      return []; // it ended while we looked
    }
  });
}

/** Kills the victim if it is there at this moment. */
function strike(engine: ChildProcess, victim: Victim): boolean {
  if (engine.pid === undefined || engine.exitCode !== null || engine.signalCode !== null) return false;
  const target = victim === 'engine' ? engine.pid : childrenOf(engine.pid).find(({ command }) => command.includes(MARK[victim]))?.pid;
  if (target === undefined) return false;
  process.kill(target, 'SIGKILL');
  return true;
}

const ended = (child: ChildProcess): Promise<void> => new Promise((resolve) => {
  if (child.exitCode !== null || child.signalCode !== null) resolve();
  else child.once('exit', () => resolve());
});
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

describe('kill -9', () => {
  it(`at ${KILLS} random moments of engine, trainer, supervisor and runner leaves the final hash of an undisturbed run`, async () => {
    const calm = makeLab();
    const struck = makeLab();
    labs.push(calm, struck);
    expect(anchor(calm, RUN, 600_000).code).toBe(0);
    const expected = steps(calm).at(-1)?.step_hash;

    let kills = 0;
    const hits: Record<Victim, number> = { engine: 0, trainer: 0, supervisor: 0, runner: 0 };
    for (let round = 0; kills < KILLS; round += 1) {
      // A fresh run once the last one is done, so that every kill meets a run at work.
      removeLab(struck);
      let engine = startAnchor(struck, RUN);
      for (let move = 0; ; move += 1) {
        await Promise.race([ended(engine), pause(500 + 9000 * uniform(SEED, 'wait', round, move))]);
        const run = query<{ id: string; state: string }>(struck, 'SELECT id, state FROM runs')[0];
        if (engine.exitCode !== null || engine.signalCode !== null) {
          if (engine.exitCode === 0) break;
          expect(engine.signalCode, `round ${round}, seed ${SEED}: the engine ended by itself with code ${engine.exitCode}\n${saidBy(struck)}`).toBe('SIGKILL');
          engine = startAnchor(struck, run === undefined ? RUN : ['resume', run.id]);
        } else if (kills < KILLS) {
          const victim = VICTIMS[Math.floor(uniform(SEED, 'victim', round, move) * VICTIMS.length)] as Victim;
          if (strike(engine, victim)) {
            kills += 1;
            hits[victim] += 1;
          }
          if (victim === 'engine') await ended(engine);
        }
      }
      expect(steps(struck).at(-1)?.step_hash, `round ${round} after ${kills} kills (seed ${SEED})`).toBe(expected);
    }
    process.stderr.write(`kill -9: ${JSON.stringify(hits)}, seed ${SEED}\n`);
    expect(Math.min(...Object.values(hits))).toBeGreaterThan(0);
  });
});
