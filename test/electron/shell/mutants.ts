import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { constants, runInThisContext } from 'node:vm';

const electron = join(import.meta.dirname, '../../../electron');

/** A change that takes a guard away: `from` in the file becomes `to`. Where a line is broken makes no difference. */
export type Mutation = { file: string; from: string; to: string };

const changes = new Map<string, Mutation>();
/** Node's own import: the test runner's would not ask the hooks below. */
const plainImport = runInThisContext('(address) => import(address)', {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}) as (address: string) => Promise<unknown>;

/** Only modules that were asked for with a change are touched; what they import is shared with the untouched ones. */
registerHooks({
  load: (url, context, next) => {
    const change = changes.get(url);
    if (change === undefined) return next(url, context);
    const source = readFileSync(fileURLToPath(url.split('?')[0] ?? url), 'utf8');
    const place = anyLayout(change.from);
    if (source.split(place).length !== 2)
      throw new Error(`"${change.from}" must stand in ${change.file} exactly once`);
    return {
      format: 'module',
      source: stripTypeScriptTypes(source.replace(place, () => change.to)),
      shortCircuit: true,
    };
  },
});

/** The text with any white space, line breaks included, where it has some. */
function anyLayout(text: string): RegExp {
  const literally = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(text.split(/\s+/).map(literally).join('\\s+'));
}

/** The module as it is. */
export const whole = <T>(file: string): Promise<T> =>
  plainImport(pathToFileURL(join(electron, file)).href) as Promise<T>;

/** The module with one guard taken away. */
export function mutant<T>(change: Mutation): Promise<T> {
  const url = `${pathToFileURL(join(electron, change.file)).href}?mutant=${changes.size + 1}`;
  changes.set(url, change);
  return plainImport(url) as Promise<T>;
}
