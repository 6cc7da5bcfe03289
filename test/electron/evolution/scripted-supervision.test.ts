import { beforeAll, describe, expect, it } from 'vitest';
import {
  everyPhase,
  type PhaseItem,
  type ReviewRecord,
  type RolloutRecord,
  type StepCommit,
} from '../../../electron/contract/index.ts';
import { drawGate } from '../../../electron/core/index.ts';
import { nextContextOf } from '../../../electron/evolution/loop/next-context.ts';
import { initialContext, rubricReviewer, scriptedReviewer } from '../../../electron/supervision/index.ts';
import { readProgram, runProgram } from '../../sim/programs/policy.ts';
import { PACK, SELF_PLAY, smallSelfPlay, takeWatchedRun, type WatchedRun } from './scripted-programs.ts';
import { GUIDANCE, takeSteps } from './scripted-steps.ts';

const trained = ({ rollouts }: Pick<StepCommit, 'rollouts'>): RolloutRecord[] =>
  rollouts.filter(({ purpose }) => purpose !== 'estimate');

let run: WatchedRun;
beforeAll(async () => {
  run = await takeWatchedRun();
});

describe('The supervision of a step', () => {
  it('reviews what the coins of that very step say', async () => {
    const p = 0.5;
    const { commits } = await takeSteps(smallSelfPlay({ phases: everyPhase(p) }), 2, {
      ...SELF_PLAY,
      reviewer: rubricReviewer(PACK),
    });
    for (const { rollouts, reviews, step } of commits) {
      const gate = (item: string, phase: ReviewRecord['phase']): boolean =>
        drawGate(1, step.step, item, phase, p);
      const own = rollouts.filter(({ purpose }) => purpose !== 'estimate');
      const expected = own.flatMap(({ id, batch, index, purpose, plan, thought }) =>
        (['task', 'plan', 'thought', 'output'] as const)
          .filter(
            (phase) =>
              ({
                task: purpose === 'propose',
                plan: plan !== null,
                thought: thought !== null,
                output: purpose === 'solve',
              })[phase],
          )
          .filter((phase) => gate(`${batch}/${index}`, phase))
          .map((phase) => `${id}#${phase}`),
      );
      const batches = [...new Set(own.map(({ batch }) => batch))].filter((batch) =>
        gate(`${batch}/exec`, 'exec'),
      );
      expect(reviews.map(({ id }) => id).sort()).toEqual(
        [...expected, ...batches.map((batch) => `${step.step}/${batch}#exec`)].sort(),
      );
      expect(new Set(reviews.map(({ gateProbability }) => gateProbability))).toEqual(new Set([p]));
    }
  });

  it('shows the exec phase what an own count of each batch comes to, and nothing else', () => {
    const { estimateSamples } = run.config.framework as { estimateSamples: number };
    let [timeouts, histograms] = [0, 0];
    for (const { step, rollouts, tasks } of run.commits)
      for (const [batch, members] of Map.groupBy(trained({ rollouts }), (one) => one.batch)) {
        const item = run.shown.find(
          (one) => one.phase === 'exec' && one.batch === batch && one.step === step.step,
        );
        const count = (is: (one: RolloutRecord) => boolean): number => members.filter(is).length;
        const rates = tasks
          .filter(({ rolloutId }) => members.some(({ id }) => id === rolloutId))
          .map(({ solveRate }) => solveRate!);
        const histogram = Array.from(
          { length: estimateSamples + 1 },
          (_, solved) => rates.filter((rate) => rate * estimateSamples === solved).length,
        );
        expect(item?.statistics, `${step.step} ${batch}`).toEqual({
          n: members.length,
          passed: count(({ verdict }) => verdict.outcome === 'passed'),
          invalid: count(({ purpose, verdict }) => purpose === 'propose' && verdict.outcome === 'invalid'),
          formatFailures: count(({ formatOk }) => !formatOk),
          timeouts: count(({ verdict }) => verdict.reason === 'timeout'),
          solveRateHistogram: rates.length === 0 ? [] : histogram,
        });
        expect({
          ...item,
          step: 0,
          batch: '',
          role: '',
          taskType: '',
          phase: '',
          statistics: null,
        }).toMatchObject({ task: null, plan: null, thought: null, answer: null });
        timeouts += item?.statistics?.timeouts ?? 0;
        histograms += Number(rates.length > 0 && rates.includes(1));
      }
    expect([timeouts > 0, histograms > 0]).toEqual([true, true]);
  });

  it('quarantines whatever gives an answer away, of a solver and of a proposer', async () => {
    const tells = scriptedReviewer(PACK, ({ item: { task, taskType, answer, phase } }) => {
      const program = readProgram(task?.program ?? answer ?? '');
      const input = task?.inputs[0] ?? /```input\n(\d+)/.exec(answer ?? '')?.[1];
      const secret =
        phase === 'exec' || program === null
          ? 'nothing'
          : taskType === 'deduction'
            ? String(runProgram(program, Number(input)))
            : taskType === 'abduction'
              ? task?.output == null
                ? (input ?? '')
                : String((Number(task.output) - program.summand) / program.factor)
              : phase === 'output'
                ? `return x*${program.factor}+${program.summand}`
                : String(runProgram(program, Number(task?.examples.at(-1)?.input) + 5));
      return { decision: 'continue', issues: ['trace_error'], feedback: `It has to be ${secret}, not that.` };
    });
    const { commits } = await takeSteps(smallSelfPlay(), 2, { ...SELF_PLAY, reviewer: tells });
    const passedProposals = new Set(commits.flatMap(({ tasks }) => tasks.map(({ rolloutId }) => rolloutId)));
    for (const { reviews, rollouts, step } of commits) {
      const records = new Map(rollouts.map((rollout) => [rollout.id, rollout]));
      for (const { id, batch, status, rolloutId, feedback } of reviews) {
        if (rolloutId === null || !/\d/.test(feedback) || batch === 'gen_code_f') continue;
        if (batch.startsWith('gen') && !passedProposals.has(rolloutId)) continue;
        // Of a first task, the input behind the last that was shown is the first that was not.
        const ofFirstTask = records.get(rolloutId)?.taskId?.startsWith('seed/') === true;
        if (batch === 'pred_code_f' && !(ofFirstTask && records.get(rolloutId)?.verdict.outcome === 'passed'))
          continue;
        expect(status, `${id}: ${feedback}`).toBe('quarantined');
      }
      const quarantined = reviews.filter(({ status }) => status === 'quarantined');
      expect(quarantined.length).toBeGreaterThan(20);
      expect(step.metrics['supervision/leaks']).toBe(quarantined.length);
      expect(step.metrics['supervision/output/reviews']).toBe(
        reviews.filter(({ phase, status }) => phase === 'output' && status === 'done').length,
      );
    }
  });

  it('tells the reviewer of a proposal whether it is valid, and the reviewer of a solver no more than it was shown', () => {
    const of = (batch: string, phase: string): PhaseItem[] =>
      run.shown.filter((item) => item.batch === batch && item.phase === phase);
    for (const item of of('gen_code_o', 'task')) {
      const record = run.commits[item.step - 1]!.rollouts.find(({ id }) => id === item.rolloutId)!;
      expect(item.validity).toEqual({
        valid: record.verdict.outcome === 'passed',
        reason: record.verdict.reason,
      });
      expect(item.task?.references).toHaveLength(2);
      for (const program of item.task!.references) expect(readProgram(program)).not.toBeNull();
    }
    for (const item of of('pred_code_o', 'output')) {
      expect(item.task?.inputs).toHaveLength(1);
      expect([item.task?.output, item.validity]).toEqual([null, null]);
    }
    for (const item of of('pred_code_i', 'output'))
      expect([item.task?.inputs, item.validity]).toEqual([[], null]);
    for (const item of of('pred_code_f', 'output'))
      expect(item.task).toMatchObject({ program: null, examples: { length: 3 } });
  });

  it('summarizes what passed alone, where the scope says so', () => {
    for (const { summaries, reviews, rollouts } of run.commits)
      for (const { batch, eligible, reviewed, scope } of summaries) {
        const own = reviews.filter((review) => review.batch === batch && review.status === 'done');
        const passed = new Set(
          rollouts.filter(({ verdict }) => verdict.outcome === 'passed').map(({ id }) => id),
        );
        expect([scope, reviewed]).toEqual(['verified', own.length]);
        expect(eligible).toBe(
          own.filter(({ rolloutId }) => rolloutId === null || passed.has(rolloutId)).length,
        );
      }
  });

  it('leaves the context as it is where a stage freezes it, and lets its lines expire where none does', async () => {
    const line = { key: null, enteredStep: 2, lastSupportedStep: 1, support: 2, reviewIds: ['a', 'b'] };
    const context = {
      ...initialContext(),
      step: 50,
      text: 'Show the work.',
      lines: [{ id: '2.1', text: 'Show the work.', ...line }],
    };
    const next = (freezesContext: boolean) =>
      nextContextOf(
        { config: smallSelfPlay(), step: 50, context } as never,
        {
          reviewer: null,
          guidance: GUIDANCE,
          pack: PACK,
          weights: () => ({ countTokens: async () => [0] }),
        } as never,
        {
          stage: { generates: 'policy', freezesContext } as never,
          batches: [],
          items: () => [],
          reviews: [],
          passed: () => false,
          isFrozen: () => false,
        },
      );
    expect((await next(true)).nextContext).toEqual({ ...context, step: 51, removed: [] });
    expect((await next(false)).nextContext).toMatchObject({
      step: 51,
      text: '',
      lines: [],
      removed: [{ id: '2.1', reason: 'expired' }],
    });
  });

  it('takes no more of a phase than a limit says, other places in each step', async () => {
    const { commits } = await takeSteps(smallSelfPlay({ maxReviewsPerPhase: 5 }), 2, {
      ...SELF_PLAY,
      reviewer: rubricReviewer(PACK),
    });
    const outputs = commits.map(({ reviews }) =>
      reviews.filter(({ phase }) => phase === 'output').map(({ id }) => id.slice(2)),
    );
    for (const [index, { reviews }] of commits.entries()) {
      for (const phase of ['task', 'plan', 'thought', 'output', 'exec'])
        expect(reviews.filter((review) => review.phase === phase).length, phase).toBeLessThanOrEqual(5);
      expect(outputs[index]!.length).toBeGreaterThan(0);
    }
    expect(outputs[1]).not.toEqual(outputs[0]);
  });

  it('generates once more what was sent back, where a run enforces it, and trains on that alone', async () => {
    const sendsBack = scriptedReviewer(PACK, ({ item }) => ({
      decision: item.phase === 'output' && item.index % 2 === 0 ? 'retry' : 'continue',
      issues: [],
      feedback: 'No problem found.',
    }));
    const { commits, log } = await takeSteps(smallSelfPlay({ retry: 'enforce' }), 1, {
      ...SELF_PLAY,
      reviewer: sendsBack,
    });
    const again = commits[0]!.rollouts.filter(({ id }) => id.endsWith('/r1'));
    expect(again.length).toBeGreaterThan(8);
    for (const { id, text, sample } of again) {
      const first = commits[0]!.rollouts.find((one) => one.id === id.slice(0, -3))!;
      expect([first.reward, sample]).toEqual([null, 1]);
      if (first.text !== '') expect(text, id).not.toBe(first.text);
    }
    expect(log.updates[0]?.items).toBe(commits[0]!.rollouts.filter(({ reward }) => reward !== null).length);
  });
});
