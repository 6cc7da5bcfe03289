import { makeFolders } from '../../core/index.ts';
import {
  Failure,
  footprintOf,
  lineCounts,
  trainSpecOf,
  type RunConfig,
  type RunRecord,
  type Tripped,
} from '../../contract/index.ts';
import {
  evolveStep,
  frameworkOf,
  initialHash,
  openCheckers,
  PausedBeforeStart,
  type AnyFramework,
  type RunState,
} from '../../evolution/index.ts';
import { loadPromptPack, asFileFailure, requireFreeSpace, promptTexts } from '../../library/index.ts';
import { resolveModel, type Trainer } from '../../models/index.ts';
import { writeStepFiles } from '../../supervision/index.ts';
import { recordHead, reviewHead } from '../../live/index.ts';
import { requireTakenOver } from './branch-run.ts';
import { evaluateAsPlanned } from './planned-evaluation.ts';
import { noteEstimate } from './said-estimate.ts';
import { setRunState, type Services } from '../services.ts';
import {
  clearFolder,
  commitWeights,
  openWeights,
  pruneCheckpoints,
  requireWeights,
  storeInitial,
} from './run-weights.ts';
import { makeSupervisor } from '../../reviewing/index.ts';
import type { Lab } from '../../store/index.ts';

/** What a person can do to a run that is at work. */
export type RunControl = { pauseAfterStep: boolean; stop: AbortController };

const RESERVE_BYTES = 200e6; // room for the database, its log and step files while a run works

/**
 * Drives one run from where it stands to its last step, a pause or a failure. Each committed step is on disk in SQLite
 * before the next begins; whatever is interrupted in between is repeated from the last commit.
 */
export async function driveRun(services: Services, runId: string, control: RunControl): Promise<RunRecord> {
  const { store, lab, children, clock } = services;
  const run = store.requireRun(runId);
  const { config, folder: relative, policySha256 } = run;
  const folder = lab.run(relative);
  const framework = frameworkOf(config.framework);
  let trainer: Trainer | null = null;
  try {
    services.meter.begin(runId);
    setRunState(services, runId, 'setting-up', null);
    store.requireOriginalConfig(runId);
    store.requireAllSteps(runId);
    requireTakenOver(store, run);
    makeFolders(folder.checkpoints);
    makeFolders(folder.records);
    // Once begun, a run has its own copy of the model and no longer needs the original.
    const model =
      store.getCheckpoint(runId, 0, framework.roles(config.framework)[0]) === null
        ? await resolveModel(store, services.resources, config.policy.model, 'policy', clock.now())
        : null;
    // A run that begins needs room for its first checkpoint and those of two steps, and for one between them where they are further
    // apart; one that goes on has taken it already.
    const { firstCheckpoint, checkpoint, withoutMoments } = footprintOf(
      trainSpecOf(config.train),
      model?.parameters ?? 0,
    );
    const between = (config.checkpoints.optimizerEvery ?? 1) > 1 ? withoutMoments : 0;
    requireFreeSpace(
      lab.root,
      RESERVE_BYTES + firstCheckpoint + 2 * checkpoint + between,
      `Run "${config.name}"`,
    );
    const checkers = await openCheckers(children, config);
    const { reviewer, writer, supervisorSha256 } = await makeSupervisor(services, config);
    // A step is taken from its beginning, so what lies there is of one that was cut off, or committed by a program that ended before it cleared away.
    clearFolder(folder.spool);
    trainer = await children.trainer(config, folder);
    requireSameWriter(store, runId, model?.sha256);
    store.setRunModels(runId, model?.sha256 ?? policySha256 ?? '', supervisorSha256);
    if (model !== null)
      await storeInitial(services, runId, {
        config,
        framework,
        folder,
        trainer,
        checkers,
        modelPath: model.path,
        signal: control.stop.signal,
        isPausing: () => control.pauseAfterStep,
      });
    const weights = await openWeights(services, runId, { config, framework, folder, trainer });
    const { pack, guidance, state } = restore(services, runId, config, framework);
    const person = services.people.open({ id: runId, config }, () =>
      loadPromptPack(services.resources.prompts('full'), 'full'),
    );
    noteEstimate(services, runId, state.step);
    setRunState(services, runId, 'stepping', null);
    // If the program ended between a commit and its files, that is made up for now; doing it again changes nothing.
    if (state.step > 1) {
      writeStepFiles(folder.records, store, runId, state.step - 1);
      pruneCheckpoints(store, runId, config, folder);
    }
    const touched = pausing(
      await evaluateAsPlanned(services, runId, config, state.step - 1, control.stop.signal),
    );
    if (touched !== null && state.step <= config.steps)
      return setRunState(services, runId, 'paused', touched);
    while (state.step <= config.steps) {
      const commit = await evolveStep(framework, state, {
        ...checkers,
        weights: (role) => requireWeights(weights, role),
        reviewer,
        writer,
        person,
        pack,
        guidance,
        rewardedPrompts: services.rewardedPrompts(),
        clock,
        signal: control.stop.signal,
        checkpointFolder: (step) => clearFolder(folder.checkpoint(step)),
        onProgress: (stage, done, total) => services.reportProgress(runId, state.step, stage, done, total),
        onRollout: (rollout) => services.emit({ kind: 'record', runId, record: recordHead(rollout) }),
        onQueue: (queue) => services.emit({ kind: 'queue', runId, step: state.step, ...queue }),
        onReview: (review) => services.emit({ kind: 'review', runId, review: reviewHead(review) }),
      });
      Object.assign(commit.step.metrics, services.meter.endOfStep(runId));
      store.commitStep(runId, commit);
      await commitWeights(store, runId, weights, commit, folder);
      writeStepFiles(folder.records, store, runId, commit.step.step);
      pruneCheckpoints(store, runId, config, folder);
      state.step += 1;
      state.context = commit.nextContext;
      state.previousHash = commit.step.stepHash;
      state.state = framework.fold(state.state, { step: commit.step.step, tasks: commit.tasks });
      services.reportProgress(runId, commit.step.step, 'committed', 1, 1);
      services.emit({
        kind: 'step',
        runId,
        step: commit.step.step,
        timings: commit.step.timings,
        metrics: { ...commit.step.metrics, ...lineCounts(commit.wordings) },
      });
      const tripped = pausing(
        await evaluateAsPlanned(services, runId, config, commit.step.step, control.stop.signal),
      );
      if (tripped !== null && state.step <= config.steps)
        return setRunState(services, runId, 'paused', `${tripped} Resuming goes on with step ${state.step}.`);
      const useless =
        commit.step.step === 1 ? (framework.uselessBatch?.(config, commit.rollouts) ?? null) : null;
      if (useless !== null)
        return state.step <= config.steps
          ? setRunState(services, runId, 'paused', `${useless}\nResuming goes on with step 2 as it is.`)
          : setRunState(services, runId, 'done', useless);
      if (control.pauseAfterStep && state.step <= config.steps) {
        return setRunState(
          services,
          runId,
          'paused',
          `Paused after step ${commit.step.step}; resuming continues with step ${state.step}.`,
        );
      }
    }
    return setRunState(services, runId, 'done', null);
  } catch (error) {
    if (error instanceof PausedBeforeStart) return setRunState(services, runId, 'paused', error.message);
    if (control.stop.signal.aborted) {
      const { committedSteps } = store.requireRun(runId);
      return setRunState(
        services,
        runId,
        'interrupted',
        seedTextsOf(store, runId) > 0
          ? 'Stopped while the policy wrote its first tasks; resuming goes on with those that are stored.'
          : committedSteps < config.steps
            ? `Stopped during step ${committedSteps + 1}; resuming repeats that step.`
            : 'Stopped after the last step, before its checkpoint was evaluated; resuming evaluates it.',
      );
    }
    const failure = asFileFailure(error, `The folder of run "${config.name}"`);
    noteFailure(
      services,
      runId,
      failure instanceof Failure
        ? failure.message
        : `The run failed unexpectedly: ${(error as Error).message}`,
    );
    throw failure;
  } finally {
    services.people.close(runId);
    services.meter.end(runId);
    services.children.forgetRun(runId);
    await trainer?.close();
    // A trainer that was killed left it behind.
    clearFolder(folder.parked);
  }
}

/** Tasks that one model wrote and tasks of another would be nobody's. @throws Failure `checkpointChanged`. */
function requireSameWriter(store: Services['store'], runId: string, sha256: string | undefined): void {
  const { policySha256 } = store.requireRun(runId);
  if (sha256 === undefined || !policySha256 || policySha256 === sha256) return;
  const { asked } = store.countSeedAttempts(runId);
  if (asked > 0)
    throw new Failure(
      'checkpointChanged',
      `The model of run "${runId}" is no longer the one that wrote its first ${asked} texts; put its files back, or start a new run.`,
    );
}

/** Why the run is to stand, if one of its touched tripwires pauses it. */
function pausing(tripped: readonly Tripped[]): string | null {
  return tripped.find(({ wire }) => wire.action === 'pause')?.said ?? null;
}

/** What stops a run may also keep the lab from noting it; the next program then finds a run that was cut off, and says so. */
function noteFailure(services: Services, runId: string, reason: string): void {
  try {
    setRunState(services, runId, 'failed', reason);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

/** Rebuilds everything the next step depends on from SQLite alone. */
function restore(services: Services, runId: string, config: RunConfig, framework: AnyFramework) {
  const { store } = services;
  const { committedSteps, supervisorSha256 } = store.requireRun(runId);
  const { pack, guidance } = promptTexts(services.resources, config.policy.promptPack);
  const context = store.getContext(runId, committedSteps + 1);
  if (context === null)
    throw new Failure(
      'corrupt',
      `Run "${runId}" has no context for step ${committedSteps + 1}; restore the lab from a backup.`,
    );
  const initialTasks = store.tasksOfStep(runId, 0);
  let own = framework.begin(config, initialTasks);
  for (let step = 1; step <= committedSteps; step += 1)
    own = framework.fold(own, { step, tasks: store.tasksOfStep(runId, step) });
  const previousHash =
    committedSteps === 0
      ? initialHash(config, context.hash, {
          weightsSha256:
            store.getCheckpoint(runId, 0, framework.roles(config.framework)[0])?.weightsSha256 ?? '',
          supervisorSha256,
          tasks: initialTasks,
        })
      : (store.getStep(runId, committedSteps)?.stepHash ?? '');
  const state: RunState = { config, step: committedSteps + 1, context, state: own, previousHash };
  return { pack, guidance, state };
}

/** Texts that the policy wrote for its first tasks, while these are not complete. */
export const seedTextsOf = (store: Pick<Lab, 'getContext' | 'countSeedAttempts'>, runId: string): number =>
  store.getContext(runId, 1) === null ? store.countSeedAttempts(runId).asked : 0;
