import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import type { Report } from './report.ts';

/** The simulation in a process of its own: it takes over time, files and children of the process it is in. */
export function startSim(...args: string[]) {
  return spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '../../out/compile-cache') },
  });
}

/** What it came to. */
export async function sim(...args: string[]): Promise<Report & { code: number | null; stderr: string }> {
  const child = startSim(...args);
  const exit = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (stdout === '') throw new Error(`The simulation gave no report: ${stderr}`);
  return { ...(JSON.parse(stdout) as Report), code, stderr };
}
