import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { failureKindSchema } from '../contract/index.ts';
import { readText } from '../core/index.ts';
import {
  countOomKills,
  explainExit,
  ProcessFailure,
  pythonEnvironment,
  spawnProgram,
  type TrainerOptions,
} from '../processes/index.ts';

/** What a policy is made of: a GGUF file, or the folder of an adapter and that of its base. */
export type PolicySource = { gguf: string } | { adapter: string; base: string };

/** What stands beside the weights of a policy that was made, as far as a person is told of it. */
export type PolicyOrigin = z.infer<typeof originSchema>;

const originSchema = z.union([
  z.object({
    from: z.string(),
    /** What the file calls its numbers, for instance Q4_K_M. */
    quantization: z.string(),
    /** Whether the weights had fewer bits than they have now, so that they are not those of the original. */
    dequantized: z.boolean(),
  }),
  z.object({ from: z.string(), /** Name of its folder. */ base: z.string(), rank: z.number() }),
]);
const ORIGIN = 'source.json';
const MOST_ORIGIN_BYTES = 64 * 1024;

const conversionLineSchema = z.union([
  z.object({ done: z.number(), total: z.number() }),
  z.object({ kind: failureKindSchema, problem: z.string() }),
]);

/**
 * Makes a folder that can be trained, in a process that ends with it. Aborting the signal ends that at once, and may leave
 * `${to}.tmp`. @throws Failure with the fault of what cannot become a policy, or of the process.
 */
export async function makePolicyFolder(
  { python, moduleDir }: Pick<TrainerOptions, 'python' | 'moduleDir'>,
  source: PolicySource,
  to: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number, total: number) => void },
): Promise<PolicyOrigin> {
  signal.throwIfAborted();
  const given =
    'gguf' in source ? ['--gguf', source.gguf] : ['--adapter', source.adapter, '--base', source.base];
  const oomKillsBefore = countOomKills();
  const child = spawnProgram({
    name: 'conversion',
    command: python,
    args: ['-m', 'anchor_trainer.make_policy', '--progress', ...given, '--out', to],
    env: pythonEnvironment(moduleDir, 1),
    channel: 'stdio',
  });
  let problem: ProcessFailure | null = null;
  createInterface({ input: child.stdout as Readable }).on('line', (line) => {
    const said = conversionLineSchema.parse(JSON.parse(line));
    if ('done' in said) onProgress(said.done, said.total);
    else problem = new ProcessFailure('conversion', { kind: said.kind, message: said.problem });
  });
  let lastLine = '';
  createInterface({ input: child.stderr as Readable }).on('line', (line) => (lastLine = line || lastLine));
  const end = (): void => child.signal('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('close', resolve);
      child.once('error', (cause) =>
        reject(
          new ProcessFailure(
            'conversion',
            {
              kind: 'processUnavailable',
              message: `The conversion could not be started: ${python} cannot be run (${cause.code}). Run the set-up again.`,
            },
            { cause },
          ),
        ),
      );
    });
  } finally {
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  const { exitCode: code, signalCode } = child;
  if (code === 0) return originSchema.parse(JSON.parse(readText(join(to, ORIGIN), MOST_ORIGIN_BYTES)));
  if (problem !== null) throw problem;
  const { sentence } = explainExit({
    name: 'conversion',
    code,
    signal: signalCode,
    asked: false,
    sent: null,
    oomKillsBefore,
    oomKillsAfter: countOomKills(),
    lastLine,
  });
  throw new ProcessFailure('conversion', { kind: 'processLost', message: sentence });
}
