/**
 * Answers of a GGUF model as evaluations write them, in rows of the supervisor's process, beside llama.cpp's own benchmark of batches:
 * the same number of prompts and of new tokens, on as many threads, in turns. The benchmark samples nothing and takes no text apart,
 * so what is missing to 1 is what answers cost beside the model. Wall time of both, so other work has to be kept away.
 *
 * Usage: node test/peers/gguf-rows.ts --model FILE.gguf --bench PATH [--rows 8] [--prompt 64] [--tokens 128] [--threads 1] [--rounds 3] [--json FILE] [--flags=--no-repack]
 * PATH is llama-batched-bench, built for this processor (cmake -DGGML_NATIVE=ON, target llama-batched-bench); it ends with a fault on some
 * processors unless weights stay as they are in the file, which --flags can say.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSupervisor, type SupervisorClient } from '../../electron/processes/index.ts';
import { machine, median, spread, writeJson } from './support/figures.ts';

const { values: given } = parseArgs({
  options: {
    model: { type: 'string' },
    bench: { type: 'string' },
    flags: { type: 'string', default: '' },
    rows: { type: 'string', default: '8' },
    prompt: { type: 'string', default: '64' },
    tokens: { type: 'string', default: '128' },
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const { model, bench } = given;
if (model === undefined || bench === undefined)
  throw new Error('Give --model, a GGUF file, and --bench, the program llama-batched-bench.');
const rows = Number(given.rows);
const promptTokens = Number(given.prompt);
const newTokens = Number(given.tokens);
const threads = Number(given.threads);
const CONTEXT = 2 * (promptTokens + newTokens);

/** Different from the first word on; a repeated short word is one token in the vocabularies of language models. */
const PROMPTS = Array.from({ length: rows }, (_, row) => `${row}${' the'.repeat(promptTokens - 1)}`);

/** Tokens read and written a second. */
async function answer(client: SupervisorClient): Promise<number> {
  const began = performance.now();
  const answers = await Promise.all(
    PROMPTS.map((prompt) =>
      client.complete({ prompt, seed: 1, maxTokens: newTokens, temperature: 0, topP: 1, side: 'together' }),
    ),
  );
  const tokens = answers.reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0);
  return (1000 * tokens) / (performance.now() - began);
}

function benchmark(): number {
  const sizes = {
    c: rows * CONTEXT,
    b: 512,
    t: threads,
    tb: threads,
    npp: promptTokens,
    ntg: newTokens,
    npl: rows,
  };
  const flags = Object.entries(sizes).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const { stdout, stderr, status } = spawnSync(
    bench as string,
    ['-m', model as string, ...flags, ...given.flags.split(' ').filter(Boolean), '--output-format', 'jsonl'],
    { encoding: 'utf8' },
  );
  const line = stdout.split('\n').find((one) => one.startsWith('{'));
  if (status !== 0 || line === undefined) throw new Error(stderr.slice(-2000));
  return (JSON.parse(line) as { speed: number }).speed;
}

const scratch = mkdtempSync(join(tmpdir(), 'anchor-peer-'));
const client = await startSupervisor({ logFile: join(scratch, 'supervisor.log') });
try {
  await client.load({ path: model, contextSize: CONTEXT, threads, rows });
  const [ours, theirs]: [number[], number[]] = [[], []];
  // The first round is not counted: the weights come from the disk, and numbers of threads are tried.
  for (let round = 0; round <= Number(given.rounds); round += 1) {
    const rates = [await answer(client), benchmark()] as const;
    if (round > 0) [ours, theirs].forEach((all, side) => all.push(rates[side] as number));
  }
  const { cpu, load } = machine();
  process.stdout.write(
    `${model}, ${rows} prompts of ${promptTokens} and answers of ${newTokens} tokens, ${threads} thread(s), ${cpu}, load ${load.toFixed(1)}\n` +
      `answers           ${spread(ours, 1)} tokens a second\n` +
      `llama-batched-bench ${spread(theirs, 1)}\n` +
      `ratio             ${(median(ours) / median(theirs)).toFixed(2)}\n`,
  );
  writeJson(given.json ?? null, { model, rows, promptTokens, newTokens, threads, ours, theirs });
} finally {
  await client.close();
  rmSync(scratch, { recursive: true, force: true });
}
