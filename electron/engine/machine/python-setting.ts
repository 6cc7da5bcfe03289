import { execFile } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../contract/index.ts';
import type { Services } from '../services.ts';

const SETTING = 'app.python';
const OLDEST = [3, 11] as const;
const ANSWER_WITHIN_MS = 30_000; // a cold interpreter on a slow disk

export type PythonChoice = {
  /** What trainer and runner are started with until the program ends. */ inUse: string;
  /** What this lab was told to use; null for the usual place. */ chosen: string | null;
  /** True when ANCHOR_PYTHON decides, whatever was chosen. */ byEnvironment: boolean;
};

export function pythonChoice({ resources, store }: Services): PythonChoice {
  const chosen = store.getSetting(SETTING);
  const given = process.env['ANCHOR_PYTHON'];
  return {
    inUse: resources.python,
    chosen: typeof chosen === 'string' && chosen !== '' ? chosen : null,
    byEnvironment: given !== undefined && given !== '',
  };
}

/**
 * Keeps which Python the lab uses from its next start on; null for the usual place. The interpreter is asked for its version, in
 * isolated mode, before it is kept. @throws Failure `badPython` (exit code 2).
 */
export async function choosePython({ store, emit }: Services, path: string | null): Promise<void> {
  if (path !== null) await requirePython(path);
  store.setSetting(SETTING, path);
  emit({ kind: 'changed', what: 'lab.python', runId: null });
}

async function requirePython(path: string): Promise<void> {
  const refuse = (why: string, cause?: unknown): Failure =>
    new Failure(
      'badPython',
      `${path} cannot be used as Python: ${why}. Choose the interpreter of an environment with the packages of native/requirements.txt.`,
      2,
      { cause },
    );
  if (!isAbsolute(path)) throw refuse('the path must be a full one');
  let said: string;
  try {
    ({ stdout: said } = await promisify(execFile)(
      path,
      ['-I', '-c', 'import sys; print(*sys.version_info[:2])'],
      { timeout: ANSWER_WITHIN_MS },
    ));
  } catch (cause) {
    throw refuse(`it does not run (${(cause as NodeJS.ErrnoException).code ?? 'it failed'})`, cause);
  }
  const [major = 0, minor = 0] = said.trim().split(' ').map(Number);
  if (!(major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])))
    throw refuse(
      /^\d+ \d+$/.test(said.trim())
        ? `it is version ${major}.${minor}, and ${OLDEST.join('.')} is the oldest that works`
        : 'it does not answer as Python does',
    );
}
