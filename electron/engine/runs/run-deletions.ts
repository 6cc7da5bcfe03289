import { Failure, type LiveEvent, type RunRecord } from '../../contract/index.ts';
import { asFileFailure, removeInTurn, type LabFolder } from '../../library/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Jobs } from '../jobs.ts';

type Tools = { store: Lab; lab: LabFolder; jobs: Jobs; emit: (event: LiveEvent) => void };

/** Takes runs out of the lab: from every list at once, their files and records beside everything else. */
export class RunDeletions {
  readonly #tools: Tools;
  #isAtWork = false;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Resolves once its files are gone; its records are taken out by a job from then on.
   * @throws Failure `diskFull` when not even deleting its files made the room that taking it out needs.
   */
  async delete(run: RunRecord): Promise<void> {
    const { store, lab, emit } = this.#tools;
    const deleteFiles = async (): Promise<void> => {
      try {
        await removeInTurn(lab.run(run.folder).root);
      } catch (error) {
        throw asFileFailure(error, `The folder of run "${run.config.name}"`);
      }
    };
    try {
      store.deleteRun(run.id);
    } catch (error) {
      if (!isFull(error)) throw error;
      // Taking records out is noted in the log first, so it needs room too: here the files make it.
      await deleteFiles();
      try {
        store.deleteRun(run.id);
      } catch (again) {
        if (!isFull(again)) throw again;
        const isForReading = store.damage() !== null;
        throw new Failure(
          'diskFull',
          isForReading
            ? `The files of run "${run.config.name}" are deleted, which made room. Open the lab ${lab.root} again and delete the run once more, so that its records go too.`
            : `The files of run "${run.config.name}" are deleted, but there is still no room to take its records out; free some space on the disk that holds ${lab.root} and delete it again.`,
          1,
          { cause: again },
        );
      }
    }
    // It is gone from every list even where a file of it cannot be taken away; that failure is told to whoever asked.
    emit({ kind: 'run', runId: run.id, state: null, reason: null, committedSteps: run.committedSteps });
    try {
      await deleteFiles();
    } finally {
      this.#takeOut([]);
    }
  }

  /** Goes on with what a program that ended in the middle left. */
  finish(): void {
    const { store, lab } = this.#tools;
    this.#takeOut(store.runsBeingDeleted().map(({ folder }) => lab.run(folder).root));
  }

  /** @param folders what is still there of their files; what the system keeps of that keeps no record. */
  #takeOut(folders: readonly string[]): void {
    const { store, jobs } = this.#tools;
    if (this.#isAtWork || store.runsBeingDeleted().length === 0) return;
    this.#isAtWork = true;
    const request = {
      kind: 'run-deletion',
      title: 'Take out the records of deleted runs',
      unit: 'record',
      isOwn: true,
      keeps: 'It was cancelled; what is left is taken out when the lab is opened again.',
    } as const;
    jobs.start(request, async ({ signal, total, at }) => {
      try {
        for (const folder of folders) await removeLeft(folder, signal);
        await store.takeOutDeleted({
          signal,
          onProgress: (progress) => {
            total(progress.total);
            at(progress.done);
          },
        });
      } finally {
        this.#isAtWork = false;
      }
    });
  }
}

/** What the system does not let go stays as a folder that no run of the lab has. @throws the signal's reason. */
async function removeLeft(folder: string, signal: AbortSignal): Promise<void> {
  try {
    await removeInTurn(folder, signal);
  } catch {
    signal.throwIfAborted();
  }
}

const isFull = (error: unknown): boolean => error instanceof Failure && error.kind === 'diskFull';
