import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { APP_VERSION } from '../contract/index.ts';

/** What decides how a step comes out, relative to the application: code, prompts, and which versions of other programs are used. */
const RULES = [
  'electron/contract',
  'electron/core',
  'electron/engine/runs',
  'electron/evaluation',
  'electron/evolution',
  'electron/library',
  'electron/models',
  'electron/processes',
  'electron/reviewing',
  'electron/supervision',
  'native/grader',
  'native/requirements.txt',
  'native/runner',
  'native/trainer',
  'package.json',
  'resources/prompts',
];

/** What Python keeps of a module beside it, and what editors leave. */
const IS_LEFT_OVER = /(^|\/)(__pycache__|\.[^/]*)(\/|$)/;

/** The files of these, with "/" between the parts of a path, in one order everywhere. */
export function filesOfRules(application: string): string[] {
  return RULES.flatMap((place) =>
    statSync(join(application, place)).isFile()
      ? [place]
      : readdirSync(join(application, place), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) =>
            join(place, parentPath.slice(join(application, place).length), name).replaceAll('\\', '/'),
          ),
  )
    .filter((file) => !IS_LEFT_OVER.test(file))
    .sort();
}

/** Twelve digits that change when any of these files does; how lines end in a checkout makes no difference. */
export function rulesOf(application: string): string {
  const hash = createHash('sha256');
  for (const file of filesOfRules(application)) {
    const text = readFileSync(join(application, file), 'latin1').replaceAll('\r\n', '\n');
    hash.update(`${file}\0${text.length}\0`).update(text, 'latin1');
  }
  return hash.digest('hex').slice(0, 12);
}

/** Set where the program is bundled, from the sources it is made of. */
declare const ANCHOR_RULES: string | undefined;

let known: string | undefined;

/** This program as each step names the one that took it: its version and, as SemVer's build metadata, its rules. */
export function thisProgram(): string {
  known ??= typeof ANCHOR_RULES === 'string' ? ANCHOR_RULES : rulesOf(join(import.meta.dirname, '../..'));
  return `${APP_VERSION}+${known}`;
}
