import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Failure, type ModelRecord, type RunConfig } from '../contract/index.ts';
import {
  examineModel,
  inspectModel,
  requireOnCard,
  type ByteWatch,
  type ResourcePaths,
  type ModelFiles,
} from '../library/index.ts';
import { readGgufHeader } from '../processes/index.ts';

/** The models a lab knows by name. */
export type ModelShelf = {
  getModel: (name: string) => ModelRecord | null;
  listModels: () => ModelRecord[];
  putModel: (model: ModelRecord) => void;
};

/** Names under which the models that come with the application can be given. */
export const EMBEDDED_POLICY = 'embedded-policy';
export const EMBEDDED_SUPERVISOR = 'embedded-supervisor';

/** `embedded-questions` is the policy after a further leg of training, which taught it to ask and answer questions of arithmetic. */
const EMBEDDED: readonly {
  name: string;
  kind: ModelRecord['kind'];
  path: (resources: ResourcePaths) => string;
}[] = [
  { name: EMBEDDED_POLICY, kind: 'policy', path: (resources) => resources.embeddedPolicy },
  { name: EMBEDDED_SUPERVISOR, kind: 'supervisor', path: (resources) => resources.embeddedSupervisor },
  { name: 'embedded-questions', kind: 'policy', path: (resources) => resources.embeddedQuestions },
  {
    name: 'embedded-questions-supervisor',
    kind: 'supervisor',
    path: (resources) => resources.embeddedQuestionsSupervisor,
  },
];

/** What a model that comes with the application is; null for every other name. */
export const embeddedKind = (name: string): ModelRecord['kind'] | null =>
  EMBEDDED.find((one) => one.name === name)?.kind ?? null;

/**
 * Finds a model by its library name or by path and checks that it is what the caller needs. One that comes with the application has
 * to be the one it came with, by the hashes on its card.
 * @throws Failure `missingModel` or `badModel` (exit code 2), `modelChanged`.
 */
export async function resolveModel(
  store: ModelShelf,
  resources: ResourcePaths,
  reference: string,
  kind: ModelRecord['kind'],
  now: Date,
): Promise<ModelRecord> {
  const { path, embedded, stored } = placeOf(store, resources, reference);
  if ([...embedded.values(), resources.embeddedWriter].includes(path)) await requireOnCard(path);
  const found = await inspectWithHeader(
    path,
    embedded.has(reference) || stored !== null ? reference : null,
    now.toISOString(),
  );
  requireKind(found, reference, kind);
  if (stored !== null && stored.sha256 !== found.sha256 && !embedded.has(reference)) {
    throw new Failure(
      'modelChanged',
      `The files of model "${reference}" changed since it was imported; import it again under another name.`,
      2,
    );
  }
  const record = { ...found, embedded: embedded.has(reference) };
  // A model given by path stays out of the library: its folder's name may be another model's name there.
  if (record.embedded && (stored?.sha256 !== record.sha256 || stored.contextLength !== record.contextLength))
    store.putModel(record);
  return record;
}

type Shelf = Pick<ModelShelf, 'getModel' | 'listModels'>;

/** @throws Failure `missingModel` (exit code 2) where nothing is known by that name and nothing stands at that path. */
function placeOf(
  store: Shelf,
  resources: ResourcePaths,
  reference: string,
): { path: string; embedded: ReadonlyMap<string, string>; stored: ModelRecord | null } {
  const embedded = new Map(EMBEDDED.map(({ name, path: pathIn }) => [name, pathIn(resources)]));
  const stored = store.getModel(reference);
  const path = embedded.get(reference) ?? stored?.path ?? reference;
  if (existsSync(path)) return { path, embedded, stored };
  const known = [...embedded.keys(), ...store.listModels().map((model) => model.name)].filter(
    (name, index, all) => all.indexOf(name) === index,
  );
  throw new Failure(
    'missingModel',
    `There is no model "${reference}": it is neither a file or folder nor one of ${known.join(', ')}; import it in the Library, or with "anchor import".`,
    2,
  );
}

function requireKind(found: Pick<ModelRecord, 'kind'>, reference: string, kind: ModelRecord['kind']): void {
  if (found.kind === kind) return;
  const wanted = kind === 'policy' ? 'a folder with config.json and safetensors' : 'a .gguf file';
  const remedy =
    kind === 'policy'
      ? `; make one of this file in the window's Library under Import, or in a terminal with "anchor import FILE.gguf --policy FOLDER"`
      : '';
  throw new Failure(
    'badModel',
    `The model "${reference}" cannot be used as ${kind}: ${wanted} is needed${remedy}.`,
    2,
  );
}

/**
 * What the headers of a model say, before anything of it is hashed or loaded.
 * @throws Failure `missingModel` or `badModel` (exit code 2), as `resolveModel` would later.
 */
export function requireModelFiles(
  store: Shelf,
  resources: ResourcePaths,
  reference: string,
  kind: ModelRecord['kind'],
): ModelFiles {
  const found = examineModel(placeOf(store, resources, reference).path);
  requireKind(found, reference, kind);
  if (found.format === 'gguf') ggufFacts(found.path);
  return found;
}

type KnownModelServices = {
  store: ModelShelf;
  resources: ResourcePaths;
  lab: { root: string };
  clock: { now: () => Date };
};

/** Hashing a large model takes a minute, and a window asks what an order would take at every change of it. */
const known = new Map<string, { stamp: string; model: ModelRecord }>();

/** As resolveModel, for a plan; files whose sizes and times have not changed are not hashed again. @throws see resolveModel. */
export async function resolveKnownModel(
  services: KnownModelServices,
  name: string,
  kind: ModelRecord['kind'],
): Promise<ModelRecord> {
  const stamp = stampOf(services.store.getModel(name)?.path ?? name);
  const before = known.get(keyOf(services, name, kind));
  return stamp !== null && before?.stamp === stamp ? before.model : resolveAnew(services, name, kind);
}

/**
 * Whether a model is still the one that was planned with, by a hash of its own: a bit that flipped on the disk changes no size and no time.
 * @throws Failure `modelChanged` (exit code 2), and as resolveModel.
 */
export async function requireKnownModel(
  services: KnownModelServices,
  name: string,
  kind: ModelRecord['kind'],
  sha256: string,
): Promise<void> {
  if ((await resolveAnew(services, name, kind)).sha256 === sha256) return;
  throw new Failure(
    'modelChanged',
    `The files of model "${name}" are no longer those that were to be used; put them back, or ask again for what is there now.`,
    2,
  );
}

const keyOf = ({ lab }: KnownModelServices, name: string, kind: ModelRecord['kind']): string =>
  `${lab.root}\n${kind}\n${name}`;

async function resolveAnew(
  services: KnownModelServices,
  name: string,
  kind: ModelRecord['kind'],
): Promise<ModelRecord> {
  const { store, resources, clock } = services;
  const model = await resolveModel(store, resources, name, kind, clock.now());
  const stamp = stampOf(model.path);
  if (stamp !== null) known.set(keyOf(services, name, kind), { stamp, model });
  return model;
}

/** Path, sizes and times of a model's files; null where there is none. */
function stampOf(path: string): string | null {
  if (!existsSync(path)) return null;
  const { format, hashed, path: full } = examineModel(path);
  return [
    full,
    ...hashed.map((file) => {
      const { size, mtimeMs } = statSync(format === 'gguf' ? full : join(full, file));
      return `${file}:${size}:${mtimeMs}`;
    }),
  ].join('\n');
}

/** Takes the models that come with the application into the library the first time, so that their sizes are known. */
export async function takeEmbeddedModels(
  store: ModelShelf,
  resources: ResourcePaths,
  now: Date,
): Promise<void> {
  for (const { name, kind } of EMBEDDED)
    if (store.getModel(name)?.contextLength == null) await resolveModel(store, resources, name, kind, now);
}

/** A name of the library stays as it is; a path is made whole, so that it means the same to a program in another folder. */
export const absoluteModel = (store: Pick<ModelShelf, 'getModel'>, reference: string): string =>
  store.getModel(reference) === null && existsSync(reference) ? resolve(reference) : reference;

/** Paths of a configuration as they stand now, so that a resume from another folder finds the same files. */
export function withAbsoluteModels(store: Pick<ModelShelf, 'getModel'>, config: RunConfig): RunConfig {
  return {
    ...config,
    policy: { ...config.policy, model: absoluteModel(store, config.policy.model) },
    supervision: { ...config.supervision, model: absoluteModel(store, config.supervision.model) },
  };
}

/** A model with its hash, and with what the header of a GGUF file says of it. @throws Failure `missingModel`, `badModel`; the reason of `watch.signal`. */
export async function inspectWithHeader(
  path: string,
  name: string | null,
  now: string,
  watch: ByteWatch = {},
): Promise<ModelRecord> {
  const found = await inspectModel(path, name, now, watch);
  return found.format === 'gguf' ? { ...found, ...ggufFacts(found.path) } : found;
}

/** What the header of a GGUF file says. @throws Failure `badModel` with its fault. */
export function ggufFacts(path: string): Pick<ModelRecord, 'architecture' | 'parameters' | 'contextLength'> {
  const header = readGgufHeader(path);
  return {
    architecture: header.architecture,
    parameters: header.parameters,
    contextLength: header.contextLength,
  };
}
