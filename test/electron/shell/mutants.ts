import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { constants, runInThisContext } from 'node:vm';

const electron = join(import.meta.dirname, '../../../electron');

/** A change that takes a guard away: `from` in the file becomes `to`. */
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
    if (source.split(change.from).length !== 2)
      throw new Error(`"${change.from}" must stand in ${change.file} exactly once`);
    return {
      format: 'module',
      source: stripTypeScriptTypes(source.replace(change.from, () => change.to)),
      shortCircuit: true,
    };
  },
});

/** The module as it is. */
export const whole = <T>(file: string): Promise<T> =>
  plainImport(pathToFileURL(join(electron, file)).href) as Promise<T>;

/** The module with one guard taken away. */
export function mutant<T>(change: Mutation): Promise<T> {
  const url = `${pathToFileURL(join(electron, change.file)).href}?mutant=${changes.size + 1}`;
  changes.set(url, change);
  return plainImport(url) as Promise<T>;
}
