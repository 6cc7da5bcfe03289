import { describe, expect, it } from 'vitest';
import {
  untilStop,
  extractAnswer,
  type Extraction,
  type Mode,
  MATHS_PROTOCOLS,
  mathsPrompt,
} from '../../../../electron/evaluation/maths/protocol.ts';

const extract = (response: string, extraction: Extraction, mode: Mode = 'compatible'): string | null =>
  extractAnswer(response, extraction, mode, false);

describe("AZR's extraction", () => {
  it.each<[string, string | null]>([
    ['I think. </think> <answer> \\boxed{12} </answer>', '\\boxed{12}'],
    ['<answer>3</answer> no, <answer>4</answer>', '4'],
    ['<answer> 7', '7'],
    ['so \\boxed{1} and \\boxed{\\frac{1}{2}}.', '\\boxed{\\frac{1}{2}}'],
    ['\\boxed 5$ that', '\\boxed5'],
    ['\\boxed{5', null],
    ['a boxed answer: \\fbox{8}', '\\fbox{8}'],
    ['\\fbox{8}', null],
    ['thus \\[ x+1 \\] or \\[ y \\]', 'x+1'],
    ['the number is 5', null],
    ['\\[ 5\u20280 \\] and \\[ 7 \\]', '5\u20280'],
    ['\\[ 5\n0 \\] and \\[ 7 \\]', '7'],
    ['<answer>east</answer>', 'east'],
  ])('of %s is %s', (response, answer) => expect(extract(response, 'azr')).toBe(answer));
  it('repaired takes the last display, either box and closed boxes only', () => {
    expect(extract('thus \\[ x+1 \\] or \\[\n y \\]', 'azr', 'repaired')).toBe('y');
    expect(extract('\\fbox{8}', 'azr', 'repaired')).toBe('8');
    expect(extract('first \\boxed{3}, then \\boxed{5', 'azr', 'repaired')).toBe('3');
    expect(extract('<answer> \\boxed{5 \\text{ cm}} </answer>', 'azr', 'repaired')).toBe('5');
  });
});

describe("Qwen's extraction", () => {
  it.each<[string, string | null]>([
    ['The final answer is $7$. I hope it is correct.', '7'],
    ['\\boxed{\\frac{1}{2}} ok', '\\frac{1}{2}'],
    ['\\boxed{5', '5'],
    ['boxed 9$ x', '9'],
    ['The answer is 12.', '12'],
    ['the final answer is 12.', '12'],
    ['so 3 and 1,234 apples', '1234'],
    ['所以答案是 5\n\n之后', '5'],
    ['nothing', null],
    ['it is -.5', '-.5'],
    ['\\boxed{\n  4\n}', '4'],
    ['The answer is: 3/', '3'],
    ['\\boxed{4\n\u00851}', '41'],
    ['\\boxed{4\n\ufeff1}', '4\ufeff1'],
  ])('of %s is %s', (response, answer) => expect(extract(response, 'qwen')).toBe(answer));
  it('has a last number to fall back on, repaired as well', () =>
    expect(extract('first 3, then 1,234', 'qwen', 'repaired')).toBe('1234'));
});

describe('extraction by box', () => {
  it('takes the last closed box and nothing else', () => {
    for (const mode of ['compatible', 'repaired'] as const) {
      expect(extract('\\boxed{3} \\fbox{\\frac{1}{2}}', 'boxed', mode)).toBe('\\frac{1}{2}');
      expect(extract('The answer is 7.', 'boxed', mode)).toBeNull();
      expect(extract('\\boxed{\\{1\\}} and \\boxed{', 'boxed', mode)).toBe(
        mode === 'repaired' ? '\\{1\\}' : '{1}',
      );
    }
  });
});

it('finds nothing in an empty or failed response', () => {
  for (const extraction of ['azr', 'qwen', 'boxed'] as const)
    expect([extract('', extraction), extract('error', extraction)]).toEqual([null, null]);
});

describe('the question', () => {
  const item = { question: 'What is 2+3?', context: 'Numbers are whole.' };
  it('of the AZR templates is one turn that ends with an opened think tag', () => {
    const [plain, boxed] = (['azr', 'azr_boxed'] as const).map((name) =>
      mathsPrompt(item, MATHS_PROTOCOLS[name]),
    );
    for (const prompt of [plain!, boxed!]) {
      expect(prompt.messages.map(({ role }) => role)).toEqual(['user']);
      expect(prompt.messages[0]!.content).toMatch(/User: What is 2\+3\?[\s\S]*<think>$/);
      expect(prompt).toMatchObject({
        temperature: 0,
        topP: 1,
        maxNewTokens: 16_000,
        answersPerItem: 1,
        seed: 2,
      });
    }
    expect(plain!.messages[0]!.content).not.toContain('boxed');
    expect(boxed!.messages[0]!.content).toContain('\\boxed{}');
  });
  it('of the Qwen template has a system line and asks for a box', () => {
    const { messages } = mathsPrompt(item, MATHS_PROTOCOLS['qwen-boxed']);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[1]!.content).toMatch(/^What is 2\+3\?\n.*\\boxed\{\}/);
  });
  it('shows a context in repaired mode only', () => {
    expect(mathsPrompt(item, MATHS_PROTOCOLS.azr).messages[0]!.content).not.toContain('whole');
    expect(mathsPrompt(item, { ...MATHS_PROTOCOLS.azr, mode: 'repaired' }).messages[0]!.content).toContain(
      'Numbers are whole.\n\nWhat is 2+3?',
    );
  });
  it('ends an answer at the first stop text', () => expect(untilStop(' 5 <|im_end|> 6 </s>')).toBe('5'));
});
