import { z } from 'zod';
import { MEBIBYTE } from '../rows/row.ts';
import { checked, wrongRow, kept, type KindReader } from './kind.ts';

type About = Pick<
  KindReader,
  'name' | 'title' | 'source' | 'licence' | 'official' | 'fields' | 'fits' | 'read'
>;
const maths = (about: About): KindReader => ({
  ...about,
  group: 'maths',
  use: 'suite',
  terms: null,
  hazardous: false,
  formats: ['lines', 'list', 'parquet', 'csv'],
  dialect: 'strict',
  rowBytes: 4 * MEBIBYTE,
  files: 'apart',
});

const text = z.string().refine((value) => value.trim() !== '' && !/^nan$/i.test(value.trim()));
const id = z.union([z.string().min(1), z.int()]);
const answer = z.union([text, z.number()]);
const contestRow = z.union([
  z.object({ id: id.optional(), problem: text, answer }),
  z.object({ id: id.optional(), question: text, answer }),
]);

/** Problems of a contest with whole numbers as answers. Their files have the same columns, so the name of the file decides, or what the ids and answers look like. */
function contest(
  about: Pick<About, 'name' | 'title' | 'official'> & {
    hint: RegExp;
    others: RegExp;
    looks: (row: Readonly<Record<string, unknown>>) => boolean;
    isAnswer: (value: number) => boolean;
    answers: string;
  },
): KindReader {
  const { hint, others, looks, isAnswer, answers, ...rest } = about;
  return maths({
    ...rest,
    source: `${rest.name.replace('-set', '')}/test.jsonl of the mathematics evaluations of Qwen2.5-Math or Absolute-Zero-Reasoner.`,
    licence: 'problem texts © MAA; repositories MIT',
    fields: ['answer'],
    fits: (rows, path) =>
      rows.every(
        (row) => ('problem' in row || 'question' in row) && !FIELDS_OF_OTHERS.some((field) => field in row),
      ) &&
      (namedIn(path, hint, others) ?? rows.every(looks)),
    read: (row, { index }) => {
      const parsed = checked(contestRow, row.value);
      const value = Number(String(parsed.answer).trim());
      if (!Number.isInteger(value) || !isAnswer(value)) throw wrongRow(`its answer is not ${answers}`);
      // Some copies call the problem "question" only; readers ask for "problem".
      if ('problem' in parsed) return [kept(String(parsed.id ?? index), row)];
      return [
        kept(String(parsed.id ?? index), {
          ...row,
          text: null,
          value: { ...row.value, problem: parsed.question },
        }),
      ];
    },
  });
}

/** Whether a path names this set or another one, by the part nearest to the file; null when no part decides. */
function namedIn(path: string, own: RegExp, others: RegExp): boolean | null {
  const part = path
    .split(/[\\/]/)
    .slice(-4)
    .toReversed()
    .find((each) => own.test(each) !== others.test(each));
  return part === undefined ? null : own.test(part);
}

/** Columns of other mathematics sets that also have a problem and an answer. */
const FIELDS_OF_OTHERS = ['unique_id', 'subject', 'final_answer', 'type', 'mcq'];
const isAime = (value: number): boolean => value >= 0 && value <= 999;

export const aime24 = contest({
  name: 'aime24-set',
  title: 'AIME 2024',
  official: [{ what: 'I and II', rows: 30 }],
  hint: /aime[-_ ]?(?:20)?24/i,
  others: /aime[-_ ]?(?:20)?25|amc/i,
  looks: (row) => typeof row['id'] === 'number' && 'solution' in row && typeof row['answer'] === 'string',
  isAnswer: isAime,
  answers: 'a whole number from 0 to 999',
});
export const aime25 = contest({
  name: 'aime25-set',
  title: 'AIME 2025',
  official: [{ what: 'I and II', rows: 30 }],
  hint: /aime[-_ ]?(?:20)?25/i,
  others: /aime[-_ ]?(?:20)?24|amc/i,
  looks: (row) => /^II?-\d+$/.test(String(row['id'])),
  isAnswer: isAime,
  answers: 'a whole number from 0 to 999',
});
export const amc23 = contest({
  name: 'amc23-set',
  title: 'AMC 2023',
  official: [{ what: 'AMC 12, whole-number answers', rows: 40 }],
  hint: /amc[-_ ]?(?:20)?23/i,
  others: /aime/i,
  looks: (row) => typeof row['answer'] === 'number' && !('solution' in row),
  isAnswer: () => true,
  answers: 'a whole number',
});

const math500Row = z.object({ problem: text, solution: text, answer: z.string(), unique_id: text });
export const math500 = maths({
  name: 'math500-set',
  title: 'MATH-500',
  source: 'math500/test.jsonl of Absolute-Zero-Reasoner, or test.jsonl of MATH-500 on Hugging Face.',
  licence: 'MIT',
  official: [{ what: 'the only split', rows: 500 }],
  fields: ['problem', 'solution', 'answer', 'unique_id'],
  fits: () => true,
  read: (row) => [kept(checked(math500Row, row.value).unique_id, row)],
});

const olympiadRow = z.object({
  id,
  question: text,
  solution: z.array(z.string()).nullable(),
  final_answer: z.array(text).min(1),
  is_multiple_answer: z.boolean(),
  unit: z.string().nullish(),
  answer_type: text,
  error: z.union([z.string(), z.number()]).nullish(),
});
export const olympiadBench = maths({
  name: 'olympiadbench-set',
  title: 'OlympiadBench',
  source:
    'olympiadbench/test.jsonl of Qwen2.5-Math or Absolute-Zero-Reasoner (open-ended, text only, English, competition).',
  licence: 'MIT',
  official: [{ what: 'OE_TO_maths_en_COMP', rows: 675 }],
  fields: ['id', 'question', 'final_answer', 'answer_type', 'is_multiple_answer'],
  fits: () => true,
  read: (row) => [kept(String(checked(olympiadRow, row.value).id), row)],
});

const minervaRow = z.object({
  problem: text,
  solution: text,
  type: z.string(),
  idx: z.union([z.int(), z.string().regex(/^\d+$/)]),
});
export const minervaMath = maths({
  name: 'minerva-math-set',
  title: 'Minerva Math',
  source: 'minerva_math/test.jsonl of Qwen2.5-Math or Absolute-Zero-Reasoner.',
  licence: 'MIT OpenCourseWare text, CC BY-NC-SA 4.0',
  official: [{ what: 'OCW courses', rows: 272 }],
  fields: ['problem', 'solution', 'type', 'idx'],
  fits: () => true,
  read: (row) => [kept(String(checked(minervaRow, row.value).idx), row)],
});
