import type { EncodedValue } from '../../../contract/index.ts';
import type { GradedCall, GradeResult } from '../../../processes/index.ts';
import { flagsOf, type Flag, type CodeTools } from '../values/compare.ts';
import type { ExpectedCall, ExpectedOutputs } from './expected.ts';
import { alsoWanted, createJudge } from './oracles.ts';
import type { EvalPlusTask } from './task.ts';
import { WITHHELD_MODULES, WITHHELD_OF_OS } from '../values/withheld.ts';

type EvalPlusStatus = 'pass' | 'fail' | 'timeout';

/** Seconds an input may take: the larger of the two. EvalPlus: 4 and 4; AZR's published numbers: 10 and 8. */
type EvalPlusLimits = { leastSeconds: number; referenceFactor: number };
export const EVALPLUS_LIMITS: EvalPlusLimits = { leastSeconds: 4, referenceFactor: 4 };
export const AZR_LIMITS: EvalPlusLimits = { leastSeconds: 10, referenceFactor: 8 };

export type EvalPlusTools = CodeTools & { expected: ExpectedOutputs };
type EvalPlusOptions = { limits?: EvalPlusLimits; perInput?: boolean };

type InputVerdict = {
  part: 'base' | 'plus';
  input: number;
  status: GradedCall['status'] | 'wrong';
  compatible: boolean;
  strict: boolean;
};

export type EvalPlusGrade = {
  /** EvalPlus's own verdicts. The published plus score counts `plusAndBase`. */
  base: EvalPlusStatus;
  plus: EvalPlusStatus;
  plusAndBase: boolean;
  /** The same without its quirks, for plain data only, and by nothing that the program says beside its values. */
  strict: { base: EvalPlusStatus; plus: EvalPlusStatus; plusAndBase: boolean };
  flags: Flag[];
  /** Its time, or that of an input, decided the verdict. */
  timedOut: boolean;
  /** Every input, where asked for. */
  perInput?: InputVerdict[];
  limits: EvalPlusLimits;
  /** Of the machine when grading began; over the number of processors, a time-out says little. */
  loadAverage: number;
  /** Wall time of both runs. */
  milliseconds: number;
};

/** EvalPlus's bounds of a whole run: a minute at most, and what it adds for collecting details and joining. */
const RUN_SECONDS = 60;
const [EXTRA_SECONDS, DETAILS_SECONDS] = [2, 1];
const MEMORY_BYTES = 4 * 1024 ** 3;
const REPORT_BYTES = 16 * 1024 * 1024;

/**
 * Grades a program on a task's base and plus inputs, each set in one sandboxed process, as EvalPlus does (eval/__init__.py):
 * an input that runs out of its own time fails, a run that runs out of the whole time, or ends itself, is a timeout.
 * @throws Failure `badReference` when the task's reference solution fails.
 */
export async function gradeEvalPlus(
  task: EvalPlusTask,
  program: string,
  tools: EvalPlusTools,
  options: EvalPlusOptions = {},
): Promise<EvalPlusGrade> {
  const limits = options.limits ?? EVALPLUS_LIMITS;
  const loadAverage = tools.loadAverage();
  const expected = await tools.expected.of(task);
  const perInput = options.perInput ?? false;
  const base = await gradeRun(task, program, task.baseInputs, expected.base, tools, limits, perInput);
  const plus = await gradeRun(task, program, task.plusInputs, expected.plus, tools, limits, perInput);
  return {
    base: base.compatible,
    plus: plus.compatible,
    plusAndBase: base.compatible === 'pass' && plus.compatible === 'pass',
    strict: {
      base: base.strict,
      plus: plus.strict,
      plusAndBase: base.strict === 'pass' && plus.strict === 'pass',
    },
    flags: [...new Set([...base.flags, ...plus.flags])],
    timedOut: base.timedOut || plus.timedOut,
    ...(perInput
      ? {
          perInput: [
            ...base.inputs.map((verdict) => ({ part: 'base' as const, ...verdict })),
            ...plus.inputs.map((verdict) => ({ part: 'plus' as const, ...verdict })),
          ],
        }
      : {}),
    limits,
    loadAverage,
    milliseconds: base.milliseconds + plus.milliseconds,
  };
}

type Run = {
  compatible: EvalPlusStatus;
  strict: EvalPlusStatus;
  timedOut: boolean;
  flags: Flag[];
  inputs: Omit<InputVerdict, 'part'>[];
  milliseconds: number;
};

async function gradeRun(
  task: EvalPlusTask,
  program: string,
  inputs: readonly EncodedValue[][],
  expected: readonly ExpectedCall[],
  tools: EvalPlusTools,
  limits: EvalPlusLimits,
  perInput: boolean,
): Promise<Run> {
  const callSeconds = expected.map(({ seconds }) =>
    Math.max(limits.leastSeconds, limits.referenceFactor * seconds),
  );
  const wallSeconds =
    Math.min(
      RUN_SECONDS,
      callSeconds.reduce((sum, seconds) => sum + seconds, 0),
    ) +
    EXTRA_SECONDS +
    (perInput ? DETAILS_SECONDS : 0);
  const result = await tools.runner.grade({
    program: guarded(program),
    mode: 'function',
    entry: task.entryPoint,
    calls: inputs.map((args) => ({ args })),
    also: alsoWanted(task),
    stopOnError: !perInput,
    limits: {
      cpuSeconds: wallSeconds,
      wallSeconds,
      memoryBytes: MEMORY_BYTES,
      reportBytes: REPORT_BYTES,
      callSeconds,
    },
  });
  const judge = createJudge(task);
  const verdicts = result.calls.map((call, index): Omit<InputVerdict, 'part'> => {
    if (call.status !== 'ok') return { input: index, status: call.status, compatible: false, strict: false };
    const verdict = judge(call, expected[index]!, inputs[index]!);
    return { input: index, status: verdict.compatible ? 'ok' : 'wrong', ...verdict };
  });
  return {
    compatible: statusOf(
      result,
      verdicts.map(({ compatible }) => compatible),
    ),
    strict: statusOf(
      result,
      verdicts.map(({ strict }) => strict),
    ),
    timedOut:
      result.status === 'timeout' || verdicts.find((verdict) => !verdict.compatible)?.status === 'timeout',
    flags: [
      ...flagsOf(result),
      ...(verdicts.some(({ compatible, strict }) => compatible && !strict)
        ? (['published-only'] as const)
        : []),
    ],
    inputs: verdicts,
    milliseconds: result.wallMs,
  };
}

/** The first input that decides: a wrong one fails, also when the run ended badly afterwards. */
function statusOf(result: GradeResult, passed: readonly boolean[]): EvalPlusStatus {
  const first = passed.indexOf(false);
  if (result.status === 'ok' && first < 0) return 'pass';
  const deciding = first < 0 ? undefined : result.calls[first];
  const wasTold = deciding?.status === 'ok' || deciding?.error !== undefined;
  return !wasTold && (result.status === 'timeout' || result.status === 'died') ? 'timeout' : 'fail';
}

/** What programs may not do in EvalPlus: there these are None while a program runs, so that calling one is an exception. */
const BUILTINS = ['exit', 'help', 'open', 'quit'];

const list = (names: readonly string[]): string => JSON.stringify(names);
const PRELUDE = [
  'import builtins as _b, io as _i, os as _o, sys as _s',
  `for _n in ${list(BUILTINS)}: setattr(_b, _n, None)`,
  `for _n in ${list(WITHHELD_OF_OS)}: setattr(_o, _n, None)`,
  `for _n in ${list(WITHHELD_MODULES)}: _s.modules[_n] = None`,
  // Reading what nobody types is an OSError there, not the end of a file.
  'def _read(*_): raise OSError()',
  '_s.stdin = type("Unreadable", (_i.StringIO,), {"read": _read, "readline": _read, "readlines": _read, "readable": lambda self: False})()',
  'del _b, _i, _o, _s, _n, _read',
].join('\n');

/**
 * The program as EvalPlus lets it run. The sandbox does not need this: some of it is harmless there, and a program that opens
 * a scratch file, say, would pass here and fail in published scores. The program is executed from a text of its own, because
 * a `from __future__` must come first in it.
 */
function guarded(program: string): string {
  return `${beforehand(program)}${PRELUDE}\nexec(compile(${JSON.stringify(program)}, "<program>", "exec", dont_inherit=True), globals())\n`;
}

/** These need, while they are imported, what is None afterwards; the original has imported them long before. */
function beforehand(program: string): string {
  const named = ['multiprocessing', 'numpy'].filter((name) => program.includes(name));
  return named.map((name) => `try: import ${name}\nexcept ImportError: pass\nelse: del ${name}\n`).join('');
}
