import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { uniform } from '../../../electron/core/index.ts';
import { openLab } from '../../../electron/store/index.ts';
import { buildShim, shimEnvironment } from '../shim/shim.ts';
import { Disk, type Image } from './disk.ts';
import { readTrace, type Operation } from './trace.ts';

export type Synchronous = 'FULL' | 'NORMAL';
export type PowerCutResult = {
  synchronous: Synchronous;
  images: number;
  operations: number;
  syncs: number;
  /** Images without a step whose commit had returned, and the most steps missing in one. */
  lossy: number;
  worstLoss: number;
  /** Images that could not be opened or are damaged, with what was found. */
  damaged: string[];
  seconds: number;
};

/**
 * The lab is opened four times. The third time enough is stored (about 70 frames a step) that the log reaches the store's
 * limit of 4,000 frames, is copied into the database, and begins again from its front.
 */
const SESSIONS = '1,5,64,5';

/** Records what the store does to its files while it stores steps. `folder` is for scratch files. */
export function recordCommits(folder: string, synchronous: Synchronous): Operation[] {
  const [lab, trace, ack] = [join(folder, 'recorded'), join(folder, 'trace'), join(folder, 'acknowledged')];
  const shim = buildShim(folder);
  const program = join(import.meta.dirname, 'commit-steps.ts');
  const done = spawnSync(process.execPath, [program, lab, ack, SESSIONS, synchronous], {
    env: { ...process.env, ...shimEnvironment(shim, { under: lab, trace, ack }) },
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`Recording failed: ${done.stderr}`);
  // What lies in the index of the log is rebuilt from the log; its memory-mapped writes cannot be recorded anyway.
  const operations = readTrace(readFileSync(trace)).filter(
    (operation) =>
      !('path' in operation && (operation.path.endsWith('-shm') || operation.path === lab)) ||
      operation.kind === 'sync',
  );
  requireWhole(operations, lab);
  for (const path of [lab, trace, ack]) rmSync(path, { recursive: true, force: true });
  return operations;
}

/** A way to write that the shim does not see would be missing in every image. @throws an Error when the recording, played to its end, gives other files than lie there. */
export function requireWhole(operations: readonly Operation[], lab: string): void {
  const disk = new Disk();
  for (const operation of operations) disk.apply(operation);
  for (const path of [
    lab,
    ...operations.flatMap((operation) => (operation.kind === 'write' ? [operation.path] : [])),
  ])
    disk.apply({ kind: 'sync', path });
  const image = disk.afterPowerCut(() => 0);
  const names = readdirSync(lab).filter((name) => !name.endsWith('-shm'));
  const wrong = [...new Set([...names, ...[...image.keys()].map((path) => basename(path))])].filter(
    (name) => {
      const [recorded, real] = [image.get(join(lab, name)), join(lab, name)];
      return recorded === undefined || !existsSync(real) || !recorded.equals(readFileSync(real));
    },
  );
  if (wrong.length > 0)
    throw new Error(`The recording does not hold all that was done to ${wrong.join(', ')} in ${lab}.`);
}

/** Cuts the power at random moments of a recording and opens what is left. The same seed makes the same images. */
export async function cutPower(
  folder: string,
  operations: readonly Operation[],
  synchronous: Synchronous,
  images: number,
  seed: number,
  onImage: (done: number) => void = () => {},
): Promise<PowerCutResult> {
  const began = performance.now();
  const cuts = Array.from(
    { length: images },
    (_, image) => 1 + Math.floor(uniform(seed, 'cut', image, 0) * operations.length),
  ).sort((a, b) => a - b);
  const disk = new Disk();
  const result: PowerCutResult = {
    synchronous,
    images,
    operations: operations.length,
    syncs: operations.filter(({ kind }) => kind === 'sync').length,
    lossy: 0,
    worstLoss: 0,
    damaged: [],
    seconds: 0,
  };
  let [applied, acknowledged] = [0, 0];
  for (const [image, cut] of cuts.entries()) {
    for (; applied < cut; applied += 1) {
      const operation = operations[applied] as Operation;
      if (operation.kind === 'acknowledge') acknowledged = Number(operation.text);
      disk.apply(operation);
    }
    let draws = 0;
    const lab = writeImage(
      join(folder, `image-${synchronous}-${image}`),
      disk.afterPowerCut(() => uniform(seed, 'fate', image, draws++)),
    );
    const { stored, damage } = await inspect(lab);
    rmSync(lab, { recursive: true, force: true });
    if (damage !== null)
      result.damaged.push(`image ${image} of seed ${seed} (cut after operation ${cut}): ${damage}`);
    else if (stored < acknowledged) {
      result.lossy += 1;
      result.worstLoss = Math.max(result.worstLoss, acknowledged - stored);
    }
    onImage(image + 1);
  }
  return { ...result, seconds: (performance.now() - began) / 1000 };
}

/** A folder of its own for each image: a connection left over from another one would be taken for damage. */
function writeImage(lab: string, image: Image): string {
  mkdirSync(lab, { recursive: true });
  for (const [path, content] of image) writeFileSync(join(lab, path.slice(dirname(path).length)), content);
  return lab;
}

async function inspect(folder: string): Promise<{ stored: number; damage: string | null }> {
  try {
    const lab = await openLab(folder, { now: () => new Date() });
    try {
      const found = lab.checkIntegrity();
      return {
        stored: lab.getRun('k')?.committedSteps ?? 0,
        damage: found.length === 0 ? null : found.map(({ finding }) => finding).join(' '),
      };
    } finally {
      lab.close();
    }
  } catch (error) {
    return { stored: 0, damage: `it does not open: ${(error as Error).message}` };
  }
}
