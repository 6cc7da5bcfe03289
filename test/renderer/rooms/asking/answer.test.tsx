// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnswerToken, OpenQuestion } from '../../../../electron/contract/index.ts';
import { AnswerText } from '../../../../renderer/rooms/asking/answer-text.tsx';
import { firstSubjects, moved, saidSpan, type Subject } from '../../../../renderer/rooms/asking/model.ts';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const token = (text: string, probability = 1, others: string[] = []): AnswerToken => ({
  text,
  probability,
  alternatives: [{ text, probability }, ...others.map((other) => ({ text: other, probability: 0.1 }))],
});

describe('an answer', () => {
  it('shows what a model wrote as text, and what would act as marks', () => {
    show(
      <AnswerText tokens={[token('<img src=x onerror=alert(1)>'), token('\u202egnp.exe')]} label="answer" />,
    );
    const box = screen.getByRole('listbox', { name: 'answer' });
    expect(box.querySelector('img')).toBeNull();
    expect(box.textContent).toBe('<img src=x onerror=alert(1)>⟦U+202E⟧gnp.exe');
  });

  it('tells the probability of a token and its alternatives to keys and pointer alike', () => {
    show(<AnswerText tokens={[token('risk'), token(' high', 0.725, [' low']), token('')]} label="answer" />);
    const box = screen.getByRole('listbox');
    fireEvent.keyDown(box, { key: 'ArrowRight' });
    fireEvent.keyDown(box, { key: 'ArrowRight' });
    const chosen = screen.getByRole('option', { selected: true });
    expect(chosen.getAttribute('aria-label')).toBe('“ high”, 72.5 %');
    expect(box.getAttribute('aria-activedescendant')).toBe(chosen.id);
    const others = within(screen.getByRole('list', { name: 'The likeliest tokens here' }));
    expect(others.getAllByRole('listitem').map((each) => each.textContent)).toEqual([
      '“ high” 72.5 %',
      '“ low” 10.0 %',
    ]);
    fireEvent.keyDown(box, { key: 'End' });
    expect(screen.getByRole('option', { selected: true }).getAttribute('aria-label')).toBe(
      'end of the answer, 100.0 %',
    );
    fireEvent.mouseEnter(screen.getByRole('option', { name: '“risk”, 100.0 %' }));
    expect(screen.getByRole('option', { selected: true }).textContent).toBe('risk');
  });

  it('is found between its marks, or is all of what was written', () => {
    expect(saidSpan('<think>x</think>\n<answer>No.</answer>')).toEqual({ from: 25, to: 28 });
    expect(saidSpan('<think>still thinking')).toEqual({ from: 0, to: 0 });
    expect(saidSpan('Paris.')).toEqual({ from: 0, to: 6 });
  });
});

describe('a question that is being answered', () => {
  const open = { id: 'ask-1', sides: [{ state: 'waiting', tokens: [] }] } as unknown as OpenQuestion;
  const told = (from: number, ...texts: string[]) =>
    ({
      kind: 'answer',
      questionId: 'ask-1',
      side: 0,
      state: 'answering',
      from,
      tokens: texts.map((text) => token(text)),
    }) as const;
  const texts = (question: OpenQuestion | null): string[] | undefined =>
    question?.sides[0]?.tokens.map(({ text }) => text);

  it('takes tokens in order, begins again where its process did, and notices a hole', () => {
    const two = moved(open, told(0, 'a', 'b'))!;
    expect(texts(two)).toEqual(['a', 'b']);
    expect(texts(moved(two, told(2, 'c')))).toEqual(['a', 'b', 'c']);
    expect(texts(moved(two, told(0, 'a')))).toEqual(['a']);
    expect(moved(two, told(5, 'x'))).toBeNull();
  });
});

describe('who is asked first', () => {
  const subject = (id: string, runId: string | null, step: number | null): Subject => ({
    id,
    label: id,
    kind: runId === null ? 'model' : 'checkpoint',
    runId,
    runName: runId,
    step,
    base: step === 0,
    kept: true,
    sample: false,
  });
  it('is the end of the two newest runs, else both ends of one, else the embedded policy', () => {
    const one = [subject('new@0', 'new', 0), subject('new@2', 'new', 2)];
    expect(firstSubjects([...one, subject('old@3', 'old', 3)])).toEqual(['old@3', 'new@2']);
    expect(firstSubjects(one)).toEqual(['new@0', 'new@2']);
    expect(firstSubjects([subject('model:x', null, null)])).toEqual(['model:embedded-policy', null]);
  });
});
