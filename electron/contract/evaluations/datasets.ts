import { z } from 'zod';
import { sha256Schema } from '../names.ts';

/**
 * Test sets that a person imports, by what their official files hold. A suite names the kind its items come from; a lab may hold
 * several sets of one kind (HarmBench's 320 and 80, EvalPlus's full and mini inputs), each under a name of its own.
 */
export const DATASET_KINDS = [
  'humaneval-plus',
  'mbpp-plus',
  'livecodebench',
  'humaneval-original',
  'mbpp-sanitized',
  'livecodebench-statements',
  'aime24-set',
  'aime25-set',
  'amc23-set',
  'math500-set',
  'olympiadbench-set',
  'minerva-math-set',
  'harmbench-behaviors',
  'harmbench-hashes',
  'harmbench-pickles',
  'harmbench-labelled',
  'salad-mcq',
  'hex-phi-set',
  'misevolution-hashes',
  'misevolution-texts',
  'own-questions',
] as const;
const datasetKindSchema = z.enum(DATASET_KINDS);
export type DatasetKindName = (typeof DATASET_KINDS)[number];

/** What a person agrees to before a set may be used: a licence it is given out under, or that its text is harmful to read. */
export type DatasetTerms = {
  kind: 'licence' | 'sensitivity';
  /** The statement agreed to, one or two sentences. */ statement: string;
};

/** What the program knows of a kind before any file is there. */
export type DatasetKind = {
  name: DatasetKindName;
  /** "HumanEval+ (EvalPlus)". */
  title: string;
  group: 'code' | 'maths' | 'safety' | 'own';
  /** What it is for: items of a suite, labels that calibrate judges, or a reference that graders need. */
  use: 'suite' | 'calibration' | 'reference';
  /** Its official file, and where that is published; one sentence. */
  source: string;
  licence: string;
  /** Null where nothing has to be agreed to. */
  terms: DatasetTerms | null;
  /** Its text can harm a reader, so a window blurs it until asked. */
  hazardous: boolean;
  /** Rows of the official releases, for a person to compare with. */
  official: readonly { what: string; rows: number }[];
};

/** One file a set was read from. */
const datasetSourceSchema = z.strictObject({
  /** Its name, below the folder or inside the archive that was chosen. */
  name: z.string().min(1),
  /** Unpacked size in bytes and SHA-256 of the unpacked bytes. */
  bytes: z.int().nonnegative(),
  sha256: sha256Schema,
  rows: z.int().nonnegative(),
  /** The official release whose bytes these are; null for any other file of the same form. */
  release: z.string().nullable(),
});
export type DatasetSource = z.infer<typeof datasetSourceSchema>;

/** Who agreed to a set's terms, when, and to which words. */
const acknowledgementSchema = z.strictObject({
  by: z.string().min(1).max(200),
  at: z.iso.datetime(),
  statement: z.string().min(1),
});
export type Acknowledgement = z.infer<typeof acknowledgementSchema>;

/** A test set of the lab: official rows as JSON Lines of our own, in a folder below the lab's. */
export const suiteDatasetSchema = z.strictObject({
  name: z.string().min(1),
  kind: datasetKindSchema,
  /** Folder below the lab folder; it holds items.jsonl and what belongs beside it. */
  folder: z.string().min(1),
  rows: z.int().positive(),
  /** Of items.jsonl, in bytes, and its SHA-256: what a result says it was measured on. */
  bytes: z.int().nonnegative(),
  sha256: sha256Schema,
  /** Files beside items.jsonl with their SHA-256. */
  files: z.record(z.string(), sha256Schema),
  sources: z.array(datasetSourceSchema).min(1),
  addedAt: z.iso.datetime(),
  acknowledgement: acknowledgementSchema.nullable(),
});
export type SuiteDataset = z.infer<typeof suiteDatasetSchema>;

/** A set with what became of it since. */
export type DatasetEntry = SuiteDataset & {
  title: string;
  group: DatasetKind['group'];
  use: DatasetKind['use'];
  licence: string;
  hazardous: boolean;
  terms: DatasetTerms | null;
  /** `unacknowledged`: its terms were not agreed to; `missing`: its files are gone. */
  state: 'ready' | 'unacknowledged' | 'missing';
};

/** The beginning of a set as a table; long cells are cut. */
export type DatasetPreview = {
  columns: string[];
  rows: { id: string; cells: string[] }[];
  hazardous: boolean;
};

/** A row that a file cannot be imported with. `row` counts from 1 (the line for lines and tables); null when it is about the whole file. */
export type DatasetFault = { file: string; row: number | null; why: string };

/** A set that was recognised at a path. */
export type FoundDataset = {
  /** Names this set among those found: pass it to the import. */
  key: string;
  kind: DatasetKindName;
  title: string;
  suggestedName: string;
  files: { name: string; /** As packed, in bytes. */ bytes: number }[];
  /** The release it is, by content; null where it is known by its columns only, or too large to be hashed before the import. */
  release: string | null;
  hazardous: boolean;
  terms: DatasetTerms | null;
  /** Null where terms have to be agreed to before anything is shown. */
  preview: DatasetPreview | null;
  /** What the first rows are refused for; the import would be too. */
  fault: DatasetFault | null;
  /** A set of the lab with the same content. */
  alreadyAs: string | null;
};

/** What stands at a path: sets, and the files that are none with the reason. `refused`: nothing can be taken from here, and why. */
export type DatasetLook = {
  path: string;
  sets: FoundDataset[];
  ignored: { name: string; why: string }[];
  refused: string | null;
};

/** What a refused import was refused for: the first faults and how many there are. */
export type DatasetRefusal = { faults: DatasetFault[]; count: number };

/** A difference between a folder and its manifest. */
export type FolderDifference =
  | { state: 'missing' | 'added'; path: string }
  | {
      state: 'changed';
      path: string;
      expected: { bytes: number | null; sha256: string };
      found: { bytes: number; sha256: string };
    };

/** A folder that was written down (`differences` empty) or compared with what was written down. */
export type FolderManifest = {
  folder: string;
  manifest: string;
  files: number;
  bytes: number;
  differences: FolderDifference[];
};

/** What a test set shares with what runs of a lab were trained on. Rows and tasks are named; their texts are not part of it. */
export type Contamination = {
  dataset: string;
  runs: number;
  /** Rows compared; tasks that policies made and first tasks, and how many different texts these are. */
  rows: number;
  tasks: number;
  seeds: number;
  different: number;
  /** Words in a row from which on a row counts as shared. */
  n: number;
  /** Rows that share so many with a task, and different tasks and first tasks that do with a row. */
  shared: number;
  sharedTasks: number;
  sharedSeeds: number;
  /** The longest overlap of any row, in words; 0 where none reaches `shortestWords`. */
  longestWords: number;
  shortestWords: number;
  /** The shared rows with the longest overlaps, each with one of the tasks. */
  longest: { row: string; words: number; runId: string; taskId: string }[];
};
