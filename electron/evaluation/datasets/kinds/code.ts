import { z } from 'zod';
import { MEBIBYTE } from '../rows/row.ts';
import { checked, wrongRow, kept, type KindReader } from './kind.ts';
import { readEvalPlus, type EvalPlusDataset } from '../../code/evalplus/task.ts';
import { readProblem } from '../../code/livecodebench/problem.ts';

const CODE_KIND = { group: 'code', terms: null, hazardous: false, files: 'apart' } as const;
/** Sets that are looked up beside those that are asked. */
const REFERENCE = { ...CODE_KIND, use: 'reference', dialect: 'strict', rowBytes: 4 * MEBIBYTE } as const;

const EVALPLUS_FIELDS = [
  'task_id',
  'prompt',
  'entry_point',
  'canonical_solution',
  'base_input',
  'plus_input',
  'atol',
] as const;
const idBegins = (rows: readonly Readonly<Record<string, unknown>>[], prefix: string): boolean =>
  rows.every((row) => typeof row['task_id'] === 'string' && row['task_id'].startsWith(prefix));

const evalPlus = (
  dataset: EvalPlusDataset,
  about: Pick<KindReader, 'name' | 'title' | 'source' | 'licence' | 'official'>,
): KindReader => ({
  ...about,
  ...CODE_KIND,
  use: 'suite',
  formats: ['lines', 'list'],
  dialect: 'python',
  rowBytes: 16 * MEBIBYTE,
  fields: EVALPLUS_FIELDS,
  fits: (rows) => idBegins(rows, dataset === 'mbpp' ? 'Mbpp/' : 'HumanEval/'),
  // The reader keeps 1 and 1.0 apart, so it gets the text of the file and not what JSON.parse makes of it.
  read: (row) => [kept(readEvalPlus(row.text ?? JSON.stringify(row.value), dataset).id, row)],
});

export const humanEvalPlus = evalPlus('humaneval', {
  name: 'humaneval-plus',
  title: 'HumanEval+',
  source: 'HumanEvalPlus.jsonl(.gz) of EvalPlus, as its releases on GitHub give it out.',
  licence: 'Apache-2.0 (HumanEval: MIT)',
  official: [{ what: 'v0.1.10', rows: 164 }],
});
export const mbppPlus = evalPlus('mbpp', {
  name: 'mbpp-plus',
  title: 'MBPP+',
  source: 'MbppPlus.jsonl(.gz) of EvalPlus, as its releases on GitHub give it out.',
  licence: 'Apache-2.0 (MBPP: CC-BY-4.0)',
  official: [{ what: 'v0.2.0', rows: 378 }],
});

const humanEvalRow = z.object({
  task_id: z.string().regex(/^HumanEval\/\d+$/),
  prompt: z.string().min(1),
  entry_point: z.string().min(1),
  canonical_solution: z.string().min(1),
  test: z.string().min(1),
});
export const humanEvalOriginal: KindReader = {
  ...REFERENCE,
  name: 'humaneval-original',
  title: 'HumanEval, original',
  source:
    "HumanEval.jsonl.gz of OpenAI's human-eval on GitHub. Scores come from HumanEval+, which holds these tests too; its reference solutions check graders.",
  licence: 'MIT',
  official: [{ what: 'the only release', rows: 164 }],
  formats: ['lines', 'list', 'parquet'],
  fields: ['task_id', 'prompt', 'entry_point', 'canonical_solution', 'test'],
  fits: (rows) => idBegins(rows, 'HumanEval/') && rows.every((row) => !('base_input' in row)),
  read: (row) => [kept(checked(humanEvalRow, row.value).task_id, row)],
};

const mbppRow = z.object({
  task_id: z.int(),
  prompt: z.string().min(1),
  code: z.string().min(1),
  test_imports: z.array(z.string()),
  test_list: z.array(z.string().min(1)).min(1),
});
export const mbppSanitized: KindReader = {
  ...REFERENCE,
  name: 'mbpp-sanitized',
  title: 'MBPP, sanitized original',
  source:
    'sanitized-mbpp.json of google-research on GitHub. Scores come from MBPP+; this set shows the tasks as they were first published.',
  licence: 'CC-BY-4.0',
  official: [{ what: 'sanitized', rows: 427 }],
  formats: ['list', 'lines', 'parquet'],
  fields: ['task_id', 'prompt', 'code', 'test_list'],
  fits: (rows) => rows.every((row) => typeof row['task_id'] === 'number'),
  read: (row) => [kept(String(checked(mbppRow, row.value).task_id), row)],
};

const STATEMENT_FIELDS = [
  'question_title',
  'question_content',
  'platform',
  'question_id',
  'contest_id',
  'contest_date',
  'starter_code',
  'difficulty',
] as const;
/** Private tests are JSON, or zlib data in base64 (whose first byte is 0x78, hence the letter e). Unpacking them waits until they are graded with. */
const PACKED_TESTS = /^(?:\s*\[|e)/;

export const liveCodeBench: KindReader = {
  ...CODE_KIND,
  name: 'livecodebench',
  title: 'LiveCodeBench, code generation',
  use: 'suite',
  source:
    'test.jsonl, test2.jsonl … of livecodebench/code_generation_lite on Hugging Face; a release is the first so many of them in one folder.',
  licence: 'statements belong to the contest sites',
  official: [
    { what: 'v1', rows: 400 },
    { what: 'v2', rows: 511 },
    { what: 'v3', rows: 612 },
    { what: 'v4', rows: 713 },
    { what: 'v5', rows: 880 },
    { what: 'v6', rows: 1055 },
  ],
  // The largest published problem has some tens of millions of bytes.
  formats: ['lines'],
  dialect: 'strict',
  rowBytes: 128 * MEBIBYTE,
  files: 'joined',
  fields: [...STATEMENT_FIELDS, 'public_test_cases', 'private_test_cases', 'metadata'],
  fits: () => true,
  read: (row) => {
    const text = row.text ?? JSON.stringify(row.value);
    const { id, packedTests } = readProblem(text, 'The row');
    if (!PACKED_TESTS.test(packedTests.privateTests))
      throw wrongRow('its private tests are neither JSON nor packed data');
    return [kept(id, row)];
  },
};

const statementRow = z.object({
  question_title: z.string(),
  question_content: z.string().min(1),
  platform: z.enum(['leetcode', 'codeforces', 'atcoder']),
  question_id: z.union([z.string().min(1), z.int()]),
  contest_date: z.string().regex(/^\d{4}-\d{2}-\d{2}/),
  starter_code: z.string(),
  difficulty: z.enum(['easy', 'medium', 'hard']),
});
export const liveCodeBenchStatements: KindReader = {
  ...liveCodeBench,
  name: 'livecodebench-statements',
  title: 'LiveCodeBench, statements without tests',
  use: 'reference',
  source:
    'Rows of LiveCodeBench without their tests: they can be read and asked, but not graded. Import test.jsonl, test2.jsonl … for the suite.',
  official: [],
  rowBytes: 4 * MEBIBYTE,
  files: 'apart',
  fields: STATEMENT_FIELDS,
  fits: (rows) => rows.every((row) => !('private_test_cases' in row)),
  read: (row) => [kept(String(checked(statementRow, row.value).question_id), row)],
};
