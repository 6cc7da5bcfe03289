import { afterAll, describe, expect, it, vi } from 'vitest';
import type { AskedQuestion } from '../../../electron/contract/index.ts';
import { makeLab, removeLab } from '../../e2e/anchor-cli.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { callAnchor } from './call-anchor.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 300_000 });

const lab = makeLab();
afterAll(() => removeLab(lab));
const anchor = (...args: readonly string[]): ReturnType<typeof callAnchor> =>
  callAnchor('--lab', lab, ...args);

describe('anchor ask', () => {
  it('prints both answers, with tokens where they are wanted, and keeps the question until it is removed', async () => {
    const asked = await anchor(
      '--json',
      'ask',
      'Can you clean the sealed key?',
      '--tokens',
      '--model',
      'embedded',
      '--model',
      'embedded',
    );
    expect(asked.code, asked.stderr).toBe(0);
    const { id, answers, tokens } = JSON.parse(asked.stdout) as AskedQuestion & { tokens: unknown[][] };
    expect(answers.map(({ text }) => text)).toEqual([answers[0]!.text, answers[0]!.text]);
    expect(tokens.map((each) => each.length)).toEqual(answers.map(({ newTokens }) => newTokens));
    const list = await anchor('asked', 'list');
    expect(list.stdout).toMatch(
      new RegExp(`^${id}  .*  embedded-policy \\| embedded-policy  "Can you clean the sealed key\\?"\n$`),
    );
    expect((await anchor('asked', 'show', id)).stdout).toContain(answers[0]!.text);
    expect((await anchor('asked', 'remove', id)).code).toBe(0);
    expect((await anchor('asked', 'list')).stdout).toBe('Nothing was asked in this lab yet.\n');
    expect(await anchor('asked', 'show', id)).toMatchObject({
      code: 2,
      stderr: `anchor: There is no question "${id}" in this lab; see those there are in Ask, or with "anchor asked list".\n`,
    });
  });

  it.each([
    [[], 'Say who is asked with --model, for example --model embedded.'],
    [
      ['--model', 'embedded', '--line', 'Be kind.'],
      'Lines of your own are given with --context lines and --line, one for each.',
    ],
    [['--model', 'embedded', '--top-p', '0'], '--top-p is above 0 and at most 1.'],
    [['--model', 'embedded', '--temperature', '9'], 'The temperature goes from 0 to 5.'],
  ])('refuses %j with one sentence', async (args, sentence) => {
    expect(await anchor('ask', 'Why?', ...args)).toMatchObject({ code: 2, stderr: `anchor: ${sentence}\n` });
  });
});
