import { existsSync } from 'node:fs';
import { Failure, type ModelRecord } from '../contract/index.ts';
import { inspectModel, type ResourcePaths } from '../library/index.ts';
import type { Lab } from '../store/index.ts';

/** Names under which the models that come with the application can be given. */
export const EMBEDDED_POLICY = 'embedded-policy';
export const EMBEDDED_SUPERVISOR = 'embedded-supervisor';

/**
 * Finds a model by its library name or by path, checks that it is what the caller needs, and keeps it in the library.
 * @throws Failure `missingModel` or `badModel` (exit code 2).
 */
export async function resolveModel(store: Lab, resources: ResourcePaths, reference: string, kind: ModelRecord['kind'], now: Date): Promise<ModelRecord> {
  const embedded: Record<string, string> = { [EMBEDDED_POLICY]: resources.embeddedPolicy, [EMBEDDED_SUPERVISOR]: resources.embeddedSupervisor };
  const stored = store.getModel(reference);
  const path = embedded[reference] ?? stored?.path ?? reference;
  if (!existsSync(path)) {
    const known = [...Object.keys(embedded), ...store.listModels().map((model) => model.name)].filter((name, index, all) => all.indexOf(name) === index);
    throw new Failure('missingModel', `There is no model "${reference}": it is neither a file or folder nor one of ${known.join(', ')}; import it with "anchor import".`, 2);
  }
  const found = await inspectModel(path, reference in embedded || stored !== null ? reference : null, now.toISOString());
  if (found.kind !== kind) {
    const wanted = kind === 'policy' ? 'a folder with config.json and safetensors' : 'a .gguf file';
    throw new Failure('badModel', `The model "${reference}" cannot be used as ${kind}: ${wanted} is needed.`, 2);
  }
  if (stored !== null && stored.sha256 !== found.sha256 && !(reference in embedded)) {
    throw new Failure('modelChanged', `The files of model "${reference}" changed since it was imported; import it again under another name.`, 2);
  }
  const record = { ...found, embedded: reference in embedded };
  if (stored === null || stored.sha256 !== record.sha256) store.putModel(record);
  return record;
}
