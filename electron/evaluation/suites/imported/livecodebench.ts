import type { MemberResult } from '../../../core/index.ts';
import { rowsOf } from '../../datasets/index.ts';
import {
  gradeOf,
  under,
  type GradedSuite,
  type GradeRow,
  type SuiteProtocol,
  detail,
  loadFlags,
} from '../graded-suite.ts';
import { flagScore, hasPassed, hasVerdict, passAtKScores } from '../scores.ts';
import {
  DIFFICULTIES,
  ERRATA,
  erratumOf,
  PLATFORMS,
  readProblem,
  type LiveCodeBenchProblem,
} from '../../code/livecodebench/problem.ts';
import {
  extractLiveCodeBench,
  liveCodeBenchPrompt,
  type LiveCodeBenchStyle,
  inWindow,
} from '../../code/livecodebench/prompt.ts';
import { gradeLiveCodeBench } from '../../code/livecodebench/grade.ts';

type Item = { id: string; problem: LiveCodeBenchProblem };

const protocol = (
  name: string,
  rest: Pick<SuiteProtocol, 'temperature' | 'topP' | 'maxNewTokens' | 'samples' | 'says'>,
): SuiteProtocol => ({ name, version: '1', promptPack: null, stops: [], ...rest });
const styleOf = (protocolName: string): LiveCodeBenchStyle => (protocolName === 'azr' ? 'azr' : 'generic');
/** Contests that published tables call the window of v5, both days included. */
const WINDOW = { from: '2024-08-01', to: '2025-02-01' };

/** LiveCodeBench, code generation: a program per problem, passed by all its tests. Which release it is follows from the files that were imported. */
export const liveCodeBench: GradedSuite<Item> = {
  name: 'livecodebench',
  title: 'LiveCodeBench',
  group: 'code',
  measures: 'problems solved on all tests',
  better: 'higher',
  version: '2', // 1: another standard input, and less withheld from programs
  source: { kind: 'dataset', dataset: 'livecodebench' },
  needs: { sandbox: true, judge: 'none', maths: false },
  hazardous: false,
  mini: false,
  timed: true,
  protocols: [
    protocol('generic', {
      temperature: 0.2,
      topP: 0.95,
      maxNewTokens: 2000,
      samples: 10,
      says: 'As published: ten answers at temperature 0.2, six seconds a test.',
    }),
    protocol('greedy', {
      temperature: 0,
      topP: 1,
      maxNewTokens: 2000,
      samples: 1,
      says: 'The published wording, one greedy answer, six seconds a test.',
    }),
    protocol('azr', {
      temperature: 0,
      topP: 1,
      maxNewTokens: 8096,
      samples: 1,
      says: 'As AZR evaluates: its dialogue, one greedy answer, a minute a test.',
    }),
  ],
  weight: ({ problem }) =>
    problem.packedTests.privateTests.length +
    problem.packedTests.publicTests.length +
    problem.statement.length,
  async *read({ dataset }, signal) {
    if (dataset !== null)
      for await (const { id, line, ordinal } of rowsOf(dataset, { signal }))
        yield { id, problem: readProblem(line, `Row ${ordinal + 1}`) };
  },
  ask: ({ problem }, { name }, { context }) => ({
    messages: under(context, liveCodeBenchPrompt(problem, styleOf(name)).messages),
    raw: false,
    stops: [],
  }),
  target: () => null,
  async grade({ problem }, { text }, { name }, { code, processors }) {
    if (code === null) throw new Error('LiveCodeBench needs the sandbox.');
    const style = styleOf(name);
    const program = extractLiveCodeBench(text, style);
    const { solved, strictlySolved, failure, flags, loadAverage, milliseconds, tests, limits } =
      await gradeLiveCodeBench(problem, program, code, {
        testSeconds: liveCodeBenchPrompt(problem, style).testSeconds,
        stdinKind: style === 'azr' ? 'text' : 'mock',
      });
    const timedOut = failure !== null && (failure.code === -3 || failure.code === -1);
    return gradeOf(solved, 'sandbox', {
      reason: failure === null ? (solved ? null : 'no-tests') : (REASONS[String(failure.code)] ?? 'wrong'),
      flags: [...flags, ...loadFlags(timedOut, loadAverage, processors)],
      details: {
        strictlySolved,
        failure: failure === null ? null : { ...failure, code: Number(failure.code) },
        program,
        tests,
        loadAverage,
        milliseconds,
        limits,
        platform: problem.platform,
        difficulty: problem.difficulty,
        contestDate: problem.contestDate,
        erratum: erratumOf(problem, ERRATA),
        sandbox: code.runner.hello.level,
      },
    });
  },
  members: (rows, of) => ({ livecodebench: valuesOf(rows, of) }),
  scores(rows, seed) {
    const where = (name: string, value: unknown): GradeRow[] =>
      rows.filter(({ grade }) => detail(grade, name) === value);
    const first = (part: readonly GradeRow[], prefix: string) =>
      passAtKScores(part, seed, undefined, prefix).slice(0, 1);
    const dated = rows.map((row) => ({
      row,
      contestDate: String(detail(row.grade, 'contestDate') ?? '1970-01-01'),
    }));
    return [
      ...passAtKScores(rows, seed),
      ...first(where('erratum', null), 'without known faulty problems, '),
      ...first(
        inWindow(dated, WINDOW).map(({ row }) => row),
        `${WINDOW.from} to ${WINDOW.to}, `,
      ),
      ...DIFFICULTIES.flatMap((name) => first(where('difficulty', name), `${name}, `)),
      ...PLATFORMS.flatMap((name) => first(where('platform', name), `${name}, `)),
      flagScore('forged-equality', rows),
      flagScore('unjoined-thread', rows),
    ];
  },
};

const REASONS: Readonly<Record<string, string>> = {
  false: 'wrong',
  '-2': 'wrong',
  '-3': 'time',
  '-4': 'error',
  '-1': 'time',
  '-5': 'lost',
};

/** One number per problem: the share of its answers that solved it. */
function valuesOf(rows: readonly GradeRow[], of: number): MemberResult {
  const items = [...Map.groupBy(rows.filter(hasVerdict), ({ itemId }) => itemId).values()];
  return {
    form: 'values',
    values: items.map((answers) => answers.filter(hasPassed).length / answers.length),
    of,
    unjudged: new Set(rows.map(({ itemId }) => itemId)).size - items.length,
  };
}
