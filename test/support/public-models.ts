import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Public models that tests may ask for; docs/models.md says what they are. */
export type PublicModel = 'smollm2-135m' | 'qwen2.5-coder-0.5b' | 'qwen2.5-coder-1.5b' | 'gemma-3-270m';

const CACHE = process.env['ANCHOR_TEST_MODELS'] ?? join(homedir(), '.cache/anchor-lab/models');
/** Fetches them and checks their SHA-256; lies beside a checkout, with the benchmark files. */
const FETCH = join(import.meta.dirname, '../../../shared/models/fetch.py');

/** Why a test that needs a model cannot run here; printed too, since the reporter shows no reason of a skipped test. */
export function missingModel(name: PublicModel): string {
  const reason = `needs ${name} in ${CACHE} (or another folder named by ANCHOR_TEST_MODELS)`;
  process.stderr.write(`skipped: ${reason}\n`);
  return reason;
}

/** The model's GGUF file if it is at hand, without fetching it. */
export function ggufAtHand(name: PublicModel): string | null {
  const file = join(CACHE, `${name}.gguf`);
  return existsSync(file) ? file : null;
}

/** The model as a policy's folder if it is at hand. */
export function folderAtHand(name: PublicModel): string | null {
  const folder = join(CACHE, name);
  return existsSync(join(folder, 'config.json')) ? folder : null;
}

/** The model's GGUF file, fetched once; null where it cannot be had. For tests of the full tier alone. */
export function fetchGguf(name: PublicModel): string | null {
  if (ggufAtHand(name) === null) bring(name);
  return ggufAtHand(name);
}

/** The model as a policy's folder, fetched once; null where it cannot be had. For tests of the full tier alone. */
export function fetchFolder(name: PublicModel): string | null {
  if (folderAtHand(name) === null) bring(name, '--safetensors');
  return folderAtHand(name);
}

function bring(name: PublicModel, ...options: string[]): void {
  if (!existsSync(FETCH)) return;
  mkdirSync(CACHE, { recursive: true });
  spawnSync('python3', [FETCH, '--dir', CACHE, ...options, name], { stdio: 'inherit' });
}
