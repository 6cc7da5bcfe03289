/** `npm run torture`: everything of this folder at full length. Ends with 1 when anything came out otherwise than it should. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { estimateProgress } from '../../electron/core/index.ts';
import { writeWholeFile } from '../../electron/library/index.ts';
import { injectFaults } from './faults/campaign.ts';
import { faultTable } from './faults/table.ts';
import { killAround } from './kills/campaign.ts';
import { HELP, readOptions, type Options } from './options.ts';
import { cutPower, recordCommits, type PowerCutResult } from './power-cut/campaign.ts';
import { scratchFolder } from './scratch.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const duration = (seconds: number): string =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

/** Part by part; each ends in what the summary says of it and whether it is as it should be. */
const PARTS: Record<
  Options['parts'][number],
  (options: Options, scratch: string, signal: AbortSignal) => Promise<{ found: object; good: boolean }>
> = {
  async kills({ kills, seed, state }, scratch, signal) {
    const began = performance.now();
    const times: { done: number; seconds: number }[] = [];
    let first: number | null = null;
    const found = await killAround({
      kills,
      seed,
      folder: join(scratch, 'kills'),
      stateFile: join(state, 'kills.jsonl'),
      signal,
      onRound: ({ round, kills: struck, difference }, done) => {
        first ??= done - struck.length;
        times.push({ done: done - first, seconds: (performance.now() - began) / 1000 });
        const { ratePerSecond, etaSeconds } = estimateProgress(times, kills - first);
        const pace =
          ratePerSecond === null
            ? ''
            : `, ${(60 * ratePerSecond).toFixed(1)} kills/min, ${duration(etaSeconds ?? 0)} left`;
        say(
          `kills ${done}/${kills}${pace}  run ${round}: ${struck.map(({ target, step, phase }) => `${target} (step ${step}, ${phase})`).join(', ') || 'none'}${difference === null ? '' : `  DIFFERENT: ${difference}`}`,
        );
      },
    });
    return { found, good: found.different === 0 };
  },

  async power({ images, seed }, scratch) {
    const results: Record<string, PowerCutResult> = {};
    for (const synchronous of ['FULL', 'NORMAL'] as const) {
      const folder = join(scratch, synchronous);
      mkdirSync(folder, { recursive: true });
      const result = await cutPower(
        folder,
        recordCommits(folder, synchronous),
        synchronous,
        images,
        seed,
        (done) => {
          if (done % 50 === 0) say(`power cuts ${done}/${images} with synchronous=${synchronous}`);
        },
      );
      say(
        `power cuts with synchronous=${synchronous}: ${result.images} images, ${result.lossy} without an acknowledged step (at most ${result.worstLoss} missing), ${result.damaged.length} damaged`,
      );
      results[synchronous] = result;
    }
    const { FULL: full, NORMAL: normal } = results;
    return {
      found: results,
      good:
        full?.lossy === 0 &&
        full.damaged.length === 0 &&
        normal?.damaged.length === 0 &&
        (normal.lossy > 0 || images === 0),
    };
  },

  async faults({ state }, scratch, signal) {
    const found = await injectFaults({
      folder: join(scratch, 'faults'),
      stateFile: join(state, 'faults.jsonl'),
      signal,
      onFault: ({ name, instead, seconds }, done, total) =>
        say(
          `faults ${done}/${total}  ${name}: ${instead === null ? 'as promised' : `NOT AS PROMISED: ${instead}`} (${duration(seconds)})`,
        ),
    });
    return { found, good: found.otherwise.length === 0 };
  },
};

async function torture(options: Options): Promise<boolean> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  mkdirSync(options.state, { recursive: true });
  const scratch = scratchFolder('torture');
  const summary: Record<string, object> = {};
  let good = true;
  try {
    for (const part of options.parts) {
      const outcome = await PARTS[part](options, scratch, stop.signal);
      summary[part] = outcome.found;
      good &&= outcome.good;
      if (stop.signal.aborted) break;
    }
  } finally {
    // A run that ended otherwise leaves its lab there, which is all that can tell why.
    const labs =
      good || !existsSync(join(scratch, 'kills'))
        ? []
        : readdirSync(join(scratch, 'kills')).filter((name) => /^lab-\d+$/.test(name));
    if (labs.length === 0) rmSync(scratch, { recursive: true, force: true });
    else say(`To be looked at and deleted: ${labs.map((name) => join(scratch, 'kills', name)).join(', ')}`);
  }
  const file = join(options.state, 'summary.json');
  writeWholeFile(
    file,
    `${JSON.stringify({ seed: options.seed, good, finished: !stop.signal.aborted, ...summary }, null, 2)}\n`,
  );
  process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  say(stop.signal.aborted ? 'Interrupted; the same command goes on from here.' : `Summary: ${file}`);
  return good && !stop.signal.aborted;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(HELP);
  else if (options === 'list') process.stdout.write(faultTable());
  else process.exitCode = (await torture(options)) ? 0 : 1;
} catch (error) {
  say(`torture: ${(error as Error).message}`);
  process.exitCode = 2;
}
