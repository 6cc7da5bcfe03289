import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runConfigSchema, type RunConfigInput } from '../../../electron/contract/index.ts';
import { findings } from './findings.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

const LONG_MS = 600_000; // real training on a shared core

/** Small enough for two steps in seconds; every phase is reviewed by fixed rules. */
const SMALL: RunConfigInput = {
  name: 'from a file',
  preset: 'demo',
  steps: 2,
  seed: 5,
  framework: { name: 'azr', batchSize: 1, estimateSamples: 1 },
  generation: { maxNewTokens: 24 },
  train: { learningRate: 0.0003 },
  supervision: { reviewer: 'rubric', phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 } },
  evaluation: { every: 5, items: 4, suites: ['toy-refusal'] },
};

describe.skipIf(noChromium !== null)('from a plan to two runs compared', () => {
  let window: OpenWindow;
  let first: string;
  beforeAll(async () => {
    window = await openWindow({ place: '/new' });
    window.page.setDefaultTimeout(LONG_MS / 5);
  }, 120_000);
  afterAll(() => window?.close());
  const search = (): URLSearchParams =>
    new URLSearchParams(new URL(window.page.url()).hash.split('?')[1] ?? '');
  const started = async (name: string): Promise<string> => {
    await window.page.waitForFunction(() => location.hash.startsWith('#/runs/run-'));
    const run = window.engine.store.listRuns({ text: name }, { limit: 1 }).rows[0];
    if (run === undefined) throw new Error(`no run "${name}" was started`);
    return run.id;
  };

  it(
    'an empty lab plans the demo, and says of what was never measured that it was not',
    async () => {
      const { page } = window;
      await page.getByText('From the preset demo').waitFor();
      await page.getByText('not measured yet').first().waitFor();
      await page.getByText('estimated from sizes').first().waitFor();
      for (const step of ['Training', 'Supervision', 'Evaluation', 'Review and start', 'Base']) {
        await page
          .getByRole('navigation', { name: 'Steps of the plan' })
          .getByRole('button', { name: step })
          .click();
        await page.locator('.plan-main').waitFor();
        expect([step, await findings(page)]).toEqual([step, []]);
      }
    },
    LONG_MS,
  );

  it(
    'the sliders move by keys, and the reviews per step with them',
    async () => {
      const { page } = window;
      await window.go('/new?at=supervision');
      const slider = page.getByRole('slider', { name: 'Review probability of Task' });
      await page.getByText('≈ 7.2 reviews/step').waitFor(); // 24 proposals at 0.3
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await page.getByText('≈ 8.4 reviews/step').waitFor();
      await page.getByRole('button', { name: 'Exec only' }).click();
      expect(await slider.getAttribute('aria-valuenow')).toBe('0');
      await page.getByRole('button', { name: 'Leave one out' }).click();
      await page.getByRole('menuitem', { name: 'Without Plan' }).click();
      expect(
        await page
          .getByRole('slider')
          .evaluateAll((all) => all.map((one) => one.getAttribute('aria-valuenow'))),
      ).toEqual(['1', '0', '1', '1', '1']);
      await page.reload();
      await page.getByRole('slider').first().waitFor();
      expect(await page.getByRole('slider').nth(1).getAttribute('aria-valuenow')).toBe('0'); // the draft outlives a reload
    },
    LONG_MS,
  );

  it(
    'a YAML file is read, wrong values are told at their fields, and a step is timed for real',
    async () => {
      const { page, engine } = window;
      const file = (name: string, text: string) => ({
        name,
        mimeType: 'text/yaml',
        buffer: Buffer.from(text),
      });
      await page
        .locator('input[type=file]')
        .setInputFiles(file('wrong.yaml', 'steps: 2\nazr: { batchsize: 1 }\n'));
      await page
        .getByText('The configuration has an unknown key "framework.batchsize"', { exact: false })
        .waitFor();
      await page.locator('input[type=file]').setInputFiles(file('small.yaml', stringify(SMALL)));
      await page.getByText('From the file small.yaml').waitFor();
      await window.go('/new?at=training');
      await page.getByLabel('Steps', { exact: true }).fill('0');
      await page.getByText('It must be above 0.').waitFor();
      expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Set Steps back to 2' }).click();
      await page.getByRole('button', { name: 'Measure on this machine' }).click();
      await page
        .getByText(/from a timed step, just now/)
        .first()
        .waitFor({ timeout: LONG_MS });
      expect(engine.store.listRuns().rows).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'Start runs just what was planned, with its command shown before',
    async () => {
      const { page, engine } = window;
      await window.go('/new?at=review');
      await page.getByText('Ready to start.').waitFor();
      expect(await page.locator('.plan-code').first().textContent()).toMatch(
        /^anchor run --preset demo --set .*supervision\.reviewer=rubric/,
      );
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      first = await started('from a file');
      expect((await engine.waitFor(first)).state).toBe('done');
      expect(engine.store.getRun(first)?.config).toEqual(runConfigSchema.parse(SMALL));
    },
    LONG_MS,
  );

  it(
    'a copy with another gate differs in its probabilities alone',
    async () => {
      const { page, engine } = window;
      await window.go(`/runs?run=${first}`);
      await page.getByRole('complementary', { name: 'About from a file' }).waitFor();
      expect(await findings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Same seed, another gate' }).click();
      await page.getByText('so the two runs differ in coin flips alone', { exact: false }).waitFor();
      expect(await page.getByLabel('Reviewer', { exact: true }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Off', exact: true }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      const second = await started('another gate');
      await window.go('/runs');
      await page
        .getByText(/step \d: |Setting up/)
        .first()
        .waitFor({ timeout: LONG_MS }); // the row lives
      expect((await engine.waitFor(second)).state).toBe('done');
      const [one, other] = [first, second].map((id) => engine.store.getRun(id)?.config);
      expect({
        ...other,
        name: one?.name,
        supervision: { ...other?.supervision, phases: one?.supervision.phases },
      }).toEqual(one);
      expect(Object.values(other?.supervision.phases ?? {})).toEqual([0, 0, 0, 0, 0]);
    },
    LONG_MS,
  );

  it(
    'both are picked and compared with keys; only what differs is shown',
    async () => {
      const { page } = window;
      await window.go('/runs');
      await page.getByRole('row', { name: /another gate/ }).waitFor();
      await page.getByRole('grid', { name: 'Runs' }).focus();
      for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
      await page.getByText('2 runs picked').waitFor();
      await page.keyboard.press('c');
      await page.getByRole('heading', { name: 'Compare runs' }).waitFor();
      await page.getByRole('heading', { name: 'Items that flipped' }).waitFor();
      const keys = await page
        .locator('.compare-block')
        .first()
        .locator('tbody th[scope=row]')
        .allTextContents();
      expect(keys.filter((key) => key !== 'name')).toEqual([
        'phases.task',
        'phases.plan',
        'phases.thought',
        'phases.output',
        'phases.exec',
      ]);
      await page.getByText('Tokens', { exact: true }).first().click();
      await page.waitForFunction(() => location.hash.includes('axis=tokens'));
      expect(await findings(page)).toEqual([]);
      expect(search().get('runs')?.split(',')).toHaveLength(2);
    },
    LONG_MS,
  );

  it(
    'tags, notes and the archive are kept; deleting names its bytes and takes the files away',
    async () => {
      const { page, engine } = window;
      await window.go(`/runs?run=${first}`);
      await page.getByLabel('Notes').fill('the first of two');
      await page.getByRole('combobox', { name: 'Tags' }).fill('keep');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('.runs-tag')?.textContent === 'keep');
      expect(engine.store.getAnnotation(first)).toEqual({
        tags: ['keep'],
        notes: 'the first of two',
        archived: false,
      });
      await page.getByRole('button', { name: 'Archive', exact: true }).click();
      await window.go('/runs');
      await page.getByText('1 of 1 run').waitFor();
      await page.getByLabel('Filter runs').fill('is:archived');
      await page.getByRole('row', { name: /another gate/ }).waitFor({ state: 'detached' });
      await page.getByRole('row', { name: /from a file/ }).click();
      await page.getByRole('button', { name: 'Delete…' }).click();
      const { folder } = engine.store.getRun(first) as { folder: string };
      await page
        .getByRole('dialog')
        .getByText(/Deletes [\d.]+ MB in 3 checkpoints/)
        .waitFor();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Delete/ })
        .click();
      await page.getByText('No run matches').waitFor();
      expect(engine.store.getRun(first)).toBeNull();
      // It leaves the lists first; its files go one after the other.
      await expect.poll(() => existsSync(engine.lab.run(folder).root)).toBe(false);
      expect(window.complaints).toEqual([]);
    },
    LONG_MS,
  );
});
