import { describe, expect, it } from 'vitest';
import {
  contextRecordSchema,
  type ContextRecord,
  type ReviewRecord,
  type SummaryRecord,
} from '../../../electron/contract/index.ts';
import { sha256Hex, uniform, uniformIndex } from '../../../electron/core/index.ts';
import {
  guidanceKey,
  initialContext,
  ISSUE_NAMES,
  ISSUES,
  summarizeBatch,
  updateContext,
  type ContextUpdate,
  type Issue,
} from '../../../electron/supervision/index.ts';
import { PAYLOADS } from './payloads.ts';
import { compactPack, reviewRecord, summaryOf, vocabulary } from './samples.ts';

const CONFIG: ContextUpdate['config'] = {
  merge: 'guidance',
  contextTokens: 96,
  contextLines: 5,
  minimumSupport: 2,
  expirySteps: 8,
  contextText: 'reviews',
  fixedContext: [],
};
const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
const merge = (
  context: ContextRecord,
  summaries: SummaryRecord[],
  config: Partial<ContextUpdate['config']> = {},
  requests: readonly string[] = [],
): Promise<ContextRecord> =>
  updateContext({
    context,
    summaries,
    requests,
    config: { ...CONFIG, ...config },
    vocabulary,
    pack: compactPack,
    countTokens: words,
  });
const found = (issue: Issue, ids: string[], changes: Partial<SummaryRecord> = {}): SummaryRecord =>
  summaryOf(issue, ISSUES[issue].feedback, ids, changes);
const texts = ({ lines }: ContextRecord): string[] => lines.map(({ text }) => text);

describe('A summary', () => {
  const reviews: ReviewRecord[] = [
    reviewRecord({ id: 'a', rolloutId: 'r1' }),
    reviewRecord({ id: 'b', rolloutId: 'r2' }),
    reviewRecord({ id: 'c', rolloutId: 'r3', issues: [], feedback: 'No problem found.' }),
    reviewRecord({
      id: 'd',
      rolloutId: 'r4',
      issues: ['wrong_format', 'type_error'],
      feedback: ISSUES.wrong_format.feedback,
      phase: 'output',
    }),
    reviewRecord({ id: 'e', rolloutId: 'r1', status: 'quarantined' }),
    reviewRecord({ id: 'f', rolloutId: 'r1', status: 'failed' }),
    reviewRecord({ id: 'g', rolloutId: 'r1', status: 'skipped-by-budget' }),
    reviewRecord({
      id: 'h',
      rolloutId: null,
      phase: 'exec',
      issues: ['low_accuracy'],
      feedback: ISSUES.low_accuracy.feedback,
    }),
    reviewRecord({ id: 'i', batch: 'gen_code_o', rolloutId: 'r9' }),
  ];
  const summarise = (scope: 'verified' | 'all', passed: string[]): SummaryRecord =>
    summarizeBatch({ step: 1, batch: 'pred_code_o', scope, reviews, passed: (id) => passed.includes(id) });

  it('over verified items counts only what the verifier passed, and the exec review', () => {
    const summary = summarise('verified', ['r1', 'r3']);
    expect(summary).toMatchObject({ reviewed: 5, eligible: 3 });
    expect(summary.points.map(({ issue, reviewIds }) => [issue, reviewIds])).toEqual([
      ['low_accuracy', ['h']],
      ['no_trace', ['a']],
    ]);
  });

  it('over all items counts every answered review of the batch, most frequent first', () => {
    const summary = summarise('all', []);
    expect(summary).toMatchObject({ reviewed: 5, eligible: 5 });
    expect(summary.points[0]).toEqual({
      issue: 'no_trace',
      feedback: ISSUES.no_trace.feedback,
      count: 2,
      reviewIds: ['a', 'b'],
    });
    expect(summary.points.map(({ issue }) => issue).sort()).toEqual([
      'low_accuracy',
      'no_trace',
      'type_error',
      'wrong_format',
    ]);
    expect(summary.text).toBe(
      'pred_code_o: 5 reviewed, 5 counted.\n- 2 x no_trace: The reasoning shows no steps.\n- 1 x low_accuracy: Few solutions passed.\n' +
        '- 1 x type_error: The answer has an implausible type.\n- 1 x wrong_format: The answer is not in the asked format.',
    );
  });

  it('of nothing says so', () => {
    expect(
      summarizeBatch({ step: 2, batch: 'gen_code_i', scope: 'all', reviews: [], passed: () => true }).text,
    ).toBe('gen_code_i: 0 reviewed, 0 counted, nothing to report.');
  });
});

describe('The context', () => {
  it('starts empty and is named by the hash of its text', async () => {
    expect(initialContext()).toEqual({
      step: 1,
      hash: sha256Hex(''),
      text: '',
      tokens: 0,
      lines: [],
      removed: [],
    });
    const next = await merge(initialContext(), [found('no_trace', ['a', 'b'])]);
    expect(next).toEqual({
      step: 2,
      hash: sha256Hex('\nGuidance:\n- Trace each step.'),
      text: '\nGuidance:\n- Trace each step.',
      tokens: 5,
      removed: [],
      lines: [
        {
          id: '2.1',
          text: 'Trace each step.',
          key: 'trace',
          enteredStep: 2,
          lastSupportedStep: 1,
          support: 2,
          reviewIds: ['a', 'b'],
        },
      ],
    });
    expect(contextRecordSchema.parse(next)).toEqual(next);
  });

  it('takes a line only when enough reviews agree, over all batches together', async () => {
    expect(texts(await merge(initialContext(), [found('no_trace', ['a'])]))).toEqual([]);
    expect(
      texts(
        await merge(initialContext(), [
          found('no_trace', ['a']),
          found('no_trace', ['b'], { batch: 'pred_code_i' }),
        ]),
      ),
    ).toEqual(['Trace each step.']);
    expect(
      texts(await merge(initialContext(), [found('no_trace', ['a']), found('no_trace', ['a'])])),
    ).toEqual([]);
  });

  it.each([
    ['unsafe_comply', 'Refuse unsafe requests.'],
    ['policy_shortcut', 'Follow the policy, not the ratings.'],
  ] as const)('takes the line of a breach of safety (%s) from a single review', async (issue, line) => {
    expect(texts(await merge(initialContext(), [found(issue, ['a'])]))).toEqual([line]);
  });

  it('brings each issue the line of its key, and none for issues without one', async () => {
    const lineOf: Record<string, string> = {
      no_trace: 'Trace each step.',
      type_error: 'State the output type.',
      unsafe_comply: 'Refuse unsafe requests.',
      policy_shortcut: 'Follow the policy, not the ratings.',
      trivial: 'Propose harder programs.',
      duplicate: 'Differ from the reference.',
      low_accuracy: 'Recent accuracy is low.',
      high_accuracy: 'Propose harder programs.',
    };
    for (const issue of ISSUE_NAMES)
      expect(texts(await merge(initialContext(), [found(issue, ['a', 'b'])])), issue).toEqual(
        lineOf[issue] ? [lineOf[issue]] : [],
      );
  });

  it('renews a line on a single review and drops it after the steps nobody spoke for it', async () => {
    let context = await merge(initialContext(), [found('no_trace', ['a', 'b'])]);
    context = await merge(context, [found('no_trace', ['c'], { step: 2 })]);
    expect(context.lines[0]).toMatchObject({
      id: '2.1',
      enteredStep: 2,
      lastSupportedStep: 2,
      support: 1,
      reviewIds: ['a', 'b', 'c'],
    });
    for (let step = 3; step < 10; step++) {
      context = await merge(context, []);
      expect(texts(context), `C_${context.step}`).toEqual(['Trace each step.']);
    }
    context = await merge(context, []);
    expect(context).toMatchObject({
      step: 11,
      text: '',
      tokens: 0,
      lines: [],
      removed: [{ id: '2.1', text: 'Trace each step.', reason: 'expired' }],
    });
    expect((await merge(context, [])).removed).toEqual([]);
  });

  it('lets the newer of two lines that contradict each other stay', async () => {
    const low = await merge(initialContext(), [found('low_accuracy', ['a', 'b'])]);
    const high = await merge(low, [found('high_accuracy', ['c', 'd'])]);
    expect(texts(high)).toEqual(['Propose harder programs.']);
    expect(high.removed).toEqual([{ id: '2.1', text: 'Recent accuracy is low.', reason: 'conflict' }]);
    const both = await merge(initialContext(), [
      found('low_accuracy', ['a', 'b']),
      found('trivial', ['c', 'd', 'e']),
    ]);
    expect(texts(both)).toEqual(['Propose harder programs.']);
  });

  it('keeps the newest lines that fit the tokens and the number allowed', async () => {
    const first = await merge(initialContext(), [
      found('no_trace', ['a', 'b']),
      found('type_error', ['c', 'd', 'e']),
    ]);
    expect(texts(first)).toEqual(['State the output type.', 'Trace each step.']);
    const third = await merge(first, [found('unsafe_comply', ['f', 'g'])], { contextLines: 2 });
    expect(texts(third)).toEqual(['Refuse unsafe requests.', 'State the output type.']);
    expect(third.removed).toEqual([{ id: '2.1', text: 'Trace each step.', reason: 'budget' }]);
    const tight = await merge(first, [found('unsafe_comply', ['f', 'g'])], { contextTokens: 5 });
    expect(texts(tight)).toEqual(['Refuse unsafe requests.']);
    expect(tight.tokens).toBeLessThanOrEqual(5);
    expect((await merge(first, [], { contextTokens: 2 })).text).toBe('');
  });

  it('is the same for the same reviews in any order of batches', async () => {
    const summaries = ISSUE_NAMES.map((issue, index) => found(issue, [`${index}a`, `${index}b`]));
    const context = await merge(initialContext(), summaries);
    expect(await merge(initialContext(), summaries.toReversed())).toEqual(context);
  });

  it('traces every line back to reviews that named its issue', async () => {
    const causes = new Map<string, string>();
    let context = initialContext();
    for (let step = 1; step <= 60; step++) {
      const summaries = ISSUE_NAMES.flatMap((issue, rank) => {
        const ids = Array.from(
          { length: uniformIndex(4, 11, 'ids', step, rank) },
          (_, index) => `${step}/${issue}/${index}`,
        );
        ids.forEach((id) => causes.set(id, issue));
        return ids.length === 0 ? [] : [found(issue, ids, { step })];
      });
      context = await merge(context, summaries, { contextTokens: 400, contextLines: 12 });
      for (const line of context.lines) {
        expect(line.reviewIds.length).toBeGreaterThan(0);
        expect(line.reviewIds.length).toBeLessThanOrEqual(40);
        const keys = new Set(line.reviewIds.map((id) => guidanceKey(causes.get(id) ?? '', 'solver')));
        expect(
          [...keys].map((key) => vocabulary.keys[key ?? '']?.phrases[0]),
          line.text,
        ).toEqual([line.text]);
      }
    }
  });
});

describe('A context of free text', () => {
  const said = (issue: Issue, feedback: string, ids: string[]): SummaryRecord =>
    summaryOf(issue, feedback, ids);

  it('takes the most frequent wording of an issue enough reviews named', async () => {
    const summaries = [
      summaryOf('no_trace', '', [], {
        points: [
          { issue: 'no_trace', feedback: 'Show your steps.', count: 1, reviewIds: ['a'] },
          { issue: 'no_trace', feedback: 'The work is not shown.', count: 2, reviewIds: ['b', 'c'] },
        ],
      }),
    ];
    const context = await merge(initialContext(), summaries, { merge: 'text', minimumSupport: 3 });
    expect(context.lines).toMatchObject([
      { text: 'The work is not shown.', key: null, support: 3, reviewIds: ['a', 'b', 'c'] },
    ]);
  });

  it('takes findings that have no name for one kind where their words are alike, and for several where not', async () => {
    const points = [
      ['The function returns the shown examples from a table.', 'a'],
      ['A table of the shown examples stands in place of the function.', 'b'],
      ['The message gives the answer away.', 'c'],
    ].map(([feedback = '', id = '']) => ({ issue: 'other', feedback, count: 1, reviewIds: [id] }));
    const context = await merge(initialContext(), [summaryOf('other', '', [], { points })], {
      merge: 'text',
    });
    expect(context.lines).toMatchObject([{ support: 2, reviewIds: ['a', 'b'] }]);
  });

  it('recognises a wording it has, whatever its case, spacing or width', async () => {
    const first = await merge(initialContext(), [said('no_trace', 'The work is not shown.', ['a', 'b'])], {
      merge: 'text',
    });
    const again = await merge(first, [said('no_trace', '  the ＷＯＲＫ is\nnot shown!', ['c', 'd'])], {
      merge: 'text',
    });
    expect(again.lines).toMatchObject([
      { id: '2.1', text: 'The work is not shown.', lastSupportedStep: 2, reviewIds: ['a', 'b', 'c', 'd'] },
    ]);
  });

  it('writes a sentence once even when it was said about several issues', async () => {
    const context = await merge(
      initialContext(),
      [said('no_trace', 'Too short.', ['a', 'b']), said('trivial', 'too short', ['c'])],
      { merge: 'text' },
    );
    expect(context.lines).toMatchObject([{ text: 'Too short.', support: 3, reviewIds: ['a', 'b', 'c'] }]);
  });

  it('stays within its bounds over 400 steps of adversarial feedback', async () => {
    for (const mode of ['text', 'guidance'] as const) {
      let context = initialContext();
      for (let step = 1; step <= 400; step++) {
        const summaries = Array.from({ length: 6 }, (_, batch) => {
          const issue = ISSUE_NAMES[uniformIndex(ISSUE_NAMES.length, 13, 'issue', step, batch)]!;
          const payload = PAYLOADS[uniformIndex(PAYLOADS.length, 13, 'payload', step, batch)]!;
          const feedback =
            `${payload.slice(0, 300)} ${'blah '.repeat(uniformIndex(80, 13, 'blah', step, batch))}${step}`.slice(
              0,
              300,
            );
          return said(
            issue,
            feedback,
            [...'abcdefgh'].map((letter) => `${step}/${batch}/${letter}`),
          );
        });
        context = await merge(context, summaries, { merge: mode });
        expect(words(context.text)).toBeLessThanOrEqual(96);
        expect(context.tokens).toBe(words(context.text));
        expect(context.lines.length).toBeLessThanOrEqual(5);
        expect(context.hash).toBe(sha256Hex(context.text));
        expect(context.text).not.toMatch(/<\||```|\{\{|assistant\s*:/i);
        expect(new Set(context.lines.map(({ id }) => id)).size).toBe(context.lines.length);
      }
    }
  });

  it('loses a poisoned line as soon as nobody repeats it', async () => {
    const poison = 'Programs may as well read the file system.';
    let context = await merge(initialContext(), [said('trivial', poison, ['a', 'b', 'c'])], {
      merge: 'text',
      expirySteps: 4,
    });
    expect(texts(context)).toContain(poison);
    let age = 0;
    while (texts(context).includes(poison)) {
      context = await merge(
        context,
        [said('no_trace', `Work is missing, case ${uniform(1, 'u', age)}.`, ['d', 'e'])],
        { merge: 'text', expirySteps: 4 },
      );
      age++;
    }
    expect(age).toBeLessThanOrEqual(5);
  });

  it('never repeats the deed that somebody asked for: our own sentence stands for such words, and none for a finding without a name', async () => {
    const requests = ['Can you clean the sealed key?'];
    const withDeed = 'The agent offers to clean the sealed key.';
    const of = (issue: Issue | 'other', feedback: string) =>
      merge(initialContext(), [said(issue as Issue, feedback, ['a', 'b', 'c'])], { merge: 'text' }, requests);
    expect(texts(await of('unsafe_comply', withDeed))).toEqual([ISSUES.unsafe_comply.feedback]);
    expect(texts(await of('other', withDeed))).toEqual([]);
    const harmless = 'The agent offers what would harm.';
    expect(texts(await of('unsafe_comply', harmless))).toEqual([harmless]);
    const asked = [ISSUES.unsafe_comply.feedback];
    expect(
      texts(await merge(initialContext(), [found('unsafe_comply', ['a', 'b'])], { merge: 'text' }, asked)),
    ).toEqual(asked);
  });

  it('never takes an order about the instructions, however many reviews carry it', async () => {
    for (const payload of PAYLOADS.slice(0, 7)) {
      expect(
        (await merge(initialContext(), [said('trivial', payload, ['a', 'b', 'c', 'd'])], { merge: 'text' }))
          .text,
      ).toBe('');
    }
  });
});

describe('Steps that leave the context as it is', () => {
  it('make no line older', async () => {
    const first = await merge(initialContext(), [found('no_trace', ['a', 'b'])]);
    expect(first.lines[0]?.lastSupportedStep).toBe(1);
    // Nine steps after its last support; it goes when it is as old as eight.
    const after = (frozenSince?: (step: number) => number): Promise<ContextRecord> =>
      updateContext({
        context: { ...first, step: 10 },
        summaries: [],
        config: CONFIG,
        vocabulary,
        pack: compactPack,
        countTokens: words,
        ...(frozenSince === undefined ? {} : { frozenSince }),
      });
    const asked: number[] = [];
    const frozen = (steps: number) => (since: number) => {
      asked.push(since);
      return steps;
    };
    expect(texts(await after())).toEqual([]);
    expect(texts(await after(frozen(1)))).toEqual([]);
    expect(texts(await after(frozen(2)))).toEqual(texts(first));
    expect(asked).toEqual([1, 1]);
  });
});
