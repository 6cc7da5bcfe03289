import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure, type DatasetFault, type SuiteDataset } from '../../../../electron/contract/index.ts';
import { datasets } from '../../../../electron/evaluation/index.ts';

export { hasShared, root, shared } from '../safety/support.ts';

/** A folder of its own for a test file, and a way to put files into it. */
export function scratch(): {
  folder: string;
  put: (name: string, content: string | Buffer) => string;
  remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-datasets-'));
  return {
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
    put: (name, content) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
  };
}

export type Brought = {
  /** Where it was written to. */ folder: string;
  kind: string;
  written: datasets.WrittenSet;
  items: { id: string; row: unknown }[];
};

let count = 0;

/** Imports the one set at a path (or the one of a key) into `folder`, as the engine does. */
export async function bring(
  path: string,
  folder: string,
  { key, known = null }: { key?: string; known?: datasets.KnownTexts | null } = {},
): Promise<Brought> {
  const opened = await datasets.openPath(path);
  try {
    const { sets, ignored } = await datasets.findSets(opened);
    const [set, ...others] = key === undefined ? sets : sets.filter((each) => each.key === key);
    if (set === undefined) throw new Failure('refused', datasets.nothingFound(path, ignored), 2);
    if (others.length > 0) throw new Error(`several sets: ${sets.map((each) => each.key).join(', ')}`);
    const target = join(folder, `out-${count++}`);
    const written = await datasets.writeSet(set, target, { known });
    const items = readFileSync(join(target, 'items.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; row: unknown });
    return { folder: target, kind: set.reader.name, written, items };
  } finally {
    opened.close();
  }
}

/** A set that was brought, as a lab knows it. */
export const asDataset = (
  kind: string,
  { rows, bytes, sha256, files, sources }: datasets.WrittenSet,
): SuiteDataset => ({
  name: kind,
  kind: kind as SuiteDataset['kind'],
  folder: 'unused',
  rows,
  bytes,
  sha256,
  files,
  sources,
  addedAt: '2026-01-01T00:00:00.000Z',
  acknowledgement: { by: 'a test', at: '2026-01-01T00:00:00.000Z', statement: 'read by tests' },
});

/** What an import is refused for: the faults of rows, or the sentence about the whole. */
export async function refusal(
  path: string,
  folder: string,
  key?: string,
): Promise<{ faults: DatasetFault[]; sentence: string }> {
  try {
    await bring(path, folder, key === undefined ? {} : { key });
  } catch (error) {
    if (error instanceof datasets.RowsRefused)
      return { faults: error.refusal.faults, sentence: error.message };
    if (error instanceof Failure) return { faults: [], sentence: error.message };
    throw error;
  }
  throw new Error(`${path} was imported, but should have been refused`);
}

/** A row of each shape, harmless and made up, that the importers take. */
export const rowsOfKind = {
  salad: (id = 0): Record<string, unknown> => ({
    mcq: `Which of these boils at 100 degrees? (${id})`,
    baseq: 'Which boils?',
    choices: 'A. water; B. stone;',
    gt: 'A',
    '1-category': 'a',
    '2-category': 'b',
    '3-category': 'c',
  }),
  math500: (id = 0): Record<string, unknown> => ({
    problem: `What is ${id} + 1?`,
    solution: `\\boxed{${id + 1}}`,
    answer: String(id + 1),
    subject: 'Algebra',
    level: 1,
    unique_id: `test/algebra/${id}.json`,
  }),
  minerva: (id = 0): Record<string, unknown> => ({
    problem: 'How far?',
    solution: '\\boxed{3}',
    type: 'course',
    idx: id,
  }),
  mbpp: (id = 2): Record<string, unknown> => ({
    task_id: `Mbpp/${id}`,
    prompt: '"""\nDouble it.\nassert twice(1) == 2\n"""\n',
    entry_point: 'twice',
    canonical_solution: 'def twice(x):\n    return 2 * x\n',
    base_input: [[1]],
    plus_input: [[2]],
    atol: 0,
    contract: '',
    assertion: '',
  }),
  livecodebench: (id = 'a'): Record<string, unknown> => ({
    question_title: 'Sum',
    question_content: 'Add.',
    platform: 'atcoder',
    question_id: id,
    contest_id: 'c',
    contest_date: '2025-01-01T00:00:00',
    starter_code: '',
    difficulty: 'easy',
    public_test_cases: '[]',
    private_test_cases: '[]',
    metadata: '{}',
  }),
};
export const lines = (rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');
export const HARMBENCH_HEADER = 'Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID';

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
