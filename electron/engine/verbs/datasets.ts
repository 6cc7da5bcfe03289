import { z } from 'zod';
import type { Contamination, FolderManifest } from '../../contract/index.ts';
import {
  acknowledge,
  datasets,
  importDataset,
  listDatasetEntries,
  lookAtDatasets,
  outcomeOf,
  previewDataset,
  removeDataset,
  startContamination,
  startFolderCheck,
  startFolderManifest,
  startVerification,
} from '../../evaluation/index.ts';
import type { Engine } from '../engine.ts';
import { router, verb } from './verb.ts';

const path = z.string().min(1).max(4096);
const name = z.string().min(1).max(200);
const ofName = z.object({ name });
const ofJob = z.object({ jobId: z.string().min(1) });

/** Test sets: what there could be, what the lab has, how they come in, and folders that are carried across an air gap. */
export const datasetVerbs = (engine: Engine) =>
  router({
    kinds: verb.query(() => datasets.KINDS),
    list: verb.query(() => listDatasetEntries(engine)),
    look: verb
      .input(z.object({ path }))
      .query(({ input, signal }) => lookAtDatasets(engine, input.path, signal)),
    import: verb
      .input(
        z.object({
          path,
          key: z.string().min(1).optional(),
          name: name.optional(),
          by: z.string().min(1).max(200).optional(),
        }),
      )
      .mutation(({ input }) => importDataset(engine, input)),
    outcome: verb.input(ofJob).query(({ input }) => outcomeOf(engine, input.jobId)),
    acknowledge: verb
      .input(ofName.extend({ by: z.string().min(1).max(200) }))
      .mutation(({ input }) => acknowledge(engine, input.name, input.by)),
    preview: verb
      .input(
        ofName.extend({ from: z.int().nonnegative().default(0), limit: z.int().min(1).max(50).default(5) }),
      )
      .query(({ input }) => previewDataset(engine, input.name, input.from, input.limit)),
    remove: verb.input(ofName).mutation(({ input }) => {
      removeDataset(engine, input.name);
      return null;
    }),
    verify: verb.input(ofName).mutation(({ input }) => startVerification(engine, input.name)),
    contamination: verb
      .input(ofName.extend({ runId: z.string().min(1).nullable().default(null) }))
      .mutation(({ input }) => startContamination(engine, input.name, input.runId)),
    contaminationReport: verb
      .input(ofJob)
      .query(({ input }) => engine.jobs.resultOf<Contamination>(input.jobId)),
    manifest: verb
      .input(z.object({ folder: path }))
      .mutation(({ input }) => startFolderManifest(engine, input.folder)),
    verifyManifest: verb
      .input(z.object({ path }))
      .mutation(({ input }) => startFolderCheck(engine, input.path)),
    manifestReport: verb.input(ofJob).query(({ input }) => engine.jobs.resultOf<FolderManifest>(input.jobId)),
  });
