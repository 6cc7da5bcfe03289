import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lookOf, namesIn, placeWithin, quotable, readText } from '../core/index.ts';

/** The files of an adapter in the form of PEFT. */
const CONFIG = 'adapter_config.json';
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';
const MOST_CONFIG_BYTES = 1024 * 1024;

/** Why an adapter is no model of the library, and how it becomes one. */
export const adapterRefusal = (what: string): string =>
  `${what} is a PEFT adapter, which is no model without its base; make a policy of both in the window's Library under Import, or in a terminal with "anchor import ADAPTER --base MODEL --policy FOLDER".`;

/** What an adapter says of itself, for people alone: the trainer reads it strictly. `base` is what its author called that. */
export type AdapterFacts = { base: string | null; rank: number | null; bytes: number };

/** The adapter of a folder that holds one and no model; null for anything else. */
export function adapterIn(path: string): AdapterFacts | null {
  if (!isFolder(path)) return null;
  const names = namesIn(path);
  if (!names.includes(CONFIG) || names.some((file) => /^model[-.].*safetensors$/.test(file))) return null;
  const weights = placeWithin(path, ADAPTER_WEIGHTS);
  return { ...sayingOf(path), bytes: weights === null ? 0 : statSync(weights).size };
}

/** Whether there is a folder; whoever needs more than the answer says why there is none. */
function isFolder(path: string): boolean {
  try {
    return lookOf(path).isDirectory();
  } catch {
    return false;
  }
}

function sayingOf(folder: string): Omit<AdapterFacts, 'bytes'> {
  const place = placeWithin(folder, CONFIG);
  try {
    const raw = JSON.parse(readText(place ?? '', MOST_CONFIG_BYTES)) as Record<string, unknown>;
    const { base_model_name_or_path: base, r: rank } = raw;
    return {
      base: typeof base === 'string' && base !== '' ? quotable(base) : null,
      rank: typeof rank === 'number' ? rank : null,
    };
  } catch {
    return { base: null, rank: null };
  }
}

/** Whether a file is the weights of an adapter, by its name and what lies beside it. */
export const isAdapterFile = (path: string): boolean =>
  basename(path) === ADAPTER_WEIGHTS && existsSync(join(dirname(path), CONFIG));
