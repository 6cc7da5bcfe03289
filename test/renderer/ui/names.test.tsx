// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { REVIEWER_KINDS } from '../../../electron/contract/index.ts';
import { ISSUES, OTHER_ISSUE } from '../../../electron/supervision/reviewers/answers.ts';
import { useTranslate } from '../../../renderer/i18n/index.ts';
import { batchText, IssueName, issueText, reviewerText } from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

afterEach(cleanup);

/** What is made of a word of the catalogue. */
function said(text: (t: ReturnType<typeof useTranslate>) => string): string {
  const Said = () => text(useTranslate());
  const { container } = show(<Said />);
  const words = container.textContent;
  cleanup();
  return words;
}

describe('keys of records in words', () => {
  it.each([...Object.keys(ISSUES), OTHER_ISSUE])('the issue %s is words, each of its own', (issue) => {
    const words = said((t) => issueText(t, issue));
    expect(words).toMatch(/^[a-z]+( [a-z]+)+$/);
    const others = Object.keys(ISSUES).filter((name) => name !== issue);
    expect(others.map((name) => said((t) => issueText(t, name)))).not.toContain(words);
  });

  it.each(REVIEWER_KINDS)('the reviewer %s is words, with its model where it has one', (reviewer) => {
    const words = said((t) => reviewerText(t, reviewer));
    expect(words).not.toContain(reviewer);
    expect(said((t) => reviewerText(t, reviewer, 'tiny-judge'))).toBe(`${words} tiny-judge`);
  });

  it('an issue keeps its key for whoever looks for it in the records', () => {
    const { getByTitle } = show(<IssueName issue="no_trace" />);
    expect(getByTitle('no_trace').textContent).toBe('reasoning without steps');
  });

  it('an issue of a reviewer’s own stays as it was named', () => {
    expect(said((t) => issueText(t, 'vague-plan\u202e'))).toBe('vague-plan⟦U+202E⟧');
  });

  it('a batch is who writes in it, and what', () => {
    expect(said((t) => batchText(t, 'gen_code_i'))).toBe('proposer abduction');
  });
});
