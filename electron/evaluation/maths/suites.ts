import { z } from 'zod';
import { Failure } from '../../contract/index.ts';
import { qwenAnswer } from './protocol.ts';
import { compatibleForm, pythonStrip, replaceEach } from './normal/compatible.ts';
import { repairedForm } from './normal/repaired.ts';

export type MathsSuite = 'aime24' | 'aime25' | 'amc23' | 'math500' | 'olympiadbench' | 'minerva_math';

type MathsSuiteFacts = {
  name: MathsSuite;
  title: string;
  /** Questions of the official file. */
  size: number;
  /** SHA-256 of the official test.jsonl, unpacked, as AZR's and Qwen's repositories have it. */
  sha256: string;
  /** Answers are compared with their units. */
  keepUnits: boolean;
  licence: string;
};

/** In the order of the published tables. */
export const MATHS_SUITES: readonly MathsSuiteFacts[] = [
  {
    name: 'aime24',
    title: 'AIME 2024',
    size: 30,
    sha256: 'af2b8bd2aa911b6333ad0df32f3ca05c7ae8ed10f1731f4372c8ae26990bf7ac',
    keepUnits: false,
    licence: 'Problems © Mathematical Association of America; file MIT',
  },
  {
    name: 'aime25',
    title: 'AIME 2025',
    size: 30,
    sha256: '20c1ca392758d96bd1e28af15d9f30df5660257927cacc9eac7301c29f677d1a',
    keepUnits: false,
    licence: 'Problems © Mathematical Association of America; file MIT',
  },
  {
    name: 'amc23',
    title: 'AMC 2023',
    size: 40,
    sha256: '43707e1ca784602d8479de24ee8ce36609dbebc46dd152b0b12a46611aa898a4',
    keepUnits: false,
    licence: 'Problems © Mathematical Association of America; file MIT',
  },
  {
    name: 'math500',
    title: 'MATH-500',
    size: 500,
    sha256: '35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132',
    keepUnits: false,
    licence: 'MIT',
  },
  {
    name: 'olympiadbench',
    title: 'OlympiadBench (mathematics, English, text only)',
    size: 675,
    sha256: 'bb8c1e38a16ea9eacb77530315a674d883f267fbff79183effc53681b4fcc416',
    keepUnits: false,
    licence: 'MIT',
  },
  {
    name: 'minerva_math',
    title: 'Minerva Math',
    size: 272,
    sha256: '0e656b430d3a0a1dab6aa853f453ba3805e28e2cabe4fc72486a897cc09d8ba2',
    keepUnits: true,
    licence: 'Problems from MIT OpenCourseWare, CC BY-NC-SA',
  },
];

const BY_NAME = new Map(MATHS_SUITES.map((suite) => [suite.name, suite]));

export const mathsSuite = (name: MathsSuite): MathsSuiteFacts => BY_NAME.get(name)!;

export type MathsItem = {
  suite: MathsSuite;
  id: string;
  /** What a model is shown, without any template. */
  question: string;
  /** What the question needs beside it, shown before it in repaired mode; the published protocols leave it out. */
  context: string | null;
  /**
   * compatible: as AZR's evaluation reads it; empty for an item that nobody can answer there. repaired: the whole answer in its repaired
   * form. whole: the same as it was published.
   */
  gold: { compatible: string; repaired: string; whole: string };
  /** Largest differences that still count, where the file allows any: one for all parts of the answer, or one a part; used in repaired mode only. */
  tolerance: readonly number[] | null;
  /** What the file says about the item, for tables: subject, level, type of answer. */
  labels: Readonly<Record<string, string>>;
};

const text = z.string().min(1);
const id = z.union([z.int(), text]).optional();
const whole = z.union([z.int().nonnegative(), z.string().regex(/^\d+$/, 'must be a whole number')]);
const underThousand = whole.refine((answer) => Number(answer) <= 999, 'must be a whole number from 0 to 999');
const contest = <Answer extends z.ZodType>(answer: Answer) =>
  z
    .object({ id, problem: text.optional(), question: text.optional(), answer })
    .refine(({ problem, question }) => problem !== undefined || question !== undefined, {
      path: ['problem'],
      message: 'there is neither problem nor question',
    });
/** Fields as the official files have them; copies in other formats may lack ids and labels or write numbers as texts. */
const ROWS = {
  aime24: contest(underThousand),
  aime25: contest(underThousand),
  amc23: contest(z.union([z.number(), text])),
  math500: z.object({
    unique_id: text,
    problem: text,
    solution: text,
    answer: text,
    subject: z.string().nullish(),
    level: z.union([z.int(), text]).nullish(),
  }),
  minerva_math: z.object({ idx: whole, problem: text, solution: text, type: z.string() }),
  olympiadbench: z.object({
    id,
    question: text,
    context: z.string().nullish(),
    final_answer: z.array(text).min(1),
    is_multiple_answer: z.boolean(),
    unit: z.string().nullish(),
    answer_type: text,
    error: z.union([z.string(), z.number()]).nullish(),
    subfield: z.string().nullish(),
  }),
} satisfies Record<MathsSuite, z.ZodType>;

/** One line of such a file. `where` begins the sentence of a failure, `ordinal` is the id of a row that has none. @throws Failure `badFile` */
export function readMathsLine(line: string, suite: MathsSuite, where: string, ordinal = 0): MathsItem {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Failure('badFile', `${where} is not JSON; the file is damaged or was cut off.`, 1, { cause });
  }
  const parse = <Suite extends MathsSuite>(name: Suite): z.infer<(typeof ROWS)[Suite]> => {
    const row = ROWS[name].safeParse(value);
    if (row.success) return row.data as z.infer<(typeof ROWS)[Suite]>;
    const issue = row.error.issues[0];
    throw new Failure(
      'badFile',
      `${where}: ${issue?.path.join('.') || 'the line'} is missing or of another form (${issue?.message ?? 'unknown'}). Choose the test.jsonl of ${mathsSuite(suite).title}.`,
    );
  };
  switch (suite) {
    case 'aime24':
    case 'aime25':
    case 'amc23':
      return contestItem(suite, parse(suite), ordinal);
    case 'math500':
      return math500Item(parse(suite));
    case 'minerva_math':
      return minervaItem(parse(suite));
    case 'olympiadbench':
      return olympiadItem(parse(suite), ordinal);
  }
}

type ContestRow = {
  id?: string | number | undefined;
  problem?: string | undefined;
  question?: string | undefined;
  answer: string | number;
};

function contestItem(
  suite: 'aime24' | 'aime25' | 'amc23',
  { id: given, problem, question, answer }: ContestRow,
  ordinal: number,
): MathsItem {
  const gold = compatibleForm(String(answer));
  return {
    suite,
    id: String(given ?? ordinal),
    question: (question ?? problem ?? '').trim(),
    context: null,
    gold: { compatible: gold, repaired: gold, whole: String(answer) },
    tolerance: null,
    labels: {},
  };
}

/** The published protocol takes the boxed answer of the solution and not the answer field, and its form empties one of them. */
function math500Item({
  unique_id,
  problem,
  solution,
  answer,
  subject,
  level,
}: z.infer<typeof ROWS.math500>): MathsItem {
  return {
    suite: 'math500',
    id: unique_id,
    question: problem.trim(),
    context: null,
    gold: {
      compatible: compatibleForm(qwenAnswer(solution, false)),
      repaired: repairedForm(answer),
      whole: answer,
    },
    tolerance: null,
    labels: { ...(subject == null ? {} : { subject }), ...(level == null ? {} : { level: String(level) }) },
  };
}

function minervaItem({ idx, problem, solution, type }: z.infer<typeof ROWS.minerva_math>): MathsItem {
  const gold = replaceEach(qwenAnswer(solution, true), [
    ['\\neq', '\\ne'],
    ['\\leq', '\\le'],
    ['\\geq', '\\ge'],
  ]);
  return {
    suite: 'minerva_math',
    id: String(idx),
    question: problem.trim(),
    context: null,
    gold: { compatible: gold, repaired: repairedForm(gold), whole: gold },
    tolerance: null,
    labels: { type },
  };
}

/** "1e-4", or one number for each part of the answer between commas; null for anything else. */
function tolerancesOf(error: string | number | null | undefined): number[] | null {
  const parts = String(error ?? '')
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return parts.every((part) => Number.isFinite(part) && part >= 0) ? parts : null;
}

function olympiadItem(row: z.infer<typeof ROWS.olympiadbench>, ordinal: number): MathsItem {
  const first = row.final_answer[0]!.replace(/^\$+|\$+$/g, '');
  const answers = row.final_answer.map((answer) => answer.replaceAll('$', '')).join(', ');
  return {
    suite: 'olympiadbench',
    id: String(row.id ?? ordinal),
    question: row.question.trim(),
    context: row.context == null || pythonStrip(row.context) === '' ? null : row.context,
    gold: {
      compatible: compatibleForm(first),
      repaired: repairedForm(answers),
      whole: answers,
    },
    tolerance: tolerancesOf(row.error),
    labels: {
      ...(row.subfield == null ? {} : { subfield: row.subfield }),
      answerType: row.answer_type,
      ...(row.is_multiple_answer ? { answers: 'several' } : {}),
      ...(row.unit == null ? {} : { unit: row.unit }),
    },
  };
}
