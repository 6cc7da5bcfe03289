import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { AuditPlan, PersonLabel } from '../../../electron/contract/index.ts';
import { DATABASE_FILE, openLab, type Lab } from '../../../electron/store/index.ts';
import { auditResults, drawAudit } from '../../../electron/supervision/index.ts';
import { failureOf } from './support/failures.ts';
import { fillRun } from './support/in-lab.ts';
import { inTempFolder, steadyClock } from './support/make-records.ts';

const plan: AuditPlan = {
  runId: 'a',
  fromStep: 1,
  toStep: 4,
  perPhase: 2,
  phases: ['task', 'plan', 'thought', 'output'],
  seed: 1,
};
const label = (changes: Partial<PersonLabel> = {}): PersonLabel => ({
  state: 'done',
  decision: 'retry',
  safetyRisk: false,
  leaks: false,
  safetyRelevance: 50,
  actionability: 60,
  comment: 'so',
  seen: true,
  blind: true,
  seconds: 3,
  at: '2026-01-01T00:00:00.000Z',
  ...changes,
});

async function withAudit(work: (lab: Lab, folder: string) => Promise<void> | void): Promise<void> {
  await inTempFolder(async (folder) => {
    const lab = await openLab(folder, { now: steadyClock() });
    fillRun(lab, 'a', 4, 12);
    lab.createAudit({
      id: 'audit-1',
      plan,
      wanted: 32,
      items: drawAudit(plan, lab.listAuditable('a', 1, 4)),
    });
    await work(lab, folder);
    lab.close();
  });
}

describe('a sample', () => {
  it('is stored before anything is labelled, attested, and read back as it was drawn', () =>
    withAudit((lab) => {
      const audit = lab.getAudit('audit-1');
      expect(audit?.items.length).toBeGreaterThan(2);
      expect(audit?.items).toEqual(drawAudit(plan, lab.listAuditable('a', 1, 4)));
      expect(audit?.labels).toEqual([]);
      expect(lab.listAudits('a').map(({ id, runName, wanted }) => [id, runName, wanted])).toEqual([
        ['audit-1', lab.getRun('a')?.config.name, 32],
      ]);
      expect(lab.listAudits('elsewhere')).toEqual([]);
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('cannot be changed by us, and a change by others shows', () =>
    withAudit(async (lab, folder) => {
      lab.close();
      const db = new SqliteDatabase(join(folder, DATABASE_FILE));
      expect(() => db.exec(`UPDATE audit_items SET decision = 'retry'`)).toThrow(/never changed/);
      db.exec(`DELETE FROM audit_items WHERE ordinal = 0`);
      db.close();
      const again = await openLab(folder, { now: steadyClock(Date.UTC(2026, 5, 1)) });
      expect(again.checkIntegrity()).toMatchObject([
        { part: 'records', finding: expect.stringContaining('audit "audit-1"') as string },
      ]);
      again.close();
    }));
});

describe('labels', () => {
  it('are set, replaced and taken back, and an unknown item or audit is refused', () =>
    withAudit(async (lab) => {
      lab.putPersonLabels('audit-1', [
        { ordinal: 0, label: label() },
        { ordinal: 1, label: label({ state: 'draft' }) },
      ]);
      lab.putPersonLabels('audit-1', [
        { ordinal: 0, label: label({ decision: 'unsure' }) },
        { ordinal: 1, label: null },
      ]);
      expect(lab.getAudit('audit-1')?.labels).toEqual([
        { ordinal: 0, person: label({ decision: 'unsure' }), judge: null },
      ]);
      expect(
        (
          await failureOf(() =>
            lab.putPersonLabels('audit-1', [
              { ordinal: 0, label: null },
              { ordinal: 999, label: label() },
            ]),
          )
        ).kind,
      ).toBe('unknownAuditItem');
      expect(lab.getAudit('audit-1')?.labels).toHaveLength(1);
      expect(
        (await failureOf(() => lab.putPersonLabels('nowhere', [{ ordinal: 0, label: null }]))).kind,
      ).toBe('unknownAudit');
      expect(
        (
          await failureOf(() =>
            lab.putPersonLabels('audit-1', [{ ordinal: 0, label: label({ actionability: 101 }) }]),
          )
        ).kind,
      ).toBe('badRecord');
    }));

  it('of another judge do not mix with those of this one', () =>
    withAudit((lab) => {
      const judge = {
        model: 'one',
        path: '/m/one.gguf',
        sha256: 'a'.repeat(64),
        embedded: false,
        probe: { asked: 12, right: 11 },
        fit: true,
      };
      lab.setAuditJudge('audit-1', judge);
      lab.putJudgeLabel('audit-1', 0, {
        state: 'done',
        correct: true,
        safetyRelevance: 10,
        specificity: 20,
        problem: null,
        milliseconds: 4,
        at: '2026-01-01T00:00:00.000Z',
      });
      lab.setAuditJudge('audit-1', judge);
      expect(lab.getAudit('audit-1')?.labels).toHaveLength(1);
      lab.setAuditJudge('audit-1', { ...judge, model: 'other', sha256: 'b'.repeat(64), fit: false });
      expect(lab.getAudit('audit-1')).toMatchObject({
        labels: [],
        head: { judge: { model: 'other', fit: false } },
      });
    }));
});

describe('a finished audit', () => {
  it('keeps its figures, attested with the labels, until a label changes', () =>
    withAudit((lab) => {
      const finish = (): void => void lab.finishAudit('audit-1', auditResults(lab.getAudit('audit-1')!));
      lab.putPersonLabels('audit-1', [{ ordinal: 0, label: label() }]);
      finish();
      expect(lab.getAudit('audit-1')?.head.results).toMatchObject({ done: 1 });
      expect(lab.checkIntegrity()).toEqual([]);
      lab.putPersonLabels('audit-1', [{ ordinal: 1, label: label() }]);
      expect(lab.getAudit('audit-1')?.head).toMatchObject({ results: null, finishedAt: null });
      finish();
      expect(lab.getAudit('audit-1')?.head.results).toMatchObject({ done: 2 });
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('shows when somebody changed a label behind our back', () =>
    withAudit(async (lab, folder) => {
      lab.putPersonLabels('audit-1', [{ ordinal: 0, label: label() }]);
      lab.finishAudit('audit-1', auditResults(lab.getAudit('audit-1')!));
      lab.close();
      const db = new SqliteDatabase(join(folder, DATABASE_FILE));
      db.exec(`UPDATE audit_labels SET label = json_set(label, '$.safetyRelevance', 100)`);
      db.close();
      const again = await openLab(folder, { now: steadyClock(Date.UTC(2026, 5, 1)) });
      expect(again.checkIntegrity()).toMatchObject([
        { finding: expect.stringContaining('labels of audit "audit-1"') as string },
        { finding: expect.stringContaining('results of audit "audit-1"') as string },
      ]);
      again.close();
    }));

  it('outlives its run, and leaves with its labels when it is deleted itself', () =>
    withAudit((lab) => {
      lab.putPersonLabels('audit-1', [{ ordinal: 0, label: label() }]);
      lab.finishAudit('audit-1', auditResults(lab.getAudit('audit-1')!));
      lab.setRunState('a', 'interrupted', null);
      lab.deleteRun('a');
      expect(lab.getAudit('audit-1')?.head.results?.done).toBe(1);
      expect(lab.checkIntegrity()).toEqual([]);
      lab.deleteAudit('audit-1');
      expect([lab.getAudit('audit-1'), lab.listAudits(null)]).toEqual([null, []]);
      expect(lab.checkIntegrity()).toEqual([]);
    }));
});
