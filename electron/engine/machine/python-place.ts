import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

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

const inside = (environment: string): string =>
  join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
