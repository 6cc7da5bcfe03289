import type { GradedCall, GradeJob, GradeResult, ObservedValue } from '../../../processes/index.ts';
import { asciiDigits, stripped } from '../../../core/index.ts';
import {
  CODE_FLAGS,
  flagsOf,
  type Flag,
  type CodeTools,
  compatiblyEqual,
  strictlyEqual,
} from '../values/compare.ts';
import { parsePythonJson } from '../values/python-json.ts';
import { pythonRepr } from '../values/python-repr.ts';
import { WITHHELD_MODULES, WITHHELD_OF_OS } from '../values/withheld.ts';
import { testsOf, type LiveCodeBenchProblem, type LiveCodeBenchTest } from './problem.ts';

/** true passed, false and −2 wrong, −3 its time was up, −4 an exception or no program, −1 the whole time was up, −5 the process was lost. */
type TestCode = boolean | -1 | -2 | -3 | -4 | -5;

type LiveCodeBenchFailure = {
  test: number;
  code: Exclude<TestCode, true>;
  /** Exception's name, or how the process ended; null for a wrong answer. */
  error: string | null;
  input: string;
  expected: string;
  /** What came instead, cut to 300 characters; null when nothing did. */
  output: string | null;
};

export type LiveCodeBenchGrade = {
  /** LiveCodeBench's verdict: every test passed. */
  solved: boolean;
  /** The same where only plain data is taken for an answer. */
  strictlySolved: boolean;
  /** Up to the first failure, where grading ends. */
  results: TestCode[];
  failure: LiveCodeBenchFailure | null;
  flags: Flag[];
  limits: { testSeconds: number; allSeconds: number };
  loadAverage: number;
  milliseconds: number;
  tests: number;
};

type LiveCodeBenchOptions = {
  /** 6 as published, 60 in AZR's evaluation. */
  testSeconds?: number;
  /** What the program meets as standard input: LiveCodeBench's when absent. */
  stdinKind?: GradeJob['stdinKind'];
};

const TEST_SECONDS = 6;
const MEMORY_BYTES = 4 * 1024 ** 3;
const REPORT_BYTES = 64 * 1024 * 1024;
/** Tests that go to the sandbox together: few at first, since most wrong programs fail early. */
const BATCHES = [3, 12, 40];
const BATCH_CHARACTERS = 4_000_000;
const SHOWN_CHARACTERS = 300;
/** What LiveCodeBench's guard takes from a program (testing_util.py: reliability_guard). */
const WITHHELD = [
  ...WITHHELD_OF_OS.map((name) => `os.${name}`),
  ...['rmtree', 'move', 'chown'].map((name) => `shutil.${name}`),
  'subprocess.Popen',
  'builtins.quit',
  'builtins.help',
  ...WITHHELD_MODULES,
];

/**
 * Grades a program on all tests of a problem (testing_util.py): a prelude of imports before it, each test within its own
 * time, the first failure ends it. Programs that read standard input run once per test; others are called.
 * @throws Failure `badFile` or `badPickle` when the problem's tests are damaged.
 */
export async function gradeLiveCodeBench(
  problem: LiveCodeBenchProblem,
  program: string,
  tools: CodeTools,
  options: LiveCodeBenchOptions = {},
): Promise<LiveCodeBenchGrade> {
  const tests = testsOf(problem);
  const testSeconds = options.testSeconds ?? TEST_SECONDS;
  const allSeconds = (testSeconds + 1) * tests.length + 5;
  const grade: LiveCodeBenchGrade = {
    solved: false,
    strictlySolved: true,
    results: [],
    failure: null,
    flags: [],
    limits: { testSeconds, allSeconds },
    loadAverage: tools.loadAverage(),
    milliseconds: 0,
    tests: tests.length,
  };
  const unreadable = problem.functionName === null ? undefined : tests.find((test) => !isJson(test));
  if (unreadable !== undefined) {
    // The original reads all tests before the first one is run, and takes its own failure for the program's.
    grade.results = [-4];
    grade.failure = {
      test: tests.indexOf(unreadable),
      code: -4,
      error: 'JSONDecodeError',
      input: cut(unreadable.input),
      expected: cut(unreadable.output),
      output: null,
    };
  }
  for (const batch of grade.failure === null ? batchesOf(tests) : []) {
    const left = allSeconds - grade.milliseconds / 1000;
    const result = await tools.runner.grade({
      ...jobOf(problem, program, batch, testSeconds, Math.max(1, left)),
      stdinKind: options.stdinKind ?? 'mock',
      withheld: WITHHELD,
    });
    grade.milliseconds += result.wallMs;
    grade.flags = CODE_FLAGS.filter((flag) => grade.flags.includes(flag) || flagsOf(result).includes(flag));
    judgeBatch(problem, batch, result, grade);
    if (grade.failure !== null) break;
  }
  grade.solved = tests.length > 0 && grade.failure === null;
  grade.strictlySolved &&= grade.solved;
  return grade;
}

/** Whether Python's json reads every line of the input, and the output; what JSON.parse reads is read there too. */
function isJson({ input, output }: LiveCodeBenchTest): boolean {
  return [...input.split('\n'), output].every((text) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return isPythonJson(text);
    }
  });
}

function isPythonJson(text: string): boolean {
  try {
    parsePythonJson(text);
    return true;
  } catch {
    return false;
  }
}

function batchesOf(tests: readonly LiveCodeBenchTest[]): LiveCodeBenchTest[][] {
  const batches: LiveCodeBenchTest[][] = [];
  let [batch, characters]: [LiveCodeBenchTest[], number] = [[], 0];
  for (const test of tests) {
    const most = BATCHES[Math.min(batches.length, BATCHES.length - 1)]!;
    if (batch.length > 0 && (batch.length >= most || characters + test.input.length > BATCH_CHARACTERS)) {
      batches.push(batch);
      [batch, characters] = [[], 0];
    }
    batch.push(test);
    characters += test.input.length;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** Nothing of the expected outputs is in it. */
function jobOf(
  { functionName }: LiveCodeBenchProblem,
  program: string,
  tests: readonly LiveCodeBenchTest[],
  testSeconds: number,
  left: number,
): GradeJob {
  const limits = {
    cpuSeconds: left,
    wallSeconds: left,
    memoryBytes: MEMORY_BYTES,
    reportBytes: REPORT_BYTES,
    callSeconds: testSeconds,
    bodySeconds: testSeconds,
  };
  return functionName === null
    ? {
        program,
        mode: 'script',
        calls: tests.map(({ input }) => ({ stdin: input })),
        stopOnError: true,
        limits,
      }
    : {
        program,
        mode: 'method',
        entry: functionName,
        calls: tests.map(({ input }) => ({ json: input })),
        stopOnError: true,
        limits,
      };
}

function judgeBatch(
  problem: LiveCodeBenchProblem,
  batch: readonly LiveCodeBenchTest[],
  result: GradeResult,
  grade: LiveCodeBenchGrade,
): void {
  for (const [index, test] of batch.entries()) {
    const call = result.calls[index];
    const fail = (
      code: Exclude<TestCode, true>,
      error: string | null,
      output: ObservedValue | null,
    ): void => {
      const number = grade.results.length;
      // When the whole time is up, or the process is lost, the original has lost every result.
      grade.results = code === -1 || code === -5 ? [code] : [...grade.results, code];
      grade.failure = {
        test: number,
        code,
        error,
        input: cut(test.input),
        expected: cut(problem.functionName === null ? test.output : pythonRepr(parsePythonJson(test.output))),
        output: output && cut(problem.functionName === null ? printedBy(output) : pythonRepr(output)),
      };
    };
    if (call === undefined || call.status !== 'ok') {
      const { code, error } = codeOf(result, call);
      return fail(code, error, null);
    }
    const verdict =
      problem.functionName === null
        ? judgeText(call.value, test.output)
        : judgeValue(call.value, test.output);
    grade.strictlySolved &&= verdict.strict;
    if (!verdict.compatible) return fail(problem.functionName === null ? -2 : false, null, call.value);
    grade.results.push(true);
  }
}

type Verdict = { compatible: boolean; strict: boolean };

function judgeText(value: ObservedValue, expected: string): Verdict {
  const same = value[0] === 's' && compareOutputs(value[1], expected).same;
  return { compatible: same, strict: same };
}

function judgeValue(value: ObservedValue, expected: string): Verdict {
  const wanted = parsePythonJson(expected);
  return { compatible: compatiblyEqual(value, wanted), strict: strictlyEqual(value, wanted) };
}

function codeOf(
  result: GradeResult,
  call: GradedCall | undefined,
): { code: Exclude<TestCode, true>; error: string } {
  if (result.error !== undefined)
    return { code: result.error.type === 'SystemExit' ? -5 : -4, error: result.error.type };
  if (call !== undefined && call.status !== 'ok' && call.error !== undefined) {
    const { type } = call.error;
    // Exceptions that are no Exception end the original's process instead of the test.
    const ends = type === 'SystemExit' || type === 'KeyboardInterrupt' || type === 'GeneratorExit';
    return { code: call.status === 'timeout' ? -3 : ends ? -5 : -4, error: type };
  }
  return {
    code: result.status === 'timeout' ? -1 : result.status === 'memory' ? -4 : -5,
    error: result.status,
  };
}

const printedBy = (value: ObservedValue): string => (value[0] === 's' ? value[1] : pythonRepr(value));

function cut(text: string): string {
  return text.length <= SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, SHOWN_CHARACTERS / 2)}...(truncated) ...${text.slice(-SHOWN_CHARACTERS / 2)}`;
}

/** White space as Python's str.strip and str.split know it; JavaScript's own differs in a few characters. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const AROUND = new RegExp(`[${SPACE}]`);
const BETWEEN = new RegExp(`[${SPACE}]+`);
const DECIMAL = /^([+-]?)(?=\d|\.\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

type LineComparison = { same: true } | { same: false; why: 'lineCount' | 'line'; line: number };

/**
 * LiveCodeBench's comparison of a program's output with the expected one: line by line after trimming the whole and every
 * line. Lines are the same when their text is, or when both are numbers throughout and equal as decimals, exactly: 1.50 is
 * 1.5, and 0.30000000000000004 is not 0.3. Another number of lines is wrong.
 */
export function compareOutputs(printed: string, expected: string): LineComparison {
  const [left, right] = [linesOf(printed), linesOf(expected)];
  if (left.length !== right.length)
    return { same: false, why: 'lineCount', line: Math.min(left.length, right.length) };
  const line = left.findIndex(
    (text, index) => text !== right[index] && !sameDecimals(text, right[index] ?? ''),
  );
  return line < 0 ? { same: true } : { same: false, why: 'line', line };
}

const strip = (text: string): string => stripped(text, AROUND);
const linesOf = (text: string): string[] => strip(text).split('\n').map(strip);

function sameDecimals(left: string, right: string): boolean {
  const [a, b] = [decimalsOf(left), decimalsOf(right)];
  return (
    a !== null &&
    b !== null &&
    a.length === b.length &&
    a.every((number, index) => number !== 'nan' && number === b[index])
  );
}

/** The numbers of a line in one spelling each; null when a word is no decimal number. */
function decimalsOf(line: string): string[] | null {
  const words = line.split(BETWEEN).filter((word) => word !== '');
  const numbers: string[] = [];
  for (const word of words) {
    const number = decimalKey(word);
    if (number === null) return null;
    numbers.push(number);
  }
  return numbers;
}

/** Text that two decimal numbers share exactly when they are equal; 'nan' equals nothing. Python allows underscores in them, and digits of any script. */
export function decimalKey(word: string): string | null {
  const text = asciiDigits(word.replaceAll('_', ''));
  if (/^[+-]?s?nan\d*$/i.test(text)) return 'nan';
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? '-inf' : 'inf';
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = stripped(digits, /0/); // no zero leads
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}
