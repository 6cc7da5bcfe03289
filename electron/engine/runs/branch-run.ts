import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure, withNeeded, type CheckpointRecord, type RunRecord } from '../../contract/index.ts';
import { frameworkOf } from '../../evolution/index.ts';
import { requireUnchanged } from '../../library/index.ts';
import { holdFiles } from '../../machine/index.ts';
import type { Lab } from '../../store/index.ts';
import { setRunState, type Services } from '../services.ts';

type BranchServices = Pick<Services, 'store' | 'lab' | 'emit'>;

/**
 * Makes a run of its own of the first steps of another one: what is stored of them, and the checkpoints that it goes on from, as second
 * names of the same files. It is left as queued. The other run stays as it is.
 * @param step the last step that is taken over, 0 for what the run began with
 * @throws Failure `usage` or `noCheckpoint` (exit code 2) where there is no such step or it cannot be gone on from; `modelChanged` when a
 * file is not as it was stored.
 */
export async function branchRun(
  services: BranchServices,
  runId: string,
  step: number,
  id: string,
): Promise<RunRecord> {
  const { store, lab } = services;
  const run = store.requireRun(runId);
  const { config, committedSteps } = run;
  const initial = store.getInitial(runId);
  if (initial === null)
    throw new Failure(
      'usage',
      `Run "${runId}" has nothing stored yet to go on from; resume the run itself.`,
      2,
    );
  if (step > committedSteps || step >= config.steps)
    throw new Failure(
      'usage',
      `Run "${runId}" has ${committedSteps} of ${config.steps} steps stored, so nothing can go on from step ${step}; choose a step before ${Math.min(committedSteps + 1, config.steps)}.`,
      2,
    );
  const points = pointsOf(services, run, step);
  const [from, to] = [lab.run(run.folder), lab.run(`runs/${id}`)];
  const files = points.flatMap(({ step: at, files: stored }) =>
    stored.map(({ path, sha256 }) => ({ from: join(from.checkpoint(at), basename(path)), at, sha256 })),
  );
  await requireUnchanged(
    files.map(({ from: path, sha256 }) => ({ path, sha256 })),
    'go on from another step',
  );
  const name = `${config.name} from step ${step}`;
  store.createRun({ id, config: { ...config, name }, folder: `runs/${id}` });
  // Before any of its files, which are of later steps than are stored until all are taken over.
  store.appendEvent(id, 'run.branched', {
    from: runId,
    step,
    stepHash: store.getStep(runId, step)?.stepHash ?? null,
  });
  // A program that ends before all is there leaves a run that says so.
  setRunState(services, id, 'failed', cutOff(runId, step));
  await holdFiles(
    to.root,
    files.map(({ from: path, at }) => ({
      from: path,
      name: join('checkpoints', basename(to.checkpoint(at)), basename(path)),
    })),
  );
  store.putInitial(id, initial);
  for (let at = 1; at <= step; at += 1) {
    const commit = store.getCommit(runId, at);
    if (commit === null)
      throw new Failure(
        'corrupt',
        `Step ${at} of run "${runId}" is not stored whole; restore the lab from a backup.`,
      );
    store.commitStep(id, commit);
    await nextTurn(); // a step takes some milliseconds; others get their turn in between
  }
  for (const { step: at, role } of store.listCheckpoints(id))
    if (!points.some((point) => point.step === at && point.role === role))
      store.markCheckpointPruned(id, at, role);
  if (run.policySha256 !== null) store.setRunModels(id, run.policySha256, run.supervisorSha256);
  return setRunState(services, id, 'queued', null);
}

const cutOff = (from: string, step: number): string =>
  `The steps of "${from}" up to step ${step} were not taken over in full; delete this run and make it again.`;

/** @throws Failure `corrupt` (exit code 2) for a run whose program ended while the steps of another one were taken over: what is there is no beginning of it. */
export function requireTakenOver(store: Lab, { id, policySha256 }: RunRecord): void {
  const [branched] = store.eventsOfKind(id, 'run.branched');
  // Its models are noted last.
  if (branched === undefined || policySha256 !== null) return;
  const { from, step } = branched.body as { from: string; step: number };
  throw new Failure('corrupt', cutOff(from, step), 2);
}

/** Of each role what it began with, what it stood at after the step, and what that goes on from. */
function pointsOf({ store }: BranchServices, { id, config }: RunRecord, step: number): CheckpointRecord[] {
  const kept = store.listCheckpoints(id);
  const staged = store.listStagedSteps(id);
  const points = frameworkOf(config.framework)
    .roles(config.framework)
    .flatMap((role) => {
      let at = step;
      while (at > 0 && store.getCheckpoint(id, at, role) === null) at -= 1;
      const find = (wanted: number): CheckpointRecord | undefined =>
        kept.find((one) => one.step === wanted && one.role === role);
      const point = find(at);
      return point === undefined ? [point] : [...new Set([find(0), ...withNeeded(kept, [point], staged)])];
    });
  if (points.every((point) => point !== undefined)) return points;
  const steps = [...new Set(kept.map((one) => one.step))].filter((one) => one < config.steps);
  throw new Failure(
    'noCheckpoint',
    `Run "${id}" no longer has the checkpoint of step ${step}; it has those of ${steps.join(', ')}.`,
    2,
  );
}
