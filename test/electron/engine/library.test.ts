import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { APPLICATION, makeLab, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

const POLICY = join(APPLICATION, 'resources/models/policy');
const SUPERVISOR = join(APPLICATION, 'resources/models/supervisor/supervisor.f16.gguf');
const place = (name: string, content: string | Buffer): string => {
  writeFileSync(join(lab.scratch, name), content);
  return join(lab.scratch, name);
};

describe('looking at files', () => {
  it('recognises a policy, a supervisor and a data set by their headers', async () => {
    expect(await lab.verbs.library.look({ path: POLICY })).toMatchObject({
      kind: 'model',
      use: 'policy',
      architecture: 'Qwen2ForCausalLM',
      types: ['F16'],
    });
    expect(await lab.verbs.library.look({ path: SUPERVISOR })).toMatchObject({
      kind: 'model',
      use: 'supervisor',
      architecture: 'qwen2',
      types: ['F16'],
    });
    expect(
      await lab.verbs.library.look({ path: join(APPLICATION, 'resources/suites/seeds.jsonl') }),
    ).toMatchObject({ kind: 'dataset', of: 'tasks' });
    expect(
      await lab.verbs.library.look({ path: join(APPLICATION, 'resources/suites/rewarded-prompts.jsonl') }),
    ).toMatchObject({ kind: 'dataset', of: 'pressure' });
    expect(
      await lab.verbs.library.look({ path: join(APPLICATION, 'resources/suites/toy-memory.jsonl') }),
    ).toMatchObject({ kind: 'dataset', of: 'toy-memory' });
  });

  it.each<[string, string, string | Buffer, RegExp]>([
    [
      'a pickle called model.gguf',
      'model.gguf',
      Buffer.from([0x80, 4, 0x95, 1, 0]),
      /pickle file, whatever it is called/,
    ],
    [
      'weights alone',
      'lonely.safetensors',
      Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{}')]),
      /without a config\.json/,
    ],
    ['a table', 'table.csv', 'a,b\n1,2\n', /table of text; this program reads JSON Lines/],
    ['Parquet', 'data.parquet', 'PAR1....', /Parquet table/],
    ['an archive', 'model.zip', 'PK\u0003\u0004', /unpack it/],
    ['lines of another kind', 'chat.jsonl', '{"messages":[]}\n', /rows \(messages\) are neither tasks/],
    ['an empty file', 'empty.gguf', '', /is empty/],
  ])('says why %s cannot be imported', async (_what, name, content, reason) => {
    const look = await lab.verbs.library.look({ path: place(name, content) });
    expect(look).toMatchObject({ kind: 'refused', reason: expect.stringMatching(reason) as string });
    await expect(
      lab.verbs.library.import({ path: join(lab.scratch, name), name: 'x', how: 'copy' }),
    ).rejects.toThrow(reason);
  });

  it('refuses a pickle under the name of safetensors inside a model folder', async () => {
    const folder = join(lab.scratch, 'disguised');
    cpSync(POLICY, folder, { recursive: true });
    writeFileSync(join(folder, 'model.safetensors'), Buffer.from([0x80, 2, 0x7d, 0x71, 0, 0x2e]));
    expect(await lab.verbs.library.look({ path: folder })).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/pickle/) as string,
    });
  });
});

describe('an adapter', () => {
  it('is no model of the library by itself, whatever lies beside it', async () => {
    const folder = join(lab.scratch, 'adapter');
    cpSync(POLICY, folder, { recursive: true });
    // As a run writes it: with its training's state, and its base elsewhere.
    for (const name of ['adapter_model.safetensors', 'optimizer.safetensors'])
      cpSync(join(POLICY, 'model.safetensors'), join(folder, name));
    writeFileSync(join(folder, 'adapter_config.json'), '{"base_model_name_or_path": "../step-00000"}');
    rmSync(join(folder, 'model.safetensors'));
    const sentence = (what: string): string =>
      `${what} is a PEFT adapter, which is no model without its base; make a policy of both in the window's Library under Import, or in a terminal with "anchor import ADAPTER --base MODEL --policy FOLDER".`;
    const whole = sentence(`The folder ${folder}`);
    const seen = { kind: 'adapter', base: '../step-00000', rank: null };
    expect(await lab.verbs.library.look({ path: folder })).toMatchObject(seen);
    const weights = join(folder, 'adapter_model.safetensors');
    expect(await lab.verbs.library.look({ path: weights })).toMatchObject({
      kind: 'refused',
      reason: sentence('adapter_model.safetensors'),
    });
    for (const how of ['copy', 'link'] as const)
      await expect(lab.verbs.library.import({ path: folder, name: 'x', how })).rejects.toThrow(whole);
    expect(() => lab.engine.startRun(runConfigSchema.parse({ policy: { model: folder } }))).toThrow(whole);
    rmSync(join(folder, 'config.json'));
    expect(await lab.verbs.library.look({ path: folder })).toMatchObject(seen);
  });
});

describe('importing', () => {
  it('copies a model into the lab with its hash, and the copy can be used and removed', async () => {
    const job = await lab.verbs.library.import({ path: POLICY, name: 'mine', how: 'copy' });
    expect(await lab.ended(job)).toMatchObject({ state: 'done', problem: null });
    const { models } = await lab.verbs.library.list();
    const mine = models.find(({ name }) => name === 'mine');
    const embedded = models.find(({ name }) => name === 'embedded-policy');
    expect(mine).toMatchObject({
      copied: true,
      present: true,
      sha256: embedded?.sha256,
      fit: { verdict: 'fits', basis: 'estimated' },
    });
    expect(mine?.path).toBe(join(lab.folder, 'models/mine'));
    expect(await lab.ended(await lab.verbs.library.verify({ name: 'mine' }))).toMatchObject({
      state: 'done',
    });
    await expect(lab.verbs.library.import({ path: POLICY, name: 'mine', how: 'link' })).rejects.toThrow(
      /has a "mine" already/,
    );
    await lab.verbs.library.remove({ name: 'mine', what: 'model' });
    expect(existsSync(join(lab.folder, 'models/mine'))).toBe(false);
  });

  it('links a model where it is, notices when its files change, and leaves them there when it goes', async () => {
    const file = join(lab.scratch, 'linked.gguf');
    cpSync(SUPERVISOR, file);
    expect(
      await lab.ended(await lab.verbs.library.import({ path: file, name: 'linked', how: 'link' })),
    ).toMatchObject({ state: 'done' });
    appendFileSync(file, 'x');
    expect(await lab.ended(await lab.verbs.library.verify({ name: 'linked' }))).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/changed since it was imported/) as string,
    });
    await lab.verbs.library.remove({ name: 'linked', what: 'model' });
    expect(existsSync(file)).toBe(true);
  });

  it('that is cancelled leaves neither files nor an entry', async () => {
    const file = place('large.jsonl', readFileSync(join(APPLICATION, 'resources/suites/seeds.jsonl')));
    const job = await lab.verbs.library.import({ path: file, name: 'cut off', how: 'copy' });
    await lab.verbs.jobs.cancel({ id: job.id });
    expect((await lab.ended(job)).state).toBe('cancelled');
    expect((await lab.verbs.library.list()).datasets).toEqual([]);
    expect(existsSync(join(lab.folder, 'datasets')) ? readdirSync(join(lab.folder, 'datasets')) : []).toEqual(
      [],
    );
  });

  it('takes a data set only when every line of it is of one form', async () => {
    const seeds = readFileSync(join(APPLICATION, 'resources/suites/seeds.jsonl'), 'utf8');
    const good = await lab.ended(
      await lab.verbs.library.import({ path: place('tasks.jsonl', seeds), name: 'my tasks', how: 'copy' }),
    );
    expect(good.state).toBe('done');
    const [record] = (await lab.verbs.library.list()).datasets;
    expect(record).toMatchObject({
      name: 'my tasks',
      kind: 'tasks',
      rows: seeds.trim().split('\n').length,
      copied: true,
      present: true,
    });
    const bad = await lab.ended(
      await lab.verbs.library.import({
        path: place('broken.jsonl', `${seeds}{"id":1}\n`),
        name: 'broken',
        how: 'copy',
      }),
    );
    expect(bad.problem).toMatch(new RegExp(`^Line ${seeds.split('\n').length} of .*broken\\.jsonl`));
    await lab.verbs.library.remove({ name: 'my tasks', what: 'dataset' });
    expect((await lab.verbs.library.list()).datasets).toEqual([]);
  });

  it.each(['', ' x', 'a/b', '../up', 'embedded-new'])('refuses the name "%s"', async (name) => {
    await expect(lab.verbs.library.import({ path: POLICY, name, how: 'link' })).rejects.toThrow();
  });
});

const pidsIn = (log: string): number[] =>
  existsSync(log)
    ? [...readFileSync(log, 'utf8').matchAll(/ started, pid (\d+)/g)].map(([, pid]) => Number(pid))
    : [];

describe('a test load', () => {
  async function measured(name: string): Promise<void> {
    await lab.verbs.library.list();
    expect(await lab.ended(await lab.verbs.library.testLoad({ name }))).toMatchObject({
      state: 'done',
      problem: null,
    });
    const model = (await lab.verbs.library.list()).models.find((each) => each.name === name);
    expect(model?.probe).toMatchObject({ sha256: model?.sha256, tokens: expect.any(Number) as number });
    expect(model?.probe?.tokensPerSecond).toBeGreaterThan(0);
    if (process.platform === 'linux') expect(model?.probe?.memoryBytes).toBeGreaterThan(model?.bytes ?? 0);
  }

  it('of a policy measures it in a process of its own and is kept for estimates', () =>
    measured('embedded-policy'));

  it('of a supervisor does so too', { tags: ['full'] }, () => measured('embedded-supervisor'));

  it.each([
    ['embedded-policy', 'trainer'],
    ['embedded-supervisor', 'supervisor'],
  ])('of %s that is cancelled ends its process at once, whatever that is doing', async (name, child) => {
    await lab.verbs.library.list();
    const log = join(lab.folder, 'logs', `test-load-${child}.log`);
    const before = pidsIn(log);
    const job = await lab.verbs.library.testLoad({ name });
    const pid = await vi.waitUntil(() => pidsIn(log)[before.length], { timeout: 60_000 });
    process.kill(pid, 'SIGSTOP'); // as deaf as one that is inside of native code
    const asked = performance.now();
    await lab.verbs.jobs.cancel({ id: job.id });
    expect((await lab.ended(job)).state).toBe('cancelled');
    expect(performance.now() - asked).toBeLessThan(5000);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  it('of a model whose files are gone says what to do', async () => {
    const folder = join(lab.scratch, 'unplugged');
    cpSync(POLICY, folder, { recursive: true });
    await lab.ended(await lab.verbs.library.import({ path: folder, name: 'unplugged', how: 'link' }));
    rmSync(folder, { recursive: true });
    expect((await lab.verbs.library.list()).models.find(({ name }) => name === 'unplugged')?.present).toBe(
      false,
    );
    expect((await lab.ended(await lab.verbs.library.testLoad({ name: 'unplugged' }))).problem).toMatch(
      /plug in the drive/,
    );
  });
});

describe('a manifest', () => {
  it('is checked beside its files, and the report stays until it was read', async () => {
    mkdirSync(join(lab.scratch, 'carried'));
    place('carried/a.txt', 'a');
    const manifest = place(
      'carried/SHA256SUMS',
      'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a.txt\n'.concat(
        '0'.repeat(64),
        '  b.txt\n',
      ),
    );
    const job = await lab.verbs.library.checkManifest({ path: manifest });
    expect((await lab.ended(job)).state).toBe('done');
    expect(
      (await lab.verbs.library.manifestReport({ jobId: job.id }))?.findings.map(({ path, state }) => [
        path,
        state,
      ]),
    ).toEqual([
      ['a.txt', 'same'],
      ['b.txt', 'missing'],
    ]);
    await expect(lab.verbs.library.checkManifest({ path: join(lab.scratch, 'none') })).rejects.toThrow(
      /no manifest/,
    );
  });
});
