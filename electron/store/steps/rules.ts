import { Failure, type ContextRecord, type RunRecord, type StepCommit } from '../../contract/index.ts';
import type { InitialState } from '../audit-log/digests.ts';

function refuse(sentence: string): never {
  throw new Failure('badRecord', sentence);
}

/** A run starts from C_1, tasks of step 0 and checkpoint 0 of each weight set. */
export function checkInitial(runId: string, initial: InitialState): void {
  if (initial.context.step !== 1)
    refuse(`The first context of run "${runId}" must be C_1, not C_${initial.context.step}.`);
  for (const { step } of initial.checkpoints)
    if (step !== 0) refuse(`The first checkpoint of run "${runId}" must be of step 0, not ${step}.`);
  const roles = initial.checkpoints.map(({ role }) => role);
  const twice = roles.find((role, place) => roles.indexOf(role) !== place);
  if (twice !== undefined)
    refuse(`Run "${runId}" must start with one checkpoint of "${twice}", not several.`);
  const stray = initial.tasks.find((task) => task.step !== 0);
  if (stray !== undefined)
    refuse(`Seed task "${stray.id}" of run "${runId}" must be of step 0, not ${stray.step}.`);
}

/** A step brings the checkpoint of the weight set it trains, and none where it trains none. */
function checkCheckpoint(
  runId: string,
  { step: { step, role, weightsSha256 }, checkpoint }: StepCommit,
  roles: readonly string[],
): void {
  const it = `Step ${step} of run "${runId}"`;
  if (role !== null && !roles.includes(role))
    refuse(`${it} trains "${role}", but the run began with ${roles.map((each) => `"${each}"`).join(', ')}.`);
  if (checkpoint === null) {
    if (role !== null) refuse(`${it} trains "${role}", so it must bring its checkpoint.`);
    if (weightsSha256 !== null) refuse(`${it} trains nothing, so it must not name new weights.`);
    return;
  }
  if (role === null) refuse(`${it} trains nothing, so it must not bring a checkpoint.`);
  if (checkpoint.step !== step)
    refuse(`${it} must bring its own checkpoint, not that of step ${checkpoint.step}.`);
  if (checkpoint.role !== role)
    refuse(`${it} trains "${role}" but brings a checkpoint of "${checkpoint.role}".`);
  if (checkpoint.weightsSha256 !== weightsSha256) refuse(`${it} and its checkpoint name different weights.`);
}

/**
 * The records of a commit belong to the next step of the run, ran under its context C_t, and hand over C_{t+1}.
 * @param roles the weight sets the run began with
 */
export function checkStepCommit(
  run: RunRecord,
  commit: StepCommit,
  context: ContextRecord | null,
  roles: readonly string[],
): void {
  const { step } = commit.step;
  if (step !== run.committedSteps + 1) {
    throw new Failure(
      'stepGap',
      `Run "${run.id}" has ${run.committedSteps} stored steps, so step ${step} cannot be stored next; store step ${run.committedSteps + 1} first.`,
    );
  }
  if (context === null)
    refuse(`Run "${run.id}" has no context C_${step}; store its initial state before its first step.`);
  if (context.hash !== commit.step.contextHash)
    refuse(`Step ${step} of run "${run.id}" names another context than the stored C_${step}.`);
  if (commit.nextContext.step !== step + 1)
    refuse(`Step ${step} of run "${run.id}" must hand over C_${step + 1}, not C_${commit.nextContext.step}.`);
  checkCheckpoint(run.id, commit, roles);
  for (const record of [...commit.tasks, ...commit.rollouts, ...commit.reviews, ...commit.wordings]) {
    if (record.step !== step)
      refuse(`Record "${record.id}" of step ${record.step} came with step ${step} of run "${run.id}".`);
  }
  for (const summary of commit.summaries) {
    if (summary.step !== step)
      refuse(
        `The summary of ${summary.batch} of step ${summary.step} came with step ${step} of run "${run.id}".`,
      );
  }
}
