import { beforeAll, describe, expect, it } from 'vitest';
import type { RzeroConfig, StepCommit, TaskRecord } from '../../../../electron/contract/index.ts';
import { placeOfStep } from '../../../../electron/contract/index.ts';
import { answerClasses, groupNormalized, repetitionClusters } from '../../../../electron/core/index.ts';
import { parseSolution } from '../../../../electron/evolution/frameworks/rzero/parsing.ts';
import {
  itemsOfAnswer,
  itemsOfBroken,
  itemsOfVote,
} from '../../../../electron/evolution/frameworks/rzero/review.ts';
import { asksSums, SMALL, takeSteps, type Script, type Taken } from './scripted-run.ts';

/** Two of C, two of G and of L, two of S. */
const ITERATION = 8;
const settings = SMALL.framework as RzeroConfig;

describe('an iteration', () => {
  let taken: Taken;
  beforeAll(async () => {
    taken = await takeSteps({}, ITERATION + 1);
  });
  const stepsOf = (stage: string): StepCommit[] =>
    taken.commits.slice(0, ITERATION).filter(({ step }) => step.stage === stage);

  it('goes through its stages, and each step knows its place', () => {
    expect(
      taken.commits.map(({ step }) => {
        const { stage, iteration, stageStep, globalStep } = placeOfStep(step) ?? {};
        return [stage, iteration, stageStep, globalStep, step.role];
      }),
    ).toEqual([
      ['challenge', 1, 1, 1, 'challenger'],
      ['challenge', 1, 2, 2, 'challenger'],
      ['pose', 1, 1, 2, null],
      ['pose', 1, 2, 2, null],
      ['label', 1, 1, 2, null],
      ['label', 1, 2, 2, null],
      ['solve', 1, 1, 3, 'solver'],
      ['solve', 1, 2, 4, 'solver'],
      ['challenge', 2, 1, 5, 'challenger'],
    ]);
  });

  it('asks the frozen solver for votes while the challenger learns, and trains each role on its own responses only', () => {
    const { generated, updates } = taken.log;
    expect(generated.slice(0, 2).map(({ role, opKey }) => [role, opKey])).toEqual([
      ['challenger', 's1/trained'],
      ['solver', 's1/estimate'],
    ]);
    expect(updates.map(({ role, items }) => [role, items])).toEqual([
      ['challenger', 8],
      ['challenger', 8],
      ['solver', 12],
      ['solver', 12],
      ['challenger', 8],
    ]);
  });

  it('labels each posed question by what most answers agree on, in parts', () => {
    const posed = stepsOf('pose').flatMap(({ tasks }) => tasks);
    expect(stepsOf('pose').map(({ rollouts }) => rollouts.length)).toEqual([16, 8]);
    const labels = stepsOf('label').flatMap(({ tasks }) => tasks);
    expect(labels.map(({ message }) => message)).toEqual(posed.map(({ message }) => message));
    for (const { solveRate, outputs } of labels) {
      expect(outputs).toHaveLength(1);
      expect([0.6, 0.8, 1]).toContainEqual(solveRate);
    }
    expect(stepsOf('label').map(({ rollouts }) => rollouts.length)).toEqual([16 * 5, 8 * 5]);
  });

  it('trains the solver on questions inside the window alone, in groups of one question', () => {
    const labels = new Map(stepsOf('label').flatMap(({ tasks }) => tasks.map((task) => [task.id, task])));
    for (const { rollouts } of stepsOf('solve')) {
      const groups = Map.groupBy(rollouts, ({ index }) => Math.floor(index / 3));
      for (const group of groups.values()) expect(new Set(group.map(({ taskId }) => taskId)).size).toBe(1);
      for (const { taskId } of rollouts) {
        const rate = labels.get(taskId ?? '')?.solveRate ?? 0;
        expect(rate >= 0.3 && rate <= 0.8, `${taskId} ${rate}`).toBe(true);
      }
    }
  });

  it('pays a challenger for split answers less repetition, as its stored records say', async () => {
    for (const { rollouts, step } of stepsOf('challenge')) {
      const own = rollouts.filter(({ batch, sample }) => batch === 'challenge' && sample === null);
      const questions = own.map(({ text }) => /<question>(.*?)<\/question>/s.exec(text)?.[1] ?? '');
      const { cluster, sizes } = await repetitionClusters(questions, { cut: 0.5 });
      for (const [place, { id, reward }] of own.entries()) {
        const answers = rollouts
          .filter((one) => one.sample !== null && one.id.startsWith(`${id}/`))
          .map(({ text }) => /\\boxed\{(\d+)\}/.exec(text)?.[1] ?? null);
        expect(answers).toHaveLength(4);
        const { agreement } = await answerClasses(answers, async (a, b) => a === b);
        const p = agreement ?? 0;
        const repeated = (sizes[cluster[place] as number] as number) / own.length;
        expect(reward, `${step.step} ${id}`).toBeCloseTo(Math.min(p, 1 - p) - repeated, 12);
      }
      const estimate = groupNormalized({ floor: 0.05, scope: 'group' });
      expect(own.map(({ advantage }) => advantage)).toEqual(
        estimate(
          own.map(({ reward, index, newTokens }) => ({
            reward: reward as number,
            tokens: newTokens,
            group: String(Math.floor(index / 4)),
          })),
        ),
      );
    }
  });

  it('pays a solver for its agreement with the label alone', () => {
    const labels = new Map(stepsOf('label').flatMap(({ tasks }) => tasks.map((task) => [task.id, task])));
    for (const { rollouts } of stepsOf('solve'))
      for (const { answer, reward, taskId } of rollouts)
        expect(reward).toBe(Number(answer === labels.get(taskId ?? '')?.outputs[0]));
  });

  it('begins optimizer and reference anew with each learning stage, or carries them', async () => {
    const begun = ({ log }: Taken): [string, boolean][] =>
      log.updates.map(({ role, beginsStage }) => [role, beginsStage]);
    expect(begun(taken)).toEqual([
      ['challenger', true],
      ['challenger', false],
      ['solver', true],
      ['solver', false],
      ['challenger', true],
    ]);
    const carried = await takeSteps({ framework: { ...settings, stageStart: 'carried' } }, ITERATION);
    expect(begun(carried).some(([, begins]) => begins)).toBe(false);
  });

  it('is the same in whatever order responses arrive', async () => {
    const again = await takeSteps({}, ITERATION + 1, { order: 99 });
    expect(again.commits.map(({ step }) => step.stepHash)).toEqual(
      taken.commits.map(({ step }) => step.stepHash),
    );
    const other = await takeSteps({ seed: 2 }, 1);
    expect(other.commits[0]?.step.stepHash).not.toBe(taken.commits[0]?.step.stepHash);
  });

  it('asks the same prompt of a question where its answers vote and where they are trained', () => {
    const promptsOf = (opKey: string): unknown[] =>
      taken.log.generated
        .filter((call) => call.opKey === opKey)
        .flatMap(({ items }) => items.map((item) => ('messages' in item ? item.messages : null)));
    const voted = promptsOf('s5/estimate').map((prompt) => JSON.stringify(prompt));
    const more = promptsOf('s6/estimate').map((prompt) => JSON.stringify(prompt));
    for (const prompt of promptsOf('s7/trained'))
      expect([...voted, ...more]).toContain(JSON.stringify(prompt));
  });
});

describe('the context of a run', () => {
  it('stands in every prompt: of challenger, votes, labels and solver', async () => {
    const line = 'Say what is asked.';
    const { log } = await takeSteps({ supervision: { fixedContext: [line] } }, ITERATION);
    expect(new Set(log.generated.map(({ opKey }) => opKey)).size).toBeGreaterThanOrEqual(ITERATION);
    for (const { opKey, items } of log.generated)
      for (const item of items) {
        const [system, user] = 'messages' in item ? item.messages : [];
        expect(system?.content, opKey).toContain(line);
        const isQuestion = user?.content.startsWith('Ask one new question') === true;
        expect(system?.content, opKey).toContain(isQuestion ? 'proposer' : 'solver');
      }
  });
});

describe('one set of weights for both roles', () => {
  it('is asked and trained in every stage under one name', async () => {
    const { log, commits } = await takeSteps({ framework: { ...settings, roles: 'shared' } }, ITERATION);
    expect(new Set(log.generated.map(({ role }) => role))).toEqual(new Set(['policy']));
    expect(commits.map(({ step }) => step.role)).toEqual([
      'policy',
      'policy',
      null,
      null,
      null,
      null,
      'policy',
      'policy',
    ]);
  });
});

describe('what no review may say', () => {
  const text = 'Five and seven. So it is \\boxed{12}.';
  const task = { message: 'What is 5 + 7?', outputs: ['12'] } as TaskRecord;
  const request = {
    id: '7/answer/0',
    batch: 'answer',
    index: 0,
    purpose: 'propose',
    role: 'proposer',
    taskType: 'question',
  };
  const parsed = parseSolution(text);

  it('of a question are what most answers agree on, what its author claims, and long parts of the answers', () => {
    const vote = {
      ballot: { task, batch: 'challenge', index: 0 },
      samples: [{ parsed, record: { id: '7/challenge/0/0', text, finish: 'stop' } }],
      agreement: 1,
      majority: '12',
      abstained: 0,
    };
    for (const { golds } of itemsOfVote({ request, found: { claimed: '13' } } as never, vote as never, 0.1))
      expect(golds).toEqual([
        { kind: 'expression', text: '12' },
        { kind: 'expression', text: '13' },
        { kind: 'passage', text },
      ]);
  });

  it('of a trained answer are its label and long parts of itself', () => {
    const scored = { request, rollout: { text, finish: 'stop' } } as never;
    const items = itemsOfAnswer(scored, task, parsed, true);
    expect(items.map(({ item: { phase } }) => phase)).toContain('output');
    for (const { golds } of items)
      expect(golds).toEqual([
        { kind: 'expression', text: '12' },
        { kind: 'passage', text },
      ]);
  });

  it('of a text that is no question its reviewer is not shown: the box', () => {
    const items = itemsOfBroken({
      request,
      response: { plan: null, planSource: null, thought: null, answer: null, formatOk: false },
      rollout: { text: 'What is 5 + 7? \\boxed{12} or \\boxed {13}', finish: 'stop' },
      verdict: { outcome: 'invalid', reason: 'no-question', accuracy: 0, sandboxLevel: null },
    } as never);
    expect(items.length).toBeGreaterThan(0);
    for (const { item } of items) {
      expect(item.text).toContain('What is 5 + 7?');
      expect(item.text).not.toMatch(/12|13/);
    }
  });
});

describe('questions that were asked before', () => {
  const oneQuestion: Script = (asked) =>
    asked.question === null
      ? `<question>What is 2 + 3${asked.seed % 3 === 0 ? ' ' : ''}?</question> \\boxed{5}`
      : asksSums(asked);
  it('are left out and counted, within a step and across steps, under whatever spacing', async () => {
    const { commits } = await takeSteps({}, 4, { script: oneQuestion });
    const metrics = commits
      .slice(2)
      .map(({ step: { metrics: of } }) => [of['pose/questions'], of['pose/duplicates']]);
    expect(metrics).toEqual([
      [1, 15],
      [0, 8],
    ]);
    const left = commits[2]?.rollouts.filter(({ verdict }) => verdict.reason === 'duplicate') ?? [];
    expect(left).toHaveLength(15);
    for (const { taskId } of left) expect(taskId).toBeNull();
  });
});
