import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  POLICY_ROLE,
  CODE_TASK_TYPES,
  Failure,
  type CheckpointRecord,
  type RunConfig,
  type RunRecord,
  type Tripped,
} from '../../contract/index.ts';
import {
  AnswerCounters,
  evolveStep,
  frameworkOf,
  initialHash,
  policySettings,
  TaskBuffers,
  type RunInProgress,
} from '../../evolution/index.ts';
import { loadGuidance, loadPromptPack } from '../../library/index.ts';
import type { Trainer } from '../../models/index.ts';
import type { RunnerClient } from '../../processes/index.ts';
import { firstContext, writeStepFiles } from '../../supervision/index.ts';
import type { Lab } from '../../store/index.ts';
import { asFileFailure, requireFreeSpace, type RunFolder } from '../lab-folder.ts';
import { recordHead, reviewHead } from '../live/live-feed.ts';
import { resolveModel } from '../../models/index.ts';
import { makeReviewer } from './reviewer.ts';
import { evaluateAsPlanned } from './planned-evaluation.ts';
import { keptSteps } from './storage.ts';
import { requireRun, setRunState, type Services } from '../services.ts';

/** What a person can do to a run that is at work. */
export type RunControl = { pauseAfterStep: boolean; stop: AbortController };

const CHECKPOINT_BYTES_PER_PARAMETER = 12; // fp32 weights and the two moments of AdamW
const RESERVE_BYTES = 200e6; // room for the database, its log and step files while a run works

/**
 * Drives one run from where it stands to its last step, a pause or a failure. Each committed step is on disk in SQLite
 * before the next begins; whatever is interrupted in between is repeated from the last commit.
 */
export async function driveRun(world: Services, runId: string, control: RunControl): Promise<RunRecord> {
  const { store, lab, children, clock } = world;
  const { config, folder: relative, policySha256 } = requireRun(store, runId);
  const folder = lab.run(relative);
  let trainer: Trainer | null = null;
  try {
    world.meter.begin(runId);
    setRunState(world, runId, 'setting-up', null);
    store.requireOriginalConfig(runId);
    mkdirSync(folder.checkpoints, { recursive: true });
    mkdirSync(folder.records, { recursive: true });
    // Once begun, a run has its own copy of the model and no longer needs the original.
    const model =
      store.getCheckpoint(runId, 0) === null
        ? await resolveModel(store, world.resources, config.policy.model, 'policy', clock.now())
        : null;
    requireFreeSpace(
      lab.root,
      RESERVE_BYTES + 3 * CHECKPOINT_BYTES_PER_PARAMETER * (model?.parameters ?? 0),
      `Run "${config.name}"`,
    );
    const runner = await children.runner(config.sandbox);
    const { reviewer, supervisorSha256 } = await makeReviewer(world, config);
    // A step is taken from its beginning, so what lies there is of one that was cut off, or committed by a program that ended before it cleared away.
    clearFolder(folder.spool);
    trainer = await children.trainer(config, folder);
    store.setRunModels(runId, model?.sha256 ?? policySha256 ?? '', supervisorSha256);
    const start =
      model === null
        ? committedCheckpoint(store, runId)
        : await firstCheckpoint(
            world,
            runId,
            config,
            folder,
            trainer,
            runner,
            model.path,
            control.stop.signal,
          );
    const policy = trainer.weights(
      policySettings(config, folder.checkpoint(0)),
      { kind: 'checkpoint', folder: folder.checkpoint(start.step), version: start.version },
      (operation, why) => {
        store.appendEvent(runId, 'trainer.recovered', { operation, why });
      },
    );
    const { contextLength, weightsSha256 } = await policy.load();
    if (weightsSha256 !== start.weightsSha256) {
      throw new Failure(
        'checkpointChanged',
        `The checkpoint ${folder.checkpoint(start.step)} is not the one that was stored with step ${start.step}; put its files back from a backup, or start a new run.`,
      );
    }
    const wanted = config.azr.maxPromptTokens + config.azr.maxNewTokens;
    if (contextLength < wanted) {
      throw new Failure(
        'usage',
        `Prompts and answers may take ${wanted} tokens together (azr.maxPromptTokens + azr.maxNewTokens), more than the ${contextLength} of the model "${config.policy.model}"; lower one of them.`,
        2,
      );
    }
    const { pack, guidance, state } = restore(world, runId, config);
    const person = world.people.open({ id: runId, config }, () =>
      loadPromptPack(world.resources.prompts('full'), 'full'),
    );
    setRunState(world, runId, 'stepping', null);
    // If the program ended between a commit and its files, they are written now; writing them again changes nothing.
    if (state.step > 1) writeStepFiles(folder.records, store, runId, state.step - 1);
    const touched = pausing(
      await evaluateAsPlanned(world, runId, config, state.step - 1, control.stop.signal),
    );
    if (touched !== null && state.step <= config.steps) return setRunState(world, runId, 'paused', touched);
    while (state.step <= config.steps) {
      const commit = await evolveStep(state, {
        policy,
        runner,
        reviewer,
        person,
        pack,
        guidance,
        pressure: world.pressure(),
        clock,
        signal: control.stop.signal,
        checkpointFolder: (step) => clearFolder(folder.checkpoint(step)),
        onProgress: (stage, done, total) => world.reportProgress(runId, state.step, stage, done, total),
        onRollout: (rollout) => world.emit({ kind: 'record', runId, record: recordHead(rollout) }),
        onQueue: (waiting) => world.emit({ kind: 'queue', runId, step: state.step, waiting }),
        onReview: (review) => world.emit({ kind: 'review', runId, review: reviewHead(review) }),
      });
      Object.assign(commit.step.metrics, world.meter.endOfStep(runId));
      store.commitStep(runId, commit);
      if (commit.checkpoint !== null)
        await policy.commit(
          {
            kind: 'checkpoint',
            folder: folder.checkpoint(commit.step.step),
            version: commit.checkpoint.version,
          },
          `s${commit.step.step}/`,
        );
      writeStepFiles(folder.records, store, runId, commit.step.step);
      pruneCheckpoints(store, runId, config, folder);
      state.step += 1;
      state.context = commit.nextContext;
      state.previousHash = commit.step.stepHash;
      state.buffers.add(commit.tasks);
      state.counters.add(commit.tasks);
      world.reportProgress(runId, commit.step.step, 'committed', 1, 1);
      world.emit({
        kind: 'step',
        runId,
        step: commit.step.step,
        timings: commit.step.timings,
        metrics: commit.step.metrics,
      });
      const tripped = pausing(
        await evaluateAsPlanned(world, runId, config, commit.step.step, control.stop.signal),
      );
      if (tripped !== null && state.step <= config.steps)
        return setRunState(world, runId, 'paused', `${tripped} Resuming goes on with step ${state.step}.`);
      if (control.pauseAfterStep && state.step <= config.steps) {
        return setRunState(
          world,
          runId,
          'paused',
          `Paused after step ${commit.step.step}; resuming continues with step ${state.step}.`,
        );
      }
    }
    return setRunState(world, runId, 'done', null);
  } catch (error) {
    if (control.stop.signal.aborted) {
      const { committedSteps } = requireRun(store, runId);
      return setRunState(
        world,
        runId,
        'interrupted',
        committedSteps < config.steps
          ? `Stopped during step ${committedSteps + 1}; resuming repeats that step.`
          : 'Stopped after the last step, before its checkpoint was evaluated; resuming evaluates it.',
      );
    }
    const failure = asFileFailure(error, `The folder of run "${config.name}"`);
    noteFailure(
      world,
      runId,
      failure instanceof Failure
        ? failure.message
        : `The run failed unexpectedly: ${(error as Error).message}`,
    );
    throw failure;
  } finally {
    world.people.close(runId);
    world.meter.end(runId);
    world.children.forgetRun(runId);
    await trainer?.close();
  }
}

/** Why the run is to stand, if one of its touched tripwires pauses it. */
function pausing(tripped: readonly Tripped[]): string | null {
  return tripped.find(({ wire }) => wire.action === 'pause')?.said ?? null;
}

/** What stops a run may also keep the lab from noting it; the next program then finds a run that was cut off, and says so. */
function noteFailure(world: Services, runId: string, reason: string): void {
  try {
    setRunState(world, runId, 'failed', reason);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

function committedCheckpoint(store: Lab, runId: string): CheckpointRecord {
  const checkpoint = store.latestCheckpoint(runId);
  if (checkpoint === null)
    throw new Failure(
      'corrupt',
      `Run "${runId}" lacks the checkpoint of its newest trained step; restore the lab from a backup.`,
    );
  return checkpoint;
}

/** Copies the model a run starts from into the run, as checkpoint 0, and stores what else step 1 depends on. */
async function firstCheckpoint(
  world: Services,
  runId: string,
  config: RunConfig,
  folder: RunFolder,
  trainer: Trainer,
  runner: RunnerClient,
  modelPath: string,
  signal: AbortSignal,
): Promise<CheckpointRecord> {
  const target = clearFolder(folder.checkpoint(0));
  const base = trainer.weights(
    policySettings(config, modelPath),
    { kind: 'model', folder: modelPath, version: 0 },
    () => {},
  );
  await base.load();
  const saved = await base.save(target);
  const checkpoint: CheckpointRecord = {
    step: 0,
    role: POLICY_ROLE,
    version: 0,
    folder: basename(target),
    weightsSha256: saved.weightsSha256,
    bytes: saved.bytes,
    files: saved.files,
  };
  const { pack, guidance: vocabulary } = promptTexts(world, config);
  const countTokens = async (text: string): Promise<number> =>
    (await base.countTokens([[{ role: 'system', content: text }]]))[0] ?? 0;
  const context = await firstContext({ config: config.supervision, vocabulary, pack, countTokens });
  const tasks = await frameworkOf(config.framework).begin(config, {
    seeds: world.seeds,
    runner,
    signal,
    onChecked: (done, total) => world.reportProgress(runId, 1, 'tasks', done, total),
  });
  world.store.putInitial(runId, { context, tasks, checkpoints: [checkpoint] });
  return checkpoint;
}

function promptTexts({ resources }: Services, { policy: { promptPack } }: RunConfig) {
  return {
    pack: loadPromptPack(resources.prompts(promptPack), promptPack),
    guidance: loadGuidance(resources.prompts('compact')),
  };
}

/** Rebuilds everything the next step depends on from SQLite alone. */
function restore(world: Services, runId: string, config: RunConfig) {
  const { store } = world;
  const { committedSteps, supervisorSha256 } = requireRun(store, runId);
  const { pack, guidance } = promptTexts(world, config);
  const context = store.getContext(runId, committedSteps + 1);
  if (context === null)
    throw new Failure(
      'corrupt',
      `Run "${runId}" has no context for step ${committedSteps + 1}; restore the lab from a backup.`,
    );
  const buffers = new TaskBuffers(config.azr);
  const counters = new AnswerCounters();
  const tasks = CODE_TASK_TYPES.flatMap((taskType) => store.listTasks(runId, taskType));
  buffers.add(tasks);
  counters.add(tasks);
  const previousHash =
    committedSteps === 0
      ? initialHash(config, context.hash, {
          weightsSha256: store.getCheckpoint(runId, 0)?.weightsSha256 ?? '',
          supervisorSha256,
          tasks,
        })
      : (store.getStep(runId, committedSteps)?.stepHash ?? '');
  const state: RunInProgress = { config, step: committedSteps + 1, context, buffers, counters, previousHash };
  return { pack, guidance, state };
}

/** Removes what an interrupted step may have left where a checkpoint is about to be written. */
function clearFolder(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

/** Keeps the newest two checkpoints, every k-th, the first and those a person asked to keep; the database is told before files go. */
function pruneCheckpoints(store: Lab, runId: string, config: RunConfig, folder: RunFolder): void {
  const { keepEvery } = config.checkpoints;
  const kept = store.listCheckpoints(runId);
  const newest = kept.slice(-2).map((checkpoint) => checkpoint.step);
  const wanted = keptSteps(store, runId);
  for (const { step } of kept) {
    if (step === 0 || newest.includes(step) || wanted.has(step) || (keepEvery > 0 && step % keepEvery === 0))
      continue;
    store.markCheckpointPruned(runId, step);
    rmSync(folder.checkpoint(step), { recursive: true, force: true });
  }
  removeStrays(store, runId, folder);
}

/** A crash between the mark and the deletion leaves a folder behind; it goes with the next prune. */
function removeStrays(store: Lab, runId: string, folder: RunFolder): void {
  if (!existsSync(folder.checkpoints)) return;
  const known = new Set(
    store.listCheckpoints(runId).map((checkpoint) => basename(folder.checkpoint(checkpoint.step))),
  );
  for (const name of readdirSync(folder.checkpoints)) {
    if (!known.has(name)) rmSync(join(folder.checkpoints, name), { recursive: true, force: true });
  }
}
