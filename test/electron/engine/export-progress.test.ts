import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../electron/cli/program.ts';
import { Jobs } from '../../../electron/engine/jobs.ts';
import { exportProgress } from '../../../electron/engine/runs/export-progress.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-export-progress-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const weights = join(scratch, 'model.safetensors');
writeFileSync(weights, Buffer.alloc(1000));

/** Where an export of two steps and two forms stands, as its job would say it. */
function ofTwo() {
  const told = { done: 0, total: 0 };
  const handle = { at: (done: number) => (told.done = done), total: (total: number) => (told.total = total) };
  return { told, progress: exportProgress(handle, { steps: 2, modelFiles: [weights, '/none'], forms: 2 }) };
}

describe('how far an export is', () => {
  it('counts the bytes of its records, taking steps to come for as large, and of the model once for its hashes and once a form', async () => {
    const { told, progress } = ofTwo();
    expect(told).toEqual({ done: 0, total: 3000 });
    progress.news({ kind: 'step', amount: 30 });
    expect(told).toEqual({ done: 30, total: 3060 });
    progress.news({ kind: 'step', amount: 50 });
    expect(told).toEqual({ done: 80, total: 3080 });
    progress.news({ kind: 'model', amount: 1000 });
    expect(told.done).toBe(1080);
    await progress.ofForm(join(scratch, 'policy'), async () => progress.news({ kind: 'model', amount: 400 }));
    expect(told.done).toBe(2080);
    await progress.ofForm(join(scratch, 'policy.gguf'), async () => {});
    expect(told.done).toBe(told.total);
  });

  it('goes on while a form is written by another process, as far as its file has grown, and never beyond it', async () => {
    const { told, progress } = ofTwo();
    const path = join(scratch, 'growing.gguf');
    await progress.ofForm(path, async () => {
      writeFileSync(`${path}.tmp`, Buffer.alloc(250));
      await vi.waitFor(() => expect(told.done).toBe(250), 5000);
      appendFileSync(`${path}.tmp`, Buffer.alloc(5000));
      await vi.waitFor(() => expect(told.done).toBe(1000), 5000);
    });
    expect(told.done).toBe(1000);
  });

  it('gives its job a rate and an end while another process writes', async () => {
    const jobs = new Jobs(() => {}, systemClock);
    const path = join(scratch, 'slow.gguf');
    const { id } = jobs.start({ kind: 'export', title: 'Export', unit: 'byte' }, (handle) =>
      exportProgress(handle, { steps: 0, modelFiles: [weights], forms: 1 }).ofForm(path, async () => {
        const growing = setInterval(() => appendFileSync(`${path}.tmp`, Buffer.alloc(20)), 100);
        await vi
          .waitFor(() => {
            const [job] = jobs.list();
            expect(job?.ratePerSecond).toBeGreaterThan(0);
            expect(job?.etaSeconds).toBeGreaterThan(0);
          }, 10_000)
          .finally(() => clearInterval(growing));
      }),
    );
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', problem: null });
  });
});
