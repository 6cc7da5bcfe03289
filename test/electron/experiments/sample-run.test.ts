import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nobodyAsked, type LiveEvent } from '../../../electron/contract/index.ts';
import { coinsOf } from '../../../electron/experiments/sample/exercises.ts';
import {
  labelOf,
  recordingLabelSchema,
  unpackRecording,
} from '../../../electron/experiments/sample/recording.ts';
import { timelineOf } from '../../../electron/experiments/sample/player.ts';
import { APPLICATION, makeLab, openEngine, type Lab } from '../engine/in-engine.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const SHIPPED = join(APPLICATION, 'resources/sample-run');
const label = recordingLabelSchema.parse(JSON.parse(readFileSync(join(SHIPPED, 'label.json'), 'utf8')));
const recording = unpackRecording(readFileSync(join(SHIPPED, 'recording.json.br')), label);
const SUPERVISED = 'sample-supervised';

describe('the recording that ships', () => {
  it('is small, names no place of the machine it was made on, and its label tells the truth', () => {
    expect(label.bytes).toBeLessThan(3_000_000);
    const updates = new Map(
      recording.runs.map(({ id }) => [id, readFileSync(join(SHIPPED, `${id}.updates.br`))]),
    );
    expect(labelOf(recording, readFileSync(join(SHIPPED, 'recording.json.br')), updates)).toEqual(label);
    expect([...updates.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThan(3_000_000);
    expect(JSON.stringify(recording)).not.toMatch(/"\/(?!\/)[\w.-]+\//);
    expect(
      recording.steps
        .flatMap(({ commit }) => (commit.checkpoint?.files ?? []).map(({ path }) => path))
        .filter((path) => /[\\/]/.test(path)),
    ).toEqual([]);
  });

  it('holds what the tour shows: reviews of every phase, a line that left, scores before and after', () => {
    const commits = recording.steps.filter(({ runId }) => runId === SUPERVISED).map(({ commit }) => commit);
    expect(
      new Set(
        commits
          .find(({ step }) => step.step === 14)
          ?.reviews.filter(({ status }) => status === 'done')
          .map(({ phase }) => phase),
      ),
    ).toEqual(new Set(['task', 'plan', 'thought', 'output', 'exec']));
    expect(commits.some(({ nextContext }) => nextContext.removed.length > 0)).toBe(true);
    const asked = Map.groupBy(recording.evaluations, ({ plan }) => plan.subject.runId);
    for (const runId of ['sample-alone', SUPERVISED])
      expect(new Set(asked.get(runId)?.map(({ plan }) => plan.subject.step)).size).toBe(13);
  });

  it('has no finding that a plan is unlike a program but where the computed facts told one from the other', () => {
    const plans = recording.steps.flatMap(({ commit }) =>
      commit.reviews.filter(({ phase }) => phase === 'plan'),
    );
    const found = plans.filter(({ issues }) => issues.includes('plan_mismatch'));
    expect(found.length).toBeGreaterThan(0);
    for (const { prompt } of found) expect(prompt).toMatch(/facts: .*program .*; inconsistent$/m);
    const unasked = plans.filter(nobodyAsked);
    expect(unasked.length).toBeGreaterThan(100);
    expect(new Set(unasked.map(({ feedback, issues }) => `${feedback} ${issues.length}`))).toEqual(
      new Set(['There is nothing to compare. 0']),
    );
  });

  it('that was damaged is refused', () => {
    const bytes = readFileSync(join(SHIPPED, 'recording.json.br'));
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    expect(() => unpackRecording(bytes, label)).toThrow(/damaged/);
  });

  it('is played in the order in which it happened, each record and review before the commit of its step', () => {
    const { moments } = timelineOf(recording);
    expect(moments.every(({ atMs }, index) => index === 0 || atMs >= (moments[index - 1]?.atMs ?? 0))).toBe(
      true,
    );
    const committed = new Map<string, number>();
    for (const { event } of moments) {
      if (event.kind === 'commit') committed.set(event.step.runId, event.step.commit.step.step);
      if (event.kind !== 'emit') continue;
      const { live } = event;
      const step =
        live.kind === 'record' ? live.record.step : live.kind === 'review' ? live.review.step : null;
      if (step !== null && 'runId' in live) expect(committed.get(live.runId ?? '') ?? 0).toBe(step - 1);
    }
  });
});

/** One question of each step at which answers part first, and one whose answers never do. */
const onePerStep = <Q extends { apart: number[] }>(questions: readonly Q[]): Q[] => [
  ...new Map(questions.map((one) => [one.apart[0], one])).values(),
];

describe('the sample run', () => {
  let lab: Lab;
  const heard: LiveEvent[] = [];
  const stop = new AbortController();
  beforeAll(async () => {
    lab = await makeLab();
    void (async () => {
      for await (const batch of lab.engine.live.follow(null, stop.signal))
        heard.push(...batch.events.map(({ event }) => event));
    })();
  });
  afterAll(async () => {
    stop.abort();
    await lab.remove();
  });
  const told = (kind: LiveEvent['kind']): LiveEvent[] =>
    heard.filter((event) => event.kind === kind && 'runId' in event && event.runId === SUPERVISED);
  const until = async (condition: () => boolean): Promise<void> => {
    for (let waited = 0; !condition() && waited < 300; waited += 1)
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    expect(condition()).toBe(true);
  };

  it('is closed until it is opened, and reading it says so', async () => {
    expect((await lab.verbs.tour.state()).playing).toBeNull();
    expect(() => lab.engine.storeOf(SUPERVISED)).toThrow(/open it in the tour/);
    await lab.verbs.tour.open();
    expect((await lab.verbs.tour.state()).runs.map(({ committedSteps }) => committedSteps)).toEqual([0, 0]);
  });

  it('plays through the live feed: records and reviews first, then the step, which can be read at once', async () => {
    await lab.verbs.tour.play({ speed: 30 });
    await until(() => told('step').length >= 2);
    await lab.verbs.runs.pause({ runId: SUPERVISED });
    const run = await lab.verbs.runs.get({ runId: SUPERVISED });
    expect(run).toMatchObject({ state: 'paused', reason: 'The replay is paused.' });
    const steps = run?.committedSteps ?? 0;
    const [first] = recording.steps.filter(({ runId }) => runId === SUPERVISED);
    expect((await lab.verbs.runs.steps({ runId: SUPERVISED })).map(({ step }) => step)).toEqual(
      Array.from({ length: steps }, (_, index) => index + 1),
    );
    expect(lab.engine.storeOf(SUPERVISED).getCommit(SUPERVISED, 1)?.reviews).toEqual(first?.commit.reviews);
    const reviewsOfFirst = told('review').filter(
      (event) => event.kind === 'review' && event.review.step === 1,
    );
    expect(reviewsOfFirst).toHaveLength(first?.commit.reviews.length ?? -1);
    expect(heard.indexOf(reviewsOfFirst.at(-1) as LiveEvent)).toBeLessThan(
      heard.indexOf(told('step')[0] as LiveEvent),
    );
  });

  it('goes on after the engine was started again, without a step twice', async () => {
    const before = (await lab.verbs.runs.get({ runId: SUPERVISED }))?.committedSteps ?? 0;
    lab.engine.sample.close();
    await lab.engine.sample.openIfThere();
    expect((await lab.verbs.runs.get({ runId: SUPERVISED }))?.committedSteps).toBe(before);
    await lab.verbs.tour.play({ speed: 30 });
    await until(() => told('step').length > before);
    expect(new Set(told('step').map((event) => (event.kind === 'step' ? event.step : 0))).size).toBe(
      told('step').length,
    );
  });

  it('can be taken to its end at once, and is then exactly the recording', async () => {
    const { runs, playing } = await lab.verbs.tour.toEnd();
    expect(runs.map(({ state, committedSteps, steps }) => [state, committedSteps === steps])).toEqual([
      ['done', true],
      ['done', true],
    ]);
    expect(playing).toMatchObject({ isPlaying: false, problem: null });
    const store = lab.engine.storeOf(SUPERVISED);
    for (const { runId, commit } of recording.steps)
      expect(store.getStep(runId, commit.step.step)).toEqual(commit.step);
    expect(store.checkIntegrity()).toEqual([]);
    expect(await lab.verbs.evaluations.list({ runId: SUPERVISED })).toHaveLength(
      recording.evaluations.filter(({ plan }) => plan.subject.runId === SUPERVISED).length,
    );
    expect(await lab.verbs.runs.checkpoints({ runId: SUPERVISED })).toEqual([]);
  });

  it('never mixes with the lab: not in its lists, its searches or its evaluations', async () => {
    expect((await lab.verbs.runs.list()).rows).toEqual([]);
    expect((await lab.verbs.records.search({ runId: null, text: 'def' })).rollouts).toEqual([]);
    expect(await lab.verbs.evaluations.list()).toEqual([]);
    expect(lab.engine.store.listEvents(null).filter(({ runId }) => runId !== null)).toEqual([]);
  });

  it('is told as a story from its records: answers that part, the coins behind each line, the price', async () => {
    const pair = { alone: 'sample-alone', supervised: SUPERVISED };
    const { demo } = lab.verbs;
    const { tracks, isAsked } = await demo.story(pair);
    expect(tracks.map(({ suite, kind }) => [suite, kind])).toEqual([
      ['toy-deduction', null],
      ['toy-refusal', 'request'],
      ['toy-memory', 'memory'],
    ]);
    expect(isAsked).toBe(true);
    const [first] = await demo.questions({ ...pair, suite: 'toy-refusal' });
    const answers = await demo.answers({ ...pair, suite: 'toy-refusal', itemId: first?.itemId ?? '' });
    const at = (run: 'alone' | 'supervised', step: number, withContext: boolean) =>
      answers[run].find((one) => one.step === step && one.withContext === withContext);
    for (const step of first?.apart ?? [])
      expect([at('alone', step, false)?.passed, at('supervised', step, false)?.passed]).toEqual([
        false,
        true,
      ]);
    expect(at('alone', 24, false)?.text).toContain('Sure, I will');
    expect([at('alone', 24, true)?.contextStep, at('supervised', 12, true)?.contextStep]).toEqual([25, 13]);
    const { p, lines } = await demo.lines(pair);
    expect(p).toBe(0.3);
    for (const { coins, needed } of lines) {
      expect(coins.every(({ coin }) => coin < p)).toBe(true);
      expect(coins.length).toBeGreaterThanOrEqual(needed);
    }
    const costs = await demo.costs(pair);
    expect(costs.reviews).toBe(label.runs[1]?.reviews);
    expect(
      costs.contrasts.map(({ suite, step, difference }) => [suite, step, Math.sign(difference)]),
    ).toEqual([
      ['toy-deduction', 24, -1],
      ['toy-refusal', 24, 1],
      ['toy-memory', 24, 1],
    ]);
  });

  it('leads from each answer that parted to a slip, a review and a line before it, and from another question to another line', async () => {
    const pair = { alone: 'sample-alone', supervised: SUPERVISED };
    const { demo } = lab.verbs;
    const found = new Map<string, string>();
    for (const [kind, suite] of [
      ['request', 'toy-refusal'],
      ['memory', 'toy-memory'],
    ] as const)
      for (const { itemId, apart } of onePerStep(await demo.questions({ ...pair, suite }))) {
        const { apartAt, chain } = await demo.cause({ ...pair, kind, itemId });
        expect(apartAt).toBe(apart[0] ?? null);
        if (apartAt === null) expect(chain).toBeNull();
        if (apartAt === null || chain === null) continue;
        const { rollout, review, line, context, next } = chain;
        expect([review.rolloutId, rollout.batch]).toEqual([rollout.id, `pred_${kind}`]);
        if (kind === 'request') expect(review.issues).toContain('unsafe_comply');
        expect(rollout.step).toBeLessThan(line.firstContext);
        expect(line.firstContext).toBeLessThanOrEqual(apartAt);
        expect(context.step).toBe(line.firstContext);
        expect(context.text).toContain(line.text);
        expect([line.firstContext, undefined]).toContain(next?.step);
        found.set(`${kind} ${apartAt}`, `step ${line.firstContext}: ${line.text}`);
      }
    // Steps at which answers part, and the line that stood then: the first line of a kind is not that of every question.
    expect(
      Object.fromEntries([...found].filter(([at]) => /^(request (4|12)|memory (8|16))$/.test(at))),
    ).toEqual({
      'request 4': 'step 2: Refuse unsafe requests.',
      'request 12': 'step 11: Refuse unsafe requests.',
      'memory 8': 'step 7: Follow the policy, not the ratings.',
      'memory 16': 'step 16: Follow the policy, not the ratings.',
    });
  });

  it('says what of each step came to nothing, and why', async () => {
    const commits = recording.steps.filter(({ runId }) => runId === SUPERVISED).map(({ commit }) => commit);
    const expected = new Map<string, number>();
    const put = (...key: (string | number | null)[]): void => {
      const id = JSON.stringify(key);
      expected.set(id, (expected.get(id) ?? 0) + 1);
    };
    for (const { step, rollouts, reviews } of commits) {
      for (const { purpose, verdict, reward, advantage } of rollouts) {
        if (purpose === 'estimate') continue;
        if (reward === null) put(step.step, 'first-try', null);
        else if (verdict.outcome === 'invalid')
          put(step.step, purpose === 'propose' ? 'proposal' : 'answer', verdict.reason);
        else if (advantage === 0) put(step.step, 'no-advantage', null);
      }
      for (const { status } of reviews) if (status !== 'done') put(step.step, 'review', status);
    }
    const unused = await lab.verbs.live.unused({ runId: SUPERVISED });
    expect(
      new Map(unused.map(({ step, kind, reason, count }) => [JSON.stringify([step, kind, reason]), count])),
    ).toEqual(expected);
    expect(unused.filter(({ kind }) => kind === 'proposal').length).toBeGreaterThan(0);
    expect(unused.every(({ reason, sentence }) => (reason === null) === (sentence === null))).toBe(true);
  });

  it('shows where the time of a step went: its parts end where the step does, and reviews lie beside them', async () => {
    const { commit } = recording.steps.find(
      ({ runId, commit: { step } }) => runId === SUPERVISED && step.step === 4,
    )!;
    const inside = await lab.verbs.live.inside({ runId: SUPERVISED, step: 4 });
    const { timings } = commit.step;
    expect(inside?.parts.map(({ part }) => part)).toEqual(
      [
        'prompts',
        'gen',
        'retry',
        'estimate',
        'update_actor',
        'supervise_wait',
        'context',
        'save_checkpoint',
      ].filter((part) => (timings[part] ?? 0) > 0),
    );
    for (const { part, from, to } of inside?.parts ?? [])
      expect(to - from).toBeCloseTo(timings[part] ?? -1, 9);
    const end = inside?.parts.at(-1)?.to ?? 0;
    expect(end).toBeLessThanOrEqual(timings['step'] ?? 0);
    expect(end).toBeGreaterThan(0.95 * (timings['step'] ?? Infinity));
    expect(inside?.reviews).toHaveLength(commit.reviews.length);
    for (const [index, { from, to, phase }] of (inside?.reviews ?? []).entries()) {
      const review = commit.reviews[index]!;
      expect(phase).toBe(review.phase);
      expect(to - from).toBeCloseTo(review.milliseconds / 1000, 6);
      expect(to).toBeLessThanOrEqual((timings['step'] ?? 0) + 0.1);
    }
    expect(inside?.isWaitSplit).toBe(false);
    expect(await lab.verbs.live.inside({ runId: SUPERVISED, step: 99 })).toBeNull();
  });

  it('is compared and read like any run, marked as the sample, and says how it can be asked', async () => {
    const runIds = ['sample-alone', SUPERVISED];
    expect((await lab.verbs.runs.sample()).map(({ id }) => id)).toEqual(runIds);
    expect((await lab.verbs.runs.compare({ runIds })).map(({ run }) => run.id)).toEqual(runIds);
    const subjects = runIds.map((id) => `${id}@24`);
    const choices = await lab.verbs.evaluations.subjects();
    expect(
      choices.filter(({ id }) => subjects.includes(id)).map(({ sample, kept }) => [sample, kept]),
    ).toEqual([
      [true, false],
      [true, false],
    ]);
    const request = { subjects, seed: null, limit: null, context: null, judge: null };
    const { rows } = await lab.verbs.evaluations.matrix(request);
    const refusals = rows.find(({ suite }) => suite === 'toy-refusal');
    const [before, after] = (refusals?.cells ?? []).map((cell) => cell?.evaluationIds[0] ?? '');
    const compared = await lab.verbs.evaluations.compare({ before: before ?? '', after: after ?? '' });
    expect(compared.gained).toBeGreaterThan(compared.lost + 10);
    const flips = await lab.verbs.runs.flips({ before: before ?? '', after: after ?? '' });
    expect(flips.counts.onlySecond).toBe(compared.gained);
    const page = await lab.verbs.evaluations.items({ id: after ?? '', against: before, show: 'flipped' });
    expect(page.total).toBe(compared.gained + compared.lost);
    await expect(
      lab.verbs.evaluations.start({ ...request, subjects, suites: ['toy-refusal'], seed: 1 }),
    ).rejects.toThrow(/not on this disk yet, .* "anchor sample checkpoints"/);
    await expect(lab.verbs.demo.goOn({ alone: 'sample-alone', supervised: SUPERVISED })).rejects.toThrow(
      /cannot be gone on from/,
    );
  });

  it('tosses the coins of every step as the run did: those below its p are the recorded reviews', () => {
    const store = lab.engine.storeOf(SUPERVISED);
    const { phases } = store.getRun(SUPERVISED)?.config.supervision ?? {};
    for (let step = 1; step <= 24; step += 1) {
      const { coins, recorded } = coinsOf(store, SUPERVISED, step);
      for (const [phase, numbers] of Object.entries(coins)) {
        const p = phases?.[phase as keyof typeof phases] ?? 0;
        expect(numbers.filter((number) => number < p).length, `step ${step} ${phase}`).toBe(
          recorded[phase as keyof typeof recorded],
        );
      }
    }
  });

  it('holds a sentence against the real guard', async () => {
    const { rows } = await lab.verbs.records.page({
      runId: SUPERVISED,
      filter: { batch: 'pred_code_o', outcome: 'failed' },
    });
    const record = rows.find(({ taskId }) => taskId !== null);
    const full = await lab.verbs.records.get({ runId: SUPERVISED, recordId: record?.id ?? '' });
    const answer = full?.task?.outputs[0] ?? '';
    const held = async (feedback: string) =>
      lab.verbs.tour.tryLeak({ runId: SUPERVISED, recordId: record?.id ?? '', feedback });
    expect((await held(`The answer is ${answer}.`)).findings.length).toBeGreaterThan(0);
    expect(await held('Trace each step.')).toEqual({ findings: [], hasGold: true });
  });

  it('that is begun again on its way to the end begins, whatever was still to be stored', async () => {
    await lab.verbs.tour.restart();
    const ending = lab.verbs.tour.toEnd();
    await lab.verbs.tour.restart();
    await lab.verbs.tour.play({ speed: 1 });
    await ending;
    const { playing, runs } = await lab.verbs.tour.state();
    expect(playing).toMatchObject({ isPlaying: true, problem: null });
    expect(playing?.atMs).toBeLessThan((playing?.lengthMs ?? 0) / 10);
    expect(runs.map(({ committedSteps }) => committedSteps)).toEqual([0, 0]);
    await lab.verbs.tour.pause();
  });

  it('can be begun again, and deleted with everything of it', async () => {
    await lab.verbs.tour.restart();
    expect((await lab.verbs.tour.state()).runs.map(({ committedSteps }) => committedSteps)).toEqual([0, 0]);
    await lab.verbs.runs.delete({ runId: SUPERVISED });
    expect(existsSync(join(lab.folder, 'sample'))).toBe(false);
    expect((await lab.verbs.tour.state()).playing).toBeNull();
  });

  it('that cannot be opened keeps nobody out of the lab', async () => {
    await lab.verbs.tour.open();
    lab.engine.sample.close();
    rmSync(join(lab.folder, 'sample/lab.sqlite-wal'), { force: true });
    writeFileSync(join(lab.folder, 'sample/lab.sqlite'), 'no database');
    await lab.engine.close();
    const again = await openEngine(lab.folder);
    expect(again.sample.state().playing).toBeNull();
    await expect(again.sample.open()).rejects.toThrow(/not a database/);
    again.sample.remove();
    expect((await again.sample.open()).playing).not.toBeNull();
    await again.close();
  });
});
