import { main } from './main.ts';

/** What can no longer be shown is no reason to end the work: a closed window or pipe, or a full disk behind `>`. */
let unshown: string | null = null;
process.stderr.on('error', () => {});
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // Whoever reads only the beginning of a result, as `head` does, has what they wanted.
  if (code === 'EPIPE' || unshown !== null) return;
  unshown = message;
  process.stderr.write(`anchor: the result could not be written to standard output: ${message}\n`);
});

const exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
});
process.exitCode = exitCode === 0 && unshown !== null ? 1 : exitCode;
