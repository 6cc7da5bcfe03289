import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ChatMessage, Rollout } from '../../../electron/processes/index.ts';

export const ROOT = join(import.meta.dirname, '../../..');

export type Question = {
  key: string;
  seed: number;
  messages?: ChatMessage[];
  plain?: string;
  stop?: readonly string[];
};
export type Answer = Pick<Rollout, 'text' | 'finish' | 'newTokens' | 'promptTokens'> & { key: string };
export type Asking = {
  /** Folder of the policy. */
  model: string;
  /** Folder in which answers are kept. */
  out: string;
  temperature: number;
  topP: number;
  maxNewTokens: number;
  rows: number;
  threads: number;
};

/** Asks what has no answer in the folder yet, so that a measurement of an hour can be stopped. */
export async function answersTo(
  questions: readonly Question[],
  { model, out, ...settings }: Asking,
): Promise<Map<string, Answer>> {
  const file = join(out, 'answers.jsonl');
  const read = (): Map<string, Answer> =>
    new Map(
      (existsSync(file) ? readFileSync(file, 'utf8') : '')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Answer)
        .map((answer) => [answer.key, answer]),
    );
  const known = read();
  const open = questions.filter(({ key }) => !known.has(key));
  if (open.length > 0) {
    const list = join(out, 'questions.jsonl');
    writeFileSync(list, open.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const child = spawn(
      join(ROOT, '.venv/bin/python'),
      [join(import.meta.dirname, 'sample.py'), model, JSON.stringify(settings)],
      {
        env: { ...process.env, PYTHONPATH: join(ROOT, 'native/trainer') },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await Promise.all([
      pipeline(createReadStream(list), child.stdin),
      pipeline(child.stdout, createWriteStream(file, { flags: 'a' })),
    ]);
    const code = await ended;
    if (code !== 0) throw new Error(`sample.py ended with ${code}.`);
  }
  return read();
}
