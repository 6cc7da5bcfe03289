import { inflateSync } from 'node:zlib';
import { z } from 'zod';
import { Failure } from '../../../contract/index.ts';

export const PLATFORMS = ['leetcode', 'codeforces', 'atcoder'] as const;
export const DIFFICULTIES = ['easy', 'medium', 'hard'] as const;
export type Platform = (typeof PLATFORMS)[number];
export type Difficulty = (typeof DIFFICULTIES)[number];

export type LiveCodeBenchTest = { input: string; output: string; kind: 'stdin' | 'functional' };

export type LiveCodeBenchProblem = {
  /** As text; some releases write it as a number. */
  id: string;
  title: string;
  statement: string;
  platform: Platform;
  difficulty: Difficulty;
  contestId: string;
  /** Day and time of the contest, ISO 8601. */
  contestDate: string;
  /** Code to start from; empty for programs that read standard input. */
  starterCode: string;
  /** Name of the method or function that tests call; null for programs that read standard input. */
  functionName: string | null;
  /** The tests as the file holds them, public and private: the private ones packed, decoded by testsOf. */
  packedTests: { publicTests: string; privateTests: string };
};

const LARGEST_TESTS = 1 << 30; // bytes of one problem's private tests, unpacked; published ones stay below a tenth of it

const rowSchema = z.object({
  question_title: z.string(),
  question_content: z.string(),
  platform: z.enum(PLATFORMS),
  question_id: z.union([z.string(), z.int()]),
  contest_id: z.union([z.string(), z.int()]),
  contest_date: z.string().regex(/^\d{4}-\d{2}-\d{2}/),
  starter_code: z.string(),
  difficulty: z.enum(DIFFICULTIES),
  public_test_cases: z.string(),
  private_test_cases: z.string(),
  metadata: z.string(),
});
const testsSchema = z.array(
  z.object({ input: z.string(), output: z.string(), testtype: z.enum(['stdin', 'functional']) }),
);
const metadataSchema = z.object({ func_name: z.string().nullish() });

/**
 * Reads one row of a release file (code_generation_lite/test*.jsonl). Tests stay packed: a release unpacked fills the memory.
 * @throws Failure `badFile` naming the field; `where` says which line it was.
 */
export function readProblem(line: string, where: string): LiveCodeBenchProblem {
  const row = rowSchema.safeParse(parseJson(line, where));
  if (!row.success) {
    const issue = row.error.issues[0];
    throw new Failure(
      'badFile',
      `${where} is no LiveCodeBench problem: ${issue?.path.join('.') || 'the row'} is missing or of another form. Take the file as it was published.`,
    );
  }
  const { data } = row;
  const metadata = metadataSchema.safeParse(parseJson(data.metadata, `The metadata of ${where}`));
  return {
    id: String(data.question_id),
    title: data.question_title,
    statement: data.question_content,
    platform: data.platform,
    difficulty: data.difficulty,
    contestId: String(data.contest_id),
    contestDate: data.contest_date,
    starterCode: data.starter_code,
    functionName: metadata.success ? (metadata.data.func_name ?? null) : null,
    packedTests: { publicTests: data.public_test_cases, privateTests: data.private_test_cases },
  };
}

/**
 * All tests of a problem in the judge's order, public ones first. Private tests are JSON, or JSON in a pickled text,
 * compressed, in base64.
 * @throws Failure `badPickle` or `badFile` naming the problem.
 */
export function testsOf({
  id,
  packedTests,
}: Pick<LiveCodeBenchProblem, 'id' | 'packedTests'>): LiveCodeBenchTest[] {
  const { publicTests, privateTests } = packedTests;
  return [
    ...readTests(publicTests, `The public tests of ${id}`),
    ...readTests(unpack(privateTests, id), `The private tests of ${id}`),
  ];
}

function unpack(text: string, id: string): string {
  if (/^\s*\[/.test(text)) return text;
  let bytes: Uint8Array;
  try {
    bytes = inflateSync(Buffer.from(text, 'base64'), { maxOutputLength: LARGEST_TESTS });
  } catch (cause) {
    throw new Failure(
      'badFile',
      `The private tests of ${id} are neither JSON nor compressed data; take the file as it was published.`,
      1,
      { cause },
    );
  }
  return textOfPickle(bytes);
}

function readTests(text: string, where: string): LiveCodeBenchTest[] {
  const tests = testsSchema.safeParse(parseJson(text, where));
  if (!tests.success)
    throw new Failure(
      'badFile',
      `${where} are not a list of inputs and outputs; take the file as it was published.`,
    );
  return tests.data.map(({ input, output, testtype }) => ({ input, output, kind: testtype }));
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('badFile', `${where} is not JSON; the file is damaged or was cut off.`, 1, { cause });
  }
}

export type Erratum = 'severalAnswers' | 'interactive' | 'badTests';

/**
 * Problems that LiveCodeBench's ERRATA.md names, by question id or by the title as LeetCode writes it in addresses. They stay
 * in the official denominator; scores without them are shown beside it. The list grows upstream, so callers may add to it.
 */
export const ERRATA: Readonly<Record<string, Erratum>> = {
  abc311_c: 'severalAnswers',
  abc326_d: 'severalAnswers',
  abc327_b: 'severalAnswers',
  abc333_e: 'severalAnswers',
  abc343_e: 'severalAnswers',
  abc362_c: 'severalAnswers',
  'find-words-containing-character': 'severalAnswers',
  'find-the-peaks': 'severalAnswers',
  'generate-binary-strings-without-adjacent-zeros': 'severalAnswers',
  abc337_e: 'interactive',
  abc355_e: 'interactive',
  abc350_c: 'badTests',
  'apply-operations-to-make-string-empty': 'badTests',
  'most-frequent-ids': 'badTests',
};

/** What is known to be wrong with a problem; null for nothing. */
export function erratumOf(
  { id, title }: Pick<LiveCodeBenchProblem, 'id' | 'title'>,
  errata: Readonly<Record<string, Erratum>> = ERRATA,
): Erratum | null {
  return (
    errata[id] ??
    errata[
      title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
    ] ??
    null
  );
}

const [PROTO, FRAME, BINUNICODE, SHORT_BINUNICODE, BINUNICODE8, MEMOIZE, BINPUT, LONG_BINPUT, STOP] = [
  0x80, 0x95, 0x58, 0x8c, 0x8d, 0x94, 0x71, 0x72, 0x2e,
];
const NEWEST_PROTOCOL = 5;

/**
 * The text in a pickle that holds one str and nothing else, which is how LiveCodeBench packs its private tests: PROTO, FRAME,
 * one of the three unicode opcodes, MEMOIZE or BINPUT, STOP. A pickle is a program for a machine that can call anything, so
 * every other opcode is refused, and nothing is ever looked up or called.
 * @throws Failure `badPickle` naming the byte offset of what does not belong there.
 */
export function textOfPickle(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let text: string | null = null;
  const refuse = (offset: number, why: string): never => {
    throw new Failure(
      'badPickle',
      `The packed tests are refused at byte ${offset}: ${why}. Take the file as LiveCodeBench published it.`,
    );
  };
  const need = (count: number): number => {
    const from = at;
    if (count > bytes.length - from) refuse(from, 'they end too early');
    at += count;
    return from;
  };
  const long = (): number => {
    const size = view.getBigUint64(need(8), true);
    if (size > BigInt(bytes.length)) refuse(at - 8, 'a length is beyond the end');
    return Number(size);
  };
  const decode = (size: number): void => {
    const from = need(size);
    if (text !== null) refuse(from, 'there is a second text');
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        bytes.subarray(from, from + size),
      );
    } catch {
      refuse(from, 'the text is not UTF-8');
    }
  };
  for (;;) {
    const offset = need(1);
    const opcode = bytes[offset]!;
    switch (opcode) {
      case PROTO:
        if (offset !== 0 || bytes[need(1)]! > NEWEST_PROTOCOL) refuse(offset, 'the protocol is unknown');
        break;
      case FRAME:
        if (long() > bytes.length - at) refuse(offset, 'a frame is longer than what follows');
        break;
      case SHORT_BINUNICODE:
        decode(bytes[need(1)]!);
        break;
      case BINUNICODE:
        decode(view.getUint32(need(4), true));
        break;
      case BINUNICODE8:
        decode(long());
        break;
      case MEMOIZE:
        break;
      case BINPUT:
        need(1);
        break;
      case LONG_BINPUT:
        need(4);
        break;
      case STOP:
        if (text === null) return refuse(offset, 'they hold no text');
        if (at !== bytes.length) refuse(at, 'something follows the end');
        return text;
      default:
        refuse(offset, `opcode 0x${opcode.toString(16).padStart(2, '0')} does not belong in a packed text`);
    }
  }
}
