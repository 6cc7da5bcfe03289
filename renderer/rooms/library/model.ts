import type { Api } from '../../data/index.ts';

type Listing = Awaited<ReturnType<Api['library']['list']['query']>>;
export type LibraryModel = Listing['models'][number];
export type LibraryDataset = Listing['datasets'][number];
export type Inspection = Awaited<ReturnType<Api['library']['look']['query']>>;
export type ManifestFinding = NonNullable<
  Awaited<ReturnType<Api['library']['manifestReport']['query']>>
>['findings'][number];

/** A name a new entry can have: that of the file, or with a number when it is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const plain =
    wanted
      .replace(/[^\p{L}\p{N} ._+-]/gu, '-')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .slice(0, 90) || 'import';
  const base = plain.startsWith('embedded-') ? plain.slice('embedded-'.length) || 'import' : plain;
  if (!taken.includes(base)) return base;
  for (let number = 2; ; number += 1) if (!taken.includes(`${base}-${number}`)) return `${base}-${number}`;
}

/** Files that are not as they should be first, then the others, in the manifest's order. */
export function worstFirst(findings: readonly ManifestFinding[]): ManifestFinding[] {
  return [
    ...findings.filter(({ state }) => state !== 'same'),
    ...findings.filter(({ state }) => state === 'same'),
  ];
}
