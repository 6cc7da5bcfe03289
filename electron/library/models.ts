import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createHash } from 'node:crypto';
import { Failure, type ModelRecord } from '../contract/index.ts';
import { hashFile } from './file-hash.ts';

const PICKLE_SUFFIXES = ['.bin', '.pt', '.pth', '.ckpt', '.pkl'];

/**
 * Recognises what stands at `path`: a folder with config.json, safetensors and tokenizer.json is a policy, a GGUF file a
 * supervisor. Nothing of it is executed or unpickled.
 * @throws Failure `badModel` (exit code 2) saying what is missing or refused.
 */
export async function inspectModel(path: string, name: string | null, now: string): Promise<ModelRecord> {
  const full = resolve(path);
  if (!existsSync(full)) throw new Failure('missingModel', `There is no model at ${full}; give a folder with config.json and safetensors, or a .gguf file.`, 2);
  return statSync(full).isDirectory() ? inspectFolder(full, name ?? basename(full), now) : inspectGguf(full, name ?? basename(full, '.gguf'), now);
}

async function inspectFolder(folder: string, name: string, addedAt: string): Promise<ModelRecord> {
  const files = readdirSync(folder).sort();
  const weights = files.filter((file) => file.endsWith('.safetensors'));
  if (!files.includes('config.json')) throw new Failure('badModel', `The folder ${folder} has no config.json, so it is not a model; point to the folder that has it.`, 2);
  if (weights.length === 0) {
    const pickled = files.filter((file) => PICKLE_SUFFIXES.some((suffix) => file.endsWith(suffix)));
    const why = pickled.length > 0 ? `only ${pickled[0]}, a pickle file, which can run code when opened; convert it to safetensors first` : 'no .safetensors file; copy the weights there';
    throw new Failure('badModel', `The model folder ${folder} has ${why}.`, 2);
  }
  if (!files.includes('tokenizer.json')) throw new Failure('badModel', `The model folder ${folder} has no tokenizer.json; copy the tokenizer of the same model there.`, 2);
  let config: { architectures?: string[]; max_position_embeddings?: number };
  try {
    config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as typeof config;
  } catch (cause) {
    throw new Failure('badModel', `The file ${join(folder, 'config.json')} is not valid JSON; copy it again from the original model.`, 2, { cause });
  }
  const hash = createHash('sha256');
  let bytes = 0;
  let parameters = 0;
  for (const file of ['config.json', 'tokenizer.json', ...weights]) {
    hash.update(`${file}\0${await hashFile(join(folder, file))}\0`);
    bytes += statSync(join(folder, file)).size;
    if (file.endsWith('.safetensors')) parameters += countParameters(join(folder, file));
  }
  return {
    name, kind: 'policy', format: 'safetensors', path: folder, sha256: hash.digest('hex'), architecture: config.architectures?.[0] ?? 'unknown',
    parameters, contextLength: config.max_position_embeddings ?? null, bytes, addedAt, embedded: false,
  };
}

const HEADER_LIMIT = 16 * 1024 * 1024; // bytes; a larger header is a known bloat attack

/** Sum of the tensor sizes a safetensors header declares. */
function countParameters(file: string): number {
  const handle = openSync(file, 'r');
  try {
    const size = Buffer.alloc(8);
    const length = readSync(handle, size, 0, 8, 0) === 8 ? Number(size.readBigUInt64LE()) : -1;
    if (length < 2 || length > HEADER_LIMIT || length + 8 > statSync(file).size) {
      throw new Failure('badModel', `The file ${file} is not an intact safetensors file (its header is truncated or corrupt); copy it again.`, 2);
    }
    const header = Buffer.alloc(length);
    readSync(handle, header, 0, length, 8);
    const tensors = Object.entries(JSON.parse(header.toString('utf8')) as Record<string, { shape?: number[]; data_offsets?: [number, number] }>).filter(([key]) => key !== '__metadata__');
    const end = Math.max(0, ...tensors.map(([, tensor]) => tensor.data_offsets?.[1] ?? 0));
    if (8 + length + end !== statSync(file).size) throw new Failure('badModel', `The file ${file} is not an intact safetensors file (it is cut off or has something appended); copy it again.`, 2);
    return tensors.reduce((sum, [, tensor]) => sum + (tensor.shape ?? []).reduce((product, side) => product * side, 1), 0);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('badModel', `The file ${file} is not an intact safetensors file (its header is not JSON); copy it again.`, 2, { cause });
  } finally {
    closeSync(handle);
  }
}

async function inspectGguf(file: string, name: string, addedAt: string): Promise<ModelRecord> {
  const handle = openSync(file, 'r');
  const magic = Buffer.alloc(4);
  readSync(handle, magic, 0, 4, 0);
  closeSync(handle);
  if (magic.toString('latin1') !== 'GGUF') {
    throw new Failure('badModel', `The file ${file} is not a GGUF file (its first bytes are not "GGUF"); export the model to GGUF or name the right file.`, 2);
  }
  return {
    name, kind: 'supervisor', format: 'gguf', path: file, sha256: await hashFile(file), architecture: 'gguf', parameters: null,
    contextLength: null, bytes: statSync(file).size, addedAt, embedded: false,
  };
}
