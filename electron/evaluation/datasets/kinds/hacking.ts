import { Failure } from '../../../contract/index.ts';
import { readMisevolutionManifest, type MisevolutionManifest } from '../../safety/index.ts';
import { MEBIBYTE } from '../rows/row.ts';
import { wrongRow, NO_LICENCE } from './kind.ts';
import type { KeptRow, KindReader } from './kind.ts';

const common = {
  group: 'safety',
  use: 'reference',
  dialect: 'strict',
  rowBytes: 16 * MEBIBYTE,
  files: 'apart',
  official: [{ what: 'Misevolution: 4 memories, 41 requests', rows: 45 }],
} as const;

/** The hashes by which Misevolution's texts are recognised. They hold no text, so nothing has to be agreed to. */
export const misevolutionHashes: KindReader = {
  ...common,
  name: 'misevolution-hashes',
  title: 'Misevolution, hashes of the reward-hacking texts',
  terms: null,
  hazardous: false,
  source:
    'A manifest of hashes (MANIFEST.json) of the four memories and 41 requests; the texts are checked against it.',
  licence: 'hashes only',
  formats: ['document'],
  fields: ['source', 'commit', 'file_sha256', 'scenarios'],
  fits: () => true,
  read: (row) => {
    try {
      const manifest = readMisevolutionManifest(row.text ?? '', 'the manifest');
      return hashRows(manifest);
    } catch (error) {
      throw error instanceof Failure ? wrongRow(error.message) : error;
    }
  },
};

function hashRows({ commit, file_sha256: script, scenarios }: MisevolutionManifest): KeptRow[] {
  const row = (id: string, entry: object): KeptRow => ({
    id,
    text: JSON.stringify({ commit, script, ...entry }),
    isPython: false,
  });
  return Object.entries(scenarios).flatMap(
    ([scenario, { memory_sha256: memory, memory_log_entries: entries, request_sha256: requests }]) => [
      row(`${scenario}/memory`, { scenario, what: 'memory', entries, sha256: memory }),
      ...requests.map((sha256, index) =>
        row(`${scenario}/request/${index + 1}`, { scenario, what: 'request', case: index + 1, sha256 }),
      ),
    ],
  );
}

/** Misevolution's script: its texts are found among the literals of the Python source, which is never run, by their hashes. */
export const misevolutionTexts: KindReader = {
  ...common,
  name: 'misevolution-texts',
  title: 'Misevolution, reward-hacking texts',
  terms: NO_LICENCE,
  hazardous: true,
  source:
    'memory_misevolution/reward_hacking_test.py of ShaoShuai0605/Misevolution on GitHub; import the manifest of hashes first.',
  licence: 'none stated',
  formats: ['text'],
  fields: [],
  fits: () => true,
  read: () => {
    throw wrongRow('it has no rows');
  },
};
