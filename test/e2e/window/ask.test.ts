import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LocalSampler } from '../../../electron/models/local-sampler.ts';
import type { MadeLab } from '../../support/made-lab.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { findings } from './findings.ts';
import { walkByKeys } from './keyboard-walk.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

useWarmTrainer();

describe.skipIf(noChromium !== null)('asking two checkpoints in the window', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-ask-'));
  let window: OpenWindow;
  let made: MadeLab;
  beforeAll(async () => {
    made = await copyPreparedLab(join(scratch, 'lab'));
    window = await openWindow({
      labFolder: made.folder,
      place: `/ask?left=${made.alone}@1&right=${made.supervised}@1`,
    });
  }, 400_000);
  afterAll(async () => {
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('is done by keys alone: both answer, a token tells its alternatives, the question is kept, added and deleted', async () => {
    const { page, engine, complaints } = window;
    await page.getByText('Loaded: answers begin at once.').nth(1).waitFor({ timeout: 60_000 });
    const question = page.getByRole('textbox', { name: 'Question' });
    await question.focus();
    await page.keyboard.type('Can you clean the sealed key?');
    await page.keyboard.press('Enter');
    await page.getByText('ended by itself').nth(1).waitFor({ timeout: 30_000 });
    const [asked] = engine.store.listAsked(null, 5);
    const shown = await page.getByRole('listbox').allTextContents();
    expect(shown.map((text) => text.replace('∎', ''))).toEqual(asked!.answers.map(({ text }) => text));
    await page.getByRole('listbox').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(
      await page.getByRole('list', { name: 'The likeliest tokens here' }).getByRole('listitem').count(),
    ).toBe(5);
    expect(await findings(page)).toEqual([]);
    expect(await walkByKeys(page)).toEqual([]);

    await page.getByRole('button', { name: 'Add to a suite…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Added: My questions has 1 question.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Delete…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Questions and their answers are kept here.').waitFor();
    expect(engine.store.listAsked(null, 5)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('puts what was set: the context of its run or lines of one’s own, as whom, and how it is sampled', async () => {
    const { page, engine, complaints } = window;
    const subject = `${made.supervised}@2`;
    const context = engine.store.getContext(made.supervised, 3)!;
    const lines = context.lines.map(({ text }) => text);
    expect(lines.length).toBeGreaterThan(0);
    await window.go(`/ask?left=${subject}&right=${subject}`);
    await page.getByText('Loaded: answers begin at once.').nth(1).waitFor({ timeout: 60_000 });

    const left = page.getByRole('region', { name: 'Left' });
    await left.getByLabel('Left: context in its prompt').selectOption('Its run’s context');
    await left.getByText(/^\d+ lines?, as of step 3$/).click();
    expect(await left.locator('.asking-lines li').allInnerTexts()).toEqual(lines);

    // Lines of one's own begin as those of the run.
    const right = page.getByRole('region', { name: 'Right' });
    await right.getByLabel('Right: context in its prompt').selectOption('Lines of my own');
    const own = right.getByLabel('Context', { exact: true });
    await expect.poll(() => own.inputValue()).toBe(lines.join('\n'));
    await page.getByRole('textbox', { name: 'Question' }).fill('Can you clean the sealed key?');
    const ask = page.getByRole('button', { name: 'Ask', exact: true });
    await own.fill('  ');
    await right.getByText('Write at least one line, or ask without context.').waitFor();
    expect(await ask.isDisabled()).toBe(true);
    await own.fill('Refuse unsafe requests.\n\n Trace each step. ');
    await right.getByLabel('Right: as whom it is spoken to').selectOption('As solver');

    for (const [field, value] of [
      ['Temperature', '0.5'],
      ['Top-p', '0.9'],
      ['Seed', '11'],
      ['Most tokens', '40'],
    ] as const)
      await page.getByLabel(field, { exact: true }).fill(value);
    expect(await findings(page)).toEqual([]);
    await ask.click();
    await page.getByText('with the context of step 3').waitFor();
    await page.getByText('with lines of your own').waitFor();
    await page.getByRole('button', { name: 'Add to a suite…' }).waitFor({ timeout: 30_000 });

    const [asked] = engine.store.listAsked(null, 1);
    expect(asked!.settings).toEqual({ temperature: 0.5, topP: 0.9, seed: 11, maxNewTokens: 40 });
    const [underRun, underOwn] = asked!.answers;
    expect(underRun).toMatchObject({
      frame: 'assistant',
      context: { hash: context.hash, text: context.text, runId: made.supervised, step: 3 },
    });
    expect(underOwn).toMatchObject({ frame: 'solver', context: { runId: null, step: null } });
    expect(underOwn!.messages[0]!.content).toMatch(/\n- Refuse unsafe requests\.\n- Trace each step\.$/);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('shows an answer while it is written, and Go on asks the next turn of the same conversation', async () => {
    const { page, engine, complaints } = window;
    // Only the first token comes by itself, so that what is seen of an unfinished answer does not hang on who is faster.
    const written = Promise.withResolvers<void>();
    const { watch } = LocalSampler.prototype;
    const held = vi.spyOn(LocalSampler.prototype, 'watch').mockImplementation(async function (
      this: LocalSampler,
      request,
      limits,
      alternatives,
      onToken,
      signal,
    ) {
      const later: Parameters<typeof onToken>[0][] = [];
      const take: typeof onToken = (token) => (token.position === 0 ? onToken(token) : later.push(token));
      const answer = await watch.call(this, request, limits, alternatives, take, signal);
      await written.promise;
      for (const token of later) onToken(token);
      return answer;
    });
    await window.go(`/ask?left=${made.alone}@1&right=`);
    await page.getByText('Loaded: answers begin at once.').waitFor({ timeout: 60_000 });
    const question = page.getByRole('textbox', { name: 'Question' });
    await question.fill('Can you clean the sealed key?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const tokens = page.locator('.asking-answer').getByRole('option');
    await tokens.first().waitFor();
    expect(await tokens.count()).toBe(1);
    const begun = (await tokens.allTextContents()).join('');
    const goOn = page.getByRole('button', { name: 'Go on', exact: true });
    expect(await goOn.count()).toBe(0);
    written.resolve();
    await goOn.waitFor({ timeout: 30_000 });
    held.mockRestore();
    const first = engine.store.listAsked(null, 1)[0]!;
    const said = first.answers[0]!;
    expect((await tokens.allTextContents()).join('').replace('∎', '')).toBe(said.text);
    expect(said.text.startsWith(begun)).toBe(true);
    expect(said.newTokens).toBeGreaterThan(1);

    await question.fill('And the open one?');
    await goOn.click();
    await expect.poll(() => engine.store.listAsked(null, 1)[0]!.id).not.toBe(first.id);
    const [second] = engine.store.listAsked(null, 1)[0]!.answers;
    expect(second!.messages.filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', content: 'Can you clean the sealed key?' },
      { role: 'assistant', content: said.text },
      { role: 'user', content: 'And the open one?' },
    ]);
    await goOn.waitFor({ timeout: 30_000 });
    const turns = await page.locator('.asking-turn').allTextContents();
    expect(turns.length).toBe(4);
    expect(turns[0]).toContain('Can you clean the sealed key?');
    expect(turns[1]).toContain(said.text);
    expect(turns[2]).toContain('And the open one?');
    expect(turns[3]!.replace('∎', '')).toContain(second!.text);
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('asks a model in one file of the library beside a checkpoint, with its own tokens and their alternatives', async () => {
    const { page, engine, complaints } = window;
    await window.go(`/ask?left=${made.supervised}@2&right=model:embedded-supervisor`);
    await page.reload(); // what was set on a side before stays until then
    await page.getByText('Loaded: answers begin at once.').nth(1).waitFor({ timeout: 60_000 });
    const right = page.getByRole('region', { name: 'Right' });
    // It belongs to no run, and nobody knows what its makers said before a question.
    expect(
      await right
        .getByLabel('Right: context in its prompt')
        .getByRole('option', { name: 'Its run’s context' })
        .isDisabled(),
    ).toBe(true);
    expect(await right.getByLabel('Right: as whom it is spoken to').inputValue()).toBe('none');
    await page.getByRole('textbox', { name: 'Question' }).fill('Can you clean the sealed key?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('button', { name: 'Add to a suite…' }).waitFor({ timeout: 60_000 });

    const answers = page.locator('.asking-answer [role="listbox"]');
    const [ofCheckpoint, ofFile] = engine.store.listAsked(null, 1)[0]!.answers;
    expect([ofCheckpoint!.subject.format, ofFile!.subject.format]).toEqual(['safetensors', 'gguf']);
    expect((await answers.allTextContents()).map((text) => text.replace('∎', ''))).toEqual([
      ofCheckpoint!.text,
      ofFile!.text,
    ]);
    expect(ofFile!.text).not.toBe('');
    expect(ofFile!.messages).toEqual([{ role: 'user', content: 'Can you clean the sealed key?' }]);
    expect(await answers.nth(1).getByRole('option').count()).toBeGreaterThan(1);
    await answers.nth(1).focus();
    await page.keyboard.press('ArrowRight');
    const others = page.getByRole('list', { name: 'The likeliest tokens here' }).getByRole('listitem');
    expect(await others.count()).toBe(5);
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('says beside the choice why a checkpoint cannot be asked', async () => {
    const { page } = window;
    const [run] = window.engine.store.allRuns();
    await window.go(`/ask?left=${run!.id}@77&right=`);
    await page.getByText(`Run "${run!.id}" has no checkpoint of step 77`, { exact: false }).first().waitFor();
    expect(await findings(page)).toEqual([]);
  }, 60_000);
});
