import { describe, expect, it } from 'vitest';
import type { RecordFilter } from '../../../electron/contract/index.ts';
import { readSearch } from '../../../electron/store/records/find.ts';
import { similarity, wordsOf } from '../../../electron/store/records/search.ts';
import { inLab } from './support/in-lab.ts';
import { makeCommit, seededRandom } from './support/make-records.ts';

const FILTERS: RecordFilter[] = [
  {},
  { batch: 'pred_code_f' },
  { fromStep: 2, toStep: 3 },
  { phase: 'plan' },
  { decision: 'retry' },
  { leak: true },
  { issue: 'complied' },
  { issue: 'complied', phase: 'task', outcome: 'passed' },
  { reviewed: false, role: 'solver' },
  { batch: 'pred_memory' },
  { fromStep: 4, decision: 'continue', outcome: 'failed' },
];

describe('rows of a list', () => {
  it('are the same from any place as from the beginning, under any filter', () =>
    inLab(
      (lab) => {
        const random = seededRandom(3);
        for (const filter of FILTERS) {
          const all = lab.pageRollouts('a', filter, { limit: 500 }).rows.map(({ id }) => id);
          expect(lab.rolloutFacets('a', filter).total).toBe(all.length);
          for (let round = 0; round < 12; round += 1) {
            const first = Math.floor(random() * (all.length + 4));
            const limit = 1 + Math.floor(random() * 30);
            expect({
              filter,
              first,
              limit,
              rows: lab.recordRows('a', filter, first, limit).map(({ id }) => id),
            }).toEqual({ filter, first, limit, rows: all.slice(first, first + limit) });
          }
        }
      },
      5,
      25,
    ));

  it('begin with as many characters of the answer as any other, also behind a zero character', () =>
    inLab((lab) => {
      const commit = makeCommit(1, 12);
      const answers = ['a\0b', `${'é€𝄞\0'.repeat(100)}`, '𝄞'.repeat(300), ''];
      answers.forEach((answer, index) => {
        const rollout = commit.rollouts[index] as { answer: string | null };
        rollout.answer = answer;
      });
      lab.commitStep('a', commit);
      const rows = lab.recordRows('a', {}, 0, 4);
      expect(rows.map(({ excerpt }) => excerpt)).toEqual(
        answers.map((answer) => [...answer].slice(0, 240).join('')),
      );
    }));

  it('say what reviews found, and begin with the answer', () =>
    inLab((lab) => {
      const [row] = lab.recordRows('a', {}, 0, 1);
      const record = lab.getRecord('a', row?.id ?? '');
      expect(row).toMatchObject({
        id: '1/gen_code_i/0',
        excerpt: '0',
        verdict: record?.rollout.verdict,
        reward: record?.rollout.reward,
      });
      expect(row?.reviews).toEqual(
        record?.reviews.map(({ phase, status, decision }) => ({ phase, status, decision })),
      );
      expect(row?.reviews.length).toBe(2);
    }, 1));

  it('grow at their end when a step is stored, and are gone with their run', () =>
    inLab(async (lab) => {
      expect(lab.rolloutFacets('a').total).toBe(24);
      lab.commitStep('a', makeCommit(3));
      expect(lab.rolloutFacets('a').total).toBe(36);
      expect(lab.recordRows('a', {}, 24, 50).map(({ step }) => step)).toEqual(
        Array.from({ length: 12 }, () => 3),
      );
      lab.deleteRun('a');
      await lab.takeOutDeleted();
      expect(lab.rolloutFacets('a').total).toBe(0);
      expect(lab.recordRows('none', {}, 3, 5)).toEqual([]);
    }, 2));

  it('are counted some steps at a time when that is wanted', () =>
    inLab(
      (lab) => {
        let turns = 1;
        while (!lab.countAhead('a')) turns += 1;
        expect(turns).toBe(2);
        expect(lab.countAhead('a')).toBe(true);
        expect(lab.countAhead('none')).toBe(true);
        expect(lab.rolloutFacets('a').total).toBe(30 * 6);
      },
      30,
      6,
    ));
});

describe('the place of a record', () => {
  it('is where the list has it, and nowhere when the filter leaves it out', () =>
    inLab(
      (lab) => {
        for (const filter of FILTERS) {
          const matching = lab.pageRollouts('a', filter, { limit: 500 }).rows.map(({ id }) => id);
          for (const { id } of lab.pageRollouts('a', {}, { limit: 500 }).rows) {
            const place = matching.indexOf(id);
            expect({ filter, id, place: lab.recordPosition('a', filter, id) }).toEqual({
              filter,
              id,
              place: place < 0 ? null : place,
            });
          }
        }
        expect(lab.recordPosition('a', {}, '9/none/0')).toBeNull();
      },
      5,
      13,
    ));

  it('leads to the same item of the next and the previous step, else to that step’s first match', () =>
    inLab((lab) => {
      const go = (filter: RecordFilter, direction: 'next' | 'previous') =>
        lab.recordInNextStep('a', filter, '2/pred_code_f/5', direction);
      expect([go({}, 'next'), go({}, 'previous')]).toEqual(['3/pred_code_f/5', '1/pred_code_f/5']);
      expect(go({ batch: 'gen_code_i' }, 'next')).toBe('3/gen_code_i/0');
      expect([
        go({ toStep: 2 }, 'next'),
        go({ fromStep: 2 }, 'previous'),
        go({ batch: 'pred_memory' }, 'next'),
      ]).toEqual([null, null, null]);
      expect(lab.recordInNextStep('a', {}, 'nonsense', 'next')).toBeNull();
    }, 3));
});

describe('finding records', () => {
  it('gives each record once, newest first, with what matched in its texts and in its reviews', () =>
    inLab((lab) => {
      const { records, more, problem } = lab.findRecords('a', '"item 3"', null);
      expect([more, problem]).toEqual([false, null]);
      expect(records.map(({ row }) => row.id)).toEqual(['2/pred_code_i/3', '1/pred_code_i/3']);
      expect(records[0]?.agent).toContain('‹item 3›');
      expect(records[0]?.reviews.map(({ phase }) => phase).sort()).toEqual(['plan', 'task']);
      expect(lab.findRecords('a', 'item', null, {}, 5)).toMatchObject({ more: true });
      expect(lab.findRecords('a', 'item', null, {}, 5).records).toHaveLength(5);
    }, 2));

  it('looks only where it is told to, and only at what the filter leaves', () =>
    inLab((lab) => {
      const ids = (text: string, place: 'agent' | 'prompt' | 'review' | null, filter: RecordFilter = {}) =>
        lab.findRecords('a', text, place, filter, 500).records.map(({ row }) => row.id);
      expect([
        ids('thought', 'agent').length,
        ids('thought', 'prompt').length,
        ids('solve', 'agent').length,
        ids('solve', 'prompt').length,
      ]).toEqual([24, 0, 0, 24]);
      expect(ids('skips', 'review').length).toBeGreaterThan(0);
      expect(ids('skips', 'prompt')).toEqual([]);
      for (const filter of FILTERS) {
        const matching = new Set(lab.pageRollouts('a', filter, { limit: 500 }).rows.map(({ id }) => id));
        expect({ filter, ids: new Set(ids('solve', null, filter)) }).toEqual({ filter, ids: matching });
      }
    }, 2));

  it('finds the system message that stood in front of a request', () =>
    inLab((lab) => {
      const found = (text: string, place: 'agent' | 'prompt' | null, filter: RecordFilter = {}) =>
        lab.findRecords('a', text, place, filter, 500).records;
      // The line entered with step 2, whose twelve requests had it.
      for (const typed of ['"every step before"', 'TRAC* answer', 'nothing OR trace'])
        expect(found(typed, 'prompt').map(({ row }) => row.step)).toEqual(Array(12).fill(2));
      expect(found('"every step before"', null)[0]?.agent).toBe('Trace every step before the answer.');
      expect(found('"every step before"', 'agent')).toEqual([]);
      expect(found('trace NOT answer', 'prompt')).toEqual([]);
      expect(found('"every step before"', 'prompt', { outcome: 'failed' }).length).toBeLessThan(12);
    }, 2));

  it('shows what stands before and behind a zero character, with a sign in its place and every match marked', () =>
    inLab((lab) => {
      const commit = makeCommit(1, 12);
      const texts = [
        'one\0two three',
        '\0\0one two\0',
        'said "\\u0000", \\\0 two\\',
        `${'é€𝄞 '.repeat(4000)}\0two${'\0'.repeat(5000)}`,
      ];
      lab.commitStep('a', {
        ...commit,
        rollouts: commit.rollouts.map((rollout, index) => ({
          ...rollout,
          text: texts[index] ?? rollout.text,
        })),
        reviews: commit.reviews.map((review, index) =>
          index === 0 ? { ...review, feedback: 'number\0two' } : review,
        ),
      });
      const { records } = lab.findRecords('a', 'two', null);
      const newestLast = records.toReversed();
      expect(newestLast.slice(0, 3).map(({ agent }) => agent)).toEqual([
        'one␀‹two› three',
        '␀␀one ‹two›␀',
        'said "\\u0000", \\␀ ‹two›\\',
      ]);
      expect(newestLast[3]?.agent).toMatch(/^…(é€𝄞 )+␀‹two›␀+$/);
      expect(newestLast[0]?.reviews).toEqual([{ phase: 'task', excerpt: 'number␀‹two›' }]);
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('keeps matches in reviews of whole batches apart', () =>
    inLab((lab) => {
      const { batchReviews } = lab.findRecords('a', 'skips', 'review');
      expect(batchReviews.map(({ id }) => id)).toEqual(['2/gen_code_i#exec', '1/gen_code_i#exec']);
    }, 2));

  it('says when nothing can be looked for', () =>
    inLab((lab) => {
      expect(lab.findRecords('a', ' * ', null).problem).toBe('nothing-to-look-for');
      expect(lab.findRecords('a', 'NOT item', null).problem).toBe('only-excludes');
    }, 1));

  it('takes any 300 random strings without an error of the search engine', () =>
    inLab((lab) => {
      const random = seededRandom(17);
      const alphabet = [
        '"',
        '*',
        '^',
        ':',
        '(',
        ')',
        '{',
        '}',
        '-',
        ' ',
        ' ',
        'NEAR',
        'AND',
        ' OR ',
        ' NOT ',
        'item',
        'plan',
        '\0',
        'é',
        '\ud83d',
        ',',
        'text:',
      ];
      for (let round = 0; round < 300; round += 1) {
        const typed = Array.from(
          { length: 1 + Math.floor(random() * 9) },
          () => alphabet[Math.floor(random() * alphabet.length)],
        ).join('');
        expect(() => lab.findRecords('a', typed, null), typed).not.toThrow();
      }
    }, 1));
});

describe('the search box', () => {
  it.each([
    ['one two', '"one" AND "two"'],
    ['"one two" three', '"one two" AND "three"'],
    ['trace*', '"trace" *'],
    ['one OR two three', '("one" OR "two") AND "three"'],
    ['one NOT two NOT "three four"', '("one") NOT ("two" OR "three four")'],
    ['or not', '"or" AND "not"'],
    ['"NOT" x*y', '"NOT" AND "x*y"'],
    ['OR one OR', '"one"'],
    ['a"b', '"a" AND "b"'],
  ])('reads %s', (typed, match) => expect(readSearch(typed).match).toBe(match));
});

describe('similar records', () => {
  it('share words, the nearest first, and are never the record itself', () =>
    inLab((lab) => {
      const commit = makeCommit(1);
      const answers = [
        'count the vowels of a word',
        'count the vowels of a line',
        'count the letters',
        'sum of squares',
        'count the vowels of a word',
      ];
      lab.commitStep('a', {
        ...commit,
        rollouts: commit.rollouts.map((rollout, index) => ({
          ...rollout,
          text: answers[index] ?? 'none',
          answer: answers[index] ?? 'none',
        })),
      });
      const found = lab.similarRecords('a', '1/gen_code_i/0');
      expect(found.map(({ row }) => row.index)).toEqual([4, 1, 2, 3]);
      expect(found[0]?.similarity).toBe(1);
      expect(lab.similarRecords('a', '1/none/0')).toEqual([]);
    }));

  it('are compared by different words, without regard to case', () => {
    expect(similarity(wordsOf('Sum of THE list'), wordsOf('the list, the list'))).toBe(0.5);
    expect(similarity(wordsOf(''), wordsOf('!'))).toBe(0);
  });
});
