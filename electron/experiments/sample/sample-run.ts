import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  Failure,
  lineCounts,
  type CheckpointRecord,
  type Job,
  type LiveEvent,
  type RunRecord,
  type RunState,
} from '../../contract/index.ts';
import { SAMPLE_FOLDER, type RunFolder } from '../../library/index.ts';
import { DATABASE_FILE, openLab, type Lab } from '../../store/index.ts';
import { belongsTo, Player, type Playing, timelineOf, type ReplayEvent, type Moment } from './player.ts';
import type { Clock } from '../../core/index.ts';
import { SampleCheckpoints, type CheckpointTools, type CheckpointsState } from './checkpoints.ts';
import { LABEL_FILE, RECORDING_FILE } from './record.ts';
import {
  recordingLabelSchema,
  unpackRecording,
  type RecordedEvaluation,
  type Recording,
  type RecordingLabel,
} from './recording.ts';

/** Seconds of the recording in one second, unless a person chooses another speed. */
export const REPLAY_SPEED = 60;

/** Setting of the sample's database: the SHA-256 of the recording it was made from. */
const SOURCE = 'app.sample.source';
/** Setting of the lab: whether a person deleted the sample. */
const REMOVED = 'app.sample.removed';

export type SampleState = {
  label: RecordingLabel;
  /** Null until the sample is opened. */
  playing: Playing | null;
  /** Whether a person took it out of the lab; it is not shown by itself again. */
  isRemoved: boolean;
  runs: { id: string; name: string; state: RunState; committedSteps: number; steps: number }[];
  /** Of both runs; null until the sample is opened. */
  checkpoints: CheckpointsState | null;
};

type Tools = {
  labRoot: string;
  resources: string;
  clock: Clock;
  emit: (event: LiveEvent) => void;
  /** The lab's own, which keep that a person took the sample out. */
  settings: Pick<Lab, 'getSetting' | 'setSetting'>;
} & Pick<CheckpointTools, 'embeddedPolicy' | 'jobs' | 'withTrainer'>;
type Opened = { lab: Lab; recording: Recording; player: Player };

/**
 * The recorded sample run: kept steps are stored again, one after the other, into a database of its own, and emitted as they were
 * emitted when they happened. So every room shows it by the same verbs and events as a run at work.
 */
export class SampleRun {
  readonly #tools: Tools;
  readonly #checkpoints: SampleCheckpoints;
  #opened: Opened | null = null;
  /** The time of the recording that is being performed; the sample's database dates its events by it. */
  #now = new Date(0);

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#checkpoints = new SampleCheckpoints({
      ...tools,
      folder: this.folder,
      read: (name) => this.#read(name),
      onChange: (runId) => {
        if (runId === null) this.#changed();
        else tools.emit({ kind: 'changed', what: 'runs', runId });
      },
    });
  }

  #file(name: string): string {
    return join(this.#tools.resources, name);
  }

  /** Holds its database, as a lab's does. */
  get folder(): string {
    return join(this.#tools.labRoot, SAMPLE_FOLDER);
  }

  /** Opens the sample if an earlier program left it in the lab. One that cannot be opened is no reason to stay without a lab: the tour says why. */
  async openIfThere(): Promise<void> {
    if (!existsSync(join(this.folder, DATABASE_FILE))) return;
    try {
      await this.open();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }

  /** Makes the sample's database, or goes on with the one that is there. @throws Failure `missingFile` or `badRecording`. */
  async open(): Promise<SampleState> {
    if (this.#opened !== null) return this.state();
    const recording = unpackRecording(this.#read(RECORDING_FILE), this.#label());
    const { beganMs, moments } = timelineOf(recording);
    this.#now = new Date(beganMs);
    let lab = await this.#openLab();
    const { sha256 } = this.#label();
    if (![null, sha256].includes(lab.getSetting(SOURCE) as string | null)) {
      // It was made from a recording that shipped with an earlier version.
      lab.close();
      rmSync(this.folder, { recursive: true, force: true });
      lab = await this.#openLab();
    }
    lab.setSetting(SOURCE, sha256);
    if (this.state().isRemoved) this.#tools.settings.setSetting(REMOVED, false);
    const isStored = storedIn(lab);
    const player = new Player(moments, isStored, {
      clock: this.#tools.clock,
      apply: (event) => this.#apply(event, beganMs),
      onChange: () => this.#changed(),
    });
    this.#opened = { lab, recording, player };
    this.#checkpoints.clear(this.#opened);
    this.#changed();
    return this.state();
  }

  /** @throws Failure `missingFile` when the recording did not come with the application. */
  state(): SampleState {
    const { lab, player, recording } = this.#opened ?? {};
    return {
      label: this.#label(),
      playing: player?.state() ?? null,
      isRemoved: this.#tools.settings.getSetting(REMOVED) === true,
      runs: (recording?.runs ?? []).map(({ id, config }) => {
        const run = lab?.getRun(id);
        return {
          id,
          name: config.name,
          state: run?.state ?? 'queued',
          committedSteps: run?.committedSteps ?? 0,
          steps: config.steps,
        };
      }),
      checkpoints: this.#opened === null ? null : this.#checkpoints.state(this.#opened),
    };
  }

  /** Where the files of a run lie. @throws Failure `noCheckpoint` (exit code 2) before its checkpoints are made. */
  filesOf(runId: string): RunFolder {
    return this.#checkpoints.filesOf(this.storeOf(runId), runId);
  }

  /** Checkpoints that this processor made with other weights than were recorded. */
  remadeOf(runId: string): CheckpointRecord[] {
    return this.#checkpoints.remadeOf(runId);
  }

  /** Makes the checkpoints of both runs, after storing what is left of the replay. @throws Failure `runAtWork` (exit code 2) while that is under way. */
  makeCheckpoints(): Job {
    return this.#checkpoints.make(this.#require(), () => this.toEnd());
  }

  /** The sample's own database; null while it is not open. */
  get store(): Lab | null {
    return this.#opened?.lab ?? null;
  }

  /** The sample's own database. @throws Failure `unknownRun` (exit code 2) while it is not open or has not reached that run. */
  storeOf(runId: string): Lab {
    const lab = this.store;
    if (lab === null || lab.getRun(runId) === null)
      throw new Failure('unknownRun', `The sample run "${runId}" is not open; open it in the tour.`, 2);
    return lab;
  }

  play(speed: number): SampleState {
    const { player } = this.#require();
    if (!player.isOver) this.#wake();
    player.play(speed);
    return this.state();
  }

  /** Plays on, in the words of a run that is resumed. */
  resume(runId: string, speed: number): { run: RunRecord; redo: string } {
    const run = this.storeOf(runId).getRun(runId) as RunRecord;
    this.play(speed);
    return { run, redo: 'The replay of the sample run goes on; nothing is computed.' };
  }

  pause(): SampleState {
    const { lab, player, recording } = this.#require();
    player.pause();
    for (const { id } of recording.runs)
      if (lab.getRun(id)?.state === 'stepping') this.#setState(id, 'paused', 'The replay is paused.');
    return this.state();
  }

  async toEnd(): Promise<SampleState> {
    this.#wake();
    await this.#require().player.toEnd();
    return this.state();
  }

  /** Begins the replay again, from nothing. */
  async restart(): Promise<SampleState> {
    this.#checkpoints.requireIdle();
    this.#discard();
    return this.open();
  }

  /** Deletes the sample's database. The recording stays with the application. */
  remove(): void {
    this.#checkpoints.requireIdle();
    this.#discard();
    this.#tools.settings.setSetting(REMOVED, true);
    this.#changed();
  }

  #discard(): void {
    this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get isPlaying(): boolean {
    return this.#opened?.player.state().isPlaying ?? false;
  }

  close(): void {
    if (this.#opened === null) return;
    this.#opened.player.close();
    this.#opened.lab.close();
    this.#opened = null;
  }

  #require(): Opened {
    if (this.#opened === null)
      throw new Failure('sampleClosed', 'The sample run is not open; open it in the tour.', 2);
    return this.#opened;
  }

  /** Runs that were paused, or cut off with the last program, go on. */
  #wake(): void {
    const { lab, recording } = this.#require();
    for (const { id } of recording.runs) {
      const state = lab.getRun(id)?.state;
      if (state === 'paused' || state === 'interrupted') {
        this.#setState(id, 'setting-up', null);
        this.#setState(id, 'stepping', null);
      }
    }
  }

  #apply(event: ReplayEvent, beganMs: number): void {
    const { lab, recording, player } = this.#require();
    this.#now = new Date(beganMs + player.state().atMs);
    const { emit } = this.#tools;
    switch (event.kind) {
      case 'emit':
        return emit(event.live);
      case 'begin':
        return this.#begin(lab, recording, event.runId);
      case 'end':
        return this.#setState(event.runId, 'done', null);
      case 'evaluation':
        this.#storeEvaluation(lab, event.evaluation);
        return emit({
          kind: 'changed',
          what: 'evaluations',
          runId: event.evaluation.plan.subject.runId,
        });
      case 'commit': {
        const { runId, commit } = event.step;
        lab.commitStep(runId, commit);
        if (commit.checkpoint !== null)
          lab.markCheckpointPruned(runId, commit.step.step, commit.checkpoint.role); // no weights ship
        const { step, timings, metrics } = commit.step;
        emit({ kind: 'step', runId, step, timings, metrics: { ...metrics, ...lineCounts(commit.wordings) } });
      }
    }
  }

  #begin(lab: Lab, recording: Recording, runId: string): void {
    const run = recording.runs.find(({ id }) => id === runId) as Recording['runs'][number];
    if (lab.getRun(runId) === null) lab.createRun({ id: runId, config: run.config, folder: `runs/${runId}` });
    this.#setState(runId, 'setting-up', null);
    lab.setRunModels(runId, run.policySha256, run.supervisorSha256);
    if (lab.putInitial(runId, run.initial).applied)
      for (const { role } of run.initial.checkpoints) lab.markCheckpointPruned(runId, 0, role);
    this.#setState(runId, 'stepping', null);
  }

  /** As it was made: begun at its time, then every answer, then its scores. */
  #storeEvaluation(lab: Lab, evaluation: RecordedEvaluation): void {
    const { id, plan, weightsSha256, items, scores, milliseconds } = evaluation;
    this.#now = new Date(evaluation.createdAt);
    // A program that ended in between left it begun.
    if (lab.listStoredEvaluations({ ids: [id] }).length === 0)
      lab.beginEvaluation({ id, plan, weightsSha256, planned: items.length });
    this.#now = new Date(evaluation.finishedAt);
    lab.putEvaluationItems(id, items);
    lab.finishEvaluation(id, scores, milliseconds);
  }

  #setState(runId: string, state: RunState, reason: string | null): void {
    const run = this.#require().lab.setRunState(runId, state, reason);
    this.#tools.emit({ kind: 'run', runId, state, reason, committedSteps: run.committedSteps });
  }

  #changed(): void {
    this.#tools.emit({ kind: 'changed', what: 'tour', runId: null });
  }

  #openLab(): Promise<Lab> {
    return openLab(this.folder, { now: () => this.#now, isReplay: true });
  }

  #label(): RecordingLabel {
    return recordingLabelSchema.parse(JSON.parse(this.#read(LABEL_FILE).toString('utf8')));
  }

  #read(name: string): Buffer {
    if (!existsSync(this.#file(name)))
      throw new Failure(
        'missingFile',
        `The recorded sample run was not found at ${this.#file(name)}; reinstall the application, or make it with "anchor record-sample".`,
      );
    return readFileSync(this.#file(name));
  }
}

/** What an earlier program performed already, by what its database holds. */
function storedIn(lab: Lab): (moment: Moment) => boolean {
  const committed = new Map<string, number>();
  for (const { id, committedSteps } of lab.listRuns({}, { limit: 500 }).rows)
    committed.set(id, committedSteps);
  const evaluated = new Set(lab.listEvaluations().map(({ id }) => id));
  return (moment) => {
    const { event } = moment;
    if (event.kind === 'begin') return lab.getInitial(event.runId) !== null;
    if (event.kind === 'end') return lab.getRun(event.runId)?.state === 'done';
    if (event.kind === 'evaluation') return evaluated.has(event.evaluation.id);
    return belongsTo(moment, committed);
  };
}
