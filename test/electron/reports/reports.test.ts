import { describe, expect, it } from 'vitest';
import { runConfigSchema, type Tripwire } from '../../../electron/contract/index.ts';
import { watchTripwires } from '../../../electron/evaluation/index.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { makeReport, type ReportSources, type ReportSubject } from '../../../electron/reports/index.ts';
import { APPLICATION } from '../../support/engine.ts';
import { resourcePaths } from '../../../electron/library/index.ts';
import { fillRun, inLab } from '../store/support/in-lab.ts';
import { makeCommit, makeConfig, makeInitial } from '../store/support/make-records.ts';
import { SET_SHA256, storeEvaluation } from '../store/support/stored-evaluation.ts';

const AT = new Date('2026-11-27T10:00:00Z');
const HOSTILE = '<script>alert(1)</script> \u202egnp.exe & "quoted"';

const sources = (lab: Lab): ReportSources => ({
  storeOf: () => lab,
  evaluations: lab,
  resources: resourcePaths(APPLICATION),
  program: { 'Anchor Lab': '1.0.0' },
});
const job = (signal = new AbortController().signal) => {
  const done: number[] = [];
  return {
    signal,
    done,
    total: (amount: number) => void done.push(-amount),
    advance: (by: number) => void done.push(by),
  };
};
const written = (lab: Lab, subject: ReportSubject, at = AT) => makeReport(sources(lab), subject, at, job());

/** Answers of a run's checkpoint; the first of them as `text`. */
const evaluate = (lab: Lab, runId: string, step: number, passed: readonly boolean[], text = 'answer'): void =>
  storeEvaluation(lab, {
    id: `eval ${runId} ${step}`,
    runId,
    step,
    passed,
    texts: [text],
    asked: (ordinal) => `May I open door ${ordinal}?`,
    bounds: [0.1, 0.9],
  });

describe('A report', () => {
  it('of a run stands alone, is the same whenever it is written, and has what repeats the run', () =>
    inLab(async (lab) => {
      evaluate(lab, 'a', 0, [true, true, false]);
      evaluate(lab, 'a', 2, [true, false, false]);
      const subject: ReportSubject = { kind: 'runs', runIds: ['a'] };
      const { name, html } = await written(lab, subject);
      expect(name).toBe('a.html');
      expect((await written(lab, subject)).html).toBe(html);
      const later = await written(lab, subject, new Date('2027-01-01T00:00:00Z'));
      expect(later.html.replace('2027-01-01 00:00:00', '2026-11-27 10:00:00')).toBe(html);
      const outside = html.replaceAll('xmlns="http://www.w3.org/2000/svg"', '');
      expect(outside).not.toMatch(/<script|<link|<img|<iframe|https?:|url\(|@import|\son\w+=/i);
      for (const step of lab.listSteps('a', { limit: 2 })) expect(html).toContain(step.stepHash);
      expect(html).toContain('anchor verify a');
      expect(html).toContain('anchor run --preset');
      expect(html).toContain('66.7 % [10.0 %, 90.0 %]');
      expect(html).toMatch(/<figure><svg [^>]*aria-label="toy-refusal"/);
      // Each curve says what its y axis measures.
      const measured = [...html.matchAll(/rotate\(-90 [^>]*>([^<]+)<\/text>/g)].map(([, label]) => label);
      expect(measured).toHaveLength(html.match(/>Step<\/text>/g)?.length ?? 0);
      expect(measured).toContain('share, %');
    }, 2));

  it('has the tripwires of its runs in the figures of their suites', () =>
    inLab(async (lab) => {
      const wire: Tripwire = { suite: 'toy-refusal', when: 'falls', by: 0.5, action: 'mark', certain: false };
      const evaluation = { every: 2, suites: ['toy-refusal'], items: 4, tripwires: [wire] };
      const config = runConfigSchema.parse({ ...makeConfig('wired'), evaluation });
      lab.createRun({ id: 'w', config, folder: 'runs/w' });
      lab.putInitial('w', makeInitial());
      for (const step of [1, 2]) lab.commitStep('w', makeCommit(step, 12));
      evaluate(lab, 'w', 0, [true, true, true, true]);
      evaluate(lab, 'w', 2, [true, false, false, true]);
      const services = { store: lab, emit: () => {} } as unknown as Parameters<typeof watchTripwires>[0];
      const [touched] = watchTripwires(services, 'w', [wire], 2);
      const curvesOf = async (runIds: string[]): Promise<string> =>
        /<h2>Curves<\/h2>[^]*?<\/section>/.exec((await written(lab, { kind: 'runs', runIds })).html)?.[0] ??
        '';
      const alone = await curvesOf(['w']);
      expect(alone).toContain(`>${touched?.said.slice(0, 60)}`);
      expect(alone).toContain('>Tripwire: 50.0 % or lower</text>');
      // On the line itself, once: the curves of other measures have none.
      expect(alone.match(/>≤ 50.0 %<\/text>/g)).toHaveLength(1);
      evaluate(lab, 'a', 0, [true, true, true, true]);
      evaluate(lab, 'a', 2, [true, true, false, true]);
      const both = await curvesOf(['w', 'a']);
      expect(both).toContain(`>wired: ${touched?.said.slice(0, 20)}`);
      expect(both).toContain('>Tripwire of wired: 50.0 % or lower</text>');
    }, 2));

  it('shows what models and people wrote as data', () =>
    inLab(async (lab) => {
      lab.createRun({ id: 'x', config: { ...makeConfig('x'), name: HOSTILE }, folder: 'runs/x' });
      lab.putInitial('x', makeInitial());
      evaluate(lab, 'a', 0, [true, true, false], HOSTILE);
      evaluate(lab, 'x', 0, [false, true, false], HOSTILE);
      const { html } = await written(lab, { kind: 'runs', runIds: ['a', 'x'] });
      expect(html).not.toMatch(/<script|\u202e/);
      expect(html).toContain(
        '&lt;script&gt;alert(1)&lt;/script&gt; \\u{202e}gnp.exe &amp; &quot;quoted&quot;',
      );
    }));

  it('of several runs tells differences with intervals and the flipped answers with their questions', () =>
    inLab(async (lab) => {
      fillRun(lab, 'b', 1);
      evaluate(lab, 'a', 1, [true, true, false, true]);
      evaluate(lab, 'b', 1, [true, false, false, true], 'Sure, I will.');
      const { html } = await written(lab, { kind: 'runs', runIds: ['a', 'b'] });
      expect(html).toMatch(/−25\.0 points \[[^\]]+\], 4 items/);
      expect(html).toContain('1 lost, 0 gained');
      expect(html).toContain('Newcombe');
      expect(html).toContain('May I open door 1?');
      expect(html).not.toContain('May I open door 0?');
    }, 1));

  it('of a matrix has its table, its figures and every evaluation behind it', () =>
    inLab(async (lab) => {
      evaluate(lab, 'a', 0, [true, true, false, true]);
      evaluate(lab, 'a', 1, [true, false, false, true]);
      const { html } = await written(lab, {
        kind: 'matrix',
        request: { subjects: ['a@0', 'a@1'], context: 'both' },
      });
      expect(html).toMatch(/50\.0 % \[10\.0 %, 90\.0 %\], n = 4; Δ −25\.0 points/);
      expect(html).toContain('eval a 0');
      expect(html).toContain(SET_SHA256);
      expect(html).toContain('anchor eval matrix --model a@0 --model a@1 --context both --format html');
    }, 1));

  it('ends when it is cancelled, and tells how far it is', () =>
    inLab(async (lab) => {
      const stop = new AbortController();
      const handle = job(stop.signal);
      const made = makeReport(sources(lab), { kind: 'runs', runIds: ['a'] }, AT, {
        ...handle,
        advance: (by) => {
          handle.advance(by);
          stop.abort();
        },
      });
      await expect(made).rejects.toThrow();
      expect(handle.done).toEqual([-8, 1]);
    }));

  it('of a run that is not there says so', () =>
    inLab(async (lab) => {
      await expect(written(lab, { kind: 'runs', runIds: ['nobody'] })).rejects.toThrow(
        'There is no run "nobody"',
      );
    }));
});
