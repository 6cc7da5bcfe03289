import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const CHECKOUT = join(import.meta.dirname, '../..');

/** One place of one file changed: a fault that tests, the simulation or the verifier have to notice. */
export type Edit = {
  /** What a program with it does, in one line. */
  what: string;
  /** Relative to the checkout. */
  file: string;
  /** Stands in the file exactly once. */
  line: string;
  instead: string;
};

/** Where the text stands in its file. @throws when it does not stand there exactly once. */
export function placeOf({ file, line }: Pick<Edit, 'file' | 'line'>, root = CHECKOUT): number {
  return placeIn(readFileSync(join(root, file), 'utf8'), { file, line });
}

function placeIn(source: string, { file, line }: Pick<Edit, 'file' | 'line'>): number {
  const at = source.indexOf(line);
  if (at < 0 || source.includes(line, at + 1))
    throw new Error(`The line "${line}" does not stand in ${file} exactly once.`);
  return at;
}

/** A source with the edit in it. @throws when its text does not stand there exactly once. */
export function edited(source: string, edit: Edit): string {
  const at = placeIn(source, edit);
  return source.slice(0, at) + edit.instead + source.slice(at + edit.line.length);
}

/** Changes the line in everything that this process loads from here on. */
export function mutate(edit: Edit): void {
  placeOf(edit);
  const url = pathToFileURL(join(CHECKOUT, edit.file)).href;
  registerHooks({
    load(asked, context, next) {
      const loaded = next(asked, context);
      if (asked !== url) return loaded;
      return { ...loaded, source: edited(Buffer.from(loaded.source as Uint8Array).toString('utf8'), edit) };
    },
  });
}
