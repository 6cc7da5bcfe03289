import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createGunzip } from 'node:zlib';
import { Failure } from '../../../contract/index.ts';
import { meanPassAtK } from '../../../core/index.ts';
import {
  readProblem,
  type LiveCodeBenchProblem,
  ERRATA,
  erratumOf,
  type Erratum,
  DIFFICULTIES,
  PLATFORMS,
  type Difficulty,
  type Platform,
} from './problem.ts';

const PIECE_BYTES = 1 << 20;
const LONGEST_LINE = 512 << 20; // bytes; the largest published problem has some tens of millions

type ReleaseOptions = { signal?: AbortSignal; onBytes?: (bytes: number) => void };

/**
 * The problems of release files (test.jsonl, test2.jsonl, …; also gzipped), one after the other, so that a release of several
 * gigabytes needs the memory of its largest line. Which release it is follows from the files given: v5 is the first five.
 * @throws Failure `missingFile`, or `badFile` with file and line: broken UTF-8, a row of another form, a problem that came
 *   before. The signal's reason when it is aborted.
 */
export async function* readReleases(
  paths: readonly string[],
  { signal, onBytes = () => {} }: ReleaseOptions = {},
): AsyncGenerator<LiveCodeBenchProblem, void, undefined> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    let number = 0;
    for await (const line of linesOf(path, onBytes)) {
      signal?.throwIfAborted();
      number += 1;
      const where = `Line ${number} of ${basename(path)}`;
      const text = decode(line, where);
      if (text.trim() === '') continue;
      const problem = readProblem(text, where);
      const before = seen.get(problem.id);
      if (before !== undefined)
        throw new Failure(
          'badFile',
          `${where} repeats problem ${problem.id} (${before}); give every release file once.`,
        );
      seen.set(problem.id, where);
      yield problem;
    }
  }
}

async function* linesOf(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of bytesOf(path, onBytes)) {
      let from = 0;
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, from)) {
        yield parts.length === 0
          ? piece.subarray(from, at)
          : Buffer.concat([...parts, piece.subarray(from, at)]);
        [parts, length, from] = [[], 0, at + 1];
      }
      // A copy, since a slice would keep its whole piece: a rest is either short or part of a long line.
      parts.push(Buffer.from(piece.subarray(from)));
      length += piece.length - from;
      if (length > LONGEST_LINE)
        throw new Failure(
          'badFile',
          `A line of ${path} is longer than 512 MiB; it is no release file of LiveCodeBench.`,
        );
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(
      'missingFile',
      `The file ${path} could not be read (${(cause as Error).message}); check the path and the file.`,
      1,
      { cause },
    );
  }
  if (length > 0) yield Buffer.concat(parts);
}

function bytesOf(path: string, onBytes: (bytes: number) => void): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES });
  file.on('data', (piece) => onBytes(piece.length));
  if (!path.endsWith('.gz')) return file;
  const unpacked = createGunzip({ chunkSize: PIECE_BYTES });
  file.on('error', (error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}

function decode(line: Buffer, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch (cause) {
    throw new Failure('badFile', `${where} is not UTF-8; the file is damaged.`, 1, { cause });
  }
}

export type LiveCodeBenchStyle = 'generic' | 'azr';

type LiveCodeBenchPrompt = {
  style: LiveCodeBenchStyle;
  /** generic: chat messages. azr: one user turn for a model without a system role, which ends with an opened think tag. */
  messages: { role: 'system' | 'user'; content: string }[];
  answersPerProblem: number;
  temperature: number;
  topP: number;
  maxNewTokens: number;
  /** Seconds a test may take when answers to this prompt are graded. */
  testSeconds: number;
};

// LiveCodeBench's and AZR's protocols in our own words; scores under another wording of the same request may differ a little.
const EXPERT =
  'You write Python programs with great care. You get a question, which specifies a problem, and answer with a correct Python program that meets the specification and passes all tests, and with nothing else.';
const WITH_STARTER =
  'Begin your solution with the starter code below and put it between the code delimiters.';
const WITHOUT_STARTER =
  'Your program reads its input from stdin and writes the answer to stdout (do not run it on the samples yourself). Put it between code delimiters as below.';
const STUB = '# YOUR CODE HERE';
const DIALOGUE =
  'What follows is a dialogue between a User and an Assistant. The User asks for something; the Assistant first thinks it through on its own and then answers. The thinking stands between <think> and </think> tags, the answer between <answer> and </answer> tags.';
const AZR_TASK =
  'Solve this programming problem in Python. Give the whole program in a ```python block inside the answer tags.';

/** The question of a problem; the numbers are the published ones (10 answers at 0.2, or AZR's single greedy one). */
export function liveCodeBenchPrompt(
  problem: LiveCodeBenchProblem,
  style: LiveCodeBenchStyle,
): LiveCodeBenchPrompt {
  const question = questionOf(problem);
  if (style === 'generic') {
    return {
      style,
      messages: [
        { role: 'system', content: EXPERT },
        { role: 'user', content: question },
      ],
      answersPerProblem: 10,
      temperature: 0.2,
      topP: 0.95,
      maxNewTokens: 2000,
      testSeconds: 6,
    };
  }
  return {
    style,
    messages: [
      {
        role: 'user',
        content: `${DIALOGUE}\nUser: ${AZR_TASK}\n\n${question.trimEnd()}\nAssistant: <think>`,
      },
    ],
    answersPerProblem: 1,
    temperature: 0,
    topP: 1,
    maxNewTokens: 8096,
    testSeconds: 60,
  };
}

function questionOf({ statement, starterCode }: LiveCodeBenchProblem): string {
  const [format, code] = starterCode === '' ? [WITHOUT_STARTER, STUB] : [WITH_STARTER, starterCode];
  return `### Question:\n${statement}\n\n### Format: ${format}\n\`\`\`python\n${code}\n\`\`\`\n\n### Answer: (in the format above, with the backticks)\n\n`;
}

const FENCE = '```';
const PYTHON_BLOCK = /```python\n(.*?)```/gs;

/**
 * The program in an answer. generic: what lies between the last two lines with a code fence; with fewer than two there is no
 * program, which fails. azr: inside the last answer tags (or in the whole text, without any), the last block fenced as
 * ```python, else all of it; a fence without or with another name is no such block.
 */
export function extractLiveCodeBench(answer: string, style: LiveCodeBenchStyle): string {
  return style === 'generic' ? betweenLastFences(answer) : lastPythonBlock(insideAnswerTags(answer));
}

function betweenLastFences(answer: string): string {
  const lines = answer.split('\n');
  const fences = lines.flatMap((line, index) => (line.includes(FENCE) ? [index] : []));
  const [from, to] = fences.slice(-2);
  return from === undefined || to === undefined ? '' : lines.slice(from + 1, to).join('\n');
}

function insideAnswerTags(answer: string): string {
  const from = answer.lastIndexOf('<answer>');
  if (from < 0) return answer;
  const text = answer.slice(from + '<answer>'.length);
  const to = text.indexOf('</answer>');
  return to < 0 ? text : text.slice(0, to);
}

function lastPythonBlock(text: string): string {
  return [...text.matchAll(PYTHON_BLOCK)].at(-1)?.[1] ?? text;
}

/** The answers to one problem: n were given, c solved it. */
export type ProblemResult = Pick<
  LiveCodeBenchProblem,
  'id' | 'title' | 'platform' | 'difficulty' | 'contestDate'
> & { n: number; c: number };

/** Contest dates, both ends included, as days (2024-08-01); an end is the moment the day begins, as in the original. */
type DateWindow = { from?: string; to?: string };

type Split = { problems: number; passAtK: Record<number, number | null> };
type LiveCodeBenchScores = {
  all: Split;
  /** Without the problems known to be ungradable. */
  withoutErrata: Split & { left: Record<Erratum, number> };
  byDifficulty: Record<Difficulty, Split>;
  byPlatform: Record<Platform, Split>;
};

/** The problems whose contest lies in the window. */
export function inWindow<Row extends { contestDate: string }>(
  rows: readonly Row[],
  { from, to }: DateWindow,
): Row[] {
  return rows.filter(({ contestDate }) => {
    const at = momentOf(contestDate);
    return (from === undefined || at >= momentOf(from)) && (to === undefined || at <= momentOf(to));
  });
}

/** ISO dates without a zone are compared as written. */
function momentOf(date: string): number {
  const at = Date.parse(
    /[zZ]|[+-]\d\d:\d\d$/.test(date) ? date : `${date.includes('T') ? date : `${date}T00:00:00`}Z`,
  );
  if (Number.isNaN(at)) throw new RangeError(`"${date}" is no date; write it as 2024-08-01.`);
  return at;
}

/** Mean pass@k over problems, unbiased, of all and of every split; null where a problem has fewer than k answers or a split is empty. */
export function scoreLiveCodeBench(
  results: readonly ProblemResult[],
  ks: readonly number[] = [1],
  errata: Readonly<Record<string, Erratum>> = ERRATA,
): LiveCodeBenchScores {
  const split = (rows: readonly ProblemResult[]): Split => ({
    problems: rows.length,
    passAtK: Object.fromEntries(ks.map((k) => [k, meanPassAtK(rows, k)])),
  });
  const left: Record<Erratum, number> = { severalAnswers: 0, interactive: 0, badTests: 0 };
  const gradable = results.filter((row) => {
    const erratum = erratumOf(row, errata);
    if (erratum !== null) left[erratum] += 1;
    return erratum === null;
  });
  return {
    all: split(results),
    withoutErrata: { ...split(gradable), left },
    byDifficulty: Object.fromEntries(
      DIFFICULTIES.map((name) => [name, split(results.filter(({ difficulty }) => difficulty === name))]),
    ) as Record<Difficulty, Split>,
    byPlatform: Object.fromEntries(
      PLATFORMS.map((name) => [name, split(results.filter(({ platform }) => platform === name))]),
    ) as Record<Platform, Split>,
  };
}
