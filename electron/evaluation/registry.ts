import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CODE_TASK_TYPES, Failure, SUITE_GROUPS, type SuiteGroup } from '../contract/index.ts';
import { type AnyGradedSuite, gradeOf, type GradedSuite, type SuiteProtocol } from './suites/graded-suite.ts';
import { passedScore, shareScore } from './suites/scores.ts';
import { evalPlus } from './suites/imported/evalplus.ts';
import { liveCodeBench } from './suites/imported/livecodebench.ts';
import { MATHEMATICS } from './suites/imported/mathematics.ts';
import { ownQuestionsSuite } from './suites/imported/own-questions.ts';
import { rewardHackingDynamic, rewardHacking } from './suites/imported/reward-hacking.ts';
import { harmBench, hexPhi, salad } from './suites/imported/safety.ts';
import { type Suite, messagesFor } from './suites/suite.ts';
import { toyAbduction, toyDeduction, toyError, toyInduction } from './suites/toy/programs.ts';
import {
  toyArithmetic,
  toyChoice,
  toyMemory,
  toyOverRefusal,
  toyQuestions,
  toyRefusal,
} from './suites/toy/questions.ts';

/** A suite whose items are opaque to the rest of the program. */
export type AnySuite = Suite<{ id: string }>;

/** Every suite; the order is the order of tables. */
export const SUITES = [
  toyDeduction,
  toyAbduction,
  toyInduction,
  toyError,
  toyArithmetic,
  toyRefusal,
  toyOverRefusal,
  toyMemory,
  toyChoice,
  toyQuestions,
] as unknown as AnySuite[];

/** Suites whose items are not of the toy world; the order is the order of tables. */
export const IMPORTED_SUITES = [
  evalPlus({ name: 'humaneval', title: 'HumanEval+', dataset: 'humaneval', kind: 'humaneval-plus' }),
  evalPlus({ name: 'mbpp', title: 'MBPP+', dataset: 'mbpp', kind: 'mbpp-plus' }),
  liveCodeBench,
  ...MATHEMATICS,
  harmBench,
  hexPhi,
  salad,
  rewardHacking,
  rewardHackingDynamic,
  ownQuestionsSuite,
] as unknown as readonly AnyGradedSuite[];

type Item = { id: string };

/** Longest traced answer of the held-out items is below 150. */
const ANSWER_TOKENS = 192;

/** A suite of the toy world as the rest of the program asks, grades and sums it up. */
export function bundled(suite: Suite<Item>): AnyGradedSuite {
  const better = suite.better ?? 'higher';
  const graded: GradedSuite<Item> = {
    name: suite.name,
    title: suite.name,
    group: 'toy',
    measures: suite.measures,
    better,
    version: '1',
    source: { kind: 'bundled', file: suite.file },
    needs: { sandbox: CODE_TASK_TYPES.some((type) => type === suite.taskType), judge: 'none', maths: false },
    hazardous: false,
    mini: suite.mini ?? true,
    timed: false,
    protocols: [
      {
        name: 'usual',
        version: '1',
        temperature: suite.temperature,
        topP: 1,
        maxNewTokens: ANSWER_TOKENS,
        samples: 1,
        promptPack: 'compact',
        stops: [],
        says:
          suite.temperature === 0
            ? 'Greedy, one answer.'
            : 'Sampled at temperature 1 as during evolution, with noise fixed per item; one answer.',
      },
    ],
    async *read({ folder }, signal) {
      for await (const line of linesOf(join(folder, suite.file), signal)) yield suite.parse(line);
    },
    ask: (item, _protocol, { pack, context }) => {
      const messages = messagesFor(suite.ask(item, pack), pack, context === '' ? null : { text: context });
      return { messages, raw: false, stops: [] };
    },
    target: (item) => {
      const { answer, output, safe } = item as { answer?: unknown; output?: unknown; safe?: unknown };
      const wanted = answer ?? output ?? safe ?? null;
      return wanted === null ? null : String(wanted);
    },
    grade: async (item, { text }, _protocol, { execute }) => {
      const { passed, reason } = await suite.grade(item, text, execute);
      return gradeOf(passed, 'rules', { reason });
    },
    scores: (rows) => [
      passedScore('passed', rows, better),
      shareScore(
        'well-formed',
        rows.filter(({ grade }) => grade.reason !== 'format').length,
        rows.length,
        'neither',
      ),
    ],
  };
  return graded;
}

async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      signal.throwIfAborted();
      number += 1;
      if (line !== '') yield JSON.parse(line) as unknown;
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SyntaxError)
      throw new Failure(
        'badFile',
        `Line ${number} of ${path} is not JSON; restore the file from the installation.`,
        1,
        { cause },
      );
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Failure(
        'missingFile',
        `The suite file ${path} is missing; restore it from the installation.`,
        1,
        { cause },
      );
    throw cause;
  }
}

/** Every suite, bundled and of imported data; the order is the order of tables. */
export const GRADED_SUITES: readonly AnyGradedSuite[] = [
  ...IMPORTED_SUITES,
  ...SUITES.map((suite) => bundled(suite)),
];

/** @throws Failure `unknownSuite` (exit code 2) naming the suites there are. */
export function gradedSuite(name: string): AnyGradedSuite {
  const suite = GRADED_SUITES.find((candidate) => candidate.name === name);
  if (suite === undefined)
    throw new Failure(
      'unknownSuite',
      `There is no suite "${name}"; the suites are ${GRADED_SUITES.map((entry) => entry.name).join(', ')}.`,
      2,
    );
  return suite;
}

/** "mini": one of every kind, quick, for the embedded policy. A group's name: all of that group. */
export const SUITE_SETS = ['mini', ...SUITE_GROUPS] as const;

/** The suites that names, groups and sets mean, in the order of tables, each once. @throws Failure `unknownSuite` (exit code 2). */
export function suitesNamed(names: readonly string[]): AnyGradedSuite[] {
  const wanted = new Set(
    names.flatMap((name): AnyGradedSuite[] => {
      if (name === 'mini') return GRADED_SUITES.filter(({ mini }) => mini);
      // Written either way by people; the group of mathematics is called maths.
      const group = (name === 'math' ? 'maths' : name) as SuiteGroup;
      if (SUITE_GROUPS.includes(group)) return GRADED_SUITES.filter((suite) => suite.group === group);
      if (!GRADED_SUITES.some((suite) => suite.name === name)) {
        throw new Failure(
          'unknownSuite',
          `There is no suite "${name}"; name ${SUITE_SETS.join(', ')} or suites: ${GRADED_SUITES.map((entry) => entry.name).join(', ')}.`,
          2,
        );
      }
      return [gradedSuite(name)];
    }),
  );
  return GRADED_SUITES.filter((suite) => wanted.has(suite));
}

/** @throws Failure `unknownProtocol` (exit code 2) naming those the suite has. */
export function protocolOf(suite: AnyGradedSuite, name: string | null): SuiteProtocol {
  const found =
    name === null ? suite.protocols[0] : suite.protocols.find((protocol) => protocol.name === name);
  if (found === undefined)
    throw new Failure(
      'unknownProtocol',
      `The suite "${suite.name}" has no protocol "${name}"; it has ${suite.protocols.map((protocol) => protocol.name).join(', ')}.`,
      2,
    );
  return found;
}
