import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Failure } from '../../contract/index.ts';
import { messagesFor, type Suite } from '../suites/suite.ts';
import { gradeOf, type AnyGradedSuite, type GradedSuite } from './graded-suite.ts';
import { passedScore, shareScore } from './scores.ts';

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
    needs: { sandbox: suite.taskType !== null, judge: 'none', maths: false },
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
