import type { GradedCall, GradeJob, GradeResult, ObservedValue } from '../../../processes/index.ts';
import { withRests } from '../../../core/index.ts';
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
import { compareOutputs } from './compare-lines.ts';
import { testsOf, type LiveCodeBenchProblem, type LiveCodeBenchTest } from './problem.ts';

/** true passed, false and −2 wrong, −3 its time was up, −4 an exception or no program, −1 the whole time was up, −5 the process was lost. */
type TestCode = boolean | -1 | -2 | -3 | -4 | -5;

type LiveCodeBenchFailure = {
  test: number;
  code: Exclude<TestCode, true>;
  /** Exception's name, or how the process ended; null for a wrong answer that was read. */
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
/** A batch's expected outputs take less than half of it; what a program prints beyond is no answer. */
const REPORT_BYTES = 16 * 1024 * 1024;
/** Tests that go to the sandbox together: few at first, since most wrong programs fail early. */
const BATCHES = [3, 12, 40];
/** Of all their inputs, and of all their expected outputs; a test with more goes by itself. */
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
    await judgeBatch(problem, batch, result, grade);
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
  let [batch, given, wanted]: [LiveCodeBenchTest[], number, number] = [[], 0, 0];
  for (const test of tests) {
    const most = BATCHES[Math.min(batches.length, BATCHES.length - 1)]!;
    const characters = Math.max(given + test.input.length, wanted + test.output.length);
    if (batch.length > 0 && (batch.length >= most || characters > BATCH_CHARACTERS)) {
      batches.push(batch);
      [batch, given, wanted] = [[], 0, 0];
    }
    batch.push(test);
    given += test.input.length;
    wanted += test.output.length;
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

async function judgeBatch(
  problem: LiveCodeBenchProblem,
  batch: readonly LiveCodeBenchTest[],
  result: GradeResult,
  grade: LiveCodeBenchGrade,
): Promise<void> {
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
        ? await judgeText(call.value, test.output)
        : judgeValue(call.value, test.output);
    grade.strictlySolved &&= verdict.strict;
    if (!verdict.compatible) return fail(problem.functionName === null ? -2 : false, null, call.value);
    grade.results.push(true);
  }
}

const CODES: Partial<Record<GradeResult['status'], -1 | -2 | -4>> = { timeout: -1, output: -2, memory: -4 };

type Verdict = { compatible: boolean; strict: boolean };

async function judgeText(value: ObservedValue, expected: string): Promise<Verdict> {
  const same = value[0] === 's' && (await withRests(compareOutputs(value[1], expected))).same;
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
    // More than is read is not the expected output, whatever it is.
    code: CODES[result.status] ?? -5,
    error: result.status,
  };
}

const printedBy = (value: ObservedValue): string => (value[0] === 's' ? value[1] : pythonRepr(value));

function cut(text: string): string {
  return text.length <= SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, SHOWN_CHARACTERS / 2)}...(truncated) ...${text.slice(-SHOWN_CHARACTERS / 2)}`;
}
