import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  runConfigSchema,
  type LiveEvent,
  type PersonConfig,
  type RunConfig,
} from '../../../electron/contract/index.ts';
import { createRouter, Engine } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const labs: string[] = [];
const application = join(import.meta.dirname, '../../..');
function newLab(): string {
  const lab = mkdtempSync(join(tmpdir(), 'anchor-person-'));
  labs.push(lab);
  return lab;
}
const openEngine = (labFolder: string): Promise<Engine> =>
  Engine.open({
    application,
    labFolder,
    maxActiveRuns: 1,
    clock: { now: () => new Date(), monotonicMs: () => performance.now() },
  });
afterAll(() => labs.forEach((lab) => rmSync(lab, { recursive: true, force: true })));

const config = (
  person: Partial<PersonConfig>,
  reviewer: RunConfig['supervision']['reviewer'] = 'rubric',
  steps = 1,
): RunConfig =>
  runConfigSchema.parse({
    ...PRESETS.demo,
    name: 'asks a person',
    steps,
    framework: { name: 'azr', batchSize: 2, estimateSamples: 2 },
    generation: { maxNewTokens: 48 },
    rewardedPrompts: { share: 0 },
    supervision: {
      phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 },
      reviewer,
      minimumSupport: 1,
      human: { share: 0.5, ...person },
    },
  });

/** What a window would call. */
const verbsOf = (engine: Engine) => createRouter(engine).createCaller({});

describe('a run that gives half of its reviews to a person', () => {
  it('waits for the answers, records who gave them, and goes on by what they say', async () => {
    const engine = await openEngine(newLab());
    const verbs = verbsOf(engine);
    try {
      const { id: runId } = await verbs.runs.start(config({ timeoutSeconds: 600 }));
      const answered: string[] = [];
      const end = engine.waitFor(runId);
      while (engine.isActive(runId)) {
        const [question] = await verbs.reviews.questions({ runId });
        if (question === undefined) {
          await pause(20);
          continue;
        }
        const { count, oldestDeadline, runs } = await verbs.reviews.waiting({ runId: null });
        expect(count).toBeGreaterThan(0);
        expect(oldestDeadline).toBe(question.deadline);
        expect(runs).toMatchObject([{ runId, runName: 'asks a person', count }]);
        const {
          question: { issues },
          fields,
          facts,
        } = await verbs.reviews.question({ runId, id: question.id });
        expect(fields.length > 0 || question.phase === 'exec').toBe(true);
        expect(facts).not.toBe('');
        await verbs.reviews.answer({
          runId,
          id: question.id,
          decision: 'retry',
          issues: issues.slice(0, 1).map(({ name }) => name),
          feedback: 'A person looked at this.',
        });
        answered.push(question.id);
      }
      expect((await end).state).toBe('done');
      const reviews = engine.store.listReviews(runId, 1);
      const mine = reviews.filter(({ reviewer }) => reviewer === 'human');
      expect(answered.length).toBeGreaterThan(2);
      expect(mine.map(({ id }) => id).sort()).toEqual(answered.sort());
      expect(
        mine.every(
          ({ status, decision, feedback }) =>
            status === 'done' && decision === 'retry' && feedback === 'A person looked at this.',
        ),
      ).toBe(true);
      expect(reviews.filter(({ reviewer }) => reviewer === 'rubric').length).toBeGreaterThan(0);
      const sources = engine.store.getContext(runId, 2)?.lines.flatMap(({ reviewIds }) => reviewIds) ?? [];
      expect(sources.some((source) => answered.includes(source))).toBe(true);
      expect(
        engine.store.listEvents(runId, { limit: 500 }).filter(({ kind }) => kind === 'review.person'),
      ).toHaveLength(answered.length);
      expect((await verbs.reviews.history({ runId })).map(({ outcome }) => outcome)).toEqual(
        answered.map(() => 'answered'),
      );
      expect(await verbs.reviews.waiting({ runId: null })).toEqual({
        count: 0,
        oldestDeadline: null,
        runs: [],
      });
    } finally {
      await engine.close();
    }
  });

  it('tells windows of the queue, keeps drafts, refuses a wrong answer in a sentence and passes questions on', async () => {
    const engine = await openEngine(newLab());
    const verbs = verbsOf(engine);
    const changes: LiveEvent[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const { events } of engine.live.follow(null, stop.signal))
        changes.push(...events.map(({ event }) => event));
    })();
    try {
      const { id: runId } = await verbs.runs.start(
        config({ timeoutSeconds: 600, fallback: 'skip', share: 1 }),
      );
      const end = engine.waitFor(runId);
      while ((await verbs.reviews.questions({ runId })).length < 3) await pause(20);
      const [question] = await verbs.reviews.questions({ runId });
      const id = question?.id ?? '';
      await verbs.reviews.keepDraft({
        runId,
        id,
        draft: { decision: 'retry', issues: [], feedback: 'half a thought' },
      });
      expect((await verbs.reviews.questions({ runId })).find((each) => each.id === id)?.draft?.feedback).toBe(
        'half a thought',
      );
      await expect(
        verbs.reviews.answer({ runId, id, decision: 'retry', issues: ['nonsense'], feedback: 'x' }),
      ).rejects.toThrow(/is no issue of the/);
      await expect(
        verbs.reviews.answer({ runId, id: 'nowhere', decision: 'continue', issues: [], feedback: 'x' }),
      ).rejects.toThrow(/no longer open/);
      while (engine.isActive(runId)) {
        const open = (await verbs.reviews.questions({ runId })).map((each) => ({ runId, id: each.id }));
        if (open.length > 0)
          expect((await verbs.reviews.passOn({ questions: open, how: 'hand-over' })).done).toBe(open.length);
        await pause(20);
      }
      expect((await end).state).toBe('done');
      const reviews = engine.store.listReviews(runId, 1);
      expect(new Set(reviews.map(({ status, feedback }) => `${status}: ${feedback}`))).toEqual(
        new Set(['skipped-by-budget: Handed over by the reviewer.']),
      );
      stop.abort();
      await following;
      expect(
        changes.filter(
          (event) => event.kind === 'changed' && event.what === 'reviews' && event.runId === runId,
        ).length,
      ).toBeGreaterThan(3);
    } finally {
      stop.abort();
      await engine.close();
    }
  });

  it('falls back to the embedded supervisor when nobody answers in time', { tags: ['full'] }, async () => {
    const engine = await openEngine(newLab());
    try {
      const { id } = engine.startRun(config({ timeoutSeconds: 0.5, fallback: 'model' }, 'llama'));
      expect((await engine.waitFor(id)).state).toBe('done');
      const reviews = engine.store.listReviews(id, 1);
      expect(new Set(reviews.map(({ reviewer, model }) => `${reviewer} ${model}`))).toEqual(
        new Set(['llama embedded-supervisor']),
      );
      expect(reviews.filter(({ status }) => status === 'done').length).toBe(reviews.length);
      const outcomes = engine.store
        .listEvents(id, { limit: 500 })
        .filter(({ kind }) => kind === 'review.person')
        .map(({ body }) => (body as { outcome: string }).outcome);
      expect(outcomes.length).toBeGreaterThan(2);
      expect(new Set(outcomes)).toEqual(new Set(['timed-out']));
    } finally {
      await engine.close();
    }
  });
});

describe('a program that is killed while a run waits for a person', () => {
  it('leaves no half step; resuming says that it asks again, asks for the same items, and ends', async () => {
    const lab = newLab();
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'waiting-engine.ts'), lab, JSON.stringify(config({ timeoutSeconds: 3600 }))],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const told = await new Promise<{ runId: string; asked: string[] }>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const line = text.split('\n').find((each) => each.startsWith('{'));
        if (line !== undefined && text.includes('\n'))
          resolve(JSON.parse(line) as { runId: string; asked: string[] });
      });
      child.once('close', () => reject(new Error('The engine ended before it asked.')));
    });
    const ended = new Promise((resolve) => {
      child.once('close', resolve);
    });
    child.kill('SIGKILL');
    await ended;

    const engine = await openEngine(lab);
    const verbs = verbsOf(engine);
    try {
      expect(engine.store.getRun(told.runId)).toMatchObject({ state: 'interrupted', committedSteps: 0 });
      expect(await verbs.reviews.questions({ runId: null })).toEqual([]);
      engine.resume(told.runId);
      const end = engine.waitFor(told.runId);
      const asked = new Set<string>();
      while (engine.isActive(told.runId)) {
        for (const { id } of await verbs.reviews.questions({ runId: told.runId })) {
          asked.add(id);
          await verbs.reviews.answer({
            runId: told.runId,
            id,
            decision: 'continue',
            issues: [],
            feedback: 'No problem found.',
          });
        }
        await pause(20);
      }
      expect((await end).state).toBe('done');
      expect([...asked]).toEqual(expect.arrayContaining(told.asked));
    } finally {
      await engine.close();
    }
  });

  it('says so where it can be resumed', { tags: ['full'] }, async () => {
    const engine = await openEngine(newLab());
    try {
      const { id } = engine.startRun(config({ timeoutSeconds: 0.2, fallback: 'skip' }, 'rubric', 2));
      const stopListening = engine.onProgress(({ step, stage }) => {
        if (step === 2 && stage === 'generate') engine.stop(id);
      });
      expect(await engine.waitFor(id)).toMatchObject({ state: 'interrupted', committedSteps: 1 });
      stopListening();
      expect(engine.resume(id).redo).toBe(
        '1 of 2 steps are stored; step 2 is taken again from its start, and asks the person again, so its result may differ.',
      );
      expect((await engine.waitFor(id)).state).toBe('done');
    } finally {
      await engine.close();
    }
  });
});
