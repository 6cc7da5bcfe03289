import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readText, shownPath } from '../../core/index.ts';
import { z } from 'zod';
import { Failure, type Job, type ModelRecord } from '../../contract/index.ts';
import {
  checkManifest,
  listFolder,
  manifestBytes,
  parseManifest,
  places,
  type ManifestFinding,
} from '../../library/index.ts';
import type { Engine } from '../engine.ts';
import { importFiles, listLibrary, lookAt, removeFromLibrary, verifyModel } from '../../inventory/index.ts';
import { testLoad } from '../../machine/index.ts';
import { router, verb } from './verb.ts';

const ofPath = z.object({ path: z.string().min(1).max(4096) });
const ofName = z.object({ name: z.string().min(1).max(200) });
const MANIFEST_LIMIT = 16 * 1024 * 1024; // bytes; 100,000 entries are half of that

export type ManifestReport = { folder: string; findings: ManifestFinding[] };

/** Models and data sets the lab knows, and how they come in. No file's content passes through these verbs, only paths and what was found. */
export const libraryVerbs = (engine: Engine) =>
  router({
    models: verb.query(() => engine.store.listModels()),
    importModel: verb
      .input(z.object({ path: z.string().min(1), name: z.string().nullable() }))
      .mutation(({ input }) => engine.importModel(input.path, input.name)),
    makePolicy: verb
      .input(
        ofPath.extend({
          base: z.string().min(1).max(4096).nullable(),
          folder: z.string().min(1).max(4096).nullable(),
          name: z.string().nullable(),
        }),
      )
      .mutation(({ input }) => engine.makePolicy(input)),
    list: verb.query(() => listLibrary(engine)),
    look: verb.input(ofPath).query(({ input }) => lookAt(input.path)),
    import: verb
      .input(ofPath.extend(ofName.shape).extend({ how: z.enum(['copy', 'link']) }))
      .mutation(({ input }) => importFiles(engine, input)),
    verify: verb.input(ofName).mutation(({ input }) => {
      const model = requireModel(engine, input.name);
      return engine.jobs.start(
        { kind: 'verify', title: `Verify ${model.name}`, unit: 'byte', total: model.bytes },
        (job) => verifyModel(model, job),
      );
    }),
    testLoad: verb.input(ofName).mutation(({ input }) => {
      const model = requireModel(engine, input.name);
      return engine.jobs.start(
        { kind: 'test-load', title: `Test load ${model.name}`, unit: 'token' },
        (job) => testLoad(engine, model, job),
      );
    }),
    remove: verb
      .input(ofName.extend({ what: z.enum(['model', 'dataset']) }))
      .mutation(({ input }) => removeFromLibrary(engine, input.name, input.what)),
    places: verb.query(() => places()),
    folder: verb.input(ofPath).query(({ input }) => listFolder(input.path)),
    checkManifest: verb.input(ofPath).mutation(({ input }) => startManifestCheck(engine, input.path)),
    manifestReport: verb
      .input(z.object({ jobId: z.string() }))
      .query(({ input }) => engine.jobs.resultOf<ManifestReport>(input.jobId)),
  });

function requireModel({ store }: Engine, name: string): ModelRecord {
  const model = store.getModel(name);
  if (model === null) throw new Failure('unknownModel', `The library has no model "${name}".`, 2);
  return model;
}

/** Compares the files beside a manifest with it, hashing each. */
function startManifestCheck(engine: Engine, given: string): Job {
  const path = resolve(given);
  if (!existsSync(path))
    throw new Failure(
      'missingFile',
      `There is no manifest at ${shownPath(path)}; choose the file that "sha256sum" wrote.`,
      2,
    );
  const folder = dirname(path);
  const entries = parseManifest(readText(path, MANIFEST_LIMIT));
  return engine.jobs.start(
    {
      kind: 'manifest',
      title: `Check ${entries.length} files`,
      unit: 'byte',
      total: manifestBytes(folder, entries),
    },
    async (job): Promise<ManifestReport> => ({
      folder,
      findings: await checkManifest(folder, entries, { onBytes: job.advance, signal: job.signal }),
    }),
  );
}
