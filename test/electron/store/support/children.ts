import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** A child program of this folder, and its lines of output as they come. */
export type Child = {
  process: ChildProcess;
  lines: string[];
  line(matching: RegExp): Promise<string>;
  ended: Promise<unknown>;
};

export type ChildOptions = {
  /** Shell words put before `node`, e.g. a limit to run under. */
  before?: string;
  /** Folder in which Node keeps compiled modules: a second child starts in half the processor time. */
  compileCache?: string;
};

export function startChild(
  script: string,
  args: string[],
  { before = '', compileCache }: ChildOptions = {},
): Child {
  const path = join(import.meta.dirname, script);
  const env = compileCache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: compileCache };
  const child =
    before === ''
      ? spawn(process.execPath, [path, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      : spawn('bash', ['-c', `${before} exec "$0" "$@"`, process.execPath, path, ...args], {
          env,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
  // A test that fails before it ends its child must not leave one behind that holds a lab.
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const waiting: { matching: RegExp; found: (line: string) => void; lost: (reason: Error) => void }[] = [];
  const reader = createInterface({ input: child.stdout! });
  reader.on('line', (line) => {
    lines.push(line);
    for (const each of waiting) if (each.matching.test(line)) each.found(line);
  });
  reader.on('close', () =>
    waiting.forEach((each) =>
      each.lost(
        new Error(`${script} ended without a line like ${each.matching}; it said: ${lines.join(' | ')}`),
      ),
    ),
  );
  return {
    process: child,
    lines,
    ended: Promise.all([once(child, 'exit'), once(reader, 'close')]),
    line: (matching) =>
      new Promise((found, lost) => {
        const already = lines.find((line) => matching.test(line));
        if (already === undefined) waiting.push({ matching, found, lost });
        else found(already);
      }),
  };
}
