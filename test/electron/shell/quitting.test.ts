import { describe, expect, it } from 'vitest';
import type { RunAtWork } from '../../../electron/hosts/index.ts';
import { type QuitChoice, quitQuestion, Quitting } from '../../../electron/shell/quitting.ts';

const RUN: RunAtWork = { id: 'r', name: 'Night run', state: 'stepping', step: 5, steps: 40 };

function scene(work: readonly RunAtWork[] | null, choices: QuitChoice[]) {
  const log: string[] = [];
  const quitting = new Quitting({
    work: () => Promise.resolve(work),
    finishSteps: () => void log.push('finish'),
    hideWindow: () => void log.push('hide'),
    ask: ({ buttons }) => {
      log.push(`ask ${buttons.length}`);
      return Promise.resolve(choices.shift() ?? 'stay');
    },
    end: () => Promise.resolve(void log.push('end')),
  });
  return { quitting, log };
}

describe('quitting', () => {
  it('asks nothing when no run is at work', async () => {
    const { quitting, log } = scene([], []);
    await quitting.wish();
    expect(log).toEqual(['end']);
    expect(quitting.isSettled).toBe(true);
  });
  it('names each run with its step, and says what is lost', () => {
    const question = quitQuestion([RUN], false);
    expect(question?.detail).toContain('“Night run” is in step 5 of 40.');
    expect(question?.detail).toContain('repeated when the run is resumed');
    expect(question?.choices).toEqual(['finish', 'background', 'stay']);
    expect(question?.choices[question.cancelId]).toBe('stay');
  });
  it('stays when the person cancels', async () => {
    const { quitting, log } = scene([RUN], ['stay']);
    await quitting.wish();
    expect(log).toEqual(['ask 3']);
    expect(quitting.isSettled).toBe(false);
  });
  it('finishes the step first, and ends when it is stored', async () => {
    const { quitting, log } = scene([RUN], ['finish']);
    await quitting.wish();
    expect(log).toEqual(['ask 3', 'finish']);
    quitting.stepsFinished();
    expect(log).toEqual(['ask 3', 'finish', 'end']);
  });
  it('does so without a window when the person wants it out of the way', async () => {
    const { quitting, log } = scene([RUN], ['background']);
    await quitting.wish();
    expect(log).toEqual(['ask 3', 'hide', 'finish']);
  });
  it('asked again meanwhile, offers to end now', async () => {
    const { quitting, log } = scene([RUN], ['finish', 'now']);
    await quitting.wish();
    await quitting.wish();
    expect(log).toEqual(['ask 3', 'finish', 'ask 2', 'end']);
    expect(quitQuestion([RUN], true)?.choices).toEqual(['now', 'stay']);
  });
  it('asks once, however often the person clicks', async () => {
    const { quitting, log } = scene([RUN], ['stay', 'stay']);
    await Promise.all([quitting.wish(), quitting.wish(), quitting.wish()]);
    expect(log).toEqual(['ask 3']);
  });
  it('asks when the engine does not answer, because it cannot know', async () => {
    const { quitting, log } = scene(null, ['stay']);
    await quitting.wish();
    expect(log).toEqual(['ask 2']);
    expect(quitQuestion(null, false)?.detail).toContain('does not answer');
  });
  it('hears of finished steps without having asked for them, and goes on', () => {
    const { quitting, log } = scene([RUN], []);
    quitting.stepsFinished();
    expect(log).toEqual([]);
  });
});
