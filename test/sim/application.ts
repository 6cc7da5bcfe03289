import { join } from 'node:path';
import { sha256Hex } from '../../electron/core/index.ts';
import { realFiles } from './system.ts';
import { runProgram, writeProgram } from './programs/policy.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/** A model's files whose weights are 64 characters. */
export function modelFiles(weights: string): Map<string, Buffer> {
  const data = Buffer.from(weights, 'latin1');
  const header = Buffer.from(
    JSON.stringify({ weights: { dtype: 'U8', shape: [data.length], data_offsets: [0, data.length] } }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return new Map([
    ['config.json', Buffer.from('{"architectures":["Simulated"],"max_position_embeddings":4096}')],
    ['tokenizer.json', Buffer.from('{}')],
    ['model.safetensors', Buffer.concat([length, header, data])],
  ]);
}

/** The smallest file that is read as a GGUF model. */
function ggufFile(): Buffer {
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const u64 = (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  };
  const text = (value: string): Buffer => Buffer.concat([u64(value.length), Buffer.from(value)]);
  const [UINT32, STRING, F32] = [4, 8, 0];
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(1),
    u64(2),
    text('general.architecture'),
    u32(STRING),
    text('llama'),
    text('llama.context_length'),
    u32(UINT32),
    u32(4096),
    text('weights'),
    u32(1),
    u64(8),
    u32(F32),
    u64(0),
  ]);
  return Buffer.concat([head, Buffer.alloc(32 - (head.length % 32)), Buffer.alloc(32)]);
}

/** Tasks of the simulated world, in the form of resources/suites/seeds.jsonl. */
function tasks(count: number): string {
  const doubling = { factor: 2, summand: 1 };
  const problem = {
    id: 'problem',
    kind: 'induction',
    program: writeProgram(doubling),
    inputs: ['3', '4'],
    outputs: ['7', '9'],
    message: 'Twice and one more.',
  };
  const triplets = Array.from({ length: count }, (_, index) => {
    const program = { factor: (index % 5) - 1, summand: index };
    return {
      id: `task-${index}`,
      kind: 'triplet',
      program: writeProgram(program),
      input: String(index * 3),
      output: String(runProgram(program, index * 3)),
    };
  });
  return [problem, ...triplets].map((row) => `${JSON.stringify(row)}\n`).join('');
}

export type Application = { root: string; tasks: string };

/** A model of the application, with the card that has its hashes. */
function writeModel(folder: string, files: ReadonlyMap<string, Buffer>): void {
  realFiles.mkdirSync(folder, { recursive: true });
  for (const [name, content] of files) realFiles.writeFileSync(join(folder, name), content);
  const card = [...files].map(([name, content]) => `- \`${name}\` sha256 \`${sha256Hex(content)}\``);
  realFiles.writeFileSync(join(folder, 'MODEL_CARD.md'), `${card.join('\n')}\n`);
}

/** An application whose models are tiny, so that the hashes of a run's start take no time; everything else of it is this checkout's. */
export function makeApplication(root: string): Application {
  const models = join(root, 'resources/models');
  for (const folder of ['policy', 'questions']) writeModel(join(models, folder), modelFiles('0'.repeat(64)));
  for (const [folder, name] of [
    ['supervisor', 'supervisor'],
    ['questions-supervisor', 'supervisor'],
    ['writer', 'writer'],
  ] as const)
    writeModel(join(models, folder), new Map([[`${name}.f16.gguf`, ggufFile()]]));
  for (const name of ['prompts', 'suites', 'sample-run', 'licences.json'])
    realFiles.symlinkSync(join(CHECKOUT, 'resources', name), join(root, 'resources', name));
  realFiles.mkdirSync(join(root, '.venv/bin'), { recursive: true });
  realFiles.writeFileSync(join(root, '.venv/bin/python'), '');
  const file = join(root, 'tasks.jsonl');
  realFiles.writeFileSync(file, tasks(8));
  return { root, tasks: file };
}
