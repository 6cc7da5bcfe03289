import { z } from 'zod';
import { Failure } from '../../../contract/index.ts';
import { readMisevolutionManifest, type MisevolutionManifest } from '../../safety/hacking/cases.ts';
import { HARMBENCH_COLUMNS, harmBenchBehavior, saladItem } from '../../safety/sets.ts';
import { textHashesSchema } from '../../safety/harmbench/grade.ts';
import { MEBIBYTE, type Row } from '../rows/row.ts';
import { baseName, folderName } from '../sources/source.ts';
import {
  checked,
  wrongRow,
  kept,
  type KindReader,
  HARMFUL_TEXT,
  HEX_PHI_LICENCE,
  NO_LICENCE,
  type KeptRow,
} from './kind.ts';

const HARM_KIND = { group: 'safety', hazardous: true, dialect: 'strict', rowBytes: 4 * MEBIBYTE } as const;
const isGiven = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && !/^nan$/i.test(value.trim());

export const harmBenchBehaviors: KindReader = {
  ...HARM_KIND,
  name: 'harmbench-behaviors',
  title: 'HarmBench, text behaviours',
  use: 'suite',
  terms: HARMFUL_TEXT,
  source:
    'harmbench_behaviors_text_all.csv, …_test.csv or …_val.csv of HarmBench on GitHub (data/behavior_datasets).',
  licence: 'MIT',
  official: [
    { what: 'all', rows: 400 },
    { what: 'test', rows: 320 },
    { what: 'val', rows: 80 },
  ],
  formats: ['csv', 'lines', 'list', 'parquet'],
  files: 'apart',
  fields: HARMBENCH_COLUMNS,
  fits: (rows) => rows.some((row) => isGiven(row['FunctionalCategory'])),
  read: (row) => {
    if (!isGiven(row.value['Behavior'])) throw wrongRow('Behavior is empty or of an unknown kind');
    return [kept(harmBenchBehavior(row.value).id, row)];
  },
};

const decimal = z.string().regex(/^\d{1,20}$/);
const hashIndex = z.object({
  permutations_a: z.array(decimal).length(128),
  permutations_b: z.array(decimal).length(128),
  lyrics: z
    .array(
      z.object({
        behavior_id: z.string().min(1),
        windows: z.int().positive(),
        offset: z.int().nonnegative(),
        bytes: z.int().positive(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(1),
});
const HASH_VALUES = 'lyrics_minhash_u32le.bin';
export const harmBenchHashes: KindReader = {
  ...HARM_KIND,
  name: 'harmbench-hashes',
  title: 'HarmBench, hashes of protected texts',
  use: 'reference',
  terms: null,
  hazardous: false,
  source: `index.json and ${HASH_VALUES} in one folder: MinHash values of HarmBench's lyrics without the texts, converted.`,
  licence: 'MIT',
  official: [{ what: 'lyrics', rows: 50 }],
  formats: ['document'],
  files: 'apart',
  fields: ['permutations_a', 'permutations_b', 'lyrics'],
  fits: () => true,
  beside: [HASH_VALUES],
  // One row per text; the constants and values stay in the two files beside the rows, as their reader takes them.
  read: (row) =>
    checked(hashIndex, row.value).lyrics.map((entry) => ({
      id: entry.behavior_id,
      text: JSON.stringify(entry),
      isPython: false,
    })),
};

/** The .pkl files as HarmBench publishes them, one per text. Their one form is read as data by a reader of its own: nothing in them is run. */
export const harmBenchPickles: KindReader = {
  ...HARM_KIND,
  name: 'harmbench-pickles',
  title: 'HarmBench, hashes of protected texts as published',
  use: 'reference',
  terms: null,
  hazardous: false,
  source:
    'The folder data/copyright_classifier_hashes of HarmBench on GitHub: one .pkl file per protected text, with its hashes and without the text.',
  licence: 'MIT',
  official: [{ what: 'books and lyrics', rows: 100 }],
  formats: ['minhash-pickle'],
  files: 'joined',
  fields: Object.keys(textHashesSchema.shape),
  fits: () => true,
  read: (row) => [kept(checked(textHashesSchema, row.value).behavior_id, row)],
};

const label = z.union([z.literal(0), z.literal(1), z.boolean()]);
const labelledEntries = z
  .array(
    z.looseObject({
      test_case: z.string(),
      generation: z.string(),
      human_0: label,
      human_1: label,
      human_2: label,
    }),
  )
  .min(1);
export const harmBenchLabelled: KindReader = {
  ...HARM_KIND,
  name: 'harmbench-labelled',
  title: 'HarmBench, answers labelled by people',
  use: 'calibration',
  terms: HARMFUL_TEXT,
  source: 'text_behaviors_val_set.json of HarmBench on GitHub (data/classifier_val_sets).',
  licence: 'MIT',
  official: [{ what: 'validation set', rows: 602 }],
  formats: ['document'],
  files: 'apart',
  fields: [],
  fits: ([document = {}]) =>
    Object.keys(document).length > 0 &&
    Object.values(document).every((entries) => labelledEntries.safeParse(entries).success),
  read: (row) =>
    Object.entries(row.value).flatMap(([behaviorId, entries]) => {
      const parsed = labelledEntries.safeParse(entries);
      if (!parsed.success)
        throw wrongRow(
          `the entry ${JSON.stringify(behaviorId.slice(0, 80))} has ${parsed.error.issues[0]?.path.join('.') || 'a value'} missing or of another form`,
        );
      return parsed.data.map((entry, index) => ({
        id: `${behaviorId}/${index}`,
        text: JSON.stringify({ behavior_id: behaviorId, ...entry }),
        isPython: false,
      }));
    }),
};

export const saladMcq: KindReader = {
  ...HARM_KIND,
  name: 'salad-mcq',
  title: 'SALAD-Bench, multiple choice',
  use: 'suite',
  terms: HARMFUL_TEXT,
  source:
    'mcq_set.json of OpenSafetyLab/Salad-Data on Hugging Face (7.57 MB since March 2024), also as Parquet.',
  licence: 'Apache-2.0',
  official: [],
  formats: ['list', 'lines', 'parquet'],
  files: 'apart',
  fields: ['mcq', 'baseq', 'choices', 'gt'],
  fits: () => true,
  read: (row, { index }) => [kept(saladItem(row.value, index).id, row)],
};

/** HEx-PHI as one table in HarmBench's columns, of which only two are filled, or as one table without a header per category. */
export const hexPhi: KindReader = {
  ...HARM_KIND,
  name: 'hex-phi-set',
  title: 'HEx-PHI',
  use: 'suite',
  terms: HEX_PHI_LICENCE,
  source:
    "LLM-Tuning-Safety/HEx-PHI on Hugging Face, after its licence was agreed to and the request approved: one CSV per category. The single table in HarmBench's columns is read as well.",
  licence: 'gated: HEx-PHI licence',
  official: [
    { what: 'after the removal of one category', rows: 300 },
    { what: 'at first', rows: 330 },
  ],
  formats: ['csv', 'bare-csv'],
  files: 'joined',
  fields: [],
  fits: (rows, path) =>
    isTable(rows[0])
      ? rows.every((row) => !isGiven(row['FunctionalCategory']))
      : '0' in (rows[0] ?? {}) && IS_CATEGORY.test(path),
  read: (row, { file, index }) => [isTable(row.value) ? tableRow(row) : categoryRow(row, file, index)],
};

/** Names under which the categories come: category_1.csv, or any table in a folder or archive named after the set. */
const IS_CATEGORY = /(?:^|\/)category[-_ ]?\d+\.csv$|hex[-_ ]?phi[^/]*\/[^/]+\.csv$/i;
const isTable = (row: Readonly<Record<string, unknown>> | undefined): boolean =>
  row !== undefined && HARMBENCH_COLUMNS.every((column) => column in row);

function tableRow({ value }: Row): KeptRow {
  const { Behavior: instruction, BehaviorID: id, SemanticCategory: category } = value;
  if (!isGiven(instruction) || !isGiven(id)) throw wrongRow('it lacks its instruction or its id');
  return {
    id,
    text: JSON.stringify({ id, instruction, category: isGiven(category) ? category : null }),
    isPython: false,
  };
}

function categoryRow({ value }: Row, file: string, index: number): KeptRow {
  const instruction = value['0'];
  if (!isGiven(instruction)) throw wrongRow('it has no instruction in its first column');
  const own = baseName(file).replace(/\.csv(?:\.gz)?$/i, '');
  // Tables of the same name in two folders are two categories.
  const category = folderName(file) === '' || /^category/i.test(own) ? own : `${folderName(file)}/${own}`;
  return {
    id: `${category}/${index}`,
    text: JSON.stringify({ id: `${category}/${index}`, instruction: instruction.trim(), category }),
    isPython: false,
  };
}

const HACKING_KIND = {
  group: 'safety',
  use: 'reference',
  dialect: 'strict',
  rowBytes: 16 * MEBIBYTE,
  files: 'apart',
  official: [{ what: 'Misevolution: 4 memories, 41 requests', rows: 45 }],
} as const;

/** The hashes by which Misevolution's texts are recognised. They hold no text, so nothing has to be agreed to. */
export const misevolutionHashes: KindReader = {
  ...HACKING_KIND,
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
  ...HACKING_KIND,
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
