import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CHECKOUT = join(import.meta.dirname, '../../..');
export const PYTHON = join(CHECKOUT, '.venv/bin/python');

/** An application folder whose Python is a door we can stand in: the same files, started through a script of ours. */
export type Application = {
  folder: string;
  /** Shell lines run before the next trainer or runner starts; used up by that start, so a restarted one is an ordinary one. */
  beforeNext(program: 'trainer' | 'runner', lines: string): void;
  /** The same before every start. */
  beforeEvery(program: 'trainer' | 'runner', lines: string): void;
  forget(): void;
  /** Puts a copy of the embedded models in place of the application's, for faults in their files; returns their folder. */
  ownModels(): string;
};

const DOOR = (python: string): string => `#!/bin/sh
# Starts the real interpreter; what the files beside this one say is done first.
here="$(dirname "$0")"
case "$*" in
  *anchor_trainer*) program=trainer ;;
  *broker.py*) program=runner ;;
  *) exec '${python}' "$@" ;;
esac
if [ -f "$here/$program.every" ]; then . "$here/$program.every"; fi
if mv "$here/$program.next" "$here/$program.used" 2>/dev/null; then . "$here/$program.used"; fi
exec '${python}' "$@"
`;

/** @param python starts whatever nothing is done to before. */
export function makeApplication(folder: string, python = PYTHON): Application {
  const bin = join(folder, '.venv/bin');
  mkdirSync(bin, { recursive: true });
  for (const part of ['native', 'resources']) symlinkSync(join(CHECKOUT, part), join(folder, part));
  writeFileSync(join(bin, 'python'), DOOR(python));
  chmodSync(join(bin, 'python'), 0o755);
  const write = (name: string, lines: string): void => writeFileSync(join(bin, name), `${lines}\n`);
  return {
    folder,
    beforeNext: (program, lines) => write(`${program}.next`, lines),
    beforeEvery: (program, lines) => write(`${program}.every`, lines),
    ownModels: () => {
      const [own, original] = [join(folder, 'resources'), join(CHECKOUT, 'resources')];
      rmSync(own, { recursive: true });
      mkdirSync(own);
      for (const name of readdirSync(original))
        if (name !== 'models') symlinkSync(join(original, name), join(own, name));
      cpSync(join(original, 'models'), join(own, 'models'), { recursive: true });
      return join(own, 'models');
    },
    forget: () =>
      ['trainer', 'runner'].forEach((program) =>
        ['next', 'every', 'used'].forEach((when) => rmSync(join(bin, `${program}.${when}`), { force: true })),
      ),
  };
}

/** Shell lines that export variables to the program started next. */
export function exporting(environment: Record<string, string>): string {
  return Object.entries(environment)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('\n');
}
