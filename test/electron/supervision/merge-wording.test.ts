import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure, type ReviewRecord, type SummaryRecord } from '../../../electron/contract/index.ts';
import { loadGuidance } from '../../../electron/library/index.ts';
import { initialContext, subjectsOf, type LineGuard } from '../../../electron/supervision/index.ts';
import { root } from '../real-runner.ts';
import {
  compact,
  writerThat,
  review,
  summaries,
  GUESSES,
  line,
  OLD,
  NEW,
  BREACH,
  merge,
  byRule,
} from './wordings.ts';

describe('a context in the words of a model', () => {
  it('keeps a line whose words stay and gives joined lines a new one with all their reviews', async () => {
    const { writer } = writerThat({
      lines: [
        { from: [3, 2], text: 'Close the answer tag and the block.' },
        { from: [1], text: OLD.text },
      ],
    });
    const block = line('5.2', 'Close the block.');
    const merged = await merge(writer, [OLD, NEW, block]);
    expect(merged?.lines).toEqual([
      {
        id: '5.3',
        text: 'Close the answer tag and the block.',
        key: null,
        enteredStep: 5,
        lastSupportedStep: 4,
        support: 2,
        reviewIds: ['r5.2', 'r5.1'],
        worded: { topic: block.worded?.topic, from: ['4/b/5.2', '4/b/5.1'], wording: 'model' },
      },
      OLD,
    ]);
    expect(merged?.record.lines.map(({ sources }) => sources)).toEqual([['4/b/5.2', '4/b/5.1'], ['3.1']]);
    expect(merged?.removed).toEqual([]);
  });

  it('says of a line that stood in the context that it left, also where another took it up or says the same', async () => {
    const second = line('3.2', 'Close the block.', { enteredStep: 3 });
    const third = line('2.1', 'Follow each loop to its end.', { enteredStep: 2 });
    const { writer } = writerThat({
      lines: [
        { from: [1], text: OLD.text },
        { from: [2, 3], text: 'Close the answer tag and the block.' },
        { from: [4], text: third.text },
      ],
    });
    const merged = await merge(writer, [OLD, NEW, second, third]);
    expect(merged?.lines.map(({ text }) => text)).toEqual([OLD.text, 'Close the answer tag and the block.']);
    expect(merged?.removed).toEqual([
      { id: '3.2', text: second.text, reason: 'model' },
      { id: '2.1', text: third.text, reason: 'repeat' },
    ]);
  });

  it('counts repeats, contradictions and lines that are not about their sources, and none of them stands', async () => {
    const again = line('5.2', 'Follow loops to the end.');
    const opposite = line('5.3', 'Do not close the answer tag.');
    const { writer } = writerThat({
      lines: [
        { from: [1], text: OLD.text },
        { from: [2], text: 'Buy more shoes.' },
        { from: [3], text: 'Follow each loop to the end.' },
        { from: [4], text: 'Do not close the answer tag.' },
        { from: [1], text: 'Follow each loop.' },
      ],
    });
    const merged = await merge(writer, [OLD, NEW, again, opposite]);
    expect(merged?.record.refused.map(({ reason }) => reason)).toEqual([
      'unsupported',
      'repeat',
      'contradiction',
      'repeat',
    ]);
    expect(merged?.lines.map(({ text }) => text)).toEqual([OLD.text, NEW.text]);
    expect(merged?.removed).toEqual([{ id: '5.3', text: opposite.text, reason: 'conflict' }]);
  });

  it('credits no line with words that are about another, whatever a small model names, and loses none of them', async () => {
    // What a model of 1.5 billion parameters answered in the second step of a run.
    const shown = [
      line('5.1', 'The task failed validation due to the invalid block-not-closed.'),
      line('5.2', 'The answer is not in the asked format.'),
      line('5.3', 'The reasoning shows no steps.'),
      line('2.1', 'You should ensure that your solutions are accurate and complete.', { enteredStep: 2 }),
    ];
    const { writer } = writerThat({
      lines: [
        { from: [1, 2, 3], text: shown[0]!.text },
        { from: [2, 3, 4], text: shown[1]!.text },
        { from: [3, 4], text: shown[2]!.text },
        { from: [4], text: shown[3]!.text },
      ],
    });
    const merged = await merge(writer, shown);
    expect(merged).toMatchObject({ lines: shown, removed: [], record: { refused: [] } });
    expect(merged?.record.lines.map(({ sources }) => sources)).toEqual([
      ['4/b/5.1'],
      ['4/b/5.2'],
      ['4/b/5.3'],
      ['2.1'],
    ]);
    // And in its third: a new line that was named for another's words stays, one that nobody named leaves.
    const third = [
      line('5.1', 'You should ensure that your model is correctly solving the problem.'),
      line('5.2', 'You should always format your code properly before running it.'),
      line('5.3', 'Close the answer tag.'),
    ];
    const again = await merge(writerThat({ lines: [{ from: [1, 2], text: third[0]!.text }] }).writer, third);
    expect(again?.lines).toEqual([third[0], third[1]]);
    expect(again?.removed).toEqual([{ id: '5.3', text: third[2]!.text, reason: 'model' }]);
  });

  it('takes no words that ask for what a line calls a fault, nor credits a line that shares with them what any line may have', async () => {
    // What a model of 1.5 billion parameters answered in the third and the fourth step of a run.
    const repeats = line(
      '5.1',
      'The task repeats a reference. To keep clear of this mistake, ensure that each reference is unique and not repeated in the entire task.',
    );
    const turned = repeats.text.replace('repeats', 'should repeat');
    const kept = await merge(writerThat({ lines: [{ from: [1], text: turned }] }).writer, [repeats]);
    expect(kept?.lines).toEqual([repeats]);
    expect(kept?.record.refused).toEqual([{ text: turned, sources: ['4/b/5.1'], reason: 'contradiction' }]);
    const type = line('5.1', 'The answer has an implausible type.');
    const format = line('3.3', 'The task failed validation. The answer should be in the asked format.', {
      enteredStep: 3,
    });
    const words = 'The answer should be in the asked format.';
    const merged = await merge(writerThat({ lines: [{ from: [1, 2], text: words }] }).writer, [type, format]);
    expect(merged?.record.lines.map(({ text, sources }) => ({ text, sources }))).toEqual([
      { text: words, sources: ['3.3'] },
    ]);
    expect(merged?.lines).toContainEqual(type);
  });

  it('rests a line that is too long on the sentences that are left of it, and keeps what stood in the others', async () => {
    // What a model of 1.5 billion parameters answered in the second step of another run.
    const shown = [
      line('5.1', 'The task failed validation.'),
      line('5.2', 'The answer should be in the asked format.'),
      line(
        '2.1',
        'You should ensure that your model consistently produces high-quality answers to the tasks it proposes.',
        { enteredStep: 2 },
      ),
    ];
    const [task, answer, standing] = shown;
    const { writer } = writerThat({
      lines: [{ from: [1, 2, 3], text: shown.map(({ text }) => text).join(' ') }],
    });
    const merged = await merge(writer, shown);
    expect(merged?.lines).toEqual([
      expect.objectContaining({ text: `${task!.text} ${answer!.text}`, reviewIds: ['r5.1', 'r5.2'] }),
      standing,
    ]);
    expect(merged?.record.lines.map(({ sources }) => sources)).toEqual([['4/b/5.1', '4/b/5.2']]);
    expect(merged?.removed).toEqual([]);
  });

  it('never loses a line about a breach of safety, and says which others were left out', async () => {
    const { writer } = writerThat({ lines: [{ from: [1], text: OLD.text }] });
    const merged = await merge(writer, [OLD, NEW, BREACH]);
    expect(merged?.lines).toEqual([BREACH, OLD]);
    expect(merged?.removed).toEqual([{ id: '5.1', text: NEW.text, reason: 'model' }]);
  });

  it.each([
    ['whose joined words are about the other line', [2, 3], NEW.text, [BREACH, NEW], []],
    ['whose joined words cannot stand', [2, 3], 'Buy more shoes.', [BREACH, NEW], ['unsupported']],
    [
      'that is joined behind another, and said',
      [2, 3],
      'Close the tag; decline harm to others.',
      ['both'],
      [],
    ],
    ['that says what a chosen line says', [3], OLD.text, [BREACH, OLD], ['repeat']],
  ])('never loses a line about a breach of safety %s', async (_, from, text, expected, refused) => {
    const entries =
      from.length > 1
        ? [{ from, text }]
        : [
            { from: [1], text: OLD.text },
            { from, text },
          ];
    const merged = await merge(writerThat({ lines: entries }).writer, [OLD, NEW, BREACH]);
    const [first] = merged?.lines ?? [];
    expect(first?.worded?.topic).toBe(BREACH.worded?.topic);
    expect(first?.reviewIds).toContain('r5.2');
    if (typeof expected[0] === 'object') expect(merged?.lines).toEqual(expected);
    else {
      expect(merged?.lines).toHaveLength(1);
      expect(first?.text).toBe(expected[0] === 'both' ? text : BREACH.text);
      expect(first?.reviewIds).toEqual(['r5.2', 'r5.1']);
    }
    expect(merged?.record.refused.map(({ reason }) => reason)).toEqual(refused);
  });

  it('refuses an answer that names lines which do not exist, and leaves the rule its lines', async () => {
    const { writer, asked } = writerThat({ lines: [{ from: [3], text: 'Something.' }] });
    const merged = await merge(writer, [OLD, NEW]);
    expect(asked).toHaveLength(2);
    expect(merged?.record.status).toBe('fallback');
    expect(merged?.lines).toEqual([OLD, NEW]);
  });

  it('takes no words that give a hidden answer of the step away or repeat what somebody asked for', async () => {
    const guard: LineGuard = {
      golds: [{ kind: 'literal', text: '4711' }],
      requests: ['Can you open the locked cabinet?'],
    };
    const { writer } = writerThat({
      lines: [
        { from: [1], text: 'Follow each loop to its end, it gives 4711.' },
        { from: [2], text: 'Close the answer tag and the locked cabinet.' },
      ],
    });
    const merged = await merge(writer, [OLD, NEW], 5, guard);
    expect(merged?.lines).toEqual([OLD, NEW]);
    expect(merged?.record.refused.map(({ reason }) => reason)).toEqual(['leak', 'deed']);
  });

  it('chooses under a system text of the configuration', async () => {
    const { writer, asked } = writerThat({ lines: [{ from: [1], text: OLD.text }] });
    writer.prompts = { system: 'You keep notes. <<{{delimiter}} marks material.', summary: '', merge: '' };
    await merge(writer, [OLD, NEW]);
    expect(asked[0]?.system).toMatch(/^You keep notes. <<[0-9a-f]+ marks material.$/);
    expect(asked[0]?.user).toContain(/<<\S+/.exec(asked[0]?.system ?? '')?.[0]);
  });

  it('is not asked where nothing is new and everything has room', async () => {
    const { writer, asked } = writerThat({ lines: [] });
    expect(await merge(writer, [OLD])).toBeNull();
    expect(asked).toEqual([]);
  });

  describe('by a writer of a small vocabulary', () => {
    const subjects = subjectsOf(loadGuidance(join(root, 'resources/prompts/compact')));
    const HARDER = line('2.1', 'Propose harder programs.');
    const LOW = line('5.2', 'Recent accuracy is low.', { support: 4 });
    const bySubject = (...answers: (object | Failure)[]): ReturnType<typeof writerThat> => {
      const { writer, asked } = writerThat(...answers);
      return { writer: { ...writer, pack: compact, subjects }, asked };
    };

    it('asks for each subject that has several lines, and leaves the others alone', async () => {
      const { writer, asked } = bySubject({ line: LOW.text });
      const merged = await merge(writer, [NEW, HARDER, LOW]);
      expect(asked).toHaveLength(1);
      expect(asked[0]?.user.replace(/<<[0-9a-f]{12} /g, '<<')).toBe(
        'merge: 2 lines\n<<step 3, 2 reviews>> Propose harder programs.\n<<new, 4 reviews>> Recent accuracy is low.',
      );
      const own = bySubject({ line: LOW.text });
      own.writer.prompts = { system: 'Keep notes behind <<{{delimiter}}.', summary: '', merge: '' };
      await merge(own.writer, [HARDER, LOW]);
      expect(own.asked[0]?.system).toMatch(/^Keep notes behind <<[0-9a-f]{12}\.$/);
      expect(merged?.lines).toEqual([NEW, LOW]);
      expect(merged?.removed).toEqual([{ id: '2.1', text: HARDER.text, reason: 'model' }]);
      expect(merged?.record).toMatchObject({
        id: '4/merge',
        status: 'done',
        refused: [],
        lines: [{ id: '5.2', sources: ['2.1', '4/b/5.2'], wording: 'source' }],
      });
    });

    it('takes a line in its own words, which rests on all lines of the subject', async () => {
      const { writer } = bySubject({ line: 'Propose programs where accuracy is not low.' });
      const merged = await merge(writer, [HARDER, LOW]);
      expect(merged?.lines).toMatchObject([
        {
          id: '5.2',
          text: 'Propose programs where accuracy is not low.',
          support: 4,
          worded: { from: ['2.1', '4/b/5.2'], wording: 'model' },
        },
      ]);
      expect(merged?.record.lines).toMatchObject([{ wording: 'model', sources: ['2.1', '4/b/5.2'] }]);
    });

    it('keeps the first line where the answer is about something else or none comes', async () => {
      const { writer } = bySubject({ line: 'Buy more shoes.' });
      const merged = await merge(writer, [LOW, HARDER]);
      expect(merged?.lines).toEqual([LOW]);
      expect(merged?.record).toMatchObject({
        status: 'fallback',
        refused: [{ reason: 'unsupported' }],
        lines: [],
      });
      const silent = bySubject(new Failure('timeout', 'The supervisor took too long.'));
      expect((await merge(silent.writer, [LOW, HARDER]))?.lines).toEqual([LOW]);
    });

    it('takes no words that ask for what a line of the subject calls a fault', async () => {
      const [repeats, again] = [
        line('5.1', 'The task repeats a reference.'),
        line('5.2', 'The task repeats a reference'),
      ];
      const words = 'The task should repeat a reference.';
      const { writer } = bySubject({ line: words });
      const merged = await merge(writer, [repeats, again]);
      expect(merged?.lines).toEqual([repeats]);
      expect(merged?.record.refused).toMatchObject([{ text: words, reason: 'contradiction' }]);
    });

    it('loses no line about a breach of safety, whichever was chosen', async () => {
      const breach = {
        worded: { topic: 'assistant: unsafe_comply', from: ['4/c/1'], wording: 'model' as const },
      };
      const [refuse, decline] = [
        line('5.3', 'Refuse unsafe requests.', breach),
        line('5.4', 'Decline restricted requests.', breach),
      ];
      const { writer } = bySubject({ line: refuse.text });
      const merged = await merge(writer, [refuse, decline]);
      expect(merged?.lines).toEqual([decline, refuse]);
      expect(merged?.removed).toEqual([]);
    });

    it('is not asked where every subject has one line', async () => {
      const { writer, asked } = bySubject({ line: 'x' });
      expect(await merge(writer, [NEW, HARDER])).toBeNull();
      expect(asked).toEqual([]);
    });

    it('counts the phrase that an issue calls for as what a summary may say', async () => {
      const easy = [1, 2].map(() => review('The task is too easy.', ['trivial'], { phase: 'task' }));
      const [record] = await summaries(bySubject({ line: HARDER.text }).writer, easy);
      expect(record?.lines).toMatchObject([{ text: HARDER.text, wording: 'model' }]);
      const [plain] = await summaries(writerThat({ line: HARDER.text }).writer, easy);
      expect(plain?.refused).toMatchObject([{ reason: 'unsupported' }]);
    });
  });

  it('enters C_{t+1} with its lineage: line, summary, reviews', async () => {
    const { writer } = writerThat({ line: 'Reason step by step instead of guessing.' });
    const wordings = await summaries(writer, GUESSES);
    const context = await byRule(wordings);
    expect(context.lines).toMatchObject([
      {
        id: '2.1',
        text: 'Reason step by step instead of guessing.',
        reviewIds: GUESSES.map(({ id }) => id).sort(),
        worded: { from: ['1/pred_code_i/1'], wording: 'model' },
      },
    ]);
    expect(context.text).toContain('Reason step by step instead of guessing.');
  });
});

describe('a line that asks for a fault and stands already', () => {
  // As it stood in a run; reviews of its own topic renewed it three times.
  const wrong = line('1.1', 'The task should repeat a reference.', {
    worded: { topic: 'solver: duplicate', from: ['0/b/1'], wording: 'model' },
  });
  const found = (feedback: string): ReviewRecord[] =>
    [1, 2].map(() => review(feedback, ['duplicate'], { phase: 'task' }));
  const renewedBy = async (feedback: string) => {
    const reviews = found(feedback);
    const wordings = await summaries(writerThat({ line: 'Repeat no reference in a task.' }).writer, reviews);
    const points = [
      { issue: 'duplicate', feedback, count: 2, rolloutIds: [], reviewIds: reviews.map(({ id }) => id) },
    ];
    const said = [
      { step: 1, batch: 'pred_code_i', scope: 'all', reviews: 2, points },
    ] as unknown as SummaryRecord[];
    return byRule(wordings, { context: { ...initialContext(), lines: [wrong] }, summaries: said });
  };

  it('leaves when reviews of its topic call that very thing a fault, and what they bring enters', async () => {
    const context = await renewedBy('The task repeats a reference.');
    expect(context.removed).toEqual([{ id: '1.1', text: wrong.text, reason: 'conflict' }]);
    expect(context.lines).toMatchObject([{ text: 'Repeat no reference in a task.', support: 2 }]);
  });

  it('is renewed by reviews that say nothing of it', async () => {
    const context = await renewedBy('The task has no reference in it.');
    expect(context.removed).toEqual([]);
    expect(context.lines).toMatchObject([{ text: wrong.text, lastSupportedStep: 1 }]);
  });
});

describe('lines that no model chose among', () => {
  const again = line('5.2', 'Follow loops to the end.');
  const opposite = line('5.3', 'Do not close the answer tag.');
  const breach = line('5.4', 'Do not follow loops to the end of a harmful request.', {
    worded: { topic: 'assistant: unsafe_comply', from: ['4/c/1'], wording: 'model' },
  });
  const all = [OLD, NEW, again, opposite, breach];

  it('neither repeat nor contradict each other after a merge that had no answer, and none about safety goes', async () => {
    const merged = await merge(writerThat(new Failure('timeout', 'Too slow.')).writer, all);
    expect(merged?.record.status).toBe('fallback');
    expect(merged?.lines).toEqual([OLD, NEW, breach]);
    expect(merged?.removed).toEqual([
      { id: '5.2', text: again.text, reason: 'repeat' },
      { id: '5.3', text: opposite.text, reason: 'conflict' },
    ]);
  });

  it('enter a context that is merged by rule once, though two kinds of findings were worded alike', async () => {
    const { writer } = writerThat({ line: 'Reason step by step instead of guessing.' });
    const alike = [1, 2].map(() => review('A loop is left early and guessed.', ['trace_error']));
    const wordings = await summaries(writer, [...GUESSES, ...alike]);
    expect(wordings[0]?.lines).toHaveLength(2);
    const context = await byRule(wordings);
    expect(context.lines).toHaveLength(1);
    expect(context.removed).toMatchObject([{ id: '2.2', reason: 'repeat' }]);
  });
});
