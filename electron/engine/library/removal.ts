import { rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Failure } from '../../contract/index.ts';
import type { Engine } from '../engine.ts';
import { removeDataset } from './dataset-records.ts';
import { COPIED_DATASETS, COPIED_MODELS } from './import-files.ts';
import { allRuns, isCopied } from './listing.ts';

/**
 * Takes a model or data set out of the library. The lab's own copy of its files goes too; linked files stay where they are.
 * @throws Failure (exit code 2) `unknownModel`, `embedded`, or `inUse` while a run that has not begun to work with it waits for it.
 */
export function removeFromLibrary(engine: Engine, name: string, what: 'model' | 'dataset'): void {
  const { store, live } = engine;
  if (what === 'dataset') {
    const { path } = removeDataset(store, name);
    removeCopy(engine, COPIED_DATASETS, path);
  } else {
    const model = store.getModel(name);
    if (model === null) throw new Failure('unknownModel', `The library has no model "${name}".`, 2);
    if (model.embedded)
      throw new Failure('embedded', `The model "${name}" comes with the application and stays.`, 2);
    const run = allRuns(engine).find(
      ({ id, config }) =>
        engine.isActive(id) && (config.policy.model === name || config.supervision.model === name),
    );
    if (run !== undefined)
      throw new Failure(
        'inUse',
        `The run "${run.config.name}" is at work or queued with "${name}"; stop it or wait for its end.`,
        2,
      );
    store.removeModel(name);
    removeCopy(engine, COPIED_MODELS, model.path);
  }
  live.tell({ kind: 'changed', what: 'library', runId: null });
}

/** The record goes first: a crash in between leaves files nobody names, never a record without files. */
function removeCopy(engine: Engine, folder: string, path: string): void {
  if (!isCopied(engine, path)) return;
  const copies = join(engine.lab.root, folder);
  const [own] = relative(copies, path).split(/[\\/]/);
  if (own === undefined || own === '' || own === '..' || dirname(join(copies, own)) !== copies) return;
  rmSync(join(copies, own), { recursive: true, force: true });
}
