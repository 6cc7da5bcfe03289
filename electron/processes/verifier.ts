import { createInterface } from 'node:readline';
import { z } from 'zod';
import { Failure, verificationsSchema, type Verifications } from '../contract/index.ts';
import { pythonEnvironment, spawnProgram } from './child/program.ts';

const progressSchema = z.strictObject({
  done: z.int().nonnegative(),
  total: z.int().nonnegative(),
  /** The run or evaluation at work. */
  about: z.string(),
});
export type VerifierProgress = z.infer<typeof progressSchema>;

/** One line of native/verify/anchor_verify/__main__.py. */
const lineSchema = z.union([
  z.strictObject({ progress: progressSchema }),
  z.strictObject({ report: verificationsSchema }),
  z.strictObject({ wrong: z.string() }),
]);

export type VerifierOptions = {
  python: string;
  /** Folder that holds the package anchor_verify. */
  moduleDir: string;
  args: readonly string[];
  signal: AbortSignal;
  onProgress(progress: VerifierProgress): void;
};

/** What the program said last, for a sentence when it ends without a report. */
const TAIL_CHARACTERS = 2000;

/**
 * Runs the verifier once, to its report. An abort ends it, and with it the sandbox it started.
 * @throws Failure `usage` (exit code 2) with its own sentence where there is nothing that it could verify.
 */
export async function verifyRecords({
  python,
  moduleDir,
  args,
  signal,
  onProgress,
}: VerifierOptions): Promise<Verifications> {
  signal.throwIfAborted();
  const program = spawnProgram({
    name: 'verifier',
    command: python,
    args: ['-s', '-m', 'anchor_verify', ...args],
    env: pythonEnvironment(moduleDir, 1),
    channel: 'stdio',
  });
  const end = (): void => program.signal('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  let tail = '';
  program.stderr?.on('data', (chunk: Buffer) => {
    tail = `${tail}${chunk.toString()}`.slice(-TAIL_CHARACTERS);
  });
  const ended = new Promise<string>((resolve) => {
    program.once('error', ({ message }) => resolve(message));
    program.once('close', () => resolve(tail.trim().split('\n').at(-1) ?? ''));
  });
  let found: Verifications | null = null;
  let wrong: string | null = null;
  try {
    if (program.stdout !== null)
      for await (const line of createInterface({ input: program.stdout })) {
        const said = lineSchema.parse(JSON.parse(line));
        if ('progress' in said) onProgress(said.progress);
        else if ('report' in said) found = said.report;
        else wrong = said.wrong;
      }
    const last = await ended;
    signal.throwIfAborted();
    if (wrong !== null) throw new Failure('usage', wrong, 2);
    if (found === null)
      throw new Failure(
        'processLost',
        `The verifier ended before it had a report: ${last || 'it said nothing'}.`,
      );
    return found;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
