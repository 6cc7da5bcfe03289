import { existsSync, renameSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Failure, type Job, type ModelRecord } from '../contract/index.ts';
import type { JobHandle } from '../core/index.ts';
import {
  adapterIn,
  COPIED_MODELS,
  examineModel,
  noteUnfinished,
  removeQuietly,
  requireFreeSpace,
} from '../library/index.ts';
import {
  ggufFacts,
  inspectWithHeader,
  makePolicyFolder,
  requireModelFiles,
  resolveModel,
  type PolicyOrigin,
  type PolicySource,
} from '../models/index.ts';
import { keep, requireFreeName, requireLibraryName, whatFails } from './import-files.ts';
import type { InventoryServices } from './listing.ts';

export type PolicyRequest = {
  /** A GGUF file, or the folder of a PEFT adapter. */ path: string;
  /** The model that an adapter belongs to, by its name in the library or its folder; null for a GGUF file. */
  base: string | null;
  /** Folder to make; null for one in the lab. */ folder: string | null;
  /** Name in the library; null for that of the folder. */ name: string | null;
};

/** A policy that was made, and of what. */
export type MadePolicy = { model: ModelRecord; origin: PolicyOrigin };

/** What a number takes that was dequantized, and one to which an adapter was added. */
const BFLOAT16_BYTES = 2;
const FLOAT32_BYTES = 4;

/**
 * Makes a policy of a GGUF file or of an adapter as a job: a new folder with its weights as safetensors, taken into the library when it
 * is whole. The job comes to a `MadePolicy`. @throws Failure (exit code 2) at once for what is of another kind, and for a folder or a
 * name that is taken.
 */
export function makePolicy(services: InventoryServices, { path, base, folder, name }: PolicyRequest): Job {
  const from = resolve(path);
  const called = name ?? basename(folder === null ? from : resolve(folder));
  requireLibraryName(called);
  const { asked, bytes, room } = askedFor(services, from, base);
  requireFreeName(services, called);
  const target = folder === null ? join(services.lab.root, COPIED_MODELS, called) : resolve(folder);
  if (existsSync(target) || services.exportsUnderWay.has(target))
    throw new Failure('fileExists', `The folder ${target} exists already; name a new one.`, 2);
  if (folder === null) requireFreeSpace(services.lab.root, room, `The policy "${called}"`);
  const title = `Make a policy of ${basename(from)}`;
  const job = services.jobs.start({ kind: 'import', title, unit: 'byte', total: bytes }, (handle) =>
    whatFails(title, () => make(services, asked, target, called, handle)).finally(() =>
      services.exportsUnderWay.delete(target),
    ),
  );
  services.exportsUnderWay.add(target);
  return job;
}

/** What a policy is made of, before the files of a base were compared with what the library knows of them. */
type Asked = { gguf: string } | { adapter: string; base: string };

/** What is read, how many bytes of it, and how many are written at most as far as headers tell. */
function askedFor(
  { store, resources }: InventoryServices,
  from: string,
  base: string | null,
): { asked: Asked; bytes: number; room: number } {
  if (adapterIn(from) === null) {
    const { format, bytes, parameters, path } = examineModel(from);
    if (format !== 'gguf')
      throw new Failure('badModel', `${path} is a policy as it is; import it as one.`, 2);
    if (base !== null)
      throw new Failure('badModel', `${path} is a whole model, which has no base; name none.`, 2);
    ggufFacts(path);
    return { asked: { gguf: path }, bytes, room: Math.max(bytes, BFLOAT16_BYTES * (parameters ?? 0)) };
  }
  if (base === null)
    throw new Failure('badModel', `${from} is a PEFT adapter; name the model that it belongs to as well.`, 2);
  const { bytes, parameters } = requireModelFiles(store, resources, base, 'policy');
  return { asked: { adapter: from, base }, bytes, room: FLOAT32_BYTES * (parameters ?? 0) };
}

/** A base of the library has to be what was imported. */
async function sourceOf({ store, resources, clock }: InventoryServices, asked: Asked): Promise<PolicySource> {
  if ('gguf' in asked) return asked;
  const { path } = await resolveModel(store, resources, asked.base, 'policy', clock.now());
  return { adapter: asked.adapter, base: path };
}

async function make(
  services: InventoryServices,
  asked: Asked,
  target: string,
  name: string,
  job: JobHandle,
): Promise<MadePolicy> {
  const { resources, clock, lab } = services;
  const partial = `${target}.partial`;
  const unfinished = [partial, `${partial}.tmp`];
  const forget = noteUnfinished(lab.root, ...unfinished);
  try {
    unfinished.forEach(removeQuietly);
    const origin = await makePolicyFolder(
      { python: resources.python, moduleDir: resources.trainerModule },
      await sourceOf(services, asked),
      partial,
      {
        signal: job.signal,
        onProgress: (done, total) => {
          job.total(total);
          job.at(done);
        },
      },
    );
    const found = await inspectWithHeader(partial, name, clock.now().toISOString(), { signal: job.signal });
    renameSync(partial, target);
    return { model: keep(services, { ...found, path: target }), origin };
  } finally {
    unfinished.forEach(removeQuietly);
    forget();
  }
}
