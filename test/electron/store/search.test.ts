import { describe, expect, it } from 'vitest';
import { toFullTextQuery } from '../../../electron/store/records/search.ts';
import { fillRun, inLab } from './support/in-lab.ts';
import { makeCommit, seededRandom } from './support/make-records.ts';

describe('full-text search', () => {
  it('finds words of agent text, prompts and reviews, newest first', () =>
    inLab((lab) => {
      expect(lab.searchRecords('a', 'thought: item 7').rollouts.map((hit) => hit.rolloutId)).toEqual([
        '3/pred_code_o/7',
        '2/pred_code_o/7',
        '1/pred_code_o/7',
      ]);
      const {
        rollouts: [hit],
      } = lab.searchRecords('a', '"solve item 11 of step 2"');
      expect(hit).toMatchObject({
        runId: 'a',
        step: 2,
        rolloutId: '2/pred_code_f/11',
        reviewId: null,
        excerpt: '‹Solve item 11 of step 2›.',
      });
      const { reviews } = lab.searchRecords('a', 'skips plan');
      expect(reviews.every((each) => each.reviewId?.endsWith('#plan'))).toBe(true);
      expect(reviews.length).toBeGreaterThan(0);
    }, 3));

  it('asks for all words, and for quoted text as a phrase', () =>
    inLab((lab) => {
      expect(lab.searchRecords('a', 'item unheard').rollouts).toEqual([]);
      expect(lab.searchRecords('a', '"2 item of step"').rollouts).toEqual([]);
      expect(lab.searchRecords('a', 'STEP "of item 3"').rollouts.map((hit) => hit.rolloutId)).toEqual([
        '2/pred_code_i/3',
        '1/pred_code_i/3',
      ]);
    }, 2));

  it('stays within a run when one is named', () =>
    inLab((lab) => {
      fillRun(lab, 'b', 1);
      lab.commitStep('a', makeCommit(2));
      const runsOf = (runId: string | null) =>
        [...new Set(lab.searchRecords(runId, 'item', 500).rollouts.map((hit) => hit.runId))].sort();
      expect([runsOf('a'), runsOf('b'), runsOf(null), runsOf('none')]).toEqual([
        ['a'],
        ['b'],
        ['a', 'b'],
        [],
      ]);
      expect(lab.searchRecords(null, 'item', 5).rollouts).toHaveLength(5);
    }, 1));

  it('folds accents and case, and keeps any script', () =>
    inLab((lab) => {
      const commit = makeCommit(1);
      const texts = [
        'Äpfel zählen',
        'naïve Zoë',
        'считай до десяти',
        '数える',
        'snake_case_name',
        'x = [1, 2] # "q"',
      ];
      lab.commitStep('a', {
        ...commit,
        rollouts: commit.rollouts.map((rollout, index) => ({
          ...rollout,
          text: texts[index] ?? rollout.text,
        })),
      });
      const finds = (typed: string) =>
        lab.searchRecords('a', typed).rollouts.map((hit) => Number(hit.rolloutId?.split('/')[2]));
      expect([
        finds('apfel'),
        finds('ZOE'),
        finds('СЧИТАЙ'),
        finds('数える'),
        finds('case'),
        finds('snake_case_name'),
      ]).toEqual([[0], [1], [2], [3], [4], [4]]);
    }));

  it('takes every operator and every oddity as plain text', () =>
    inLab((lab) => {
      const oddities = [
        '"',
        '""',
        '"""',
        '*',
        'item*',
        '^item',
        'item NEAR plan',
        'NEAR(item plan, 2)',
        'item AND',
        'OR',
        'NOT item',
        'text:item',
        '{text user}: item',
        '-item',
        '+',
        '(item',
        'item)',
        'item OR 1=1; DROP TABLE rollouts',
        "'; --",
        '\0',
        'item\0plan',
        '\ud800',
        '\u{1f4a5}',
        'rank',
        'a"b"c',
        '\\',
        '%',
        '_',
        ' ',
        '',
        '\u0301',
        '\u200d',
        '\ufb01',
        '\u{10ffff}',
        '$1',
        '?1',
        ':x',
        '@y',
      ];
      for (const typed of oddities)
        expect(() => lab.searchRecords('a', typed), JSON.stringify(typed)).not.toThrow();
      expect(lab.searchRecords('a', 'item*').rollouts).toHaveLength(12);
      expect(lab.searchRecords('a', 'item NEAR plan').rollouts).toEqual([]);
      expect(lab.pageRollouts('a').rows).toHaveLength(12);
    }, 1));

  it('takes any 500 random strings as plain text', () =>
    inLab((lab) => {
      const random = seededRandom(99);
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
        '+',
        ' ',
        'NEAR',
        'AND',
        'OR',
        'NOT',
        'item',
        'plan',
        '\0',
        'é',
        '漢',
        '\ud83d',
        ',',
        '.',
      ];
      for (let round = 0; round < 500; round += 1) {
        const typed = Array.from(
          { length: 1 + Math.floor(random() * 8) },
          () => alphabet[Math.floor(random() * alphabet.length)],
        ).join('');
        expect(() => lab.searchRecords('a', typed), typed).not.toThrow();
      }
    }, 1));

  it('quotes every term and drops those without letters or digits', () => {
    expect(toFullTextQuery('one  two')).toBe('"one" "two"');
    expect(toFullTextQuery('"one two" NEAR * three')).toBe('"one two" "NEAR" "three"');
    expect(toFullTextQuery('" * "')).toBeNull();
  });
});
