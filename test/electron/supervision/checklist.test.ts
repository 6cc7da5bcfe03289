import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PhaseItem, ReviewAnswer } from '../../../electron/contract/index.ts';
import { checklistReviewer, readChecklist, reviewerMaker } from '../../../electron/supervision/index.ts';
import { compactPack, exec, proposal, solution } from './samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-checklist-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(content: unknown): string {
  const file = join(folder, 'rules.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const read = (...rules: object[]) => readChecklist(fileOf({ name: 'ours', rules })).checklist;
async function review(item: PhaseItem, ...rules: object[]): Promise<ReviewAnswer | null> {
  const { answer } = await checklistReviewer(compactPack, read(...rules)).review(
    { id: 'r', item, parsed: null, seed: 1 },
    new AbortController().signal,
  );
  return answer;
}
const NO_STEPS = {
  phase: 'thought',
  issue: 'no_trace',
  when: [{ text: 'thought', lacks: '=' }],
  feedback: 'Write every step down.',
};

describe('a rule', () => {
  it('on a text holds when its pattern matches, or when it is lacking; a text that is not there does neither', async () => {
    expect(await review(solution('thought', { thought: 'clearly 15' }), NO_STEPS)).toEqual({
      decision: 'continue',
      issues: ['no_trace'],
      feedback: 'Write every step down.',
    });
    expect((await review(solution('thought'), NO_STEPS))?.issues).toEqual([]);
    const noPlan = { phase: 'thought', issue: 'no_trace', when: [{ text: 'plan', lacks: 'x' }] };
    expect((await review(solution('thought', { plan: null }), noPlan))?.issues).toEqual([]);
    expect((await review(solution('thought', { plan: 'y' }), noPlan))?.issues).toEqual(['no_trace']);
  });
  it('on a fact holds below, above or at a bound; a fact that is unknown is nothing', async () => {
    const short = { phase: 'task', issue: 'trivial', when: [{ fact: 'steps', below: 3 }] };
    expect((await review(proposal('def f(x):\n y=x+1\n return y'), short))?.issues).toEqual(['trivial']);
    expect((await review(proposal('def f(x):\n y=x+1\n y=y*2\n y=y-3\n return y'), short))?.issues).toEqual(
      [],
    );
    const failing = {
      phase: 'exec',
      issue: 'low_accuracy',
      when: [{ fact: 'passRate', below: 0.6, above: 0.4 }],
    };
    expect((await review(exec({ n: 8, passed: 4 }), failing))?.issues).toEqual(['low_accuracy']);
    expect((await review(exec({ n: 8, passed: 2 }), failing))?.issues).toEqual([]);
    expect((await review(exec({ n: 0, passed: 0 }), failing))?.issues).toEqual([]);
    expect(
      (
        await review(solution('output'), {
          phase: 'output',
          issue: 'type_error',
          when: [{ fact: 'literal', is: 'int' }],
        })
      )?.issues,
    ).toEqual(['type_error']);
  });
  it('needs all of its conditions, and concerns only the phase, roles and task types it names', async () => {
    const rule = {
      phase: 'thought',
      issue: 'no_trace',
      when: [
        { text: 'thought', matches: 'y' },
        { fact: 'steps', above: 1 },
      ],
    };
    expect((await review(solution('thought'), rule))?.issues).toEqual(['no_trace']);
    expect((await review(solution('thought', { thought: 'y=1' }), rule))?.issues).toEqual([]);
    expect((await review(solution('output'), rule))?.issues).toEqual([]);
    expect((await review(solution('thought'), { ...rule, roles: ['proposer'] }))?.issues).toEqual([]);
    expect((await review(solution('thought'), { ...rule, taskTypes: ['abduction'] }))?.issues).toEqual([]);
  });
});

describe('a pattern that never comes to an end', () => {
  it('fails the review in a sentence that names it, instead of holding up the whole program', async () => {
    const endless = { phase: 'thought', issue: 'no_trace', when: [{ text: 'thought', matches: '(a+)+$' }] };
    await expect(
      review(solution('thought', { thought: `${'a'.repeat(60)}b` }), endless),
    ).rejects.toMatchObject({
      kind: 'badChecklist',
      exitCode: 2,
      message: expect.stringContaining('"(a+)+$"') as string,
    });
    expect((await review(solution('thought', { thought: 'baa' }), endless))?.issues).toEqual(['no_trace']);
  }, 120_000);
});

describe('an answer', () => {
  it('names at most two issues, words the first rule that holds, and asks for a retry when one rule does', async () => {
    const rules = ['duplicate', 'trivial', 'invalid'].map((issue) => ({
      phase: 'task',
      issue,
      when: [{ fact: 'inputs', above: 0 }],
    }));
    expect(await review(proposal('def f(x):\n return x'), ...rules)).toEqual({
      decision: 'retry',
      issues: ['duplicate', 'trivial'],
      feedback: 'The task repeats a reference.',
    });
    const [first] = rules;
    expect(await review(proposal('def f(x):\n return x'), { ...first, decision: 'retry' })).toMatchObject({
      decision: 'retry',
    });
  });
  it('without a rule that holds says so', async () => {
    expect(await review(solution('output'), NO_STEPS)).toEqual({
      decision: 'continue',
      issues: [],
      feedback: 'No problem found.',
    });
  });
});

describe('a file', () => {
  it.each<[string, unknown, string]>([
    ['that is no JSON', '{', 'is not valid JSON'],
    [
      'with an issue of another phase',
      { name: 'n', rules: [{ ...NO_STEPS, issue: 'trivial' }] },
      'rules.0.issue: "trivial" is no issue of the thought phase; its issues are trace_error, no_trace',
    ],
    [
      'with an unknown fact',
      { name: 'n', rules: [{ ...NO_STEPS, when: [{ fact: 'mood', is: 1 }] }] },
      '"mood" is no fact of the thought phase; its facts are present, steps, inconsistentStep',
    ],
    [
      'with a broken pattern',
      { name: 'n', rules: [{ ...NO_STEPS, when: [{ text: 'thought', matches: '(' }] }] },
      'rules.0.when.0.matches: "(" is no regular expression',
    ],
    [
      'with an unknown text',
      { name: 'n', rules: [{ ...NO_STEPS, when: [{ text: 'thoughts', matches: 'a' }] }] },
      'rules.0.when.0.text: Invalid option: expected one of "plan"|"thought"',
    ],
    [
      'with a bound that is no number',
      { name: 'n', rules: [{ ...NO_STEPS, when: [{ fact: 'steps', below: '3' }] }] },
      'rules.0.when.0.below: Invalid input: expected number',
    ],
    ['with a rule that always holds', { name: 'n', rules: [{ ...NO_STEPS, when: [] }] }, 'rules.0.when'],
    [
      'with a word it does not know',
      { name: 'n', rules: [{ ...NO_STEPS, when: [{ text: 'thought', matches: 'a' }], why: 'x' }] },
      'Unrecognized key',
    ],
    [
      'with text in the exec phase',
      { name: 'n', rules: [{ phase: 'exec', issue: 'timeouts', when: [{ text: 'answer', matches: 'a' }] }] },
      'statistics only',
    ],
  ])('%s is refused in one sentence that names it', (_, content, why) => {
    const file = fileOf(content);
    expect(() => readChecklist(file)).toThrowError(
      expect.objectContaining({
        kind: 'badChecklist',
        exitCode: 2,
        message: expect.stringContaining(why),
      }) as Error,
    );
    expect(() => readChecklist(file)).toThrow(file);
  });
  it('that is not there is refused too', () =>
    expect(() => readChecklist(join(folder, 'none.json'))).toThrow('could not be read'));
  it('is told apart by its bytes, so that a run notices another one', () => {
    const { sha256 } = readChecklist(fileOf({ name: 'n', rules: [NO_STEPS] }));
    expect(
      readChecklist(fileOf({ name: 'n', rules: [{ ...NO_STEPS, feedback: 'Other.' }] })).sha256,
    ).not.toBe(sha256);
  });
});

it('the settings of a checklist are its file, and those of others nothing', () => {
  expect(reviewerMaker('checklist').settings.safeParse({}).success).toBe(false);
  expect(reviewerMaker('checklist').settings.parse({ rules: 'a.json' })).toEqual({
    rules: join(process.cwd(), 'a.json'),
  });
  expect(reviewerMaker('rubric').settings.safeParse({ rules: 'a.json' }).success).toBe(false);
});
