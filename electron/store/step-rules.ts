import { Failure } from '../contract/index.ts';
import type { ContextRecord, RunRecord, StepCommit } from '../contract/index.ts';
import type { InitialState } from './digests.ts';

function refuse(sentence: string): never {
  throw new Failure('badRecord', sentence);
}

/** A run starts from C_1, tasks of step 0 and checkpoint 0. */
export function checkInitial(runId: string, initial: InitialState): void {
  if (initial.context.step !== 1)
    refuse(`The first context of run "${runId}" must be C_1, not C_${initial.context.step}.`);
  if (initial.checkpoint.step !== 0)
    refuse(`The first checkpoint of run "${runId}" must be of step 0, not ${initial.checkpoint.step}.`);
  const stray = initial.tasks.find((task) => task.step !== 0);
  if (stray !== undefined)
    refuse(`Seed task "${stray.id}" of run "${runId}" must be of step 0, not ${stray.step}.`);
}

/** The records of a commit belong to the next step of the run, ran under its context C_t, and hand over C_{t+1}. */
export function checkStepCommit(run: RunRecord, commit: StepCommit, context: ContextRecord | null): void {
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
  if (commit.checkpoint.step !== step)
    refuse(
      `Step ${step} of run "${run.id}" must bring its own checkpoint, not that of step ${commit.checkpoint.step}.`,
    );
  if (commit.checkpoint.weightsSha256 !== commit.step.weightsSha256)
    refuse(`Step ${step} of run "${run.id}" and its checkpoint name different weights.`);
  for (const record of [...commit.tasks, ...commit.rollouts, ...commit.reviews]) {
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
