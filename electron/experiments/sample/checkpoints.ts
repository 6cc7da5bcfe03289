import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { checkpointRecordSchema, Failure, type CheckpointRecord, type Job } from '../../contract/index.ts';
import type { JobRunner } from '../../core/index.ts';
import { filesOfRun, writeWholeFile, type RunFolder } from '../../library/index.ts';
import type { Trainer } from '../../models/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Recording } from './recording.ts';
import { makeWeights, recordedRun, stepsToMake, updatesFileOf, type RecordedRun } from './weights.ts';

/** What there is of the sample's checkpoints. They do not ship: they are made here, by repeating the recorded updates. */
export type CheckpointsState = {
  /** Steps of each run whose checkpoints are there, or would be made. */ steps: number[];
  areMade: boolean;
  /** This processor came to other weights than were recorded: what was made are checkpoints of their own. */
  areOwn: boolean;
  /** On the disk, once they are made. */ bytes: number;
};

export type CheckpointTools = {
  /** The folder of the sample. */ folder: string;
  /** Reads a file of the recording. */ read: (name: string) => Buffer;
  /** What its runs started from. */ embeddedPolicy: string;
  jobs: Pick<JobRunner, 'start'>;
  withTrainer: <T>(purpose: string, threads: number, use: (trainer: Trainer) => Promise<T>) => Promise<T>;
  /** Checkpoints of a run came or went. */ onChange: (runId: string | null) => void;
};

type Opened = { lab: Lab; recording: Recording };

/** Lists the checkpoints of a run that came out with other weights than were recorded. */
const REMADE_FILE = 'remade.json';
const remadeSchema = z.array(checkpointRecordSchema).min(1);
/** A folder that is being filled is called so; it takes its name when it is whole. */
const UNFINISHED = '.unfinished';

/** The checkpoints of the recorded runs, in the folder of the sample. */
export class SampleCheckpoints {
  readonly #tools: CheckpointTools;
  #isMaking = false;

  constructor(tools: CheckpointTools) {
    this.#tools = tools;
  }

  state({ lab, recording }: Opened): CheckpointsState {
    const runs = recording.runs.map(({ id }) => recordedRun(recording, id));
    const ids = recording.runs.map(({ id }) => id);
    return {
      steps: [...new Set(runs.flatMap(stepsToMake))],
      areMade: ids.every((id) => this.#areMade(lab, id)),
      areOwn: ids.some((id) => this.remadeOf(id).length > 0),
      bytes: runs
        .flatMap((one) => stepsToMake(one).map((step) => one.checkpoints.get(step)?.bytes ?? 0))
        .reduce((sum, bytes) => sum + bytes, 0),
    };
  }

  /** Where the files of a run lie. @throws Failure `noCheckpoint` (exit code 2) before they are made. */
  filesOf(lab: Lab, runId: string): RunFolder {
    if (!this.#areMade(lab, runId))
      throw new Failure(
        'noCheckpoint',
        'The weights of the recorded sample are not on this disk yet, so it can be asked nothing new; "Make its checkpoints" beside the sample in Runs, or "anchor sample checkpoints", trains them again from its records.',
        2,
      );
    return this.#folderOf(runId);
  }

  /** Checkpoints that came out with other weights than were recorded, oldest first; none on the family of processors of the recording. */
  remadeOf(runId: string): CheckpointRecord[] {
    const file = join(this.#folderOf(runId).root, REMADE_FILE);
    return existsSync(file) ? remadeSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
  }

  /**
   * Makes the checkpoints of both runs from their recorded updates. Nothing is sampled or reviewed for it. A run's are there when all of
   * them are, so a run that is whole is not made again.
   * @param begin stores what is left of the replay @throws Failure `runAtWork` (exit code 2) while that is under way.
   */
  make({ lab, recording }: Opened, begin: () => Promise<unknown>): Job {
    this.requireIdle();
    const { jobs, onChange } = this.#tools;
    const runs = recording.runs
      .map(({ id }) => recordedRun(recording, id))
      .filter(({ run }) => !this.#areMade(lab, run.id));
    const request = {
      kind: 'sample-checkpoints',
      title: 'Make the checkpoints of the recorded sample',
      unit: 'step',
      total: runs.reduce((sum, { checkpoints }) => sum + checkpoints.size, 0),
      keeps: 'It was cancelled; what was made of a run that was not finished is deleted.',
    } as const;
    const job = jobs.start(request, async ({ signal, advance }) => {
      try {
        await begin();
        for (const recorded of runs) await this.#makeOne(lab, recorded, signal, () => advance(1));
      } finally {
        this.#isMaking = false;
        onChange(null);
      }
    });
    this.#isMaking = true;
    return job;
  }

  /** @throws Failure `runAtWork` (exit code 2) while checkpoints are being made. */
  requireIdle(): void {
    if (this.#isMaking)
      throw new Failure(
        'runAtWork',
        'The checkpoints of the sample are being made; wait for that job, or stop it first.',
        2,
      );
  }

  /** Deletes what a program that was killed left half made. */
  clear({ lab, recording }: Opened): void {
    const runs = join(this.#tools.folder, 'runs');
    const whole = new Set(recording.runs.map(({ id }) => id).filter((id) => this.#areMade(lab, id)));
    for (const name of existsSync(runs) ? readdirSync(runs) : [])
      if (!whole.has(name)) rmSync(join(runs, name), { recursive: true, force: true });
  }

  async #makeOne(lab: Lab, recorded: RecordedRun, signal: AbortSignal, onStep: () => void): Promise<void> {
    const { read, withTrainer, embeddedPolicy: model, onChange } = this.#tools;
    const { id, config } = recorded.run;
    const packed = read(updatesFileOf(id));
    const whole = this.#folderOf(id);
    const folder = filesOfRun(`${whole.root}${UNFINISHED}`);
    try {
      const { made, areRecorded } = await withTrainer('sample', config.policy.threads, (trainer) =>
        makeWeights(recorded, { trainer, model, folder, packed, signal, onStep }),
      );
      if (!areRecorded) writeWholeFile(join(folder.root, REMADE_FILE), `${JSON.stringify(made, null, 2)}\n`);
      rmSync(whole.root, { recursive: true, force: true });
      renameSync(folder.root, whole.root);
      // From here the database says that the recorded ones are there; others have no part in it.
      if (areRecorded)
        lab.markCheckpointsRestored(
          id,
          made.map(({ step }) => step),
        );
    } catch (error) {
      rmSync(folder.root, { recursive: true, force: true });
      throw error;
    }
    onChange(id);
  }

  #areMade(lab: Lab, runId: string): boolean {
    return lab.listCheckpoints(runId).length > 0 || this.remadeOf(runId).length > 0;
  }

  #folderOf(runId: string): RunFolder {
    return filesOfRun(join(this.#tools.folder, 'runs', runId));
  }
}
