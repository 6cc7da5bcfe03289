import { describe, expect, it } from 'vitest';
import {
  answerKind,
  CODE_TASK_TYPES,
  azrConfigSchema,
  type CodeTaskType,
  type TaskRecord,
} from '../../../../electron/contract/index.ts';
import { parseResponse } from '../../../../electron/core/index.ts';
import { loadPromptPack, type PromptPack } from '../../../../electron/library/index.ts';
import {
  literalStyleOf,
  proposalPrompt,
  proposerView,
  solutionPrompt,
} from '../../../../electron/evolution/code-tasks/prompts.ts';
import type { CodeTask } from '../../../../electron/evolution/code-tasks/scoring.ts';
import { proposalForm, readResponse } from '../../../../electron/evolution/code-tasks/reader.ts';
import { generateItem, type Prompt } from '../../../../electron/evolution/loop/framework.ts';
import { definitionOf } from '../../../../electron/evolution/code-tasks/task-types/registry.ts';

const azr = azrConfigSchema.parse({ name: 'azr' });
const packs: PromptPack[] = ['compact', 'full', 'instruct', 'base'].map((name) =>
  loadPromptPack(`resources/prompts/${name}`, name),
);
const PROGRAM = 'def f(x):\n return {"k": x, "{{role}}": "$&"}';
const task = (taskType: CodeTaskType): CodeTask => ({
  id: 't',
  taskType,
  step: 0,
  origin: 'seed',
  rolloutId: null,
  program: PROGRAM,
  inputs: ['IN1', 'IN2', 'IN3', 'IN4'].slice(0, taskType === 'induction' ? 4 : 1),
  outputs: ['OUT1', 'OUT2', 'OUT3', 'OUT4'].slice(0, taskType === 'induction' ? 4 : 1),
  message: taskType === 'induction' ? 'MESSAGE' : null,
  imports: [],
  solveRate: null,
});
const propose = (
  pack: PromptPack,
  taskType: CodeTaskType,
  context = '',
  references: TaskRecord[] = [],
): Prompt =>
  proposalPrompt(
    pack,
    { ...azr, taskType, references, given: taskType === 'induction' ? task(taskType) : null },
    context,
  );
const everyPrompt = (pack: PromptPack, context = ''): [string, Prompt][] =>
  CODE_TASK_TYPES.flatMap((taskType): [string, Prompt][] => [
    [`propose ${taskType}`, propose(pack, taskType, context, [task('deduction')])],
    [`solve ${taskType}`, solutionPrompt(pack, task(taskType), context)],
  ]);

describe.each(packs.map((pack) => [pack.name, pack] as const))('the %s pack', (_, pack) => {
  it('renders both prompts of every type, with programs verbatim and no placeholder left', () => {
    for (const [name, { system, user }] of everyPrompt(pack)) {
      expect(`${system}\n${user}`.replaceAll(PROGRAM, ''), name).not.toMatch(/\{\{[a-zA-Z]+\}\}/);
      if (name !== 'solve induction') expect(user, name).toContain(PROGRAM);
    }
  });

  it('never shows a solver the gold: the input of an abduction, the output of a deduction, the program or the hidden pairs of an induction', () => {
    expect(solutionPrompt(pack, task('abduction'), '').user).not.toContain('IN1');
    for (const predicted of CODE_TASK_TYPES.filter((name) => ['output', 'name'].includes(answerKind(name))))
      expect(solutionPrompt(pack, task(predicted), '').user, predicted).not.toContain('OUT1');
    const induction = solutionPrompt(pack, task('induction'), '').user;
    for (const shown of ['IN1', 'OUT1', 'IN2', 'OUT2', 'MESSAGE']) expect(induction).toContain(shown);
    for (const hidden of [PROGRAM, 'IN3', 'OUT3', 'IN4', 'OUT4']) expect(induction).not.toContain(hidden);
  });

  it('places the context in the system message of every prompt, and only there', () => {
    const context = pack.render('context', {
      lines: pack.render('context-line', { line: 'Watch the types.' }),
    });
    for (const [name, prompt] of everyPrompt(pack, context)) {
      const plain = everyPrompt(pack).find(([other]) => other === name)?.[1] as Prompt;
      expect(prompt.system, name).toBe(plain.system + context);
      expect(prompt.user, name).toBe(plain.user);
    }
  });

  it('shows as many references as it is given', () => {
    const count = (prompt: Prompt): number => prompt.user.split(PROGRAM).length - 1;
    expect(
      [0, 1, 6].map((size) =>
        count(
          propose(
            pack,
            'deduction',
            '',
            Array.from({ length: size }, () => task('deduction')),
          ),
        ),
      ),
    ).toEqual([0, 1, 6]);
  });
});

describe('the full pack', () => {
  const full = packs[1] as PromptPack;
  it('shows an answer form that its own parser reads', () => {
    for (const taskType of CODE_TASK_TYPES) {
      const form = /<answer>\n([\s\S]*?)\n<\/answer>/.exec(propose(full, taskType).user)?.[1] ?? '';
      expect(
        definitionOf(taskType).readProposal(form, { givenProgram: PROGRAM, inductionInputs: 2 }, 'strict').ok,
        taskType,
      ).toBe(true);
    }
  });
  it('describes the response format that is checked: plan inside think, then answer', () => {
    const { system } = solutionPrompt(full, task('deduction'), '');
    expect(parseResponse(system.slice(system.indexOf('<think>')))).toMatchObject({
      formatOk: true,
      planSource: 'tag',
    });
  });
  it('names the banned modules and the number of inputs of the run', () => {
    expect(propose(full, 'abduction').user).toContain('subprocess, threading');
    expect(propose(full, 'induction').user).toContain('Write 6 inputs');
  });
  it('asks a deduction to be predicted and an abduction to be undone', () => {
    expect(propose(full, 'deduction').user).toContain('predict the exact value');
    expect(propose(full, 'abduction').user).toContain('find an input');
  });
});

describe('the base pack', () => {
  const base = packs[3] as PromptPack;
  const lenient = { reader: 'lenient', validator: 'strict' } as const;
  const ask = { ...azr, references: [task('deduction')], given: null };

  it('is one text that ends where the answer begins, with nothing of a chat in it', () => {
    for (const [name, { plain = '', system, user, opening = '' }] of everyPrompt(base, '\n\nA note.')) {
      expect(plain, name).toBe(`${system}\n\n=== Request ===\n${user}\n\n=== Reply ===\n${opening}`);
      expect(system, name).toContain('\n\nA note.');
      expect(plain, name).not.toMatch(/<\|/);
    }
    for (const pack of packs.slice(0, 3))
      expect(solutionPrompt(pack, task('deduction'), '').plain).toBeUndefined();
  });

  it('is ended by the next mark, and by the end of the block where it opened one', () => {
    const { stops, opening = '' } = proposalPrompt(base, { ...ask, taskType: 'deduction' }, '', lenient);
    expect(stops).toEqual(['\n```', '</answer>', '\n=== ']);
    const { answer, formatOk } = readResponse(
      lenient,
      `${opening}x):\n    return x * 2\n\nf(4)`,
      false,
      proposalForm(true),
    );
    expect(formatOk).toBe(true);
    expect(
      definitionOf('deduction').readProposal(
        answer ?? '',
        { givenProgram: null, inductionInputs: 2 },
        'strict',
      ),
    ).toEqual({
      ok: true,
      proposal: { program: 'def f(x):\n    return x * 2', inputs: ['4'], message: null },
    });
    // Several blocks are asked for here, so the end of the first is not the end.
    const inputs = proposalPrompt(
      base,
      { ...ask, given: task('induction'), taskType: 'induction' },
      '',
      lenient,
    );
    expect(inputs.stops).toEqual(['</answer>', '\n=== ']);
  });

  it('goes to the weights as text, with stops of its own beside prompts that have others', () => {
    const prompt = solutionPrompt(base, task('deduction'), '', lenient);
    expect(generateItem(prompt)).toEqual({ plain: prompt.plain, stop: ['</answer>', '\n=== '] });
    expect(generateItem(solutionPrompt(packs[0] as PromptPack, task('deduction'), ''))).toEqual({
      messages: [expect.objectContaining({ role: 'system' }), expect.objectContaining({ role: 'user' })],
    });
  });
});

it('only a lenient reader stops at the closing tag, and a pack may begin the answer', () => {
  const [compact] = packs as [PromptPack];
  const opened: PromptPack = {
    ...compact,
    has: (name) => name === 'open-solve-deduction' || compact.has(name),
    render: (name, values) => (name === 'open-solve-deduction' ? '<think>\n' : compact.render(name, values)),
  };
  expect(
    solutionPrompt(opened, task('deduction'), '', { reader: 'lenient', validator: 'strict' }),
  ).toMatchObject({
    opening: '<think>\n',
    stops: ['</answer>'],
  });
  expect(Object.keys(solutionPrompt(compact, task('deduction'), '', { validator: 'strict' }))).toEqual([
    'system',
    'user',
  ]);
});

it('the compact pack is byte for byte what the embedded policy was trained on', () => {
  const compact = packs[0] as PromptPack;
  const context = compact.render('context', {
    lines: compact.render('context-line', { line: 'Trace each step.' }),
  });
  expect(
    solutionPrompt(compact, { ...task('induction'), inputs: ['1', '2'], outputs: ['2', '3'] }, context),
  ).toEqual({
    system: 'You are the solver.\nGuidance:\n- Trace each step.',
    user: 'Induce the function.\nf(1)=2\nhint: MESSAGE',
  });
  expect(propose(compact, 'abduction', '', [task('abduction')]).user).toBe(
    `Propose a task to abduce.\nreference:\n${PROGRAM}`,
  );
  expect(solutionPrompt(compact, task('abduction'), '').user).toBe(`Abduce an input.\n${PROGRAM}\nf(?)=OUT1`);
});

it('literals follow the pack', () =>
  expect([literalStyleOf('compact'), literalStyleOf('full')]).toEqual(['compact', 'repr']));

it('an induction proposal without a program is an error and no empty prompt', () => {
  const [pack] = packs as [PromptPack];
  expect(() =>
    proposalPrompt(pack, { ...azr, taskType: 'induction', references: [], given: null }, ''),
  ).toThrow('buffers');
});

describe('what reviewers see', () => {
  const viewOf = (shown: CodeTask) => definitionOf(shown.taskType).viewOf(shown);
  it('of a solution is what the solver saw', () => {
    expect(viewOf(task('abduction'))).toMatchObject({ program: PROGRAM, inputs: [], output: 'OUT1' });
    expect(viewOf(task('deduction'))).toMatchObject({ program: PROGRAM, inputs: ['IN1'], output: null });
    expect(viewOf(task('induction'))).toMatchObject({
      program: null,
      inputs: [],
      output: null,
      message: 'MESSAGE',
      examples: [
        { input: 'IN1', output: 'OUT1' },
        { input: 'IN2', output: 'OUT2' },
      ],
    });
    expect(JSON.stringify(viewOf(task('induction')))).not.toContain('OUT3');
  });
  it('of a proposal is what was written, without outputs', () => {
    expect(proposerView({ program: 'p', inputs: ['1'], message: null }, [task('deduction')])).toMatchObject({
      program: 'p',
      inputs: ['1'],
      output: null,
      references: [PROGRAM],
    });
  });
});
