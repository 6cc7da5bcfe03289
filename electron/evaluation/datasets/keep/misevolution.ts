import { createHash } from 'node:crypto';
import { Failure } from '../../../contract/index.ts';
import type { KeptRow } from '../kinds/kind.ts';
import { textsOfPython, variantsOf } from '../python-texts.ts';
import { MEBIBYTE } from '../rows/row.ts';
import type { SourceFile } from '../sources/source.ts';
import { wholeOf, type Watch } from '../sources/unpack.ts';

const SCRIPT_BYTES = 4 * MEBIBYTE;

/** What the text of a hash is: by SHA-256, the id of its row among the imported hashes and what that row says of it. */
export type KnownTexts = ReadonlyMap<string, { id: string; about: Readonly<Record<string, unknown>> }>;

/**
 * The memories and requests among the literals of the script, each known by its hash. All of them must be there, so that a set is
 * the published one or none.
 * @throws Failure `badDataset` (exit code 2) without imported hashes, or naming what is missing.
 */
export async function misevolutionRows(
  file: SourceFile,
  known: KnownTexts | null,
  watch: Watch,
): Promise<KeptRow[]> {
  if (known === null)
    throw new Failure(
      'badDataset',
      'Its texts are checked against a manifest of hashes that this lab does not have; import the manifest (MANIFEST.json) first.',
      2,
    );
  const bytes = await wholeOf(file, SCRIPT_BYTES, watch);
  const found = new Map<string, KeptRow>();
  for (const text of textsOfPython(bytes.toString('utf8'))) {
    for (const variant of variantsOf(text)) {
      const entry = known.get(createHash('sha256').update(variant, 'utf8').digest('hex'));
      if (entry !== undefined)
        found.set(entry.id, {
          id: entry.id,
          text: JSON.stringify({ ...entry.about, text: variant }),
          isPython: false,
        });
    }
  }
  const missing = [...known.values()].filter(({ id }) => !found.has(id)).map(({ id }) => id);
  if (missing.length > 0) {
    throw new Failure(
      'badDataset',
      `${file.name} lacks ${missing.length} of the ${known.size} texts of the manifest (${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ', …' : ''}); take the script of the commit that the manifest names.`,
      2,
    );
  }
  return [...known.values()].map(({ id }) => found.get(id)!);
}
