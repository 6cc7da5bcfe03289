import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure } from '../contract/index.ts';
import { loadGuidance, loadPromptPack } from '../library/index.ts';
import { reviewRecords } from '../supervision/index.ts';

const COMPACT = fileURLToPath(new URL('../../resources/prompts/compact', import.meta.url));

/** Turns raw items (JSON lines) into the embedded supervisor's training records; `output` appears only when all lines were read. */
export async function writeReviewRecords(
  input: string,
  output: string,
  promptFolder = COMPACT,
): Promise<void> {
  const source = createReadStream(input);
  const lines = createInterface({ input: source, crlfDelay: Infinity });
  // readline ends quietly when its stream fails; the error is carried over so that a missing file is not an empty one.
  const failed = new Promise<never>((_, reject) => {
    source.once('error', reject);
  });
  const half = `${output}.partial`;
  async function* withNewlines(): AsyncGenerator<string> {
    const texts = { pack: loadPromptPack(promptFolder, 'compact'), guidance: loadGuidance(promptFolder) };
    for await (const record of reviewRecords(lines, texts)) yield `${record}\n`;
  }
  await Promise.race([pipeline(Readable.from(withNewlines()), createWriteStream(half)), failed]);
  await rename(half, output);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { in: { type: 'string' }, out: { type: 'string' } } });
  if (!values.in || !values.out) {
    process.stderr.write('Usage: node electron/cli/review-records.ts --in RAW.jsonl --out RECORDS.jsonl\n');
    process.exit(2);
  }
  try {
    await writeReviewRecords(values.in, values.out);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof Failure ? error.exitCode : 1;
  }
}
