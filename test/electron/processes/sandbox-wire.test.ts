import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  startGrader,
  startRunner,
  type CheckJob,
  type ComparePair,
  type GradeJob,
  type GraderClient,
  type RunJob,
  type RunnerClient,
} from '../../../electron/processes/index.ts';
import { GRADER_PROTOCOL } from '../../../electron/processes/grader-client.ts';
import { AT_ONCE, FIXTURES, PYTHON, scratch } from './support.ts';
import { examplesOf, itKeepsTo, type Exchange } from './wire-examples.ts';

const asData = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

describe("the runner's client", () => {
  const examples = examplesOf('runner');
  const exchanges = (method: string): Exchange[] =>
    examples.session.filter((exchange) => exchange.method === method);
  let runner: RunnerClient;
  beforeAll(async () => {
    runner = await startRunner({
      python: PYTHON,
      brokerPath: join(FIXTURES, 'replayed_broker.py'),
      level: 'auto',
      workers: 1,
      logFile: join(scratch(), 'runner.log'),
      backoff: AT_ONCE,
    });
  });
  afterAll(() => runner.close());

  /** Sends the params of each example of a method as its job, and holds what was read against its answer. */
  const each = async <Job>(method: string, send: (job: Job) => Promise<unknown>): Promise<void> => {
    for (const { params, result, error } of exchanges(method)) {
      const sent = send(params as Job);
      if (error === undefined) expect(result).toMatchObject(asData(await sent) as object);
      else await expect(sent).rejects.toMatchObject({ kind: (error as { kind: string }).kind });
    }
  };
  itKeepsTo(examples, {
    hello: async () => {
      const [first, second] = exchanges('hello');
      expect(runner.hello).toEqual(first?.result);
      expect(await runner.selfTest()).toEqual(second?.result);
    },
    run: () => each<RunJob>('run', (job) => runner.run(job)),
    check: () => each<CheckJob>('check', (job) => runner.check(job)),
    parse: () => each<{ programs: string[] }>('parse', ({ programs }) => runner.parse(programs)),
    distance: () =>
      each<{ program: string; references: string[] }>('distance', ({ program, references }) =>
        runner.distances(program, references),
      ),
    grade: () => each<GradeJob>('grade', (job) => runner.grade(job)),
    extract: () =>
      each<{ texts: { text: string; entry: string | null }[] }>('extract', ({ texts }) =>
        runner.extract(texts),
      ),
    stats: () => each('stats', () => runner.stats()),
    cancel: false,
    shutdown: false,
  });
});

describe("the grader's client", () => {
  const examples = examplesOf('grader');
  let grader: GraderClient;
  beforeAll(async () => {
    grader = await startGrader({
      python: PYTHON,
      moduleDir: join(FIXTURES, 'replayed_grader'),
      logFile: join(scratch(), 'grader.log'),
    });
  });
  afterAll(() => grader.close());

  itKeepsTo(examples, {
    hello: async () => {
      expect(grader.hello).toEqual(examples.session[0]?.result);
      expect(grader.hello).toMatchObject({
        protocol: GRADER_PROTOCOL.name,
        major: GRADER_PROTOCOL.major,
      });
    },
    compare: async () => {
      for (const { method, params, result, error } of examples.session) {
        if (method !== 'compare') continue;
        const { seconds, ...pair } = params;
        expect(seconds).toBe(3);
        const sent = grader.compare(pair as ComparePair);
        if (error === undefined)
          expect(await sent).toEqual({
            outcome: 'compared',
            wallMs: expect.any(Number) as number,
            ...(result as object),
          });
        else
          await expect(sent).rejects.toMatchObject({
            kind: (error as { data: { kind: string } }).data.kind,
          });
      }
    },
  });
});
