import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CHECKOUT } from './application.ts';

/** An engine at work: through a small program that tells what happens, or through the command line. */
export type Door = 'engine' | 'cli';
/** The configuration file of a new run (`begin`: until its first step is stored), or the run to continue or export. */
export type What = { run: string } | { begin: string } | { resume: string } | { export: string };
export type Launch = {
  lab: string;
  application: string;
  door: Door;
  what: What;
  environment?: Record<string, string>;
  /** Program for the supervisor's worker. */
  node?: string;
};

export type Life = {
  process: ChildProcess;
  pid: number;
  /** Seconds from the start at which each progress event came; the command line tells none. */
  events: number[];
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  hasEnded(): boolean;
  onEvent: ((event: { step: number; stage: string }) => void) | null;
  said(): string;
};

export function launch({ lab, application, door, what, environment = {}, node }: Launch): Life {
  const [[verb, argument]] = Object.entries(what) as [[string, string]];
  const args =
    door === 'cli'
      ? [
          join(CHECKOUT, 'electron/cli/anchor.ts'),
          '--lab',
          lab,
          verb,
          ...(verb === 'run' ? ['--config', argument] : [argument]),
        ]
      : [
          join(import.meta.dirname, 'engine-process.ts'),
          lab,
          application,
          verb,
          argument,
          ...(node === undefined ? [] : [node]),
        ];
  const errors = `${lab}.stderr`;
  const log = openSync(errors, 'a');
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', log],
    env: { ...process.env, ...environment },
  });
  closeSync(log);
  const life: Life = {
    process: child,
    pid: child.pid ?? -1,
    events: [],
    onEvent: null,
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }));
    }),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    said: () => readFileSync(errors, 'utf8'),
  };
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (!line.startsWith('{"step"')) return;
    life.events.push((performance.now() - began) / 1000);
    life.onEvent?.(JSON.parse(line) as { step: number; stage: string });
  });
  return life;
}

export const CHILDREN = {
  trainer: 'anchor_trainer',
  supervisor: 'supervisor/worker.ts',
  runner: 'broker.py',
} as const;

/** Direct children of a process with their command lines, from /proc. */
export function childrenOf(pid: number): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]);
        return parent === pid
          ? [
              {
                pid: Number(name),
                command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '),
              },
            ]
          : [];
      } catch {
        return []; // it ended while we looked
      }
    });
}

export function childOf(pid: number, which: keyof typeof CHILDREN): number | null {
  return childrenOf(pid).find(({ command }) => command.includes(CHILDREN[which]))?.pid ?? null;
}
