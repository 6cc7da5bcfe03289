import { createHash } from 'node:crypto';
import { existsSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import {
  Failure,
  footprintOf,
  loraConfigSchema,
  type CheckpointRecord,
  type ModelProbe,
  type ModelRecord,
} from '../contract/index.ts';
import { lookOf, namesIn, placeWithin, readText, shownPath } from '../core/index.ts';
import { ADAPTER_WEIGHTS, adapterIn, adapterRefusal } from './adapters.ts';
import { sniffFile } from './files/content-sniff.ts';
import { readSafetensorsHeader } from './files/safetensors-header.ts';
import { hashFile, type ByteWatch } from './files/whole-file.ts';
import type { RunFolder } from './lab-folder.ts';

/** Memory of the machine in bytes; `gpu` is that of the largest card, null without one. */
export type MachineMemory = { total: number; gpu: number | null };

export type Fit = {
  verdict: 'fits' | 'tight' | 'too-large' | 'unknown';
  /** What using the model takes, in bytes, and whether that was measured by a test load or follows from its size. */
  needBytes: number | null;
  basis: 'measured' | 'estimated';
  haveBytes: number;
  on: 'gpu' | 'memory';
  /** Of a policy that is too large to train every parameter of: how an adapter of the default size fits; null where it does not. */
  lora: { verdict: 'fits' | 'tight'; needBytes: number } | null;
};

/** What a row keeps for its backward pass and the decoded rows' keys and values, on top of the weights; the trainer's own plan is exact and takes seconds. */
const TRAINING_OVERHEAD = 1.25;
/** Interpreter and library workspaces, as the trainer itself reckons on a CPU. */
const TRAINER_RESERVE_BYTES = 0.4e9;
/** A GGUF file is mapped as it is; keys, values and buffers come on top, and the process around it. */
const REVIEWING_OVERHEAD = 1.2;
const REVIEWER_RESERVE_BYTES = 0.15e9;
/** Above this share, other programs and the second model of a run have no room. */
const COMFORTABLE_SHARE = 0.7;

/** Whether a model can be used here: a policy to be trained, a supervisor to review. */
export function fitOf(
  model: Pick<ModelRecord, 'kind' | 'parameters' | 'bytes'>,
  probe: ModelProbe | null,
  memory: MachineMemory,
): Fit {
  const on = memory.gpu === null ? 'memory' : 'gpu';
  const haveBytes = memory.gpu ?? memory.total;
  const need =
    model.kind === 'policy'
      ? model.parameters === null
        ? null
        : trainingBytes({ mode: 'full' }, model.parameters)
      : (probe?.memoryBytes ?? reviewingBytes(model.bytes));
  // A test load of a policy only answers; training takes more, so its memory is no measure of that.
  const basis = model.kind === 'supervisor' && probe?.memoryBytes != null ? 'measured' : 'estimated';
  if (need === null) return { verdict: 'unknown', needBytes: null, basis, haveBytes, on, lora: null };
  const verdict = verdictOf(need, haveBytes);
  const trained = model.kind === 'policy' ? model.parameters : null;
  const lora = trained === null || verdict !== 'too-large' ? null : adapterFit(trained, haveBytes);
  return { verdict, needBytes: Math.round(need), basis, haveBytes, on, lora };
}

const verdictOf = (need: number, have: number): 'fits' | 'tight' | 'too-large' =>
  need <= COMFORTABLE_SHARE * have ? 'fits' : need <= have ? 'tight' : 'too-large';

/**
 * Bytes of memory that training a policy of so many parameters takes, by a rule of thumb; the library and a new run go by the same.
 * @param sets of a run's weights: one trains at a time, beside what the others keep; adapters share the frozen weights.
 * @param references weights that a KL term is measured against, of whole sets or of adapters.
 */
export function trainingBytes(
  how: Parameters<typeof footprintOf>[0],
  parameters: number,
  sets = 1,
  references = 0,
): number {
  const { memory, checkpoint, withoutMoments } = footprintOf(how, parameters);
  const kept = (sets - 1) * checkpoint + references * withoutMoments;
  return (memory + kept) * TRAINING_OVERHEAD + TRAINER_RESERVE_BYTES;
}

/** The same of a supervisor whose file has so many bytes. */
export const reviewingBytes = (fileBytes: number): number =>
  fileBytes * REVIEWING_OVERHEAD + REVIEWER_RESERVE_BYTES;

function adapterFit(parameters: number, haveBytes: number): Fit['lora'] {
  const need = trainingBytes({ mode: 'lora', lora: loraConfigSchema.parse({}) }, parameters);
  const verdict = verdictOf(need, haveBytes);
  return verdict === 'too-large' ? null : { verdict, needBytes: Math.round(need) };
}

const PICKLE_SUFFIXES = ['.bin', '.pt', '.pth', '.ckpt', '.pkl'];

/** What a model's files say about it, before a byte of the weights was hashed. Names are below `path` when that is a folder. */
export type ModelFiles = Pick<
  ModelRecord,
  'kind' | 'format' | 'path' | 'architecture' | 'parameters' | 'contextLength' | 'bytes'
> & {
  files: { name: string; bytes: number }[];
  /** Files whose bytes make up the model's hash; a copy brings the others along. */
  hashed: string[];
  dtypes: string[];
};

/** Files of a folder that belong to a model and are copied with it. */
const BELONGS =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab|model\.safetensors\.index)\.json$|^merges\.txt$|^(chat_template\.\w+)$|\.safetensors$|^(licen[cs]e|copying|notice|use_policy|readme)(\.\w+)?$/i;

/**
 * Recognises what stands at `path` by its headers: a folder with config.json, safetensors and tokenizer.json is a policy, a GGUF
 * file a supervisor. Nothing of it is executed or unpickled. @throws Failure `missingModel` or `badModel` (exit code 2).
 */
export function examineModel(path: string): ModelFiles {
  const full = resolve(path);
  let stat: Stats;
  try {
    stat = lookOf(full);
  } catch (cause) {
    const why =
      ((cause as Error).cause as NodeJS.ErrnoException).code === 'ENOENT'
        ? `There is no model at ${shownPath(full)}`
        : (cause as Error).message.replace(/[;.][^;.]*\.$/, '');
    throw new Failure(
      'missingModel',
      `${why}; give a folder with config.json and safetensors, or a .gguf file.`,
      2,
      { cause },
    );
  }
  return stat.isDirectory() ? examineFolder(full) : examineGguf(full);
}

/** The same, with the SHA-256 of its files. @throws also the reason of `watch.signal`. */
export async function inspectModel(
  path: string,
  name: string | null,
  now: string,
  watch: ByteWatch = {},
): Promise<ModelRecord> {
  const { files: _files, hashed, dtypes: _dtypes, ...model } = examineModel(path);
  const hashes = new Map<string, string>();
  for (const file of hashed)
    hashes.set(file, await hashFile(model.format === 'gguf' ? model.path : join(model.path, file), watch));
  return {
    ...model,
    name: name ?? basename(model.path, '.gguf'),
    sha256: modelHash(model.format, hashed, hashes),
    addedAt: now,
    embedded: false,
  };
}

/** One hash for a model: that of a GGUF file, or one over the names and hashes of a folder's files. */
export function modelHash(
  format: ModelRecord['format'],
  hashed: readonly string[],
  hashes: ReadonlyMap<string, string>,
): string {
  if (format === 'gguf') return hashes.get(hashed[0] ?? '') ?? '';
  const hash = createHash('sha256');
  for (const file of hashed) hash.update(`${file}\0${hashes.get(file)}\0`);
  return hash.digest('hex');
}

function examineFolder(folder: string): ModelFiles {
  const names = namesIn(folder).sort();
  requireOwnFiles(folder, names);
  const tensors = names.filter((file) => file.endsWith('.safetensors'));
  const weights = tensors.filter((file) => !TRAINING_STATE.includes(file));
  if (adapterIn(folder) !== null) throw new Failure('badModel', adapterRefusal(`The folder ${folder}`), 2);
  if (!names.includes('config.json'))
    throw new Failure(
      'badModel',
      `The folder ${folder} has no config.json, so it is not a model; point to the folder that has it.`,
      2,
    );
  if (weights.length === 0) {
    const pickled = names.filter((file) => PICKLE_SUFFIXES.some((suffix) => file.endsWith(suffix)));
    const why =
      pickled.length > 0
        ? `only ${pickled[0]}, a pickle file, which can run code when opened; convert it to safetensors first`
        : 'no .safetensors file; copy the weights there';
    throw new Failure('badModel', `The model folder ${folder} has ${why}.`, 2);
  }
  if (!names.includes('tokenizer.json'))
    throw new Failure(
      'badModel',
      `The model folder ${folder} has no tokenizer.json; copy the tokenizer of the same model there.`,
      2,
    );
  const config = readConfig(join(folder, 'config.json'));
  for (const file of tensors) refuseDisguised(join(folder, file));
  // Moments and updates lie beside the weights of a checkpoint and are none of its parameters.
  const headers = weights.map((file) => readSafetensorsHeader(join(folder, file)));
  const hashed = ['config.json', 'tokenizer.json', ...tensors];
  return {
    kind: 'policy',
    format: 'safetensors',
    path: folder,
    architecture: config.architectures?.[0] ?? 'unknown',
    contextLength: config.max_position_embeddings ?? null,
    parameters: headers.reduce((sum, { parameters }) => sum + parameters, 0),
    bytes: hashed.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0),
    files: names
      .filter((file) => BELONGS.test(file) && statSync(join(folder, file)).isFile())
      .map((file) => ({ name: file, bytes: statSync(join(folder, file)).size })),
    hashed,
    dtypes: [...new Set(headers.flatMap(({ dtypes }) => dtypes))].sort(),
  };
}

/**
 * Whatever of a model folder is no folder has to be a file of it: a library that loads the model may open any of them. A link that leads
 * nowhere is left to those who need what it should lead to.
 */
function requireOwnFiles(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const place = placeWithin(folder, name);
    const stat = place === null ? null : lookOf(place);
    if (stat === null ? BELONGS.test(name) : !stat.isFile() && !stat.isDirectory())
      throw new Failure(
        'badModel',
        `${join(folder, name)} ${stat === null ? 'is a link that leads nowhere' : 'is a device, a pipe or a socket'}; put the file itself there.`,
        2,
      );
  }
}

const MOST_CONFIG_BYTES = 1024 * 1024;

const configSchema = z.looseObject({
  architectures: z.array(z.string()).optional(),
  max_position_embeddings: z.int().positive().optional().catch(undefined),
});

function readConfig(file: string): z.infer<typeof configSchema> {
  const text = readText(file, MOST_CONFIG_BYTES);
  try {
    return configSchema.parse(JSON.parse(text));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? 'is not the configuration of a model' : 'is not valid JSON';
    throw new Failure('badModel', `The file ${file} ${why}; copy it again from the original model.`, 2, {
      cause,
    });
  }
}

/** A pickle under the name of a safetensors file is still a pickle. */
function refuseDisguised(file: string): void {
  const content = sniffFile(file);
  if (content === 'pickle' || content === 'torch-archive' || content === 'numpy') {
    throw new Failure(
      'badModel',
      `The file ${file} is a pickle or a NumPy file under the name of a safetensors file; such files can run code when opened, so it was not read. Convert the original to safetensors.`,
      2,
    );
  }
}

function examineGguf(file: string): ModelFiles {
  if (sniffFile(file) !== 'gguf') {
    throw new Failure(
      'badModel',
      `The file ${file} is not a GGUF file (its first bytes are not "GGUF"); export the model to GGUF or name the right file.`,
      2,
    );
  }
  const { size } = lookOf(file);
  return {
    kind: 'supervisor',
    format: 'gguf',
    path: file,
    architecture: 'gguf',
    parameters: null,
    contextLength: null,
    bytes: size,
    files: [{ name: basename(file), bytes: size }],
    hashed: [basename(file)],
    dtypes: [],
  };
}

/** A file as it was when its hash was taken. */
export type HashedFile = { path: string; sha256: string };

/** @throws Failure `modelChanged` with the first file that is not as it was, or is missing; the remedy ends the sentence. */
export async function requireUnchanged(
  files: readonly HashedFile[],
  remedy: string,
  watch: ByteWatch = {},
): Promise<void> {
  for (const { path, sha256 } of files)
    if (!existsSync(path) || (await hashFile(path, watch)) !== sha256)
      throw new Failure(
        'modelChanged',
        `The file ${path} is ${existsSync(path) ? 'not as it was stored: its SHA-256 is another one' : 'missing'}; ${remedy}.`,
      );
}

/** What a checkpoint without moments has in their place: every update since the last one with them, and the rollouts it trained on. */
export const UPDATES_FILE = 'updates.safetensors';

/** State of the training, which nobody needs who asks or hands out a checkpoint. */
export const TRAINING_STATE = ['optimizer.safetensors', UPDATES_FILE, 'trainer.json'];

/** Whether a checkpoint is an adapter, which is a model only together with checkpoint 0 of its run. */
export const isAdapter = ({ files }: Pick<CheckpointRecord, 'files'>): boolean =>
  files.some(({ path }) => basename(path) === ADAPTER_WEIGHTS);

/**
 * What a run stored of the model in a checkpoint, where that lies now: a lab may have been moved.
 * @param first its checkpoint 0, whose files belong to the model where the checkpoint is an adapter
 */
export function modelFilesOf(
  { checkpoint }: Pick<RunFolder, 'checkpoint'>,
  stored: CheckpointRecord,
  first: CheckpointRecord | null,
): HashedFile[] {
  return [stored, ...(first !== null && isAdapter(stored) ? [first] : [])]
    .flatMap(({ step, files }) =>
      files.map(({ path, sha256 }) => ({ path: join(checkpoint(step), basename(path)), sha256 })),
    )
    .filter(({ path }) => !TRAINING_STATE.includes(basename(path)));
}

const CARD = 'MODEL_CARD.md';
const MOST_CARD_BYTES = 1024 * 1024;
const CARD_LINE = /^- `([^`/]+)` sha256 `([0-9a-f]{64})`$/gm;

/**
 * Whether a model that comes with the application is the one it came with, by the hashes on its card.
 * @param path its folder or a file of it @throws Failure `modelChanged`, also where there is no card with the hash of that file, or of the weights
 */
export async function requireOnCard(path: string): Promise<void> {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const card = join(folder, CARD);
  const files = existsSync(card) ? [...readText(card, MOST_CARD_BYTES).matchAll(CARD_LINE)] : [];
  const weights = folder === path ? 'model.safetensors' : basename(path);
  if (!files.some(([, name]) => name === weights))
    throw new Failure(
      'modelChanged',
      `The card ${card} with the SHA-256 of ${weights} is missing, so nobody can tell whether the model is the one that came with the application; reinstall that.`,
    );
  await requireUnchanged(
    files.map(([, name = '', sha256 = '']) => ({ path: join(folder, name), sha256 })),
    'it came with the application, so reinstall that',
  );
}
