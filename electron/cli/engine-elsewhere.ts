import { resolve } from 'node:path';
import { TRPCClientError } from '@trpc/client';
import {
  Failure,
  failureKindSchema,
  type AskedQuestion,
  type AskingOrder,
  type EvaluationOrder,
  type Job,
  type LiveBatch,
  type LiveEvent,
  type ProgressEvent,
  type RunConfig,
  type RunRecord,
  type RunState,
} from '../contract/index.ts';
import type { createRouter, Engine } from '../engine/index.ts';
import { openRecords } from '../engine/open-records.ts';
import { reachLab, type ReachedLab } from '../hosts/index.ts';
import { absoluteModel, withAbsoluteModels } from '../models/index.ts';
import { withOwnSettings, type MethodPlan } from '../plan/index.ts';

type Either<T> = T | Promise<T>;

/** What commands ask of the engine that has the lab open, be it in this process or in another one. */
export type WorkingEngine = {
  /** For reading only. */
  store: Engine['store'];
  lab: { root: string };
  startRun(config: RunConfig): Either<RunRecord>;
  resume(id: string): Either<{ run: RunRecord; redo: string }>;
  branch(id: string, step: number): Either<{ run: RunRecord; redo: string }>;
  stop(id: string): void;
  isActive(id: string): boolean;
  waitFor(id: string): Promise<RunRecord>;
  onProgress(listener: (event: ProgressEvent) => void): () => void;
  live: { follow(from: null, signal: AbortSignal): AsyncIterable<LiveBatch> };
  jobs: {
    cancel(id: string): void;
    ended(id: string): Promise<Job>;
    resultOf<T>(id: string): Either<T | null>;
  };
  evaluations: {
    estimate(order: EvaluationOrder): ReturnType<Engine['evaluations']['estimate']>;
    start(order: EvaluationOrder): Promise<Job>;
    unfinished(): Either<{ summary: { id: string } }[]>;
    resume(ids: string[]): Promise<Job>;
  };
  asking: {
    ask(order: AskingOrder): Promise<{ id: string }>;
    endOf(id: string): Promise<AskedQuestion>;
    cancel(id: string): void;
    remove(ids: readonly string[]): Either<unknown>;
  };
  doctor(): Either<Job>;
  planMethods(config: RunConfig): Promise<MethodPlan[]>;
  backups: {
    [Verb in 'list' | 'make' | 'makeWhole' | 'remove' | 'restore' | 'schedule' | 'setSchedule']: (
      ...args: Parameters<Engine['backups'][Verb]>
    ) => Either<Awaited<ReturnType<Engine['backups'][Verb]>>>;
  };
  exportRun(...args: Parameters<Engine['exportRun']>): Either<Job>;
  makePolicy(...args: Parameters<Engine['makePolicy']>): Either<Job>;
} & Pick<Engine, 'importModel'>;

type Caller = ReturnType<ReturnType<typeof createRouter>['createCaller']>;
/** Verbs that commands ask for by name, of the engine in this process or of another one. */
export type WorkingVerbs = {
  datasets: Pick<
    Caller['datasets'],
    | 'kinds'
    | 'list'
    | 'look'
    | 'import'
    | 'outcome'
    | 'acknowledge'
    | 'remove'
    | 'verify'
    | 'contamination'
    | 'contaminationReport'
  >;
  judges: Pick<Caller['judges'], 'calibrate' | 'probe'>;
  demo: Pick<Caller['demo'], 'start' | 'goOn' | 'pairs'>;
  tour: Pick<Caller['tour'], 'open' | 'state' | 'makeCheckpoints'>;
};

const ENDED: readonly RunState[] = ['done', 'paused', 'interrupted', 'failed'];
/** The engine of another process of this person, reached by the note that it left beside the database. Paths are those of this process. */
export class EngineElsewhere implements WorkingEngine {
  readonly pid: number;
  readonly store: Engine['store'];
  readonly lab: { root: string };
  readonly #api: ReachedLab['api'];
  readonly #lost: ReachedLab['lost'];
  readonly #end: () => void;

  private constructor({ pid, api, lost, close }: ReachedLab, store: Engine['store']) {
    this.pid = pid;
    this.store = store;
    this.lab = { root: store.folder };
    this.#api = api;
    this.#lost = lost;
    this.#end = close;
  }

  /** @throws Failure `notServed` where the lab is not open in another process that can be asked. */
  static async join(labFolder: string, clock: { now(): Date }): Promise<EngineElsewhere> {
    const reached = reachLab(labFolder);
    return new EngineElsewhere(reached, await openRecords(labFolder, clock));
  }

  close(): void {
    this.#end();
    this.store.close();
  }

  startRun(config: RunConfig): Promise<RunRecord> {
    return this.#ask(this.#api.runs.start.mutate(withAbsoluteModels(this.store, withOwnSettings(config))));
  }

  resume(id: string): Promise<{ run: RunRecord; redo: string }> {
    return this.#ask(this.#api.runs.resume.mutate({ runId: id }));
  }

  branch(id: string, step: number): Promise<{ run: RunRecord; redo: string }> {
    return this.#ask(this.#api.runs.branch.mutate({ runId: id, step }));
  }

  stop(id: string): void {
    // A run that ended meanwhile cannot be stopped any more, and whoever waits for it hears that.
    this.#ask(this.#api.runs.stop.mutate({ runId: id })).catch(() => {});
  }

  isActive(id: string): boolean {
    return !ENDED.includes(this.store.requireRun(id).state);
  }

  waitFor(id: string): Promise<RunRecord> {
    return this.#until(
      (event) => event.kind === 'run' && event.runId === id,
      async () => {
        const run = await this.#ask(this.#api.runs.get.query({ runId: id }));
        return run !== null && ENDED.includes(run.state) ? run : null;
      },
    );
  }

  onProgress(listener: (event: ProgressEvent) => void): () => void {
    const stop = new AbortController();
    const reading = async (): Promise<void> => {
      for await (const { events } of this.live.follow(null, stop.signal))
        for (const { seq, at, event } of events)
          if (event.kind === 'progress') listener({ seq, at, ...event });
    };
    reading().catch(() => {}); // whoever waits for the run's end is told
    return () => stop.abort();
  }

  readonly live: WorkingEngine['live'] = {
    follow: (_from, signal) => {
      let end = (_then: () => void): void => {};
      return new ReadableStream<LiveBatch>({
        start: (batches) => {
          const subscription = this.#api.live.events.subscribe(undefined, {
            onData: ({ data }) => batches.enqueue(data),
            onError: (error) => end(() => batches.error(asFailure(error))),
          });
          // A stream can be ended once, and whoever reads it may leave at any time.
          end = (then) => {
            end = () => {};
            subscription.unsubscribe();
            then();
          };
          this.#lost.catch((failure: unknown) => end(() => batches.error(failure)));
          signal.addEventListener('abort', () => end(() => batches.close()), { once: true });
        },
        cancel: () => end(() => {}),
      });
    },
  };

  readonly jobs: WorkingEngine['jobs'] = {
    cancel: (id) => void this.#ask(this.#api.jobs.cancel.mutate({ id })).catch(() => {}),
    ended: (id) =>
      this.#until(
        (event) => event.kind === 'job' && event.job.id === id,
        async () => {
          const jobs = await this.#ask(this.#api.jobs.list.query());
          return jobs.find((job) => job.id === id && job.state !== 'running') ?? null;
        },
      ),
    resultOf: async <T>(id: string) => (await this.#ask(this.#api.jobs.result.query({ id }))) as T | null,
  };

  readonly evaluations: WorkingEngine['evaluations'] = {
    estimate: (order) => this.#ask(this.#api.evaluations.estimate.query(this.#fromHere(order))),
    start: (order) => this.#ask(this.#api.evaluations.start.mutate(this.#fromHere(order))),
    unfinished: () => this.#ask(this.#api.evaluations.unfinished.query()),
    resume: (ids) => this.#ask(this.#api.evaluations.resume.mutate({ ids })),
  };

  readonly asking: WorkingEngine['asking'] = {
    ask: ({ sides, ...order }) =>
      this.#ask(
        this.#api.asking.ask.mutate({
          ...order,
          sides: sides.map((side) => ({ ...side, subject: absoluteModel(this.store, side.subject) })),
        }),
      ),
    endOf: (id) =>
      this.#until(
        (event) => event.kind === 'changed' && event.what === 'asking',
        async () => {
          const { open } = await this.#ask(this.#api.asking.state.query());
          const problem = open.find((one) => one.id === id)?.problem ?? null;
          if (problem !== null) throw new Failure('ioError', problem);
          return open.some((one) => one.id === id) ? null : this.#ask(this.#api.asking.get.query({ id }));
        },
      ),
    cancel: (id) => void this.#ask(this.#api.asking.cancel.mutate({ id })).catch(() => {}),
    remove: (ids) => this.#ask(this.#api.asking.remove.mutate({ ids: [...ids] })),
  };

  readonly backups: WorkingEngine['backups'] = {
    list: () => this.#ask(this.#api.lab.backups.query()),
    make: () => this.#ask(this.#api.lab.backUp.mutate()),
    makeWhole: (to) => this.#ask(this.#api.lab.backUp.mutate({ to: resolve(to) })),
    remove: (name) => this.#ask(this.#api.lab.removeBackup.mutate({ name })),
    restore: ({ to, ...request }) => this.#ask(this.#api.lab.restore.mutate({ ...request, to: resolve(to) })),
    schedule: () => this.#ask(this.#api.lab.backupSchedule.query()),
    setSchedule: (schedule) => this.#ask(this.#api.lab.setBackupSchedule.mutate(schedule)),
  };

  readonly verbs: WorkingVerbs = {
    datasets: {
      kinds: () => this.#ask(this.#api.datasets.kinds.query()),
      list: () => this.#ask(this.#api.datasets.list.query()),
      look: ({ path }) => this.#ask(this.#api.datasets.look.query({ path: resolve(path) })),
      import: ({ path, ...request }) =>
        this.#ask(this.#api.datasets.import.mutate({ ...request, path: resolve(path) })),
      outcome: (request) => this.#ask(this.#api.datasets.outcome.query(request)),
      acknowledge: (request) => this.#ask(this.#api.datasets.acknowledge.mutate(request)),
      remove: (request) => this.#ask(this.#api.datasets.remove.mutate(request)),
      verify: (request) => this.#ask(this.#api.datasets.verify.mutate(request)),
      contamination: (request) => this.#ask(this.#api.datasets.contamination.mutate(request)),
      contaminationReport: (request) => this.#ask(this.#api.datasets.contaminationReport.query(request)),
    },
    judges: {
      calibrate: ({ model, path, ...request }) =>
        this.#ask(
          this.#api.judges.calibrate.mutate({
            ...request,
            model: absoluteModel(this.store, model),
            path: resolve(path),
          }),
        ),
      probe: ({ model, ...request }) =>
        this.#ask(this.#api.judges.probe.mutate({ ...request, model: absoluteModel(this.store, model) })),
    },
    demo: {
      start: (options) => this.#ask(this.#api.demo.start.mutate(options)),
      goOn: (pair) => this.#ask(this.#api.demo.goOn.mutate(pair)),
      pairs: () => this.#ask(this.#api.demo.pairs.query()),
    },
    tour: {
      open: () => this.#ask(this.#api.tour.open.mutate()),
      state: () => this.#ask(this.#api.tour.state.query()),
      makeCheckpoints: () => this.#ask(this.#api.tour.makeCheckpoints.mutate()),
    },
  };

  importModel(path: string, name: string | null): ReturnType<Engine['importModel']> {
    return this.#ask(this.#api.library.importModel.mutate({ path: resolve(path), name }));
  }

  makePolicy({ path, base, folder, name }: Parameters<Engine['makePolicy']>[0]): Promise<Job> {
    return this.#ask(
      this.#api.library.makePolicy.mutate({
        path: resolve(path),
        base,
        folder: folder === null ? null : resolve(folder),
        name,
      }),
    );
  }

  exportRun(...[id, target, formats]: Parameters<Engine['exportRun']>): Promise<Job> {
    const request = { runId: id, target: resolve(target), formats: [...formats] };
    return this.#ask(this.#api.runs.export.mutate(request));
  }

  doctor(): Promise<Job> {
    return this.#ask(this.#api.lab.doctor.mutate());
  }

  planMethods(config: RunConfig): Promise<MethodPlan[]> {
    return this.#ask(this.#api.plan.methods.query(config));
  }

  /** Asks at once, and again at every event that may have changed the answer, until there is one. */
  async #until<T>(isNews: (event: LiveEvent) => boolean, ask: () => Promise<T | null>): Promise<T> {
    const stop = new AbortController();
    let isFirst = true;
    try {
      for await (const { events } of this.live.follow(null, stop.signal)) {
        if (!isFirst && !events.some(({ event }) => isNews(event))) continue;
        isFirst = false;
        const answer = await ask();
        if (answer !== null) return answer;
      }
      return await this.#lost;
    } finally {
      stop.abort();
    }
  }

  #fromHere(order: EvaluationOrder): EvaluationOrder {
    return {
      ...order,
      subjects: order.subjects.map((subject) => absoluteModel(this.store, subject)),
      judge: order.judge === null ? null : absoluteModel(this.store, order.judge),
    };
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await Promise.race([answer, this.#lost]);
    } catch (error) {
      throw asFailure(error);
    }
  }
}

/** What the other process refused, as it would be refused here. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  const { kind, httpStatus } = (error.data ?? {}) as { kind?: unknown; httpStatus?: number };
  const isWrong = httpStatus === 400;
  const known = failureKindSchema.safeParse(kind);
  if (!known.success && !isWrong) return error;
  // What was quoted in it is escaped already, so every line is the other engine's own.
  const [sentence = '', ...details] = error.message.split('\n');
  return new Failure(known.success ? known.data : 'usage', sentence, isWrong ? 2 : 1, {
    cause: error,
    details,
  });
}
