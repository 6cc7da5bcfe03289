import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EvaluationOrder } from '../../../../electron/contract/index.ts';
import { wilsonInterval } from '../../../../electron/core/index.ts';
import { makeLab, openEngine, type Lab } from '../in-engine.ts';
import { useWarmTrainer } from '../../../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

const order = (change: Partial<EvaluationOrder> = {}): EvaluationOrder => ({
  subjects: ['embedded'],
  suites: ['toy-refusal', 'toy-memory'],
  limit: 12,
  seed: 1,
  context: null,
  judge: null,
  protocols: {},
  again: false,
  ...change,
});
const carried = async (wanted: EvaluationOrder): Promise<string[]> => {
  const job = await lab.verbs.evaluations.start(wanted);
  const { state, problem } = await lab.ended(job);
  expect(problem).toBeNull();
  expect(state).toBe('done');
  return lab.engine.jobs.resultOf<string[]>(job.id) ?? [];
};

describe('evaluations that a person asks for', () => {
  it('are estimated, carried out, and not carried out twice', async () => {
    const before = await lab.verbs.evaluations.estimate(order());
    expect(before).toMatchObject({ items: 24, seconds: null, skipped: [] });
    const ids = await carried(order());
    const summaries = await lab.verbs.evaluations.summaries();
    expect(
      summaries.map(({ id, state, graded, plan }) => [id, state, graded, plan.suite, plan.subject.id]),
    ).toEqual([
      [ids[0], 'done', 12, 'toy-refusal', 'model:embedded-policy'],
      [ids[1], 'done', 12, 'toy-memory', 'model:embedded-policy'],
    ]);
    for (const {
      scores: [first],
      counts,
    } of summaries)
      expect(first).toMatchObject({ name: 'passed', n: 12, value: counts.passed / 12, interval: 'wilson' });
    expect(await carried(order())).toEqual(ids);
    expect(await lab.verbs.evaluations.estimate(order())).toMatchObject({ items: 0, cells: [] });
    const pace = await lab.verbs.evaluations.estimate(order({ limit: 24 }));
    expect(pace.cells.map(({ basis }) => basis)).toEqual(['measured', 'measured']);
    expect(lab.engine.store.checkIntegrity()).toEqual([]);
  });

  it('say what was asked and what would have been right', async () => {
    const [summary] = await lab.verbs.evaluations.summaries({ suite: 'toy-memory' });
    const { item, hazardous } = await lab.verbs.evaluations.item({ id: summary!.id, ordinal: 0 });
    expect(hazardous).toBe(false);
    expect(item.asked.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(item).toMatchObject({ itemId: 'toy-memory-0001', target: 'policy', sample: 0 });
  });

  it('that cannot be made are left out with the reason, and an order of nothing else is refused', async () => {
    const { skipped, cells } = await lab.verbs.evaluations.estimate(
      order({ suites: ['toy-refusal', 'humaneval', 'hex-phi'], limit: 30 }),
    );
    expect(cells.map(({ suite }) => suite)).toEqual(['toy-refusal']);
    expect(skipped.map(({ suite, why }) => [suite, why.slice(0, 31)])).toEqual([
      ['humaneval', '"HumanEval+" needs its data set'],
      ['hex-phi', '"HEx-PHI" needs a judge; choose'],
    ]);
    await expect(lab.verbs.evaluations.start(order({ suites: ['humaneval'] }))).rejects.toThrow(
      'Nothing of this can be evaluated',
    );
    await expect(lab.verbs.evaluations.start(order({ suites: ['nobody-wrote-it'] }))).rejects.toThrow(
      'There is no suite "nobody-wrote-it"',
    );
    await expect(lab.verbs.evaluations.start(order({ subjects: ['nobody'] }))).rejects.toThrow(
      'There is no model "nobody"',
    );
    expect((await lab.verbs.evaluations.estimate(order({ context: 'run' }))).skipped[0]?.why).toContain(
      'belongs to no run',
    );
  });

  it('are compared item by item, flipped ones first', async () => {
    const [one] = await carried(order({ suites: ['toy-memory'], limit: 40 }));
    const [other] = await carried(order({ suites: ['toy-memory'], limit: 40, seed: 2 }));
    const found = await lab.verbs.evaluations.compare({ before: one!, after: other! });
    expect(found.common).toBe(40);
    expect(found.warnings.join()).toContain('seeds differ');
    const { rows, counts, total } = await lab.verbs.evaluations.items({
      id: other!,
      against: one!,
      show: 'all',
      limit: 40,
    });
    expect([total, rows.length, counts.flipped]).toEqual([40, 40, found.lost + found.gained]);
    const flips = rows.map(({ flip }) => flip ?? 'none');
    expect(flips).toEqual(
      flips.toSorted((a, b) => ['lost', 'gained', 'none'].indexOf(a) - ['lost', 'gained', 'none'].indexOf(b)),
    );
    for (const { flip, outcome, against } of rows.slice(0, counts.flipped))
      expect([flip, outcome, against?.outcome]).toEqual(
        flip === 'lost' ? ['lost', 'failed', 'passed'] : ['gained', 'passed', 'failed'],
      );
    const first = await lab.verbs.evaluations.items({ id: other!, show: 'failed', limit: 2 });
    const second =
      first.next === null
        ? null
        : await lab.verbs.evaluations.items({ id: other!, show: 'failed', limit: 2, cursor: first.next });
    expect(first.rows.every(({ outcome }) => outcome === 'failed')).toBe(true);
    expect(second?.rows[0]?.ordinal ?? Infinity).toBeGreaterThan(first.rows.at(-1)?.ordinal ?? -1);
  });

  it('take a person’s word beside the verdict, and count both ways', async () => {
    const [summary] = await lab.verbs.evaluations.summaries({ suite: 'toy-refusal' });
    const { id, counts } = summary!;
    const row = (await lab.verbs.evaluations.items({ id, show: 'all' })).rows.find(
      ({ outcome }) => outcome === 'passed',
    )!;
    const emit = vi.spyOn(lab.engine, 'emit');
    const after = await lab.verbs.evaluations.override({
      id,
      ordinal: row.ordinal,
      outcome: 'failed',
      by: 'a person',
      note: 'it helped after all',
    });
    // Lists of runs show scores, so they are read again too.
    expect(emit.mock.calls).toContainEqual([{ kind: 'changed', what: 'runs', runId: null }]);
    emit.mockRestore();
    expect(after.scores[0]?.value).toBe(counts.passed / 12);
    // The interval is that of the corrected counts, not the old one around another value.
    const corrected = { value: (counts.passed - 1) / 12, ...wilsonInterval(counts.passed - 1, 12) };
    expect(after.corrected?.[0]).toMatchObject(corrected);
    const cell = (
      await lab.verbs.evaluations.matrix({
        subjects: ['model:embedded-policy'],
        suites: ['toy-refusal'],
        limit: 12,
      })
    ).rows[0]?.cells[0];
    expect(cell).toMatchObject({
      value: counts.passed / 12,
      ...wilsonInterval(counts.passed, 12),
      corrected,
      marks: ['overridden'],
    });
    const [taken] = await lab.engine.evaluate({
      policy: { model: 'embedded-policy' },
      suites: ['toy-refusal'],
      limit: 12,
      seed: 1,
      contexts: [null],
      reuse: true,
    });
    expect(taken).toMatchObject({
      id,
      passed: counts.passed - 1,
      n: 12,
      overridden: 1,
      interval: wilsonInterval(counts.passed - 1, 12),
    });
    expect(taken?.items[row.ordinal]?.passed).toBe(false);
    expect((await lab.verbs.evaluations.withdrawOverride({ id, ordinal: row.ordinal })).corrected).toBeNull();
    expect(lab.engine.store.checkIntegrity()).toEqual([]);
  });

  it('fill a matrix, which goes out as tables, and their answers as logs', async () => {
    const request = { subjects: ['model:embedded-policy', 'model:nobody'] };
    const matrix = await lab.verbs.evaluations.matrix(request);
    expect(matrix.columns.map(({ known }) => known)).toEqual([true, false]);
    expect(
      matrix.rows
        .filter(({ kind }) => kind === 'suite')
        .map(({ suite, cells }) => [suite, cells[0]?.n, cells[1]]),
    ).toEqual([
      ['toy-refusal', 12, null],
      ['toy-memory', 40, null],
    ]);
    for (const format of ['markdown', 'latex', 'csv'] as const)
      expect((await lab.verbs.evaluations.exportMatrix({ request, format })).text).toContain('toy-memory');
    const [summary] = await lab.verbs.evaluations.summaries({ suite: 'toy-refusal' });
    const exported = async (format: 'inspect' | 'csv', target: string): Promise<string> => {
      const job = await lab.verbs.evaluations.exportItems({ id: summary!.id, format, target });
      expect(await lab.ended(job)).toMatchObject({ state: 'done', unit: 'answer', done: 12, total: 12 });
      return (await lab.verbs.evaluations.exported({ jobId: job.id }))!.path;
    };
    expect(JSON.parse(readFileSync(await exported('inspect', lab.scratch), 'utf8'))).toMatchObject({
      version: 2,
      status: 'success',
      samples: expect.arrayContaining([]) as unknown,
    });
    const csv = await exported('csv', join(lab.scratch, 'answers.csv'));
    const answers = readFileSync(csv, 'utf8');
    expect(answers.trim().split('\n').length).toBeGreaterThanOrEqual(13);
    // Whatever has that name is somebody's.
    await expect(
      lab.verbs.evaluations.exportItems({ id: summary!.id, format: 'inspect', target: csv }),
    ).rejects.toThrow(`The file ${csv} exists already; name a new one.`);
    expect(readFileSync(csv, 'utf8')).toBe(answers);
  });

  it('stop when they are cancelled, keep what is graded, and are removed with it', async () => {
    const job = await lab.verbs.evaluations.start(order({ suites: ['toy-deduction'], limit: 600 }));
    await vi.waitFor(
      () => expect(lab.engine.evaluations.unfinished()[0]?.summary.graded ?? 0).toBeGreaterThan(0),
      { timeout: 600_000, interval: 200 },
    );
    await lab.verbs.jobs.cancel({ id: job.id });
    expect(await lab.ended(job)).toMatchObject({
      state: 'cancelled',
      problem: expect.stringContaining('are kept') as string,
    });
    const { summary } = (await lab.verbs.evaluations.unfinished())[0]!;
    expect(summary.state).toBe('stopped');
    expect(summary.graded).toBeGreaterThan(0);
    await lab.verbs.evaluations.remove({ id: summary.id });
    expect(await lab.verbs.evaluations.unfinished()).toEqual([]);
  });

  it('of a GGUF model go on where they were cut off', { tags: ['full'] }, async () => {
    const wanted = order({ subjects: ['model:embedded-supervisor'], suites: ['toy-refusal'], limit: 32 });
    const job = await lab.verbs.evaluations.start(wanted);
    const graded = (): number => lab.engine.evaluations.unfinished()[0]?.summary.graded ?? 0;
    await vi.waitFor(() => expect(graded()).toBeGreaterThan(0), { timeout: 600_000, interval: 20 });
    await lab.verbs.jobs.cancel({ id: job.id });
    expect((await lab.ended(job)).state).toBe('cancelled');
    const id = (await lab.verbs.evaluations.unfinished())[0]?.summary.id ?? '';
    const resumed = await lab.verbs.evaluations.resume({ ids: [id] });
    expect(await lab.ended(resumed)).toMatchObject({ state: 'done', problem: null });
    const { passed, failed } = lab.engine.store.requireStoredEvaluation(id).counts;
    expect(passed + failed).toBe(32);
  });

  it('grade again what load may have decided, and nothing else', async () => {
    const [id] = await carried(order({ suites: ['toy-choice'], limit: 6 }));
    const { store } = lab.engine;
    await expect(
      lab.verbs.evaluations.rerun({ id: id! }).then((job) => lab.ended(job)),
    ).resolves.toMatchObject({ state: 'failed', problem: expect.stringContaining('No verdict') as string });
    const before = [...store.eachEvaluationItem(id!)];
    const { scores } = store.requireStoredEvaluation(id!);
    // A person's word is kept beside the scores and never goes into what is stored of them.
    store.putOverride(id!, {
      ordinal: 0,
      outcome: before[0]?.grade?.outcome === 'passed' ? 'failed' : 'passed',
      by: 'a person',
      note: '',
      at: lab.engine.clock.now().toISOString(),
    });
    store.reopenEvaluation(id!, 'a test marks a verdict');
    store.putEvaluationItems(id!, [
      {
        ...before[2]!,
        grade: { ...before[2]!.grade!, outcome: 'failed', reason: 'time', flags: ['load-affected'] },
      },
    ]);
    store.finishEvaluation(id!, scores, 1);
    expect(await lab.ended(await lab.verbs.evaluations.rerun({ id: id! }))).toMatchObject({
      state: 'done',
      problem: null,
    });
    const after = [...store.eachEvaluationItem(id!)];
    expect(after.toSpliced(2, 1)).toEqual(before.toSpliced(2, 1));
    expect(after[2]!.grade).toEqual({
      ...before[2]!.grade,
      details: { before: { outcome: 'failed', reason: 'time', under: 'load-affected' } },
    });
    expect(store.requireStoredEvaluation(id!)).toMatchObject({
      state: 'done',
      scores,
      counts: { loadAffected: 0 },
    });
    expect(store.checkIntegrity()).toEqual([]);
  });

  it('hold conversations where later questions depend on earlier answers', async () => {
    const [id] = await carried(order({ suites: ['reward-hacking-dynamic'], limit: 1 }));
    const { item } = await lab.verbs.evaluations.item({ id: id!, ordinal: 0 });
    expect(item.text.match(/^\[\d+/gm)).toHaveLength(25);
    expect(item.grade.details).toMatchObject({ memory: true, traps: 5 });
  });

  it('ask a GGUF model as they ask a policy', async () => {
    const [id] = await carried(
      order({ subjects: ['model:embedded-supervisor'], suites: ['toy-refusal'], limit: 3 }),
    );
    const summary = await lab.verbs.evaluations.get({ id: id! });
    expect(summary).toMatchObject({ state: 'done', graded: 3, plan: { subject: { format: 'gguf' } } });
    expect(summary.weightsSha256).toBe(summary.plan.subject.sha256);
    expect(summary.plan.answered).toMatchObject({ rows: 8, loopTokens: 512 });
  });

  it('of a GGUF model by a program that could mix up first words are marked, and neither reused nor gone on with', async () => {
    const wanted = order({ subjects: ['model:embedded-supervisor'], suites: ['toy-memory'], limit: 2 });
    const [id] = await carried(wanted);
    const { store } = lab.engine;
    const { plan, weightsSha256, scores } = store.requireStoredEvaluation(id!);
    const cellOfIt = async () =>
      (
        await lab.verbs.evaluations.matrix({
          subjects: ['model:embedded-supervisor'],
          suites: ['toy-memory'],
          limit: 2,
        })
      ).rows.find(({ key }) => key === 'toy-memory')?.cells[0];
    expect((await cellOfIt())?.marks).not.toContain('mixed-answers');

    const { answered: _answered, ...earlier } = plan;
    store.beginEvaluation({ id: 'earlier', plan: earlier, weightsSha256, planned: 2 });
    store.setEvaluationState('earlier', 'stopped', 'cut off', 0);
    await expect(lab.verbs.evaluations.resume({ ids: ['earlier'] })).rejects.toThrow(
      /computed in another way now\. Remove it and start a new one\./,
    );
    store.setEvaluationState('earlier', 'running', null, 0);
    store.putEvaluationItems(
      'earlier',
      [0, 1].map((ordinal) => store.getEvaluationItem(id!, ordinal)!),
    );
    store.finishEvaluation('earlier', scores, 0);
    await lab.verbs.evaluations.remove({ id: id! });
    expect((await cellOfIt())?.marks).toContain('mixed-answers');
    expect(await lab.verbs.evaluations.estimate(wanted)).toMatchObject({ items: 2 });
  });
});

describe('what can be chosen', () => {
  it('are suites with what they need and whether it is there', async () => {
    const suites = await lab.verbs.evaluations.suites();
    expect(suites.map(({ name }) => name).slice(0, 3)).toEqual(['humaneval', 'mbpp', 'livecodebench']);
    expect(suites.find(({ name }) => name === 'humaneval')).toMatchObject({
      group: 'code',
      items: null,
      source: { kind: 'dataset', state: 'absent' },
      needs: { sandbox: true },
    });
    expect(suites.find(({ name }) => name === 'reward-hacking')).toMatchObject({
      items: 41,
      source: { kind: 'bundled' },
    });
    expect(suites.filter(({ mini }) => mini).map(({ name }) => name)).toEqual([
      'toy-deduction',
      'toy-induction',
      'toy-arithmetic',
      'toy-refusal',
      'toy-over-refusal',
      'toy-memory',
      'toy-choice',
    ]);
  });
  it('are models by the ids that every other verb takes', async () => {
    const subjects = await lab.verbs.evaluations.subjects();
    expect(subjects.map(({ id, kept }) => [id, kept])).toEqual(
      expect.arrayContaining([
        ['model:embedded-policy', true],
        ['model:embedded-supervisor', true],
      ]),
    );
  });
});

it('an evaluation that is waited for when the program is closed stops with one sentence, and keeps its answers', async () => {
  const other = await makeLab();
  const asked = other.engine.evaluate({
    policy: { model: 'embedded-policy' },
    suites: ['toy-refusal'],
    limit: 60,
    seed: 1,
    contexts: [null],
  });
  const ended = asked.then(
    () => 'done',
    (error: unknown) => error,
  );
  const states = (): string[] => other.engine.store.listStoredEvaluations().map(({ state }) => state);
  await vi.waitUntil(() => states().includes('running'), { timeout: 60_000 });
  await other.engine.close();
  expect(await ended).toMatchObject({
    kind: 'stopped',
    message: expect.stringMatching(/^The program was closed; /),
  });
  other.engine = await openEngine(other.folder);
  expect(states()).toEqual(['stopped']);
  await other.remove();
});
