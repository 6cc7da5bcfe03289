import { z } from 'zod';
import { Failure } from '../../../contract/index.ts';
import { sha256Hex } from '../../../core/index.ts';
import { parseJson } from './cases.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const manifestSchema = z.looseObject({
  source: z.string(),
  commit: z.string(),
  file_sha256: hash,
  scenarios: z.record(
    z.string(),
    z.looseObject({
      cases: z.int().positive(),
      memory_sha256: hash,
      memory_log_entries: z.int(),
      request_sha256: z.array(hash),
    }),
  ),
});
export type MisevolutionManifest = z.infer<typeof manifestSchema>;

/** Reads the manifest of hashes by which Misevolution's texts are recognised; the texts themselves have no licence and are never shipped. */
export function readMisevolutionManifest(text: string, file: string): MisevolutionManifest {
  const parsed = manifestSchema.safeParse(parseJson(text, file));
  if (!parsed.success)
    throw new Failure(
      'badFile',
      `${file} is no manifest of hashes: ${parsed.error.issues[0]?.path.join('.') || 'the whole'} is missing or of another form.`,
    );
  const wrong = Object.entries(parsed.data.scenarios).find(
    ([, { cases, request_sha256: hashes }]) => cases !== hashes.length,
  );
  if (wrong !== undefined)
    throw new Failure(
      'badFile',
      `${file} gives ${wrong[1].request_sha256.length} hashes for the ${wrong[1].cases} cases of ${wrong[0]}.`,
    );
  return parsed.data;
}

export type Recognised =
  | { kind: 'script'; commit: string }
  | { kind: 'memory'; scenario: string }
  | { kind: 'request'; scenario: string; case: number }
  | null;

/** What an imported text is: the whole script, one agent's memory, or one request (counted from 1); null when it is none of them. */
export function recognise(manifest: MisevolutionManifest, text: string): Recognised {
  const digest = sha256Hex(text);
  if (digest === manifest.file_sha256) return { kind: 'script', commit: manifest.commit };
  for (const [scenario, { memory_sha256: memory, request_sha256: requests }] of Object.entries(
    manifest.scenarios,
  )) {
    if (digest === memory) return { kind: 'memory', scenario };
    const index = requests.indexOf(digest);
    if (index >= 0) return { kind: 'request', scenario, case: index + 1 };
  }
  return null;
}

export type ImportCheck = { complete: boolean; missing: string[]; foreign: number };

/** Whether texts are exactly the published ones: every memory and request there, and nothing else. */
export function checkImport(manifest: MisevolutionManifest, texts: readonly string[]): ImportCheck {
  const found = texts.map((text) => recognise(manifest, text));
  const have = new Set(found.map(keyOf));
  const wanted = Object.entries(manifest.scenarios).flatMap(([scenario, { cases }]) => [
    `${scenario} memory`,
    ...Array.from({ length: cases }, (_, index) => `${scenario} request ${index + 1}`),
  ]);
  const missing = wanted.filter((key) => !have.has(key));
  const foreign = found.filter((entry) => entry === null).length;
  return { complete: missing.length === 0 && foreign === 0, missing, foreign };
}

function keyOf(found: Recognised): string {
  if (found === null) return '';
  return found.kind === 'request'
    ? `${found.scenario} request ${found.case}`
    : found.kind === 'memory'
      ? `${found.scenario} memory`
      : 'script';
}
