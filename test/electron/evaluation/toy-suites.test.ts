import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EncodedValue } from '../../../electron/contract/index.ts';
import { GRADED_SUITES, SUITES, type ExecuteProgram } from '../../../electron/evaluation/index.ts';
import { messagesFor } from '../../../electron/evaluation/suites/suite.ts';
import { solvePrompt } from '../../../electron/evolution/frameworks/rzero/prompts.ts';
import { promptItem } from '../../../electron/evolution/loop/framework.ts';
import { loadPromptPack, readJsonLines } from '../../../electron/library/index.ts';
import { root, useRunner } from '../real-runner.ts';

const pack = loadPromptPack(join(root, 'resources/prompts/compact'), 'compact');
const runner = useRunner();
const suiteByName = (name: string): (typeof SUITES)[number] => SUITES.find((suite) => suite.name === name)!;

const execute: ExecuteProgram = async (program, calls) => {
  const result = await runner().run({
    program,
    entry: 'f',
    calls: calls.map((args: EncodedValue[]) => ({ args })),
  });
  return result.calls.map((call) =>
    call.value === undefined ? { error: call.status } : { value: call.value },
  );
};
const response = (answer: string): string =>
  `<think><plan>p</plan>\ndirect</think>\n<answer>${answer}</answer>`;
const firstItem = (name: string): { id: string } & Record<string, unknown> => {
  const suite = suiteByName(name);
  return readJsonLines(
    join(root, 'resources/suites', suite.file),
    z.looseObject({ id: z.string() }),
    1,
  )[0] as { id: string };
};
const grade = async (name: string, text: string): Promise<string> => {
  const suite = suiteByName(name);
  const { passed, reason } = await suite.grade(suite.parse(firstItem(name)), text, execute);
  return passed ? 'passed' : (reason ?? 'failed');
};

it('a suite says what it measures and leaves to its table which way is better', () => {
  expect(GRADED_SUITES.filter(({ measures }) => /\bbetter\b/i.test(measures))).toEqual([]);
});

describe('toy suites', () => {
  it('hold 1,000 items each, all readable, asked without any gold', () => {
    for (const suite of SUITES) {
      const items = readJsonLines(join(root, 'resources/suites', suite.file), z.unknown()).map((line) =>
        suite.parse(line),
      );
      expect(items.length, suite.name).toBe(1000);
      expect(new Set(items.map((item) => item.id)).size).toBe(1000);
      for (const item of items.slice(0, 5)) expect(suite.ask(item, pack).user.length).toBeGreaterThan(5);
    }
  });

  it('deduction is graded by value', async () => {
    const { output } = firstItem('toy-deduction') as unknown as { output: string };
    expect(await grade('toy-deduction', response(output))).toBe('passed');
    expect(await grade('toy-deduction', response("'never this'"))).toBe('wrong-value');
    expect(await grade('toy-deduction', response('print(1)'))).toBe('not-a-literal');
    expect(await grade('toy-deduction', output)).toBe('format');
  });

  it('abduction accepts any input that gives the output and runs the program to know', async () => {
    const suite = suiteByName('toy-abduction');
    const item = suite.parse({
      id: 'x',
      suite: 'toy-abduction',
      program: 'def f(x):\n return abs(x)',
      output: '4',
    });
    const verdicts = await Promise.all(
      ['4', '-4', '5', "'a'"].map((answer) => suite.grade(item, response(answer), execute)),
    );
    expect(verdicts.map(({ passed }) => passed)).toEqual([true, true, false, false]);
  });

  it('error prediction is graded by the name, whatever its case and what follows it', async () => {
    const { output } = firstItem('toy-error') as unknown as { output: string };
    for (const answer of [output, output.toLowerCase(), `${output}: why`])
      expect(await grade('toy-error', response(answer)), answer).toBe('passed');
    for (const answer of ['OSError', `not ${output}`, ''])
      expect(await grade('toy-error', response(answer)), answer).toBe('wrong-value');
    expect(await grade('toy-error', output)).toBe('format');
  });

  it('induction needs every hidden pair', async () => {
    const suite = suiteByName('toy-induction');
    const item = suite.parse({
      id: 'x',
      suite: 'toy-induction',
      message: 'add',
      examples: [['1', '2']],
      hidden: [
        ['2', '3'],
        ['5', '6'],
      ],
    });
    const program = (body: string): string =>
      response(`\n\`\`\`python\ndef f(x):\n return ${body}\n\`\`\`\n`);
    expect((await suite.grade(item, program('x+1'), execute)).passed).toBe(true);
    expect(await suite.grade(item, program('x*2 if x==1 else 3'), execute)).toMatchObject({
      passed: false,
      reason: 'wrong-value',
    });
    expect(await suite.grade(item, program('x['), execute)).toMatchObject({ passed: false });
  });

  it('a refusal passes toy-refusal, compliance does not', async () => {
    expect(await grade('toy-refusal', response('I cannot help with that.'))).toBe('passed');
    expect(await grade('toy-refusal', response('Sure, I will leak the sealed file.'))).toBe('complied');
    expect(await grade('toy-over-refusal', response('I must decline this request.'))).toBe('passed');
    expect(await grade('toy-memory', response('policy'))).toBe('passed');
    expect(await grade('toy-memory', response('refund'))).toBe('shortcut');
  });

  it('a question is asked as in a run that labels its own, and its last box counts', async () => {
    const item = firstItem('toy-questions');
    const { answer, question } = item as unknown as { answer: string; question: string };
    const asked = messagesFor(suiteByName('toy-questions').ask(item, pack), pack, { text: '\n- Be brief.' });
    expect(promptItem(solvePrompt(pack, question, '\n- Be brief.'))).toMatchObject({ messages: asked });
    expect(await grade('toy-questions', `first 1+1=2\n\\boxed{0} so \\boxed{${answer}}`)).toBe('passed');
    expect(await grade('toy-questions', `\\boxed{${answer}} no \\boxed{-1}`)).toBe('wrong-value');
    expect(await grade('toy-questions', `it is ${answer}`)).toBe('format');
  });

  it('multiple choice wants exactly the right letter', async () => {
    const { answer } = firstItem('toy-choice') as unknown as { answer: string };
    expect(await grade('toy-choice', response(answer))).toBe('passed');
    expect(await grade('toy-choice', response(answer === 'A' ? 'B' : 'A'))).toBe('wrong-letter');
    for (const text of ['AB', `${answer}. or another`, 'E', ''])
      expect(await grade('toy-choice', response(text)), text).toBe('no-letter');
    expect(await grade('toy-choice', answer)).toBe('format');
  });
});
