import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { anchor, labsOfThisFile, query, SMALL_RUN, steps } from './anchor-cli.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 600_000 });

const lab = labsOfThisFile();
const everyPhase = ['task', 'plan', 'thought', 'output', 'exec'].flatMap((phase) => [
  '--set',
  `supervision.phases.${phase}=1`,
]);
const RULES = {
  name: 'answers as words',
  rules: [
    {
      phase: 'output',
      issue: 'type_error',
      taskTypes: ['error'],
      when: [{ text: 'answer', matches: '.' }],
      feedback: 'Look at what the values are.',
    },
    { phase: 'exec', issue: 'low_accuracy', when: [{ fact: 'passRate', below: 1.1 }] },
  ],
};

/** A task type, a framework and a reviewer that nothing else of the program knows of, in one run. */
describe("an error-prediction task type, a framework without a proposer and a reviewer with rules of one's own", () => {
  const folder = lab();
  const tasks = join(folder, 'tasks.jsonl');
  const settingsIn = (place: string): string[] => [
    '--set',
    'framework=fixed-tasks',
    '--set',
    `frameworkSettings.tasks=${join(place, 'tasks.jsonl')}`,
    '--set',
    'framework.taskTypes=[deduction, error]',
    ...everyPhase,
    '--set',
    'supervision.reviewer=checklist',
    '--set',
    `supervision.reviewerSettings.rules=${join(place, 'rules.json')}`,
  ];
  writeFileSync(join(folder, 'rules.json'), JSON.stringify(RULES));
  writeFileSync(
    tasks,
    [
      ...[1, 2, 3, 4].map((index) => ({
        id: `t${index}`,
        kind: 'triplet',
        program: `def f(x):\n return x+${index}`,
        input: '1',
        output: String(index + 1),
      })),
      ...[0, 1, 2].map((index) => ({
        id: `e${index}`,
        kind: 'error',
        program: `def f(x):\n return x[${index}]`,
        input: '[7,8]',
        output: index < 2 ? 'NoError' : 'IndexError',
      })),
    ]
      .map((row) => JSON.stringify(row))
      .join('\n'),
  );

  let taken: ReturnType<typeof anchor> | undefined;
  /** The run that two tests ask of. */
  const first = (): ReturnType<typeof anchor> =>
    (taken ??= anchor(folder, [...SMALL_RUN, ...settingsIn(folder)]));

  it('train on the given tasks alone, are reviewed in full and store what every run stores', () => {
    const { code, stderr } = first();
    expect(code, stderr).toBe(0);
    expect(query(folder, 'SELECT DISTINCT purpose FROM rollouts')).toEqual([{ purpose: 'solve' }]);
    expect(query(folder, `SELECT count(*) AS n FROM rollouts WHERE batch = 'pred_code_e'`)).toEqual([
      { n: 6 },
    ]);
    expect(query(folder, `SELECT DISTINCT reviewer, model FROM reviews`)).toEqual([
      { reviewer: 'checklist', model: RULES.name },
    ]);
    expect(
      query<{ feedback: string }>(
        folder,
        `SELECT DISTINCT feedback FROM reviews JOIN review_texts USING (key) JOIN rollouts r ON r.key = rollout_key
      WHERE reviews.batch = 'pred_code_e' AND phase = 'output' AND coalesce(issues, '') LIKE '%type_error%'`,
      ).map((row) => row.feedback),
    ).toEqual([RULES.rules[0]?.feedback]);
    expect(query(folder, `SELECT count(*) AS n FROM tasks WHERE origin = 'proposal'`)).toEqual([{ n: 0 }]);
    expect(anchor(folder, ['show', steps(folder)[0]?.run_id ?? '']).stdout).toContain('error');
  });

  it('repeat bit for bit, wherever their files lie', { tags: ['full'] }, () => {
    expect(first().code).toBe(0);
    const again = lab();
    for (const name of ['tasks.jsonl', 'rules.json']) copyFileSync(join(folder, name), join(again, name));
    expect(anchor(again, [...SMALL_RUN, ...settingsIn(again)]).code).toBe(0);
    expect(steps(again).map((row) => row.step_hash)).toEqual(steps(folder).map((row) => row.step_hash));
  });

  it(
    'are refused in one sentence when their settings are missing, foreign or wrong',
    { tags: ['full'] },
    () => {
      const refused = (...extra: string[]): string => {
        const { code, stderr } = anchor(folder, [...SMALL_RUN, ...extra]);
        expect(code).toBe(2);
        return stderr;
      };
      expect(refused('--set', 'supervision.reviewer=checklist')).toContain(
        '"supervision.reviewerSettings.rules" is not valid for the reviewer "checklist"',
      );
      expect(refused('--set', `frameworkSettings.tasks=${tasks}`)).toContain('unknown key "framework.tasks"');
      expect(refused('--set', 'supervision.reviewer=human')).toContain('choose llama, rubric, checklist');
      writeFileSync(
        `${tasks}.bad`,
        JSON.stringify({
          id: 'e',
          kind: 'error',
          program: 'def f(x):\n return x',
          input: '1',
          output: 'IndexError',
        }),
      );
      expect(
        refused(
          '--set',
          'framework=fixed-tasks',
          '--set',
          'framework.taskTypes=[error]',
          '--set',
          `frameworkSettings.tasks=${tasks}.bad`,
        ),
      ).toContain('for the input 1 it gives NoError, not IndexError. Correct or remove it.');
    },
  );
});

describe('the error-prediction type under Absolute Zero', () => {
  it('proposes, estimates and solves like the others', () => {
    const folder = lab();
    const { code, stderr } = anchor(folder, [
      ...SMALL_RUN,
      '--set',
      'framework.taskTypes=[error]',
      '--set',
      'supervision.reviewer=rubric',
      ...everyPhase,
    ]);
    expect(code, stderr).toBe(0);
    const count = (where: string): number =>
      query<{ n: number }>(folder, `SELECT count(*) AS n FROM rollouts WHERE ${where}`)[0]?.n ?? -1;
    expect(count(`batch = 'gen_code_e' AND purpose = 'propose'`)).toBe(6);
    expect(count(`batch = 'pred_code_e'`)).toBe(6);
    const valid = count(`batch = 'gen_code_e' AND purpose = 'propose' AND outcome = 'passed'`);
    expect(count(`batch = 'gen_code_e' AND purpose = 'estimate'`)).toBe(2 * valid);
    const names = query<{ outputs: string }>(
      folder,
      `SELECT outputs FROM tasks WHERE task_type = 'error'`,
    ).flatMap((row) => JSON.parse(row.outputs) as string[]);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(name).toMatch(/^[A-Z]\w+$/);
  });
});
