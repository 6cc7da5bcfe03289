import { expect, it } from 'vitest';
import { runConfigSchema } from '../../../../electron/contract/index.ts';
import type { EvalRequest } from '../../../../electron/evaluation/plan/eval-request.ts';
import type { ResolvedSubject } from '../../../../electron/evaluation/plan/subjects.ts';
import { execute } from '../../../../electron/evaluation/run/execute.ts';
import type { EvaluationServices } from '../../../../electron/evaluation/services.ts';
import type { Sample, Sampler, Trainer } from '../../../../electron/models/index.ts';
import { openLab } from '../../../../electron/store/index.ts';
import { inTempFolder, steadyClock } from '../../store/support/make-records.ts';
import { toyAnswer, toyPlan, toySubject } from '../../store/support/toy-evaluation.ts';

const SHA256 = 'a'.repeat(64);
const subject = toySubject(SHA256);

/** A suite of two items whose answers pass; `timed` as where a program's time decides. */
function wanted(name: string, timed: boolean): EvalRequest {
  const plan = toyPlan(subject, SHA256, { suite: name, items: 2 });
  const { grade } = toyAnswer(0, true);
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
    grade: async () => grade,
    scores: () => [],
    async *read() {
      yield* [{ id: 'i0' }, { id: 'i1' }];
    },
  };
  return { plan, suite, protocol: plan.protocol, planned: 2, context: '' } as unknown as EvalRequest;
}

/** What is asked and answered, in that order, where each suite's last answer waits until `goesOn` says so. */
const askedOf = (suites: readonly EvalRequest[], goesOn: (asked: readonly string[]) => boolean) =>
  inTempFolder(async (folder) => {
    const store = await openLab(folder, { now: steadyClock(Date.UTC(2026, 5, 1)) });
    const said: string[] = [];
    const sampler: Pick<Sampler, 'batchSize' | 'sampleEach'> = {
      batchSize: 1,
      async sampleEach(requests, _limits, onSample: (sample: Sample) => void) {
        for (const { key, messages } of requests) {
          said.push(`asked ${messages[0]?.content}`);
          const turns = key === '1' ? 50 : 0;
          for (let turn = 0; turn < turns && !goesOn(said); turn += 1)
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
          said.push(`answered ${messages[0]?.content}`);
          onSample({ key, text: 'x', newTokens: 1, finish: 'stop' });
        }
      },
    };
    const trainer = { sampler: async () => ({ sampler, loaded: { weightsSha256: SHA256 } }) };
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
    let next = 0;
    const done = await execute(services, resolved, suites, {
      judge: null,
      seed: 1,
      signal: new AbortController().signal,
      by: trainer as unknown as Trainer,
      newId: () => `e${(next += 1)}`,
    });
    expect(done.map(({ state, graded }) => [state, graded])).toEqual(suites.map(() => ['done', 2]));
    store.close();
    return said;
  });

it('The next suite is asked while the last answers of one are still being written', async () => {
  const said = await askedOf([wanted('first', false), wanted('second', false)], (asked) =>
    asked.includes('asked second i0'),
  );
  expect(said.indexOf('asked second i0')).toBeLessThan(said.indexOf('answered first i1'));
});

it('A suite whose verdicts hang on time is asked and graded with nothing else beside it', async () => {
  const said = await askedOf(
    [wanted('first', true), wanted('second', true), wanted('third', false)],
    () => false,
  );
  const order = [...new Set(said.map((text) => text.split(' ')[1]))];
  expect(order).toEqual(['third', 'first', 'second']);
  expect(said.indexOf('asked second i0')).toBeGreaterThan(said.indexOf('answered first i1'));
});
