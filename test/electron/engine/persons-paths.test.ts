import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createRouter } from '../../../electron/engine/index.ts';
import { runConfigSchema, type Job } from '../../../electron/contract/index.ts';
import { fillRun } from '../store/support/in-lab.ts';
import { storeEvaluation } from '../store/support/stored-evaluation.ts';
import { APPLICATION, makeLab, type Lab } from './in-engine.ts';

const MODEL = join(APPLICATION, 'resources/models/policy');
const modelWithout = (name: string | null, to: string): void =>
  cpSync(MODEL, to, { recursive: true, filter: (from) => basename(from) !== name });

/** What tRPC keeps of a router and of each of its verbs under this name. */
const DEFINITION = '_def';

let lab: Lab;
const listening = createServer();
const pipe = (path: string): string => (execFileSync('mkfifo', [path]), path);
/** A sentence for a person: a capital or a path first, no line break, no name of a class or a system call. */
const SENTENCE = /^(?!.*(?:Error:|ZodError|errno|syscall|\bundefined\b))[^\n]{10,900}\.$/;

/** Paths by what stands there; each is as bad for a file as for a folder. */
function badPaths(scratch: string): Record<string, string> {
  const [loop, socket] = [join(scratch, 'loop'), join(scratch, 'socket')];
  symlinkSync(loop, loop);
  listening.listen(socket);
  const linkTo = (name: string, to: string): string => (
    symlinkSync(to, join(scratch, name)),
    join(scratch, name)
  );
  return {
    'a pipe': pipe(join(scratch, 'pipe')),
    'a link to a pipe': linkTo('to-pipe', join(scratch, 'pipe')),
    'an endless device': '/dev/zero',
    'a link to a device': linkTo('to-zero', '/dev/zero'),
    'a socket': socket,
    'a link to itself': loop,
    'a link to nothing': linkTo('to-nothing', join(scratch, 'nowhere')),
    nothing: join(scratch, 'nothing'),
    'a path below a file': '/etc/passwd/below',
    'a file of the kernel': '/proc/self/mem',
    'a long name': join(scratch, 'n'.repeat(600)),
    'a long path': `/${'d/'.repeat(2040)}x`,
    'a name with a zero byte': join(scratch, 'zero\0byte'),
  };
}

const asks = (verbs: Lab['verbs']): Record<string, (path: string) => Promise<unknown>> => ({
  'library.look': (path) => verbs.library.look({ path }),
  'library.import': (path) => verbs.library.import({ path, name: 'Hostile', how: 'copy' }),
  'library.importModel': (path) => verbs.library.importModel({ path, name: null }),
  'library.makePolicy': (path) =>
    verbs.library.makePolicy({ path, base: null, folder: join(lab.scratch, 'made'), name: null }),
  'library.makePolicy, with a base': (path) =>
    verbs.library.makePolicy({ path, base: path, folder: null, name: 'made' }),
  'library.folder': (path) => verbs.library.folder({ path }),
  'library.checkManifest': (path) => verbs.library.checkManifest({ path }),
  'datasets.look': (path) => verbs.datasets.look({ path }),
  'datasets.import': (path) => verbs.datasets.import({ path, by: 'a test' }),
  'datasets.manifest': (folder) => verbs.datasets.manifest({ folder }),
  'datasets.verifyManifest': (path) => verbs.datasets.verifyManifest({ path }),
  'judges.calibrate': (path) => verbs.judges.calibrate({ model: 'embedded-supervisor', path, limit: 1 }),
  'lab.setPython': (path) => verbs.lab.setPython({ path }),
  'lab.restore': (from) => verbs.lab.restore({ from, to: join(lab.scratch, 'restored'), withRuns: false }),
  'lab.restore, salvaging': (from) =>
    verbs.lab.restore({ from, to: join(lab.scratch, 'salvaged'), withRuns: false, salvage: true }),
});

/** The same of verbs that write there. */
const writes = (verbs: Lab['verbs']): Record<string, (path: string) => Promise<unknown>> => ({
  'lab.restore': (to) => verbs.lab.restore({ from: 'backup.sqlite', to, withRuns: false }),
  'lab.restore, salvaging': (to) =>
    verbs.lab.restore({ from: 'backup.sqlite', to, withRuns: false, salvage: true }),
  'lab.backUp': (to) => verbs.lab.backUp({ to }),
  'runs.export': (target) => verbs.runs.export({ runId: 'written', target, formats: [] }),
  'evaluations.exportItems': (target) =>
    verbs.evaluations.exportItems({ id: 'asked', format: 'csv', target }),
});

/** What the verb, and the job that it may have started, ends with. */
async function saidOf(ask: () => Promise<unknown>): Promise<string | null> {
  try {
    const answer = (await ask()) as Partial<Job> | null;
    if (answer !== null && 'state' in answer && 'id' in answer)
      return (await lab.ended(answer as Job)).problem;
    const { reason, refused } = (answer ?? {}) as { reason?: string; refused?: string };
    return reason ?? refused ?? null;
  } catch (error) {
    return (error as Error).message;
  }
}

let paths: Record<string, string>;
beforeAll(async () => {
  lab = await makeLab();
  mkdirSync(join(lab.scratch, 'bad'));
  paths = badPaths(join(lab.scratch, 'bad'));
});
afterAll(async () => {
  listening.close();
  await lab.remove();
});

describe('a path of a person', () => {
  it('is asked of every verb that takes one', () => {
    const router = createRouter(lab.engine) as unknown as {
      [DEFINITION]: {
        procedures: Record<string, { [DEFINITION]: { inputs: { shape?: Record<string, z.ZodType> }[] } }>;
      };
    };
    const { procedures } = router[DEFINITION];
    const taking = Object.entries(procedures)
      .filter(([, verb]) =>
        verb[DEFINITION].inputs.some(({ shape = {} }) =>
          Object.entries(shape).some(
            ([key, schema]) =>
              /^(path|folder|file|from|to|target)$/.test(key) && schema.safeParse('/a').success,
          ),
        ),
      )
      .map(([name]) => name);
    const [read, written] = [Object.keys(asks(lab.verbs)), Object.keys(writes(lab.verbs))];
    expect([...read, ...written]).toEqual(expect.arrayContaining(taking));
    expect(written).toEqual(expect.arrayContaining(['lab.restore', 'lab.backUp', 'runs.export']));
  });

  it('where no file or folder can be read gets one sentence from each of them, and leaves nothing', async () => {
    // The place of all test sets is made with the first import, whatever comes of that.
    const files = (): string[] =>
      readdirSync(lab.folder, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'test-sets');
    const kept = files();
    const unclean: string[] = [];
    for (const [what, path] of Object.entries(paths))
      for (const [verb, ask] of Object.entries(asks(lab.verbs))) {
        const said = await saidOf(() => ask(path));
        if (said === null || !SENTENCE.test(said)) unclean.push(`${verb} of ${what}: ${said}`);
      }
    expect(unclean).toEqual([]);
    expect(await lab.verbs.library.list()).toMatchObject({ models: expect.anything() });
    expect(files()).toEqual(kept);
  }, 60_000);
});

describe('a place of a person', () => {
  it('where nothing can be made gets one sentence from each verb that writes there, and leaves nothing', async () => {
    const { store } = lab.engine;
    fillRun(store, 'written', 1);
    storeEvaluation(store, { id: 'asked', runId: 'written', step: 1, passed: [true] });
    await lab.ended(await lab.verbs.lab.backUp());
    const [backup] = await lab.verbs.lab.backups();
    renameSync(join(lab.folder, 'backups', backup!.name), join(lab.folder, 'backups/backup.sqlite'));
    const files = (): string[] => readdirSync(lab.scratch, { recursive: true, encoding: 'utf8' });
    const kept = files();
    const unclean: string[] = [];
    // A new place is what all of them want, and a long path is one.
    const { nothing: _, 'a long path': __, ...bad } = paths;
    for (const [what, path] of Object.entries(bad))
      for (const [verb, ask] of Object.entries(writes(lab.verbs))) {
        const said = await saidOf(() => ask(path));
        if (said === null || !SENTENCE.test(said)) unclean.push(`${verb} of ${what}: ${said}`);
      }
    expect(unclean).toEqual([]);
    expect(files()).toEqual(kept);
  }, 60_000);

  it('that can be no path, or holds a file where a folder should be, gets one sentence from the verbs that write there', async () => {
    const { store } = lab.engine;
    store.createRun({ id: 'a', config: runConfigSchema.parse({ name: 'a' }), folder: 'runs/a' });
    await lab.ended(await lab.verbs.lab.backUp());
    const [backup] = await lab.verbs.lab.backups();
    const target = join(lab.scratch, 'zero\0byte');
    expect(await saidOf(() => lab.verbs.runs.export({ runId: 'a', target, formats: [] }))).toMatch(
      /could not be written: its path holds a zero byte\. Name another place\.$/,
    );
    expect(
      await saidOf(() => lab.verbs.lab.restore({ from: backup!.name, to: target, withRuns: false })),
    ).toMatch(SENTENCE);
    writeFileSync(join(lab.folder, 'evidence'), '');
    expect(await saidOf(() => lab.verbs.airgap.exportEvidence())).toMatch(SENTENCE);
  });
});

describe('a model folder', () => {
  let number = 0;
  /** A small model of the right form with one entry in the place of another. */
  const model = (name: string, put: (path: string) => void): string => {
    const folder = join(lab.scratch, `model-${(number += 1)}`);
    modelWithout(name, folder);
    put(join(folder, name));
    return folder;
  };
  const looked = async (folder: string): Promise<string | null> =>
    saidOf(() => lab.verbs.library.look({ path: folder }));

  it.each(['config.json', 'tokenizer.json', 'model.safetensors', 'LICENSE', 'README.md', 'vocab.txt'])(
    'with a pipe, a device or a file of elsewhere as %s is refused by its name',
    async (name) => {
      for (const put of [
        (path: string) => void pipe(path),
        (path: string) => symlinkSync('/dev/zero', path),
        (path: string) => symlinkSync('/etc/passwd', path),
      ]) {
        const folder = model(name, put);
        const said = await looked(folder);
        expect(said).toMatch(SENTENCE);
        expect(said).toContain(join(folder, name));
        for (const how of ['copy', 'link'] as const)
          expect(await saidOf(() => lab.verbs.library.import({ path: folder, name: 'Tiny', how }))).toContain(
            name,
          );
      }
      const look = await lab.verbs.library.look({
        path: model(name, (path) => symlinkSync('/etc/passwd', path)),
      });
      expect(JSON.stringify(look)).not.toContain('root:');
    },
  );

  it.each(['null', '[]', '3', '"text"'])(
    'with a configuration that says %s only is refused',
    async (text) => {
      const folder = model('config.json', (path) => writeFileSync(path, text));
      expect(await looked(folder)).toMatch(/config\.json is not the configuration of a model; copy it again/);
    },
  );

  it('with a configuration that is too large for one is refused', async () => {
    const folder = model('config.json', (path) => writeFileSync(path, ' '.repeat(2_000_000)));
    expect(await looked(folder)).toMatch(/config\.json is larger than the 1,048,576 bytes/);
  });

  it('of a download cache is read through its links, which lead to the blobs beside it', async () => {
    const blobs = join(lab.scratch, 'cache', 'blobs');
    const snapshot = join(lab.scratch, 'cache', 'snapshots', '0123');
    modelWithout(null, blobs);
    mkdirSync(snapshot, { recursive: true });
    for (const name of readdirSync(blobs)) symlinkSync(join('..', '..', 'blobs', name), join(snapshot, name));
    expect(await looked(snapshot)).toBeNull();
    const job = await lab.verbs.library.import({ path: snapshot, name: 'Cached', how: 'copy' });
    expect((await lab.ended(job)).state).toBe('done');
  });
});
