import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKOUT, placeOf } from '../mutants/edit.ts';

/**
 * A place of the engine where it recovers from something. `line` is a part of its text that stands there once; where it begins before the
 * branch that counts, `branch` is where that begins in it.
 */
export type Point = { name: string; file: string; line: string; branch?: string };

/**
 * What a long simulation has to reach sometimes. Where one is never reached, the simulation has lost the faults that lead there, and
 * what it says of the rest is worth less than it seems.
 */
export const POINTS: readonly Point[] = [
  {
    name: 'a lost trainer is loaded again',
    file: 'electron/models/local-trainer.ts',
    line: 'for (const reload of this.#reloads.values()) await reload();',
  },
  {
    name: 'an operation that lost its trainer is repeated',
    file: 'electron/models/local-trainer.ts',
    line: 'onRecovery(operation, error.message);',
  },
  {
    name: 'a trainer is given up after four losses',
    file: 'electron/models/local-trainer.ts',
    line: "'trainerLost',",
  },
  {
    name: 'kept rollouts come back from the spool',
    file: 'electron/models/local-weights.ts',
    line: 'await this.process.client.restoreRollouts(this.process.weights);',
  },
  {
    name: 'a silent process is taken for stuck',
    file: 'electron/processes/child/managed-child.ts',
    line: "this.#enter('stalled');",
  },
  {
    name: 'a trainer that forgot a request is given up',
    file: 'electron/processes/trainer-client.ts',
    line: "child?.giveUp('The trainer lives but no longer knows a request that it was sent.');",
  },
  {
    name: 'a process that does not answer its start is given up',
    file: 'electron/processes/child/managed-child.ts',
    line: "kind: 'handshake',",
  },
  {
    name: 'a line that is none ends the process',
    file: 'electron/processes/child/managed-child.ts',
    line: "return new ProcessFailure(this.#spec.name, { kind: 'processLost', retryable: true, message });",
  },
  {
    name: 'a process that does not heed SIGTERM gets SIGKILL',
    file: 'electron/processes/child/managed-child.ts',
    line: "this.#later(TERMINATE_GRACE_MS, () => this.#signal('SIGKILL'));",
    branch: '() =>',
  },
  {
    name: 'a process that keeps dying is not started again',
    file: 'electron/processes/child/restarting-process.ts',
    line: "kind: 'crashLoop',",
  },
  {
    name: 'a request that kills its process each time is given up',
    file: 'electron/processes/child/restarting-process.ts',
    line: "kind: 'requestKillsProcess',",
  },
  {
    name: 'an answer of an unexpected form is refused',
    file: 'electron/processes/child/json-rpc.ts',
    line: 'const issue = parsed.error.issues[0];',
  },
  {
    name: 'an answer that nobody waits for is dropped',
    file: 'electron/processes/child/json-rpc.ts',
    line: 'if (!request) return;',
    branch: 'return',
  },
  {
    name: 'a child that is lost in its start is started again',
    file: 'electron/engine/children.ts',
    line: 'if (isProcessLost(error) && attempt < START_ATTEMPTS) continue;',
    branch: 'continue',
  },
  {
    name: 'a run that was cut off is marked so',
    file: 'electron/store/runs/cut-off.ts',
    line: "appendToChain(db, now, run.id, 'run.state', { from: run.state, to: 'interrupted', reason });",
  },
  {
    name: 'an evaluation that was cut off is marked so',
    file: 'electron/store/evaluations/repository.ts',
    line: 'for (const id of ids) attestStopped(id);',
    branch: 'attestStopped',
  },
  {
    name: 'the database is checked after an unclean exit',
    file: 'electron/store/open-lab.ts',
    line: 'if (isWhole) return { isWhole, damage: firstDamage(db, () => {}) };',
  },
  {
    name: 'a full disk under the database is one sentence',
    file: 'electron/store/sqlite-failure.ts',
    line: "'diskFull',",
  },
  {
    name: 'a failing disk under the database is one sentence',
    file: 'electron/store/sqlite-failure.ts',
    line: '`The disk failed while the lab database ${file} was used (${code}); check the disk, then resume.`,',
  },
  {
    name: 'a file that cannot be written is one sentence',
    file: 'electron/library/lab-folder.ts',
    line: 'const file = dest ?? path;',
  },
  {
    name: 'a stray checkpoint of a step that was cut off goes',
    file: 'electron/machine/storage.ts',
    line: 'rmSync(join(checkpoints, name), { recursive: true, force: true });',
  },
  {
    name: 'a run is stopped in a step',
    file: 'electron/engine/runs/run-loop.ts',
    line: '? `Stopped during step ${committedSteps + 1}; resuming repeats that step.`',
  },
  {
    name: 'a run is paused between two steps',
    file: 'electron/engine/runs/run-loop.ts',
    line: '`Paused after step ${commit.step.step}; resuming continues with step ${state.step}.`,',
  },
  {
    name: 'a run fails with its sentence',
    file: 'electron/engine/runs/run-loop.ts',
    line: 'throw failure;',
  },
  {
    name: 'a run that waits leaves the queue',
    file: 'electron/engine/runs/run-queue.ts',
    line: 'this.#ends.delete(id);',
  },
  {
    name: 'a planned evaluation fails and its run goes on',
    file: 'electron/engine/runs/planned-evaluation.ts',
    line: "services.store.appendEvent(runId, 'evaluation.failed',",
  },
  {
    name: 'an export that fails leaves nothing behind',
    file: 'electron/engine/runs/export-run.ts',
    line: 'return asFileFailure(error, `The export ${shownPath(folder)}`);',
  },
  {
    name: 'a review that is none is asked for again',
    file: 'electron/supervision/reviewers/llama/index.ts',
    line: "`The supervisor's answer was not a review: ${JSON.stringify(reply.text.slice(0, 80))}.`",
  },
  {
    name: 'a database that was deleted or replaced is copied from the open file',
    file: 'electron/store/opening/ownership.ts',
    line: 'return copy;',
  },
  {
    name: 'what a deleted log held goes into the database',
    file: 'electron/store/opening/ownership.ts',
    line: "db.pragma('wal_checkpoint(TRUNCATE)');",
  },
  {
    name: 'a checkpoint that is not the stored one is refused',
    file: 'electron/engine/runs/run-weights.ts',
    line: "'checkpointChanged',",
  },
  {
    name: 'a deletion of a run that was cut off is gone on with',
    file: 'electron/engine/runs/run-deletions.ts',
    line: 'for (const folder of folders) await removeLeft(folder, signal);',
    branch: 'await removeLeft',
  },
  {
    name: 'what a backup that was cut off left goes',
    file: 'electron/machine/backups.ts',
    line: 'this.#tools.removals.remove(join(this.#folder, name));',
  },
  {
    name: 'a whole copy of the lab that fails is one sentence',
    file: 'electron/machine/backups.ts',
    line: "throw asFileFailure(error, 'The copy of the lab');",
  },
  {
    name: 'a restore that fails is one sentence',
    file: 'electron/machine/backups.ts',
    line: "throw asFileFailure(error, 'The restored lab');",
  },
  {
    name: 'what a killed program left outside of the lab goes',
    file: 'electron/library/files/unfinished.ts',
    line: 'const name = goingName(path);',
  },
  {
    name: 'a whole file that cannot be written leaves no half',
    file: 'electron/library/files/whole-file.ts',
    line: 'throw cause;',
  },
  { name: 'a job is cancelled', file: 'electron/engine/jobs.ts', line: 'this.#require(id).stop.abort();' },
];

/** Counts how often each point was reached, by the coverage that V8 itself keeps. */
export class PointCounter {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** @throws when a point's line does not stand in its file exactly once. */
  async counts(): Promise<Map<string, number>> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const covered = new Map(result.map(({ url, functions }) => [url, functions]));
    this.#session.disconnect();
    return new Map(
      POINTS.map((point) => {
        // Types are stripped into blanks, so places in the source are places in what runs.
        const at = placeOf(point) + branchIn(point);
        const functions = covered.get(pathToFileURL(join(CHECKOUT, point.file)).href) ?? [];
        return [
          point.name,
          countAt(
            functions.flatMap(({ ranges }) => ranges),
            at,
          ),
        ] as const;
      }),
    );
  }
}

/** Where in its line the branch of a point begins. @throws when it is not there. */
export function branchIn({ name, line, branch = '' }: Point): number {
  const at = line.indexOf(branch);
  if (at < 0) throw new Error(`The point "${name}" has its branch in another line.`);
  return at;
}

/** The count of the smallest range around a place. */
function countAt(
  ranges: readonly { startOffset: number; endOffset: number; count: number }[],
  at: number,
): number {
  const around = ranges
    .filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
    .toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
  return around[0]?.count ?? 0;
}
