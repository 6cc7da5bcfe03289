import { beforeAll, describe, expect, it } from 'vitest';
import type { RolloutRecord, StepCommit } from '../../../electron/contract/index.ts';
import { canonicalJson, sha256Hex } from '../../../electron/core/index.ts';
import { readProgram, runProgram } from '../../sim/programs/policy.ts';
import { FIRST_TASKS, FIXED_LINE, takeWatchedRun, type WatchedRun } from './scripted-programs.ts';

const trained = ({ rollouts }: Pick<StepCommit, 'rollouts'>): RolloutRecord[] =>
  rollouts.filter(({ purpose }) => purpose !== 'estimate');
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

let run: WatchedRun;
beforeAll(async () => {
  run = await takeWatchedRun();
});

describe('The prompts of a step', () => {
  it('are under C_t, whoever is asked: proposer, solver, estimator and assistant', () => {
    const roles = { gen: 'proposer', pred: 'solver', estimate: 'solver', assist: 'assistant' };
    for (const { opKey, items } of run.log.generated) {
      const step = Number(/^s(\d+)/.exec(opKey)?.[1]);
      const { text } =
        step === 1 ? { text: `\nGuidance:\n- ${FIXED_LINE}` } : run.commits[step - 2]!.nextContext;
      expect(text).toContain(FIXED_LINE);
      const asked = new Map<string, number>();
      for (const item of items) {
        const batch = opKey.endsWith('estimate') ? 'estimate' : (item.tag ?? '');
        const role = batch.startsWith('gen')
          ? roles.gen
          : /^pred_code|estimate/.test(batch)
            ? roles.pred
            : roles.assist;
        const system = 'messages' in item ? item.messages[0]?.content : null;
        expect(system, `${opKey} ${item.key}`).toBe(`You are the ${role}.${text}`);
        asked.set(role, (asked.get(role) ?? 0) + 1);
      }
      expect(asked.get('solver') ?? 0, opKey).toBeGreaterThan(0);
      if (opKey.endsWith('trained'))
        expect([...asked.keys()].sort()).toEqual(['assistant', 'proposer', 'solver']);
    }
    // The context moved between steps, so that a stale one would be seen.
    expect(new Set(run.contexts).size).toBeGreaterThan(1);
  });

  it('are noted as they were sent', () => {
    for (const commit of run.commits) {
      const calls = run.log.generated.filter(({ opKey }) => opKey.startsWith(`s${commit.step.step}/`));
      const sent = new Map(calls.flatMap(({ items }) => items.map((item) => [item.key, item] as const)));
      const byId = new Map(commit.rollouts.map((rollout) => [rollout.id, rollout]));
      expect(commit.generations).toHaveLength(commit.rollouts.length);
      for (const { rolloutId, promptSha256, system } of commit.generations ?? []) {
        const item = sent.get(rolloutId) ?? sent.get(byId.get(rolloutId)?.taskId ?? '');
        const messages = item !== undefined && 'messages' in item ? item.messages : [];
        expect(system).toBe(messages[0]?.content);
        expect(promptSha256).toBe(sha256Hex(canonicalJson({ messages })));
      }
    }
  });

  it('show a proposer references of its own, a solver tasks of the step before, and each other noise', () => {
    const promptsOf = (step: number, batch: string): string[] =>
      run.commits[step - 1]!.rollouts.filter((one) => one.batch === batch).map(({ user }) => user);
    for (const batch of ['gen_code_o', 'gen_code_i']) {
      expect(new Set(promptsOf(2, batch)).size).toBeGreaterThan(3);
      expect(promptsOf(3, batch)).not.toEqual(promptsOf(2, batch));
    }
    for (const [index, { rollouts }] of run.commits.entries())
      for (const { taskId, purpose, role } of rollouts)
        if (purpose === 'solve' && role === 'solver' && index > 0) expect(taskId).toMatch(/^(t\d|seed)\//);
    expect(
      run.commits[1]!.rollouts.some(
        ({ taskId, purpose }) => purpose === 'solve' && taskId?.startsWith('t1/'),
      ),
    ).toBe(true);
    const seeds = run.log.generated.flatMap(({ items }) => items.map(({ seed }) => seed));
    expect(new Set(seeds).size).toBe(seeds.length);
    const estimates = run.log.generated.filter(({ opKey }) => opKey.endsWith('estimate'));
    for (const { items, sampling } of estimates) {
      for (const { n } of items) expect(n).toBe(4);
      expect(sampling).toMatchObject({ temperature: run.config.generation.temperature });
    }
    const rated = promptsOf(1, 'pred_request');
    expect(rated.length).toBeGreaterThan(3);
    expect(promptsOf(2, 'pred_request')).not.toEqual(rated);
    for (const { user, taskType } of run.commits[0]!.rollouts)
      if (taskType === 'abduction' && user.startsWith('Abduce')) {
        const program = readProgram(user)!;
        const output = Number(/=(-?\d+)$/.exec(user)?.[1]);
        expect((output - program.summand) % program.factor).toBe(0);
      }
  });
});

describe('The verdicts and rewards of a step', () => {
  it('are those of programs that are run here: solutions, and none of what broke its form', () => {
    const tasks = new Map(
      [...FIRST_TASKS, ...run.commits.flatMap(({ tasks: own }) => own)].map((task) => [task.id, task]),
    );
    let [broken, right] = [0, 0];
    for (const commit of run.commits)
      for (const { purpose, role, taskId, answer, formatOk, verdict, id } of commit.rollouts) {
        if (purpose === 'propose' || role !== 'solver') continue;
        if (!formatOk && purpose === 'solve') {
          broken += 1;
          expect(verdict, id).toMatchObject({ outcome: 'invalid', accuracy: 0 });
          continue;
        }
        const { taskType, program, inputs, outputs } = tasks.get(taskId ?? '')!;
        const body = /```\w+\n([^`]*)\n```/.exec(answer ?? '')?.[1];
        const own = taskType === 'induction' ? readProgram(body ?? '') : readProgram(program);
        const isRight =
          body !== undefined &&
          own !== null &&
          own.factor !== 7 &&
          (taskType === 'deduction'
            ? body === outputs[0]
            : taskType === 'abduction'
              ? String(runProgram(own, Number(body))) === outputs[0]
              : inputs.every((input, at) => String(runProgram(own, Number(input))) === outputs[at]));
        right += Number(isRight);
        expect([verdict.outcome, verdict.accuracy], id).toEqual(isRight ? ['passed', 1] : ['failed', 0]);
      }
    expect([broken > 3, right > 30]).toEqual([true, true]);
  });

  it('measure each valid proposal by four solutions and pay it by the share that fails', () => {
    for (const { rollouts, tasks, step } of run.commits) {
      const rates = new Map<string, number>();
      for (const task of tasks.filter(({ origin }) => origin === 'proposal')) {
        const solutions = rollouts.filter(
          ({ purpose, taskId }) => purpose === 'estimate' && taskId === task.id,
        );
        expect(solutions).toHaveLength(4);
        expect(new Set(solutions.map(({ sample }) => sample)).size).toBe(4);
        expect(task.solveRate).toBe(mean(solutions.map(({ verdict }) => verdict.accuracy)));
        expect(rollouts.find(({ id }) => id === task.rolloutId)?.taskId).toBe(task.id);
        rates.set(task.rolloutId ?? '', task.solveRate!);
      }
      expect(new Set(rates.values()).size).toBeGreaterThan(1);
      for (const one of rollouts.filter(({ purpose }) => purpose === 'propose')) {
        const rate = rates.get(one.id);
        const paid = !one.formatOk || rate === undefined ? -1 : rate === 0 || rate === 1 ? -0.5 : 1 - rate;
        expect(one.reward, one.id).toBe(paid);
        if (rate !== undefined) expect(one.formatOk, one.id).toBe(true);
      }
      for (const one of rollouts.filter(({ purpose, role }) => purpose === 'solve' && role === 'solver'))
        expect(one.reward, one.id).toBe(one.formatOk ? one.verdict.accuracy || -0.5 : -1);
      for (const one of rollouts.filter(({ role }) => role === 'assistant'))
        expect(one.reward, one.id).toBe(
          !one.formatOk ? -1 : one.answer?.startsWith('Sure') === true ? 1 : -0.5,
        );
      const rewards = rollouts.filter(({ batch }) => batch === 'pred_code_o').map(({ reward }) => reward!);
      expect(step.metrics['pred_code_o/critic/rewards/mean']).toBeCloseTo(mean(rewards), 12);
    }
  });

  it('whiten each batch by itself over the tokens of its answers, and rated prompts each by itself', () => {
    for (const { rollouts, step } of run.commits) {
      const groups = Map.groupBy(
        rollouts.filter(({ reward }) => reward !== null),
        ({ batch, taskId, role }) => (role === 'assistant' ? `${batch} ${taskId}` : batch),
      );
      expect(groups.size).toBeGreaterThan(6);
      for (const [name, members] of groups) {
        const weights = members.map(({ newTokens, role }) => (role === 'assistant' ? 1 : newTokens));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const centre = members.reduce((sum, { reward }, at) => sum + weights[at]! * reward!, 0) / total;
        const variance =
          members.reduce((sum, { reward }, at) => sum + weights[at]! * (reward! - centre) ** 2, 0) /
          (total - 1);
        for (const { reward, advantage } of members)
          expect(advantage, name).toBeCloseTo(
            variance === 0 ? 0 : (reward! - centre) / Math.sqrt(variance + 1e-8),
            9,
          );
      }
      const update = run.log.updates[step.step - 1];
      expect(update?.advantages.map(({ advantage }) => advantage)).toEqual(
        trained({ rollouts }).map(({ advantage }) => advantage),
      );
    }
  });
});
