import { main } from './main.ts';

/** What can no longer be shown is no reason to end the work: a closed window or pipe, or a full disk behind `>`. */
let unshown: string | null = null;
process.stderr.on('error', () => {});
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // Whoever reads only the beginning of a result, as `head` does, has what they wanted; a terminal that was closed has nobody before it.
  const isLeft = code === 'EPIPE' || (code === 'EIO' && process.stdout.isTTY);
  if (isLeft || unshown !== null) return;
  unshown = message;
  process.stderr.write(`anchor: the result could not be written to standard output: ${message}\n`);
});

// Without a listener Node would open its debugger at this signal, on a port that every user of the machine reaches.
process.on('SIGUSR1', () => {});

/** Between two looks whether what started this program is still there. */
const LOOK_EVERY_MS = 500;
const starter = process.ppid;
const looking = setInterval(() => {
  if (process.ppid === starter) return;
  clearInterval(looking);
  process.stderr.write(
    `\nanchor: what started this program has ended; the work goes on here, and "kill ${process.pid}" stops it.\n`,
  );
}, LOOK_EVERY_MS).unref();

const exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
});
process.exitCode = exitCode === 0 && unshown !== null ? 1 : exitCode;
