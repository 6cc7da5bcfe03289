import { expect, it } from 'vitest';
import { runConfigSchema } from '../../../../electron/contract/index.ts';
import type { EvalRequest } from '../../../../electron/evaluation/plan/eval-request.ts';
import type { ResolvedSubject } from '../../../../electron/evaluation/plan/subjects.ts';
import { execute } from '../../../../electron/evaluation/run/execute.ts';
import type { EvaluationServices } from '../../../../electron/evaluation/services.ts';
import type { Sample, Sampler, Trainer } from '../../../../electron/models/index.ts';
import type { LoadRequest } from '../../../../electron/processes/index.ts';
import { openLab, type StoredEvaluation } from '../../../../electron/store/index.ts';
import { inTempFolder, steadyClock } from '../../store/support/make-records.ts';
import { TOY_PROTOCOL, toyAnswer, toyPlan, toySubject } from '../../store/support/toy-evaluation.ts';

const SHA256 = 'a'.repeat(64);
// A checkpoint: the files of a model would be compared with the hash that it was planned with.
const subject = { ...toySubject(SHA256), kind: 'checkpoint' as const };

/** A suite whose answers pass; `timed` as where a program's time decides. */
function wanted(
  name: string,
  { timed = false, items = 2, maxNewTokens = TOY_PROTOCOL.maxNewTokens } = {},
): (said: string[]) => EvalRequest {
  const protocol = { ...TOY_PROTOCOL, maxNewTokens };
  const plan = toyPlan(subject, SHA256, { suite: name, items, protocol });
  const { grade } = toyAnswer(0, true);
  return (said) => {
    const suite = {
      name,
      timed,
      needs: { sandbox: false, maths: false, judge: 'none' },
      target: () => null,
      ask: ({ id }: { id: string }) => ({
        messages: [{ role: 'user', content: `${name} ${id}` }],
        raw: false,
        stops: [],
      }),
      grade: async ({ id }: { id: string }) => {
        said.push(`grading ${name} ${id}`);
        await aWhile();
        said.push(`graded ${name} ${id}`);
        return grade;
      },
      scores: () => [],
      async *read() {
        for (let item = 0; item < items; item += 1) yield { id: `i${item}` };
      },
    };
    return { plan, suite, protocol: plan.protocol, planned: items, context: '' } as unknown as EvalRequest;
  };
}

const aWhile = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

type Windows = { loadings: number[]; asked: Record<string, number | undefined> };
type Suites = readonly ReturnType<typeof wanted>[];
/** What was found done already, and what was done now. */
type Counted = { found: unknown[]; generated: number; graded: number };
/** `windows`: the longest answer of each loading, and the window that each suite was asked within. */
type Carried = {
  windows: Windows;
  said: string[];
  stored: StoredEvaluation[];
  failure: unknown;
  counted: Counted;
};

/** What is asked, answered and graded, in that order. An answer that `waits` for something comes once that was said, at the latest after 200 turns. */
const carry = (...work: [Suites, Waits?, Stop?]): Promise<Carried> =>
  inTempFolder((folder) => carryIn(folder, ...work));

type Waits = Readonly<Record<string, string>>;
type Stop = { at: string; by: AbortController } | null;

async function carryIn(
  folder: string,
  suites: Suites,
  waits: Waits = {},
  stop: Stop = null,
): Promise<Carried> {
  const store = await openLab(folder, { now: steadyClock(Date.UTC(2026, 5, 1)) });
  const said: string[] = [];
  const windows: Windows = { loadings: [], asked: {} };
  const sampler: Pick<Sampler, 'sampleEach'> = {
    async sampleEach(requests, { contextTokens }, onSample: (sample: Sample) => void, signal) {
      for (const { key, messages } of requests) {
        const question = String(messages[0]?.content);
        said.push(`asked ${question}`);
        windows.asked[question.split(' ')[0]!] = contextTokens;
        if (stop?.at === question) stop.by.abort();
        const awaited = waits[question] ?? said[0];
        for (let turn = 0; turn < 200 && !said.includes(String(awaited)); turn += 1) await aWhile();
        signal.throwIfAborted();
        said.push(`answered ${question}`);
        onSample({ key, text: 'x', newTokens: 1, finish: 'stop' });
      }
    },
  };
  const trainer = {
    sampler: async ({ rollout }: LoadRequest) => {
      windows.loadings.push(rollout.maxSeqTokens);
      return { sampler, loaded: { weightsSha256: SHA256 } };
    },
  };
  const services = {
    store,
    lab: { root: folder, logs: folder },
    clock: { monotonicMs: () => 0 },
    children: {},
  } as unknown as EvaluationServices;
  const resolved = {
    subject,
    path: folder,
    stored: [],
    config: runConfigSchema.parse({}),
    contextTokens: null,
  } as unknown as ResolvedSubject;
  const counted: Counted = { found: [], generated: 0, graded: 0 };
  let next = 0;
  const failure = await execute(
    services,
    resolved,
    suites.map((one) => one(said)),
    {
      judge: null,
      seed: 1,
      signal: stop?.by.signal ?? new AbortController().signal,
      by: trainer as unknown as Trainer,
      newId: () => `e${(next += 1)}`,
      onFound: (units) => counted.found.push(units),
      onGenerated: () => (counted.generated += 1),
      onGraded: () => (counted.graded += 1),
    },
  ).then(
    () => null,
    (error: unknown) => error,
  );
  const stored = store.listStoredEvaluations();
  store.close();
  return { windows, said, stored, failure, counted };
}

const isDone = ({ stored, failure }: Carried): void => {
  expect(failure).toBeNull();
  expect(stored.map(({ state, graded }) => [state, graded])).toEqual(
    stored.map(({ planned }) => ['done', planned]),
  );
};

it('The next suite is asked while the last answers of one are still being written', async () => {
  const carried = await carry([wanted('first'), wanted('second')], { 'first i1': 'asked second i0' });
  isDone(carried);
  expect(carried.said.indexOf('asked second i0')).toBeLessThan(carried.said.indexOf('answered first i1'));
});

it('A suite with longer answers is asked meanwhile too, and each has the window that it would have by itself', async () => {
  const suites = [wanted('short', { maxNewTokens: 128 }), wanted('long', { maxNewTokens: 2000 })];
  const carried = await carry(suites, { 'short i1': 'asked long i0' });
  isDone(carried);
  const { said, windows } = carried;
  expect(said.indexOf('asked long i0')).toBeLessThan(said.indexOf('answered short i1'));
  const alone = await Promise.all(suites.map((suite) => carry([suite])));
  expect(windows.asked).toEqual(Object.assign({}, ...alone.map((one) => one.windows.asked)));
  expect(windows.loadings).toEqual([Math.max(...alone.flatMap((one) => one.windows.loadings))]);
});

it('The next items of a suite are asked while its last answers before them are still being written', async () => {
  const carried = await carry([wanted('long', { items: 300 })], { 'long i127': 'answered long i200' });
  isDone(carried);
  const { said } = carried;
  expect(said.indexOf('answered long i200')).toBeLessThan(said.indexOf('answered long i127'));
  // No more than two parts of a suite are in memory, and each item is asked once.
  expect(said.indexOf('asked long i256')).toBeGreaterThan(said.indexOf('answered long i127'));
  expect(said.filter((text) => text.startsWith('asked'))).toHaveLength(300);
});

it('A suite whose verdicts hang on time is asked beside others, and graded with nothing else beside it', async () => {
  const suites = [wanted('first', { timed: true }), wanted('second', { timed: true }), wanted('third')];
  const carried = await carry(suites, {
    'first i1': 'asked second i0',
    'third i1': 'answered second i1',
  });
  isDone(carried);
  const { said } = carried;
  expect(said.indexOf('asked second i0')).toBeLessThan(said.indexOf('answered first i1'));
  const lastOther = said.findLastIndex((text) => /^(asked|answered)|third/.test(text));
  expect(said.findIndex((text) => /^grading (first|second)/.test(text))).toBeGreaterThan(lastOther);
  const graded = said.flatMap((text) => /^grad(?:ing|ed) (first|second)/.exec(text)?.[1] ?? []);
  expect(graded.toSorted()).toEqual([...Array(4).fill('first'), ...Array(4).fill('second')]);
  expect(graded.filter((name, at) => name !== graded[at - 1])).toHaveLength(2);
});

it('Every evaluation that was begun is stopped when the work is, those that waited for their turn among them', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const suites = names.map((name) => wanted(name, { timed: name === 'a' }));
  const { stored, failure } = await carry(suites, {}, { at: 'd i0', by: new AbortController() });
  expect(failure).toMatchObject({ name: 'AbortError' });
  const states = stored.map(({ state }) => state).filter((state) => state !== 'done');
  // The second and the third may have come to their ends by then; the timed one, the one asked and those after it have not.
  expect(new Set(states)).toEqual(new Set(['stopped']));
  expect(states.length).toBeGreaterThanOrEqual(4);
});

it('What an evaluation found done when it was taken up again is told apart from what is done now', () =>
  inTempFolder(async (folder) => {
    const suites = [wanted('a', { items: 6 })];
    const first = await carryIn(folder, suites, {}, { at: 'a i4', by: new AbortController() });
    const before = first.counted.graded;
    expect(first.counted).toMatchObject({ found: [{ generated: 0, done: 0, judged: 0 }], generated: 4 });
    expect((await carryIn(folder, suites)).counted).toEqual({
      found: [{ generated: 4, done: before, judged: 0 }],
      generated: 2,
      graded: 6 - before,
    });
  }));
