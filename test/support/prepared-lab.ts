/**
 * One lab that is trained once and copied by every test that needs a finished run. It lies in `out/test`, named by what it
 * was made from, so that it is made again when the code, the models or the machine change.
 * As a program (`node test/support/prepared-lab.ts`) it makes the lab if it is not there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APPLICATION } from './engine.ts';
import { makeLab, PREPARED_STEPS, type MadeLab } from './made-lab.ts';
import { clearShelf, SHELF } from './shelf.ts';

/** What a run depends on: the engine's rooms, the native processes and their pins, the models, and the recipe of the lab. */
const SOURCES = [
  'electron',
  'native',
  'resources',
  'package-lock.json',
  'test/support/engine.ts',
  'test/support/made-lab.ts',
];
/** Parts of these that no run reads. */
const NO_SOURCE =
  /(^|\/)(__pycache__|\.pytest_cache|pictures)(\/|$)|^electron\/(cli|hosts|shell)\/|\.(pyc|md)$/;
const LOCK_WAIT_MS = 500;

/** A copy of the lab in `folder`, which must not exist yet; the test may do with it what it likes. */
export async function copyPreparedLab(folder: string): Promise<MadeLab> {
  const shelved = await preparedLab();
  // With its permissions, which Node's own copy gives to files only.
  execFileSync('cp', ['-a', shelved.folder, folder]);
  return { ...shelved, folder };
}

/** The lab itself, made if it is not there. Nobody may open it but to read its files: other tests copy it. */
async function preparedLab(): Promise<MadeLab> {
  const place = join(SHELF, `lab-${fingerprint()}`);
  const note = join(place, 'made.json');
  if (!existsSync(note)) await underLock(`${place}.lock`, () => existsSync(note) || makeAt(place));
  return { ...(JSON.parse(readFileSync(note, 'utf8')) as MadeLab), folder: join(place, 'lab') };
}

/** In a process of its own, so that what tests compare with it was computed by another program. */
function makeAt(place: string): void {
  clearShelf('lab-', basename(place));
  // Without a mask, so that whoever copies it can see that the engine keeps it to its owner.
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'umask 000; exec "$0" "$@"', process.execPath, import.meta.filename, place],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The lab that tests share could not be made:\n${stderr}`);
}

async function make(place: string): Promise<void> {
  const partial = `${place}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const made = await makeLab(join(partial, 'lab'), PREPARED_STEPS);
  writeFileSync(join(partial, 'made.json'), JSON.stringify(made));
  renameSync(partial, place);
}

/** One of several programs does it, the others wait. A lock whose holder is gone is taken over. */
async function underLock(lock: string, act: () => unknown): Promise<void> {
  mkdirSync(SHELF, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (!isAlive(lock)) rmSync(lock, { force: true });
      else await sleep(LOCK_WAIT_MS);
    }
  }
  try {
    act();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isAlive(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    if (pid > 0) process.kill(pid, 0); // an empty lock is being written at this moment
    return true;
  } catch {
    return false;
  }
}

function fingerprint(): string {
  const hash = createHash('sha256').update(
    [process.version, platform(), arch(), cpus()[0]?.model ?? ''].join('\0'),
  );
  for (const source of SOURCES)
    for (const file of filesOf(source))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(APPLICATION, file)))
        .update('\0');
  return hash.digest('hex').slice(0, 24);
}

function filesOf(source: string): string[] {
  if (statSync(join(APPLICATION, source)).isFile()) return [source];
  return readdirSync(join(APPLICATION, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(APPLICATION.length + 1))
    .filter((file) => !NO_SOURCE.test(file))
    .sort();
}

if (import.meta.main) {
  const [place] = process.argv.slice(2);
  if (place === undefined) await preparedLab();
  else await make(place);
}
