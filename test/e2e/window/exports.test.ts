import { execFile } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { resourcePaths } from '../../../electron/library/index.ts';
import { adapterConfig } from '../../support/adapter-config.ts';
import { exported } from '../../support/engine.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { cutOff, cutOffWhenLarger } from './clipping.ts';
import { findings, findingsInTheDark } from './findings.ts';
import { APPLICATION, noChromium, openWindow, type OpenWindow } from './open-window.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 120_000, hookTimeout: 400_000 });

describe.skipIf(noChromium !== null)('a run that leaves the lab by a window of 1280 by 720', () => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'anchor-leaves-')));
  /** What the folder browser calls home. */
  const home = join(scratch, 'home');
  let window: OpenWindow;
  let page: Page;
  let runId: string;
  let dialog: Locator;
  beforeAll(async () => {
    mkdirSync(join(home, 'for others'), { recursive: true });
    writeFileSync(join(home, 'notes.txt'), '');
    vi.stubEnv('HOME', home);
    const made = await copyPreparedLab(join(scratch, 'lab'));
    runId = made.supervised;
    const size = { width: 1280, height: 720 };
    window = await openWindow({ labFolder: made.folder, place: `/runs?run=${runId}`, size });
    ({ page } = window);
    page.setDefaultTimeout(30_000);
    dialog = page.getByRole('dialog');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  const open = async (): Promise<void> => {
    if (await dialog.isVisible()) return;
    await page.getByRole('button', { name: 'Export…' }).press('Enter');
    await dialog.waitFor();
  };
  const exportTo = async (target: string): Promise<void> => {
    await open();
    await dialog.getByLabel('New folder').fill(target);
    await dialog.getByLabel('New folder').press('Enter');
  };
  const left = (): string[] => readdirSync(join(home, 'for others')).sort();

  it('is written where a person chose, with its records and the weights that were asked for', async () => {
    await open();
    expect(await dialog.getByRole('heading').first().innerText()).toBe('Export supervised, small');
    expect(await dialog.getByLabel('Adapter of step 2 alone').isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Browse…' }).press('Enter');
    await dialog.getByRole('button', { name: 'for others/' }).waitFor();
    expect(await dialog.getByText('notes.txt').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    expect(await findingsInTheDark(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'for others/' }).press('Enter');
    await dialog.getByRole('navigation', { name: join(home, 'for others') }).waitFor();
    await dialog.getByRole('button', { name: 'Take this folder' }).press('Enter');
    const target = await dialog.getByLabel('New folder').inputValue();
    expect(target).toBe(join(home, 'for others', runId));
    await dialog.getByRole('button', { name: 'Export', exact: true }).press('Enter');
    await dialog.getByText(`2 steps written to ${target}`).waitFor({ timeout: 90_000 });
    expect(readdirSync(target).sort()).toEqual([
      'anchor',
      'config.json',
      'metrics.csv',
      'policy',
      'policy.f16.gguf',
      'proposals.csv',
      'rates.csv',
    ]);
    expect(readdirSync(join(target, 'anchor'))).toEqual(
      expect.arrayContaining(['step1_gen_code_f.json', 'events.jsonl', 'context_3.md']),
    );
    expect(readFileSync(join(target, 'policy.f16.gguf')).subarray(0, 4).toString()).toBe('GGUF');
    const { folder, committedSteps } = window.engine.store.requireRun(runId);
    const kept = window.engine.lab.run(folder).checkpoint(committedSteps);
    const weights = 'model.safetensors';
    expect(readFileSync(join(target, 'policy', weights)).equals(readFileSync(join(kept, weights)))).toBe(
      true,
    );
    expect(left()).toEqual([runId]);
    expect(await findings(page)).toEqual([]);
    expect(await cutOff(page)).toEqual([]);
    expect(await cutOffWhenLarger(page)).toEqual([]);
  });

  it('is refused in one sentence where nothing can be made, and what is there stays as it is', async () => {
    const taken = join(home, 'for others', runId);
    for (const [target, sentence] of [
      [taken, `The folder ${taken} exists already; name a new one.`],
      [
        join(home, 'notes.txt', 'out'),
        /^The export .*nothing can be made there \(EEXIST\)\. Name another place\.$/,
      ],
      ['/proc/out', /^The export \/proc\/out could not be written .*\. Name another place\.$/],
      // Nobody may make a folder there, not even the administrator.
      [
        '/sys/out',
        /^The export \/sys\/out could not be written .*\. Make the place writable and try again\.$/,
      ],
    ] as const) {
      await exportTo(target);
      await dialog.getByRole('alert').getByText(sentence).waitFor();
      expect(await dialog.getByText('steps written').count()).toBe(0);
    }
    await exportTo('for others');
    await dialog.getByText('Write the whole path, from / or a drive on.').waitFor();
    expect(left()).toEqual([runId]);
  });

  it('on a disk that is full says so, and leaves nothing', async () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC', path: 'policy.f16.gguf' });
    const broken = vi.spyOn(window.engine.children, 'withTrainer').mockRejectedValue(full);
    await exportTo(join(home, 'for others', 'full'));
    await dialog.getByRole('alert').getByText('the disk is full. Free some space and try again.').waitFor();
    broken.mockRestore();
    expect(left()).toEqual([runId]);
  });

  it('tells how far it is, how fast and how long it still takes while it is at work, and leaves nothing when it is cancelled', async () => {
    const slow = join(home, 'for others', 'stopped.partial', 'policy.f16.gguf.tmp');
    const waits = vi.spyOn(window.engine.children, 'withTrainer').mockImplementation(
      (_purpose, _threads, _use, _attempts, signal) =>
        new Promise((_, reject) => {
          const writing = setInterval(() => appendFileSync(slow, Buffer.alloc(10_000)), 100);
          signal?.addEventListener('abort', () => {
            clearInterval(writing);
            reject(new Error('aborted'));
          });
        }),
    );
    await exportTo(join(home, 'for others', 'stopped'));
    await dialog.getByText(/^[\d.]+ MB of [\d.]+ MB\s+· [\d.]+ [kM]B\/s · .+ left$/).waitFor();
    expect(left()).toEqual([runId, 'stopped.partial'].sort());
    expect(await dialog.getByRole('button', { name: 'Export', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    await dialog.getByText('It was cancelled; nothing was kept of it.').waitFor();
    waits.mockRestore();
    expect(left()).toEqual([runId]);
  });

  it('is exported from its own page too, without the weights that were left out', async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await window.go(`/runs/${runId}?tab=overview`);
    await open();
    for (const format of ['safetensors', 'GGUF']) await dialog.getByLabel(format).uncheck();
    const target = join(home, 'for others', 'records');
    await exportTo(target);
    await dialog.getByText(`2 steps written to ${target}`).waitFor();
    expect(existsSync(join(target, 'anchor', 'events.jsonl'))).toBe(true);
    expect(readdirSync(target).filter((name) => name.startsWith('policy'))).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('is offered as files for the lab’s own runs only', async () => {
    await window.engine.sample.open();
    await window.engine.sample.toEnd();
    await window.go('/runs/sample-alone?tab=overview');
    await page.getByRole('button', { name: 'Verify', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Export…' }).count()).toBe(0);
  });

  it('is written as one page by Report, which the browser saves under its name', async () => {
    await window.go(`/runs?run=${runId}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Report', exact: true }).press('Enter');
    const download = await saved;
    expect(download.suggestedFilename()).toBe(`${runId}.html`);
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toMatch(/^<!doctype html>[^]*supervised, small[^]*<\/html>\n?$/i);
    expect(text).toContain(`anchor verify ${runId}`);
    expect(text).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    await page.getByRole('button', { name: 'Report', exact: true }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  it('is reported beside another one by Compare, from the baseline that was chosen there, and evaluations by their matrix', async () => {
    const reported = async (): Promise<{ name: string; text: string }> => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Report', exact: true }).press('Enter');
      const download = await saved;
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    await window.go('/runs/compare?runs=sample-supervised,sample-alone&base=sample-alone');
    const compared = await reported();
    expect(compared.name).toBe('comparison-sample-alone-and-1.html');
    const [alone, supervised] = ['demo: alone', 'demo: supervised'];
    expect(compared.text).toContain(`<h1>Comparison of ${alone}, ${supervised}</h1>`);
    expect(compared.text).toContain(`Differences are from ${alone}, with 95 % intervals`);
    // What is chosen over the table is asked for.
    await window.go('/evaluations?context=run');
    const matrix = await reported();
    expect(matrix.name).toBe('evaluation-matrix.html');
    const heads = [...matrix.text.matchAll(/<th scope="col">(.*?)<\/th>/g)].map(([, head]) => head);
    expect(heads.slice(0, 3)).toEqual([
      'suite',
      ...[alone, supervised].map((run) => `${run}, step 24, with context`),
    ]);
    expect(matrix.text).toContain('>100.0 % [94.0 %, 100.0 %], n = 60<');
    expect(compared.text + matrix.text).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    expect(window.complaints).toEqual([]);
  });
});

/**
 * The likelihoods of one text by PEFT's reading of the adapter in its first argument, by that adapter added to its base, and by the
 * model in its second argument, as JSON: how far each pair differs at most.
 */
const BY_PEFT = `
import json, sys, torch
from peft import PeftModel
from transformers import AutoModelForCausalLM
adapter, policy = sys.argv[1:]
config = json.load(open(adapter + "/adapter_config.json"))
def read(path):
    return AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
ids = torch.arange(5, 45)[None]
with torch.no_grad():
    base = read(config["base_model_name_or_path"])(ids).logits
    theirs = PeftModel.from_pretrained(read(config["base_model_name_or_path"]), adapter).eval()(ids).logits
    merged = read(policy)(ids).logits
print(json.dumps({"rank": config["r"], "merged": float((theirs - merged).abs().max()), "base": float((theirs - base).abs().max())}))
`;

describe.skipIf(noChromium !== null)('a run that trains an adapter', () => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'anchor-adapter-leaves-')));
  let window: OpenWindow;
  let runId: string;
  beforeAll(async () => {
    window = await openWindow({ place: '/runs' });
    window.page.setDefaultTimeout(30_000);
    const { engine } = window;
    const run = engine.startRun(adapterConfig('adapted', 2));
    runId = run.id;
    expect((await engine.waitFor(runId)).state).toBe('done');
  });
  afterAll(async () => {
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('is written with its adapter alone where that was ticked', async () => {
    const { page, engine } = window;
    await window.go(`/runs?run=${runId}`);
    await page.getByRole('button', { name: 'Export…' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Adapter of step 2 alone').check();
    await dialog.getByLabel('GGUF').uncheck();
    const target = join(scratch, 'handed out');
    await dialog.getByLabel('New folder').fill(target);
    await dialog.getByLabel('New folder').press('Enter');
    await dialog.getByText(`2 steps written to ${target}`).waitFor({ timeout: 90_000 });
    expect(await dialog.getByText('In it:').innerText()).toMatch(/policy\/.*adapter\//);
    expect(readdirSync(join(target, 'adapter')).sort()).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
    ]);
    const kept = engine.lab.run(engine.store.requireRun(runId).folder).checkpoint(2);
    const weights = 'adapter_model.safetensors';
    expect(readFileSync(join(target, 'adapter', weights)).equals(readFileSync(join(kept, weights)))).toBe(
      true,
    );
    expect(window.complaints).toEqual([]);
  });

  it('is read by PEFT as the very model that was trained', { tags: ['full'] }, async () => {
    const target = join(scratch, 'for PEFT');
    await exported(window.engine, runId, target, ['peft', 'safetensors']);
    const { python } = resourcePaths(APPLICATION);
    const folders = ['adapter', 'policy'].map((name) => join(target, name));
    const { stdout } = await promisify(execFile)(python, ['-c', BY_PEFT, ...folders], {
      env: { ...process.env, HF_HUB_OFFLINE: '1', OMP_NUM_THREADS: '1' },
    });
    const found = JSON.parse(stdout) as { rank: number; merged: number; base: number };
    expect(found.rank).toBe(8);
    expect(found.merged).toBeLessThan(1e-3);
    expect(found.base).toBeGreaterThan(1e-2);
  });
});
