import { datasets, suiteDatasetsOf } from '../../evaluation/index.ts';
import type { Services } from '../services.ts';

/** The hashes of Misevolution's texts, from the manifest that the lab imported last; null without one. */
export async function knownTexts({ store, lab }: Services): Promise<datasets.KnownTexts | null> {
  const [newest] = suiteDatasetsOf(store, 'misevolution-hashes');
  if (newest === undefined) return null;
  const known = new Map<string, { id: string; about: Readonly<Record<string, unknown>> }>();
  for await (const { id, line } of datasets.rowsOf(datasets.placeOf(lab.root, newest))) {
    const about = JSON.parse(line) as Record<string, unknown> & { sha256: string };
    known.set(about.sha256, { id, about });
  }
  return known;
}
