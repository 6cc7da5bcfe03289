import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskFacts, tasksText } from '../../../../electron/cli/tasks-text.ts';
import { viewOf, viewWarnings, type RolloutRecord } from '../../../../electron/contract/index.ts';
import { distinctGrams, wilsonInterval } from '../../../../electron/core/index.ts';
import { resourcePaths } from '../../../../electron/library/index.ts';
import { makeReport } from '../../../../electron/reports/index.ts';
import { openLab, type Lab } from '../../../../electron/store/index.ts';
import {
  auditLabel,
  initialContext,
  labelAccuracy,
  labelsToAudit,
} from '../../../../electron/supervision/index.ts';
import { APPLICATION } from '../../../support/engine.ts';
import { makeCheckpoint, steadyClock } from '../../store/support/make-records.ts';
import { asksSums, takeSteps, type Script, type Taken } from './scripted-run.ts';

/** One iteration and the next one's C. */
const STEPS = 9;
/** As asksSums, but every fifth answer has no box, every seventh text is no question, and one question comes again and again. */
const script: Script = (asked) => {
  const text = asksSums(asked);
  if (asked.question === null) {
    if (asked.seed % 7 === 0) return 'No question today.';
    return asked.seed % 3 === 0 ? '<question>What is 1 + 1, plus 1?</question>\\boxed{3}' : text;
  }
  return (asked.seed + asked.index) % 5 === 0 ? 'I do not know.' : text;
};

let lab: Lab;
let taken: Taken;
const folder = mkdtempSync(join(tmpdir(), 'anchor-rates-'));
beforeAll(async () => {
  taken = await takeSteps({ steps: STEPS }, STEPS, { script });
  lab = await openLab(folder, { now: steadyClock() });
  lab.createRun({ id: 'a', config: taken.config, folder: 'runs/a' });
  lab.putInitial('a', {
    context: initialContext(),
    tasks: [],
    checkpoints: ['challenger', 'solver'].map((role) => makeCheckpoint(0, role)),
  });
  for (const commit of taken.commits) lab.commitStep('a', commit);
});
afterAll(() => {
  lab.close();
  rmSync(folder, { recursive: true });
});

const rolloutsOf = (stage: string): RolloutRecord[] =>
  taken.commits.filter(({ step }) => step.stage === stage).flatMap(({ rollouts }) => rollouts);

describe('what a stored run of challenger and solver shows', () => {
  it('is each measure that it declares, computed again from the records', () => {
    for (const { step, rollouts, tasks } of taken.commits) {
      const { metrics } = step;
      const questions = tasks.map(({ message }) => message ?? '');
      const votes = rollouts.filter(({ purpose }) => purpose === 'estimate');
      const groups = [...Map.groupBy(votes, ({ taskId }) => taskId).values()];
      const mean = (values: number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
      const missing = groups.map((group) => mean(group.map(({ answer }) => Number(answer === null))));
      if (step.stage === 'challenge' || step.stage === 'pose') {
        expect(metrics[`${step.stage}/distinct_2`]).toBe(distinctGrams(questions, 2));
        expect(metrics[`${step.stage}/question_words`]).toBeCloseTo(
          mean(questions.map((question) => question.split(' ').length)),
          12,
        );
      }
      if (step.stage === 'challenge' || step.stage === 'label')
        expect(metrics[`${step.stage}/abstained`]).toBeCloseTo(mean(missing), 12);
      if (step.stage === 'solve') {
        const of = [...Map.groupBy(rollouts, ({ index }) => Math.floor(index / 3)).values()];
        const share = (accuracy: number): number =>
          mean(of.map((group) => Number(group.every(({ verdict }) => verdict.accuracy === accuracy))));
        expect([metrics['answer/all_0'], metrics['answer/all_1']]).toEqual([share(0), share(1)]);
        expect(metrics['answer/all_alike']).toBeCloseTo(share(0) + share(1), 12);
      }
    }
    const declared = viewOf('rzero').figures.flatMap(({ lines }) => lines.map(({ metric }) => metric));
    const stored = new Set(taken.commits.flatMap(({ step }) => Object.keys(step.metrics)));
    // Nothing was left out by a filter that is off, but it is counted.
    expect(declared.filter((metric) => !stored.has(metric))).toEqual([]);
  });

  it('counts the proposals of each step by what became of them', () => {
    const outcomes = lab.proposalOutcomes('a');
    for (const { step, rollouts } of taken.commits) {
      const proposals = rollouts.filter(({ purpose }) => purpose === 'propose');
      const reasons = Map.groupBy(proposals, ({ verdict }) => verdict.reason);
      expect(
        new Map(outcomes.filter((row) => row.step === step.step).map((row) => [row.reason, row.count])),
      ).toEqual(new Map([...reasons].map(([reason, own]) => [reason, own.length])));
    }
    expect(outcomes.some(({ reason }) => reason === 'duplicate')).toBe(true);
    expect(outcomes.some(({ reason }) => reason === 'question-not-closed')).toBe(true);
    // A question that nobody pays for is no first try that was sent back.
    expect(lab.unusedCounts('a').filter(({ kind }) => kind === 'first-try')).toEqual([]);
  });

  it('has the proposals that were paid most, with the share of answers that are missing', () => {
    const paid = lab.paidProposals('a', 5);
    const own = rolloutsOf('challenge').filter(
      ({ purpose, verdict }) => purpose === 'propose' && verdict.outcome !== 'invalid',
    );
    const most = own.map(({ reward }) => reward ?? 0).toSorted((a, b) => b - a);
    expect(paid.map(({ reward }) => reward)).toEqual(most.slice(0, 5));
    for (const { id, samples, abstained, passed } of paid) {
      const votes = rolloutsOf('challenge').filter((one) => one.id.startsWith(`${id}/`));
      expect([samples, abstained, passed]).toEqual([
        votes.length,
        votes.filter(({ answer }) => answer === null).length,
        votes.filter(({ verdict }) => verdict.outcome === 'passed').length,
      ]);
    }
  });

  it('says how right its labels are, as computed and as a person found them, with intervals', () => {
    const [first] = labelAccuracy(lab, 'a');
    const labels = taken.commits.filter(({ step }) => step.stage === 'label').flatMap(({ tasks }) => tasks);
    const right = labels.filter(({ message, outputs }) => {
      const sum = [...(message ?? '').matchAll(/\d+/g)].reduce((all, [number]) => all + Number(number), 0);
      return String(sum) === outputs[0];
    }).length;
    expect(first).toMatchObject({
      iteration: 1,
      labels: labels.length,
      computed: { right, n: labels.length, ...wilsonInterval(right, labels.length) },
      audited: null,
    });
    const { waiting } = labelsToAudit(lab, 'a');
    expect(Object.keys(waiting[0]!)).toEqual(['taskId', 'iteration', 'question', 'label']);
    auditLabel(lab, 'a', waiting[0]!.taskId, 'wrong');
    auditLabel(lab, 'a', waiting[0]!.taskId, 'right');
    auditLabel(lab, 'a', waiting[1]!.taskId, 'no-answer');
    expect(labelAccuracy(lab, 'a')[0]?.audited).toEqual({ right: 1, n: 2, ...wilsonInterval(1, 2) });
    const later = labelsToAudit(lab, 'a');
    expect(later.audited).toBe(2);
    expect(later.waiting.map(({ taskId }) => taskId)).toEqual(
      waiting
        .slice(2)
        .map(({ taskId }) => taskId)
        .concat(later.waiting.slice(waiting.length - 2).map(({ taskId }) => taskId)),
    );
    expect(() => auditLabel(lab, 'a', 't1/asked/0', 'right')).toThrow('has no label "t1/asked/0"');
  });

  it('is told by the terminal', () => {
    const steps = lab.listSteps('a', { limit: STEPS });
    const facts = taskFacts(lab, 'a', 'rzero', steps, labelAccuracy(lab, 'a'));
    const text = tasksText(facts, 'rzero', steps);
    for (const said of [
      'C challenger learns',
      'Agreement on labelled questions (L):',
      'duplicate',
      'How right the labels are',
      'Lexical diversity',
      'those to which most answers are missing',
    ])
      expect(text).toContain(said);
    expect(facts.stages.map(({ stage, steps: n }) => [stage, n])).toEqual([
      ['challenge', 3],
      ['pose', 2],
      ['label', 2],
      ['solve', 2],
    ]);
  });
});

describe('a warning', () => {
  const { watches } = viewOf('rzero');
  const steps = (agreement: [number, number], distinct: [number, number]) =>
    [0, 1].map((at) => ({
      iteration: at + 1,
      metrics: { 'label/agreement': agreement[at], 'pose/distinct_2': distinct[at] },
    }));
  it('is given where agreement rises while questions become less varied', () => {
    expect(viewWarnings(watches, steps([0.6, 0.7], [0.8, 0.5]))).toEqual([
      {
        iteration: 2,
        rose: { label: 'agreement on labels', before: 0.6, after: 0.7 },
        worse: [{ label: 'distinct pairs of words', before: 0.8, after: 0.5 }],
      },
    ]);
  });
  it('is not given for less than a twentieth, nor where agreement falls or nothing gets worse', () => {
    expect(viewWarnings(watches, steps([0.6, 0.62], [0.8, 0.5]))).toEqual([]);
    expect(viewWarnings(watches, steps([0.6, 0.7], [0.8, 0.79]))).toEqual([]);
    expect(viewWarnings(watches, steps([0.7, 0.6], [0.8, 0.5]))).toEqual([]);
    expect(viewWarnings([], steps([0.6, 0.7], [0.8, 0.5]))).toEqual([]);
  });

  it('is in its report: the time of each stage, how right labels are, and every figure that its steps have', async () => {
    const { html } = await makeReport(
      { storeOf: () => lab, evaluations: lab, resources: resourcePaths(APPLICATION), program: {} },
      { kind: 'runs', runIds: ['a'] },
      new Date(0),
      { signal: new AbortController().signal, total: () => {}, advance: () => {} },
    );
    const view = viewOf('rzero');
    for (const { label } of view.stages) expect(html).toContain(`>${label}<`);
    const [first] = labelAccuracy(lab, 'a');
    const { right, n } = first!.computed!;
    expect(html).toContain(`${((100 * right) / n).toFixed(1)} % [`);
    for (const { title, lines } of view.figures) {
      const isMeasured = lines.some(({ metric }) => lab.runCurve('a', [metric], 'mean').values.length > 0);
      expect(html.includes(`aria-label="${title}`), title).toBe(isMeasured);
    }
  });
});
