import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { EventEmitter } from 'node:events';
import { Failure, type ModelRecord, type ProgressEvent, type RunConfig, type RunRecord } from '../contract/index.ts';
import { estimateProgress } from '../core/index.ts';
import { pressureItemSchema, seedRecordSchema, type Clock } from '../evolution/index.ts';
import { readJsonLines, resourcePaths, inspectModel, type ResourcePaths } from '../library/index.ts';
import { openLab, type Lab } from '../store/index.ts';
import { Children } from './children.ts';
import { examine, type Finding } from './doctor.ts';
import { evaluatePolicy, type EvaluationRequest, type EvaluationOutcome } from './evaluate.ts';
import { exportRun, type ExportedRun } from './export-run.ts';
import { useLabFolder, type LabFolder } from './lab-folder.ts';
import { ggufFacts, withAbsoluteModels } from './models.ts';
import { withOwnSettings } from './own-settings.ts';
import { driveRun, type RunControl } from './run-loop.ts';
import { requireRun, type RunWorld } from './world.ts';

export type EngineOptions = {
  /** Folder of the application: native/ and resources/ are below it. */
  application: string; labFolder: string; clock: Clock;
  /** Runs that may be at work together; others wait in the queue. The two arms of the demo need two. */
  maxActiveRuns?: number;
};

const DEFAULT_ACTIVE_RUNS = 2;

type ActiveRun = { control: RunControl; stepTimes: { done: number; seconds: number }[]; startedMs: number };

/** The verbs of the lab. Window, browser and terminal all come through here. */
export class Engine {
  readonly store: Lab;
  readonly resources: ResourcePaths;
  readonly lab: LabFolder;
  readonly children: Children;
  readonly clock: Clock;
  readonly #active = new Map<string, ActiveRun>();
  readonly #events = new EventEmitter();
  readonly #world: RunWorld;
  readonly #maxActive: number;
  /** Runs waiting for a place, first come first served. */
  readonly #waiting: { id: string; end: PromiseWithResolvers<RunRecord> }[] = [];
  /** How each run at work or queued will end. */
  readonly #ends = new Map<string, Promise<RunRecord>>();
  #seq = 0;
  #closing = false;

  private constructor(store: Lab, resources: ResourcePaths, lab: LabFolder, clock: Clock, maxActive: number) {
    this.#maxActive = maxActive;
    this.store = store;
    this.resources = resources;
    this.lab = lab;
    this.clock = clock;
    this.children = new Children(resources, lab);
    this.#world = {
      store, resources, lab, children: this.children, clock,
      seeds: lazily(() => readJsonLines(resources.seeds, seedRecordSchema)), pressure: lazily(() => readJsonLines(resources.pressure, pressureItemSchema)),
      onProgress: (...progress) => this.#report(...progress),
    };
  }

  /** Opens the lab; one engine at a time may hold it. */
  static async open({ application, labFolder, clock, maxActiveRuns = DEFAULT_ACTIVE_RUNS }: EngineOptions): Promise<Engine> {
    const lab = useLabFolder(labFolder);
    const store = await openLab(lab.root, { now: () => clock.now() });
    try {
      return new Engine(store, resourcePaths(application), lab, clock, maxActiveRuns);
    } catch (error) {
      store.close();
      throw error;
    }
  }

  /** Stores a run and starts it, or queues it behind those at work. Returns at once; `waitFor` tells how it ended. */
  startRun(config: RunConfig): RunRecord {
    const id = `run-${this.clock.now().toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}-${randomBytes(2).toString('hex')}`;
    const run = this.store.createRun({ id, config: withAbsoluteModels(this.store, withOwnSettings(config)), folder: `runs/${id}` });
    this.#enqueue(id);
    return run;
  }

  /** Takes up the runs that were still queued when the last program ended, oldest first. Returns their ids. */
  startQueued(): string[] {
    const left = this.store.listRuns({ states: ['queued'] }, { limit: 500 }).rows.filter((run) => !this.isActive(run.id)).toReversed();
    for (const run of left) this.#enqueue(run.id);
    return left.map((run) => run.id);
  }

  /** Continues a paused, interrupted or failed run. `redo` says in one sentence what is repeated. */
  resume(id: string): { run: RunRecord; redo: string } {
    const run = requireRun(this.store, id);
    if (this.isActive(id)) throw new Failure('runAtWork', `Run "${id}" is at work or queued already.`, 2);
    if (run.state === 'done') throw new Failure('runDone', `Run "${id}" is done: all ${run.config.steps} steps are stored.`, 2);
    this.store.setRunState(id, 'queued', null);
    this.#enqueue(id);
    return { run, redo: whatIsRedone(run) };
  }

  /** Ends the run after the step it is in. */
  pause(id: string): void {
    this.#activeRun(id).control.pauseAfterStep = true;
    if (requireRun(this.store, id).state === 'stepping') this.store.setRunState(id, 'pausing', 'Pausing after the present step.');
  }

  /** Ends the run now; the step it is in is thrown away. A queued run leaves the queue. */
  stop(id: string): void {
    const place = this.#waiting.findIndex((entry) => entry.id === id);
    if (place < 0) return this.#activeRun(id).control.stop.abort();
    const [left] = this.#waiting.splice(place, 1);
    this.#ends.delete(id);
    left?.end.resolve(this.store.setRunState(id, 'interrupted', 'Taken out of the queue before it began; resuming starts it.'));
  }

  /** Resolves when the run is done, paused or interrupted; rejects with its failure. */
  async waitFor(id: string): Promise<RunRecord> {
    return this.#ends.get(id) ?? requireRun(this.store, id);
  }

  /** Whether the run is at work or waits in the queue. */
  isActive(id: string): boolean {
    return this.#active.has(id) || this.#waiting.some((entry) => entry.id === id);
  }

  deleteRun(id: string): void {
    const run = requireRun(this.store, id);
    if (this.isActive(id)) throw new Failure('runAtWork', `Run "${id}" is at work or queued; stop it first.`, 2);
    this.store.deleteRun(id);
    rmSync(this.lab.run(run.folder).root, { recursive: true, force: true });
  }

  /** Adds a model to the library by reference; its files stay where they are. */
  async importModel(path: string, name: string | null): Promise<ModelRecord> {
    const found = await inspectModel(path, name, this.clock.now().toISOString());
    const model = found.format === 'gguf' ? { ...found, ...ggufFacts(found.path) } : found;
    this.store.putModel(model);
    return model;
  }

  /** Asks suites of a checkpoint or a model and stores every answer. */
  evaluate(request: EvaluationRequest): Promise<EvaluationOutcome[]> {
    return evaluatePolicy(this.#world, request);
  }

  /** Several evaluations in one process, which ends with `use`: starting one takes longer than asking a short suite. */
  withEvaluator<T>(threads: number, use: (evaluate: (request: EvaluationRequest) => Promise<EvaluationOutcome[]>) => Promise<T>): Promise<T> {
    return this.children.withTrainer('evaluation', threads, (trainer) => use((request) => evaluatePolicy(this.#world, request, trainer)));
  }

  exportRun(id: string, target: string, formats: readonly ('safetensors' | 'gguf')[]): Promise<ExportedRun> {
    return exportRun(this.#world, id, target, formats);
  }

  doctor(): Promise<Finding[]> {
    return examine(this.resources, this.lab, this.store);
  }

  /** Live progress of all runs until the returned function is called. */
  onProgress(listener: (event: ProgressEvent) => void): () => void {
    this.#events.on('progress', listener);
    return () => this.#events.off('progress', listener);
  }

  /** Stops every run at once, ends all children and closes the lab. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { id, end } of this.#waiting.splice(0)) {
      this.#ends.delete(id);
      end.resolve(this.store.setRunState(id, 'interrupted', 'The program ended before the run began; resuming starts it.'));
    }
    for (const { control } of this.#active.values()) control.stop.abort();
    await Promise.allSettled([...this.#active.keys()].map((id) => this.#ends.get(id)));
    await this.children.close();
    this.store.close();
  }

  #enqueue(id: string): void {
    const end = Promise.withResolvers<RunRecord>();
    end.promise.catch(() => {}); // whoever waits gets the failure; nobody waiting must not end the program
    this.#ends.set(id, end.promise);
    this.#waiting.push({ id, end });
    this.#startWaiting();
  }

  #startWaiting(): void {
    while (!this.#closing && this.#active.size < this.#maxActive) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const control: RunControl = { pauseAfterStep: false, stop: new AbortController() };
      this.#active.set(next.id, { control, stepTimes: [], startedMs: this.clock.monotonicMs() });
      void driveRun(this.#world, next.id, control).then(next.end.resolve, next.end.reject).finally(() => {
        this.#active.delete(next.id);
        this.#ends.delete(next.id);
        this.#startWaiting();
      });
    }
  }

  #activeRun(id: string): ActiveRun {
    const active = this.#active.get(id);
    if (active === undefined) throw new Failure('runNotAtWork', `Run "${id}" is ${requireRun(this.store, id).state}, not at work.`, 2);
    return active;
  }

  #report(runId: string, step: number, stage: string, done: number, total: number): void {
    const active = this.#active.get(runId);
    const { steps } = requireRun(this.store, runId).config;
    if (active !== undefined && stage === 'committed') {
      active.stepTimes.push({ done: step, seconds: (this.clock.monotonicMs() - active.startedMs) / 1000 });
    }
    const estimate = active === undefined ? null : estimateProgress(active.stepTimes, steps);
    this.#seq += 1;
    this.#events.emit('progress', {
      seq: this.#seq, at: this.clock.now().toISOString(), runId, step, steps, stage, done, total, unit: 'step',
      ratePerSecond: estimate?.ratePerSecond ?? null, etaSeconds: estimate?.etaSeconds ?? null,
    } satisfies ProgressEvent);
  }
}

/** Read when first needed: most verbs need no data files. */
function lazily<T>(read: () => T): () => T {
  let value: { is: T } | null = null;
  return () => (value ??= { is: read() }).is;
}

function whatIsRedone({ state, committedSteps, config: { steps } }: RunRecord): string {
  const next = committedSteps + 1;
  if (committedSteps === 0) return `No step is stored yet; the run begins with step 1 of ${steps}.`;
  if (state === 'paused') return `Continuing with step ${next} of ${steps}; nothing is repeated.`;
  return `${committedSteps} of ${steps} steps are stored; step ${next} is taken again from its start, with the same result.`;
}
