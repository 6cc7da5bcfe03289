import { z } from 'zod';
import {
  backupScheduleSchema,
  preferencesOf,
  preferencesSchema,
  type Preferences,
} from '../../contract/index.ts';
import {
  about,
  choosePython,
  dropCheckpoints,
  exportEvidence,
  measureStorage,
  pythonChoice,
  readGpus,
  runSelfTest,
  selfTestObstacle,
  type BackupFile,
  type BackupReport,
  type Finding,
  type Restored,
} from '../../machine/index.ts';
import type { Engine } from '../engine.ts';
import { ofRun, router, verb } from './verb.ts';
import { basename, join, resolve } from 'node:path';

const PREFERENCES = 'app.preferences';
const ofBackup = z.object({ name: z.string().min(1).max(255) });
const ofJob = z.object({ jobId: z.string() });

const preferencesIn = ({ store }: Engine): Preferences => preferencesOf(store.getSetting(PREFERENCES));

/** The lab itself: its state, its evidence, its disk, its preferences. */
export const labVerbs = (engine: Engine) =>
  router({
    /** What the window's status line begins with; later changes come as events. */
    status: verb.query(() => {
      const activity = engine.activity();
      const [shared, own] = [
        engine.monitor.statesOf(''),
        activity.atWork.flatMap((id) => engine.monitor.statesOf(id).filter(({ runId }) => runId !== null)),
      ];
      const lab = basename(engine.lab.root);
      const damage = engine.store.finding()?.message ?? null;
      const notices = engine.store.notices();
      return {
        ...activity,
        lab,
        damage,
        notices,
        children: [...shared, ...own],
        machine: engine.meter.sample(),
      };
    }),
    doctor: verb.mutation(() => engine.doctor()),
    doctorReport: verb.input(ofJob).query(({ input }) => engine.jobs.resultOf<Finding[]>(input.jobId)),
    events: verb
      .input(
        z.object({
          runId: z.string().nullable(),
          afterSeq: z.int().optional(),
          limit: z.int().max(500).optional(),
        }),
      )
      .query(({ input }) =>
        engine.store.listEvents(input.runId, { afterSeq: input.afterSeq, limit: input.limit }),
      ),
    about: verb.query(() => about(engine)),
    /** Asked there and then: while no run is at work nobody measures the machine. A driver that hangs is given five seconds. */
    graphicsCards: verb.query(() => readGpus()),
    python: verb.query(() => pythonChoice(engine)),
    setPython: verb
      .input(z.object({ path: z.string().min(1).max(4096).nullable() }))
      .mutation(({ input }) => choosePython(engine, input.path)),

    preferences: verb.query(() => preferencesIn(engine)),
    /** Only what is named changes, so that two changes of one moment both count. */
    setPreferences: verb.input(preferencesSchema.partial()).mutation(({ input }) => {
      engine.store.setSetting(PREFERENCES, { ...preferencesIn(engine), ...input });
      engine.emit({ kind: 'changed', what: 'lab.preferences', runId: null });
    }),

    storage: verb.query(() => measureStorage(engine)),
    dropCheckpoints: verb.input(ofRun).mutation(({ input }) => dropCheckpoints(engine, input.runId)),
    backups: verb.query(() => engine.backups.list()),
    /** Without `to` into the backups folder; else a whole copy of the lab in that new folder. */
    backUp: verb
      .input(z.object({ to: z.string().min(1).max(4096) }).optional())
      .mutation(({ input }) =>
        input === undefined ? engine.backups.make() : engine.backups.makeWhole(input.to),
      ),
    removeBackup: verb.input(ofBackup).mutation(({ input }) => engine.backups.remove(input.name)),
    backupSchedule: verb.query(() => engine.backups.schedule()),
    setBackupSchedule: verb
      .input(backupScheduleSchema.partial())
      .mutation(({ input }) => engine.backups.setSchedule(input)),
    checkBackup: verb.input(ofBackup).mutation(({ input }) => engine.backups.check(input.name)),
    backupReport: verb.input(ofJob).query(({ input }) => engine.jobs.resultOf<BackupReport>(input.jobId)),
    /** `from` is a backup's name or path, or the folder of a whole copy. */
    restore: verb
      .input(
        z.object({
          from: z.string().min(1),
          to: z.string().min(1),
          withRuns: z.boolean(),
          salvage: z.boolean().optional(),
        }),
      )
      .mutation(({ input }) => engine.backups.restore(input)),
    /** What a restore or a whole copy came to, or the file of a backup. */
    restoreReport: verb
      .input(ofJob)
      .query(({ input }) => engine.jobs.resultOf<Restored | BackupFile>(input.jobId)),
  });

/** Work in the background: what is going on, and how to stop it. */
export const jobVerbs = (engine: Engine) =>
  router({
    list: verb.query(() => engine.jobs.list()),
    /** What a job that is done came to; null for any other. */
    result: verb
      .input(z.object({ id: z.string().min(1) }))
      .query(({ input }) => engine.jobs.resultOf<unknown>(input.id)),
    cancel: verb
      .input(z.object({ id: z.string().min(1) }))
      .mutation(({ input }) => engine.jobs.cancel(input.id)),
  });

/** The command line that the self-test runs; there in a checkout only. */
const commandLine = ({ resources }: Engine): string =>
  join(resolve(resources.suites, '../..'), 'electron/cli/anchor.ts');

/** Whether anything reached out: what was seen, what was refused, and a test that would have seen it. */
export const airGapVerbs = (engine: Engine) =>
  router({
    state: verb.query(async () => ({
      ...engine.airGap.state(),
      selfTestObstacle: await selfTestObstacle(commandLine(engine)),
    })),
    selfTest: verb.mutation(() =>
      engine.jobs.start({ kind: 'self-test', title: 'Air-gap self-test', unit: 'part' }, (job) =>
        runSelfTest(engine, commandLine(engine), job),
      ),
    ),
    exportEvidence: verb.mutation(() => exportEvidence(engine, engine.airGap.state())),
  });
