import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EventEmitter } from 'node:events';
import {
  Failure,
  type CheckpointRecord,
  rewardedPromptSchema,
  type CheckpointFormat,
  type Job,
  type LiveEvent,
  type ModelRecord,
  type ProgressEvent,
  type ProgressStage,
  type RunConfig,
  type RunRecord,
} from '../contract/index.ts';
import { frameworkOf, seedRecordSchema } from '../evolution/index.ts';
import {
  clearUnfinished,
  readJsonLines,
  resourcePaths,
  type ResourcePaths,
  Removals,
  useLabFolder,
  type LabFolder,
  type RunFolder,
} from '../library/index.ts';
import { DATABASE_FILE, type Lab } from '../store/index.ts';
import {
  AirGapMonitor,
  Backups,
  examine,
  findPython,
  findVllm,
  ProcessMonitor,
  ResourceMeter,
} from '../machine/index.ts';
import { AskingService } from '../asking/index.ts';
import { Children } from './children.ts';
import {
  EvaluationService,
  evaluatePolicy,
  type EvaluationRequest,
  type EvaluationOutcome,
} from '../evaluation/index.ts';
import { branchRun } from './runs/branch-run.ts';
import { exportRun } from './runs/export-run.ts';
import { Jobs } from './jobs.ts';
import { openStore } from './open-records.ts';
import { inspectWithHeader, withAbsoluteModels } from '../models/index.ts';
import { makePolicy, requireLibraryName, type PolicyRequest } from '../inventory/index.ts';
import { planMethods, requireNoProblem, withOwnSettings, type MethodPlan } from '../plan/index.ts';
import {
  Audits,
  openHumanQueue,
  startJudgeProbe,
  type HumanReviewQueue,
  type ProbeRequest,
} from '../reviewing/index.ts';
import { RunDeletions } from './runs/run-deletions.ts';
import { RunQueue, whatIsRedone } from './runs/run-queue.ts';
import { isSample, REPLAY_SPEED, SampleRun } from '../experiments/index.ts';
import { LiveFeed } from '../live/index.ts';
import { setRunState, type Services } from './services.ts';
import type { Clock } from '../core/index.ts';

export type EngineOptions = {
  /** Folder of the application: native/ and resources/ are below it. */
  application: string;
  labFolder: string;
  clock: Clock;
  /** Runs that may be at work together; others wait in the queue. The two arms of the demo need two. */
  maxActiveRuns?: number;
};

const DEFAULT_ACTIVE_RUNS = 2;
/** States from which a run can be taken up again. */
const RESUMABLE: ReadonlySet<RunRecord['state']> = new Set(['paused', 'interrupted', 'failed']);

/** The verbs of the lab. Window, browser and terminal all come through here. */
export class Engine implements Services {
  readonly store: Lab;
  readonly resources: ResourcePaths;
  readonly lab: LabFolder;
  readonly children: Children;
  readonly clock: Clock;
  /** What happens, for windows to follow. */
  readonly live: LiveFeed;
  /** Work in the background that a person asked for. */
  readonly jobs: Jobs;
  /** Which connections the engine and its children hold. */
  readonly airGap: AirGapMonitor;
  /** The recorded run of the tour, in a database of its own. */
  readonly sample: SampleRun;
  /** How the child processes are doing, and what the machine gives. */
  readonly monitor: ProcessMonitor;
  readonly meter: ResourceMeter;
  /** Questions of runs at work to a person. */
  readonly people: HumanReviewQueue;
  readonly backups: Backups;
  /** Samples of recorded reviews under a person's and a judge's eyes. */
  readonly audits: Audits;
  /** Evaluations that a person asked for. */
  readonly evaluations: EvaluationService;
  /** Questions that a person asks of a model. */
  readonly asking: AskingService;
  /** Read when first needed: most verbs need no data files. */
  readonly seeds: Services['seeds'];
  readonly rewardedPrompts: Services['rewardedPrompts'];
  readonly exportsUnderWay = new Set<string>();
  readonly #queue: RunQueue;
  readonly #deletions: RunDeletions;
  readonly #removals = new Removals();
  readonly #events = new EventEmitter();
  /** Aborted when the program is closed. */
  readonly #ending = new AbortController();
  /** Evaluations that somebody waits for; no job has them. */
  readonly #asked = new Set<Promise<unknown>>();
  #seq = 0;

  private constructor(store: Lab, resources: ResourcePaths, lab: LabFolder, clock: Clock, maxActive: number) {
    this.store = store;
    this.resources = resources;
    this.lab = lab;
    this.clock = clock;
    this.live = new LiveFeed(randomBytes(6).toString('hex'), () => clock.now());
    const emit = this.emit;
    this.monitor = new ProcessMonitor(emit, () => clock.monotonicMs());
    this.meter = new ResourceMeter({
      labRoot: lab.root,
      living: () => this.monitor.living(),
      emit,
      now: () => clock.now(),
      nowMs: () => clock.monotonicMs(),
    });
    this.children = new Children(resources, lab, this.monitor);
    this.jobs = new Jobs(emit, clock);
    clearUnfinished(lab, this.#removals);
    this.backups = new Backups({
      store,
      lab,
      clock,
      jobs: this.jobs,
      emit,
      removals: this.#removals,
    }).start();
    this.people = openHumanQueue(store, clock, emit);
    this.seeds = lazily(() => readJsonLines(resources.seeds, seedRecordSchema));
    this.rewardedPrompts = lazily(() => readJsonLines(resources.rewardedPrompts, rewardedPromptSchema));
    this.airGap = new AirGapMonitor({ store, clock, emit }).start();
    this.sample = new SampleRun({
      labRoot: lab.root,
      resources: resources.sampleRun,
      clock,
      emit,
      settings: store,
      embeddedPolicy: resources.embeddedPolicy,
      jobs: this.jobs,
      withTrainer: (purpose, threads, use) => this.children.withTrainer(purpose, threads, use),
    });
    this.audits = new Audits({
      store,
      lab,
      resources,
      clock,
      jobs: this.jobs,
      emit,
      randomId: () => randomBytes(2).toString('hex'),
    });
    this.#queue = new RunQueue(this, maxActive);
    this.#deletions = new RunDeletions({ store, lab, jobs: this.jobs, emit });
    if (store.damage() === null) store.stopCutOffEvaluations();
    this.evaluations = new EvaluationService(this);
    this.asking = new AskingService(this);
  }

  /** Opens the lab; one engine at a time may hold it. */
  static async open({
    application,
    labFolder,
    clock,
    maxActiveRuns = DEFAULT_ACTIVE_RUNS,
  }: EngineOptions): Promise<Engine> {
    const lab = useLabFolder(labFolder);
    const store = await openStore(lab.root, () => clock.now());
    try {
      const question = { application, labRoot: lab.root, environment: process.env };
      const { python, remedy } = findPython({ ...question, setting: store.getSetting('app.python') });
      const engine = new Engine(
        store,
        { ...resourcePaths(application), python, pythonRemedy: remedy, vllm: findVllm(question) },
        lab,
        clock,
        maxActiveRuns,
      );
      await engine.sample.openIfThere();
      engine.#makeDueCheck();
      void store.compareWithNote().then((isDue) => isDue && engine.#makeDueCheck());
      // What is damaged stays as it is, and a full disk takes nothing.
      if (store.damage() !== null) return engine;
      engine.#deletions.finish();
      return engine;
    } catch (error) {
      store.close();
      throw error;
    }
  }

  /**
   * Stores a run and starts it, or queues it behind those at work. Returns at once; `waitFor` tells how it ended.
   * @throws Failure (exit code 2) for what would end it at its start; then nothing is stored.
   */
  startRun(config: RunConfig): RunRecord {
    requireNoProblem(this, config);
    const id = this.#newRunId();
    const run = this.store.createRun({
      id,
      config: withAbsoluteModels(this.store, withOwnSettings(config)),
      folder: `runs/${id}`,
    });
    this.emit({ kind: 'run', runId: id, state: run.state, reason: null, committedSteps: 0 });
    this.#queue.add(id);
    return run;
  }

  #newRunId(): string {
    return `run-${this.clock.now().toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}-${randomBytes(2).toString('hex')}`;
  }

  /** The lab is worked with at once; where its last program ended unexpectedly, or its file was changed since, it is checked beside that. */
  #makeDueCheck(): void {
    const due = this.store.checkDue();
    if (due === null) return;
    const total = statSync(join(this.lab.root, DATABASE_FILE)).size;
    this.jobs.start(
      {
        kind: 'due-check',
        title: `Check the lab: ${due === 'unclosed' ? 'its program ended unexpectedly' : 'its file was changed while it was closed'}`,
        unit: 'byte',
        total,
        isOwn: true,
        keeps: 'It was cancelled; the lab is checked when it is opened again.',
      },
      async ({ signal, at }) => {
        try {
          await this.store.makeDueCheck({ signal, onShare: (share) => at(share * total) });
        } catch (error) {
          // What they would store is refused; they need not work on for that.
          if (this.store.damage() !== null) this.#queue.stopAll();
          this.emit({ kind: 'changed', what: 'runs', runId: null });
          throw error;
        }
      },
    );
  }

  /** Takes up the runs that were still queued when the last program ended, oldest first. Returns their ids. */
  startQueued(): string[] {
    if (this.store.damage() !== null) return [];
    const left = this.store
      .listRuns({ states: ['queued'] }, { limit: 500 })
      .rows.filter((run) => !this.isActive(run.id))
      .toReversed();
    for (const run of left) this.#queue.add(run.id);
    return left.map((run) => run.id);
  }

  /** Measures how good a model is as a judge; see startJudgeProbe. */
  probeJudge(request: ProbeRequest): Promise<Job> {
    return startJudgeProbe(this, request);
  }

  /** Continues a paused, interrupted or failed run. `redo` says in one sentence what is repeated. */
  resume(id: string): { run: RunRecord; redo: string } {
    if (isSample(id)) return this.sample.resume(id, REPLAY_SPEED);
    const run = this.store.requireRun(id);
    // A run that was just paused or stopped may still be ending its trainer; it is taken up when that is gone.
    const isEnding = this.#queue.isAtWork(id) && RESUMABLE.has(run.state);
    if (this.isActive(id) && !isEnding)
      throw new Failure('runAtWork', `Run "${id}" is at work or queued already.`, 2);
    if (run.state === 'done')
      throw new Failure('runDone', `Run "${id}" is done: all ${run.config.steps} steps are stored.`, 2);
    this.store.requireAllSteps(id);
    setRunState(this, id, 'queued', null);
    this.#queue.add(id);
    return { run, redo: whatIsRedone(run, this.store) };
  }

  /** Goes on from an earlier step of a run in a run of its own, which has the steps up to there. */
  async branch(id: string, step: number): Promise<{ run: RunRecord; redo: string }> {
    if (isSample(id)) throw new Failure('usage', 'The recorded sample cannot be gone on from.', 2);
    const newId = this.#newRunId();
    try {
      const run = await branchRun(this, id, step, newId);
      this.#queue.add(newId);
      return { run, redo: whatIsRedone(run, this.store) };
    } catch (error) {
      if (this.store.getRun(newId) !== null) await this.deleteRun(newId);
      throw error;
    }
  }

  /** What resuming a run that stands would repeat, in one sentence. */
  redoOf(id: string): string {
    const store = this.storeOf(id);
    return whatIsRedone(store.requireRun(id), store);
  }

  /** Ends the run after the step it is in. */
  pause(id: string): void {
    if (isSample(id)) return void this.sample.pause();
    this.#queue.controlOf(id).pauseAfterStep = true;
    if (this.store.requireRun(id).state === 'stepping')
      setRunState(this, id, 'pausing', 'Pausing after the present step.');
  }

  /** Ends the run now; the step it is in is thrown away. A queued run leaves the queue. */
  stop(id: string): void {
    if (isSample(id)) return void this.sample.pause();
    if (this.#queue.takeOut(id, 'Taken out of the queue before it began; resuming starts it.')) return;
    this.#queue.controlOf(id).stop.abort();
  }

  /** Resolves when the run is done, paused or interrupted; rejects with its failure. */
  async waitFor(id: string): Promise<RunRecord> {
    return this.#queue.endOf(id) ?? this.store.requireRun(id);
  }

  /** Whether the run is at work or waits in the queue. */
  isActive(id: string): boolean {
    return this.#queue.isAtWork(id) || this.#queue.isWaiting(id) || (isSample(id) && this.sample.isPlaying);
  }

  /** Runs at work and waiting, and how many may be at work together. */
  activity(): { atWork: string[]; waiting: string[]; places: number } {
    return this.#queue.activity();
  }

  /** Takes a run out of every list at once; resolves when its files are gone too. */
  async deleteRun(id: string): Promise<void> {
    if (isSample(id)) return this.sample.remove();
    const run = this.store.requireRun(id);
    if (this.isActive(id))
      throw new Failure('runAtWork', `Run "${id}" is at work or queued; stop it first.`, 2);
    await this.#deletions.delete(run);
  }

  /** Where the records of a run are read: the lab, or the sample's own database. @throws Failure `unknownRun` (exit code 2). */
  readonly storeOf = (runId: string): Lab => {
    if (isSample(runId)) return this.sample.storeOf(runId);
    this.store.requireRun(runId);
    return this.store;
  };

  /** Where the files of a run lie: in the lab, or with the sample. @throws Failure `unknownRun`, `noCheckpoint` (exit code 2). */
  readonly filesOf = (runId: string): RunFolder =>
    isSample(runId) ? this.sample.filesOf(runId) : this.lab.run(this.store.requireRun(runId).folder);

  /** Checkpoints of the sample that this processor made with other weights than were recorded; of other runs there are none. */
  readonly remadeOf = (runId: string): CheckpointRecord[] =>
    isSample(runId) ? this.sample.remadeOf(runId) : [];

  /** Adds a model to the library by reference; its files stay where they are. */
  async importModel(path: string, name: string | null): Promise<ModelRecord> {
    if (name !== null) requireLibraryName(name);
    const model = await inspectWithHeader(path, name, this.clock.now().toISOString());
    requireLibraryName(model.name);
    this.store.putModel(model);
    return model;
  }

  /** Makes a policy of a GGUF file, or of an adapter and its base, in a new folder; the job comes to a `MadePolicy`. */
  makePolicy(request: PolicyRequest): Job {
    return makePolicy(this, request);
  }

  /** Asks suites of a checkpoint or a model and stores every answer. */
  async evaluate(request: EvaluationRequest): Promise<EvaluationOutcome[]> {
    const own = this.#ending.signal;
    const signal = request.signal === undefined ? own : AbortSignal.any([own, request.signal]);
    const asked = evaluatePolicy(this, { ...request, signal });
    this.#asked.add(asked);
    try {
      return await asked;
    } finally {
      this.#asked.delete(asked);
    }
  }

  /** Several evaluations in one process, which ends with `use`: starting one takes longer than asking a short suite. */
  withEvaluator<T>(
    threads: number,
    use: (evaluate: (request: EvaluationRequest) => Promise<EvaluationOutcome[]>) => Promise<T>,
  ): Promise<T> {
    return this.children.withTrainer('evaluation', threads, (trainer) =>
      use((request) => evaluatePolicy(this, request, trainer)),
    );
  }

  /** The job comes to an `ExportedRun`. */
  exportRun(id: string, target: string, formats: readonly CheckpointFormat[]): Job {
    if (isSample(id))
      throw new Failure(
        'usage',
        'The recorded sample is not exported; "anchor show" reads its runs and "anchor report" takes them along as a page.',
        2,
      );
    return exportRun(this, id, target, formats);
  }

  /** What every way to train a run of this configuration would take here. */
  planMethods(config: RunConfig): Promise<MethodPlan[]> {
    return planMethods(this, config);
  }

  /** Tries every part of the installation and checks every record; the job comes to a list of findings. */
  doctor(): Job {
    return this.jobs.start({ kind: 'doctor', title: 'Check every part', unit: 'part' }, (job) =>
      examine(this, job),
    );
  }

  readonly emit = (event: LiveEvent): void => this.live.emit(event);

  /** Live progress of all runs until the returned function is called. */
  onProgress(listener: (event: ProgressEvent) => void): () => void {
    this.#events.on('progress', listener);
    return () => this.#events.off('progress', listener);
  }

  /** Stops every run at once, ends all children and closes the lab. */
  async close(): Promise<void> {
    await this.#queue.close('The program ended before the run began; resuming starts it.');
    this.airGap.stop();
    this.backups.stop();
    await this.jobs.close();
    this.#ending.abort(
      new Failure('stopped', 'The program was closed; ask again to go on with the answers that are missing.'),
    );
    await Promise.allSettled(this.#asked);
    this.sample.close();
    await this.asking.close();
    this.meter.close();
    await this.children.close();
    await this.#removals.close();
    this.store.close();
  }

  reportProgress(runId: string, step: number, stage: ProgressStage, done: number, total: number): void {
    const { config } = this.store.requireRun(runId);
    const { steps } = config;
    const { stage: ofSchedule, iteration, position } = frameworkOf(config.framework).stageAt(config, step);
    if (stage === 'committed') this.#queue.noteStep(runId, step);
    const isSeeding = stage === 'seeds';
    const estimate = isSeeding
      ? this.#queue.estimateSeeds(runId, done, total)
      : this.#queue.estimate(runId, steps);
    const progress = {
      runId,
      step,
      steps,
      stage,
      done,
      total,
      unit: isSeeding ? 'task' : 'step',
      ratePerSecond: estimate?.ratePerSecond ?? null,
      etaSeconds: estimate?.etaSeconds ?? null,
      ...(position === undefined ? {} : { place: { stage: ofSchedule.name, iteration, ...position } }),
    };
    this.#events.emit('progress', {
      seq: (this.#seq += 1),
      at: this.clock.now().toISOString(),
      ...progress,
    } satisfies ProgressEvent);
    this.emit({ kind: 'progress', ...progress });
  }
}

/** Read when first needed: most verbs need no data files. */
function lazily<T>(read: () => T): () => T {
  let value: { is: T } | null = null;
  return () => (value ??= { is: read() }).is;
}
