import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PersonLabel } from '../../../electron/contract/index.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { openEngine } from '../../support/engine.ts';
import { PREPARED_STEPS } from '../../support/made-lab.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-audits-'));
const lab = join(scratch, 'lab');
let engine: Engine;
let runId = '';
const verbs = () => createRouter(engine).createCaller({}).reviews.audits;
const label = (changes: Partial<PersonLabel> = {}): Omit<PersonLabel, 'at'> => ({
  state: 'done',
  decision: 'continue',
  safetyRisk: false,
  leaks: false,
  safetyRelevance: 70,
  actionability: 80,
  comment: '',
  seen: true,
  blind: true,
  seconds: 5,
  ...changes,
});

// A run of two steps whose reviews the model gave; its audits are those that are drawn here.
beforeAll(async () => {
  const made = await copyPreparedLab(lab);
  runId = made.supervised;
  engine = await openEngine(lab);
  await verbs().remove({ auditId: made.audit });
});
afterAll(async () => {
  await engine?.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe('an audit of a real run', () => {
  it("offers the paper's plan, says how many reviews it finds, and draws them before anything is answered", async () => {
    const plan = await verbs().defaults({ runId });
    expect(plan).toEqual({
      runId,
      fromStep: 1,
      toStep: PREPARED_STEPS,
      perPhase: 2,
      phases: ['task', 'plan', 'thought', 'output'],
      seed: 1,
    });
    const preview = await verbs().preview(plan);
    expect(preview.wanted).toBe(PREPARED_STEPS * 4 * 2);
    expect(preview.byPhase.reduce((sum, { sampled }) => sum + sampled, 0)).toBe(preview.sampled);
    const head = await verbs().create(plan);
    const { items, labels } = await verbs().get({ auditId: head.id });
    expect([items.length, labels.length]).toEqual([preview.sampled, 0]);
    expect((await verbs().list({ runId })).map(({ id }) => id)).toEqual([head.id]);
    await expect(verbs().create({ ...plan, fromStep: 50, toStep: 60 })).rejects.toThrow(
      /no answered review of these phases/,
    );
    await expect(verbs().preview({ ...plan, fromStep: 3, toStep: 2 })).rejects.toThrow(
      /must not come before/,
    );
    await expect(verbs().get({ auditId: 'nowhere' })).rejects.toThrow(/no audit "nowhere"/);
  });

  it('shows what the agent was asked and wrote, what the supervisor said, and what must not be given away', async () => {
    const { id: auditId } = (await verbs().list({ runId }))[0]!;
    const { items } = await verbs().get({ auditId });
    const details = await Promise.all(items.map(({ ordinal }) => verbs().item({ auditId, ordinal })));
    for (const { item, agent, review } of details) {
      expect(agent?.asked?.length).toBeGreaterThan(10);
      expect(review?.prompt.length).toBeGreaterThan(10);
      expect(review?.decision).toBe(item.decision);
      if (item.phase === 'plan' || item.phase === 'thought')
        expect(review?.prompt).toContain((agent?.text ?? '').trim().slice(0, 12));
    }
    expect(details.some(({ hidden }) => hidden.length > 0)).toBe(true);
  });

  it('takes labels, measures them, stores the figures and writes the table', async () => {
    const { id: auditId } = (await verbs().list({ runId }))[0]!;
    const { items } = await verbs().get({ auditId });
    await verbs().label({
      auditId,
      labels: items.slice(1).map(({ ordinal, decision }) => ({ ordinal, label: label({ decision }) })),
    });
    await verbs().label({
      auditId,
      labels: [
        {
          ordinal: 0,
          label: label({ state: 'discarded', decision: null, safetyRelevance: null, actionability: null }),
        },
      ],
    });
    const results = await verbs().results({ auditId });
    expect(results).toMatchObject({
      items: items.length,
      done: items.length - 1,
      discarded: 1,
      open: 0,
      judged: 0,
    });
    expect(results.decision?.raw.share).toBe(1);
    expect(
      results.measures.find(({ name, rater }) => name === 'actionability' && rater === 'person')?.mean,
    ).toBe(80);
    const finished = await verbs().finish({ auditId });
    expect(finished.results).toEqual(results);
    const { file, rows } = await verbs().writeCsv({ auditId });
    expect([rows, readFileSync(file, 'utf8').trim().split('\r\n').length]).toEqual([
      items.length,
      items.length + 1,
    ]);
    expect(engine.store.checkIntegrity()).toEqual([]);
    await verbs().label({ auditId, labels: [{ ordinal: 0, label: null }] });
    expect((await verbs().get({ auditId })).head.results).toBeNull();
  });

  it(
    'is judged by a model through the supervisor process, and says that the embedded one cannot judge',
    { tags: ['full'] },
    async () => {
      const { id: auditId } = await verbs().create({
        runId,
        fromStep: 1,
        toStep: 1,
        perPhase: 1,
        phases: ['plan', 'output'],
        seed: 2,
      });
      const job = await verbs().judge({ auditId, model: 'embedded-supervisor', threads: 1 });
      await expect(verbs().judge({ auditId, model: 'embedded-supervisor', threads: 1 })).rejects.toThrow(
        /judging audit .* already/,
      );
      expect((await engine.jobs.ended(job.id)).state).toBe('done');
      const { head, items, labels } = await verbs().get({ auditId });
      expect(head.judge).toMatchObject({
        model: 'embedded-supervisor',
        embedded: true,
        fit: false,
        probe: { asked: 12 },
      });
      expect(labels.filter(({ judge }) => judge !== null)).toHaveLength(items.length);
      for (const { judge } of labels) {
        if (judge?.state === 'done')
          expect([judge.correct === null, judge.safetyRelevance, judge.specificity]).toEqual([
            false,
            expect.any(Number) as number,
            expect.any(Number) as number,
          ]);
        else expect(judge?.problem).not.toBe('');
      }
      const results = await verbs().results({ auditId });
      expect(results).toMatchObject({
        judgeFit: false,
        judged: labels.filter(({ judge }) => judge?.state === 'done').length,
      });
      await expect(verbs().judge({ auditId, model: '/nowhere.gguf', threads: 1 })).rejects.toThrow(
        /no model "\/nowhere\.gguf"/,
      );
    },
  );

  it('can be deleted, and then is gone', async () => {
    for (const { id: auditId } of await verbs().list({ runId: null })) await verbs().remove({ auditId });
    expect(await verbs().list({ runId: null })).toEqual([]);
    expect(engine.store.checkIntegrity()).toEqual([]);
  });
});
