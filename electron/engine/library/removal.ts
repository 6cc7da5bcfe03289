import { rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Failure } from '../../contract/index.ts';
import type { Services } from '../services.ts';
import { removeDataset } from './dataset-records.ts';
import { COPIED_DATASETS, COPIED_MODELS } from './import-files.ts';
import { allRuns, isCopied } from './listing.ts';

/**
 * Takes a model or data set out of the library. The lab's own copy of its files goes too; linked files stay where they are.
 * @throws Failure (exit code 2) `unknownModel`, `embedded`, or `inUse` while a run that has not begun to work with it waits for it.
 */
export function removeFromLibrary(services: Services, name: string, what: 'model' | 'dataset'): void {
  const { store, emit } = services;
  if (what === 'dataset') {
    const { path } = removeDataset(store, name);
    removeCopy(services, COPIED_DATASETS, path);
  } else {
    const model = store.getModel(name);
    if (model === null) throw new Failure('unknownModel', `The library has no model "${name}".`, 2);
    if (model.embedded)
      throw new Failure('embedded', `The model "${name}" comes with the application and stays.`, 2);
    const run = allRuns(services).find(
      ({ id, config }) =>
        services.isActive(id) && (config.policy.model === name || config.supervision.model === name),
    );
    if (run !== undefined)
      throw new Failure(
        'inUse',
        `The run "${run.config.name}" is at work or queued with "${name}"; stop it or wait for its end.`,
        2,
      );
    store.removeModel(name);
    removeCopy(services, COPIED_MODELS, model.path);
  }
  emit({ kind: 'changed', what: 'library', runId: null });
}

/** The record goes first: a crash in between leaves files nobody names, never a record without files. */
function removeCopy(services: Services, folder: string, path: string): void {
  if (!isCopied(services, path)) return;
  const copies = join(services.lab.root, folder);
  const [own] = relative(copies, path).split(/[\\/]/);
  if (own === undefined || own === '' || own === '..' || dirname(join(copies, own)) !== copies) return;
  rmSync(join(copies, own), { recursive: true, force: true });
}
