import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import {
  Failure,
  MEMORY_PLANNED,
  momentsOf,
  withNeeded,
  type CheckpointRecord,
  type MemoryPlanned,
  type RunConfig,
  type StepCommit,
  frameworkKeys,
} from '../../contract/index.ts';
import {
  contextItem,
  policySettings,
  roleSettings,
  type AnyFramework,
  type Checkers,
  type RoleName,
} from '../../evolution/index.ts';
import { type PromptPack, type RunFolder, promptTexts } from '../../library/index.ts';
import type { LoadedWeights, RecoveryPoint, Trainer, WeightSet } from '../../models/index.ts';
import type { Lab } from '../../store/index.ts';
import { firstContext } from '../../supervision/index.ts';
import { keptSteps, removeStrays } from '../../machine/index.ts';
import type { Services } from '../services.ts';

/** The weight sets of a run at work, by role. */
export type RunWeights = ReadonlyMap<RoleName, WeightSet>;

type Open = { config: RunConfig; framework: AnyFramework; folder: RunFolder; trainer: Trainer };

/**
 * Loads every role's weights from where the run stands.
 * @throws Failure `checkpointChanged` when files are not those that were stored, `usage` (exit code 2) when the model's window is
 * too small for the run's prompts and answers.
 */
export async function openWeights(
  { store, resources }: Pick<Services, 'store' | 'resources'>,
  runId: string,
  { config, framework, folder, trainer }: Open,
): Promise<RunWeights> {
  const opened = new Map<RoleName, WeightSet>();
  const sets = roleSettings(framework, config, folder.checkpoint(0));
  for (const { name: role, settings } of sets) {
    const start = requireCheckpoint(store, runId, role);
    const weights = trainer.weights(
      settings,
      pointOf(store, runId, start, folder),
      (operation, why) => void store.appendEvent(runId, 'trainer.recovered', { operation, why }),
      role,
    );
    const { contextLength, weightsSha256, tokenizer, ...memory } = await weights.load(
      sets.filter(({ name }) => name !== role),
    );
    requireChat(config, tokenizer, promptTexts(resources, config.policy.promptPack));
    if (weightsSha256 !== start.weightsSha256) {
      throw new Failure(
        'checkpointChanged',
        `The checkpoint ${folder.checkpoint(start.step)} is not the one that was stored with step ${start.step}; put its files back from a backup, or start a new run.`,
      );
    }
    requireWindow(config, contextLength);
    const { maxConcurrent: rows, gradCheckpoint, offloads, plannedBytes } = memory;
    const planned: MemoryPlanned = {
      role,
      asked: config.policy.maxConcurrent,
      rows,
      gradCheckpoint,
      offloads,
      plannedBytes,
      ...(tokenizer.systemInUser ? { systemInUser: true } : {}),
    };
    store.appendEvent(runId, MEMORY_PLANNED, planned);
    opened.set(role, weights);
  }
  return opened;
}

/** A stored checkpoint as what a restart returns to. */
function pointOf(store: Lab, runId: string, checkpoint: CheckpointRecord, folder: RunFolder): RecoveryPoint {
  const { step, version } = checkpoint;
  const moments = momentsOf(store.listCheckpoints(runId), checkpoint)?.step ?? step;
  return {
    kind: 'checkpoint',
    folder: folder.checkpoint(step),
    version,
    moments: folder.checkpoint(moments),
  };
}

function requireCheckpoint(store: Lab, runId: string, role: RoleName): CheckpointRecord {
  const checkpoint = store.latestCheckpoint(runId, role);
  if (checkpoint === null)
    throw new Failure(
      'corrupt',
      `Run "${runId}" lacks the checkpoint of its newest trained step; restore the lab from a backup.`,
    );
  return checkpoint;
}

/** A pack of conversations needs a model that has learnt to hold one. */
function requireChat(
  { policy, framework }: RunConfig,
  { templateSha256 }: LoadedWeights['tokenizer'],
  { pack }: { pack: PromptPack },
): void {
  if (templateSha256 !== null || pack.has('frame')) return;
  throw new Failure(
    'usage',
    `The model "${policy.model}" has no chat template, and the prompts of the pack "${policy.promptPack}" are conversations; set policy.promptPack=base, whose prompts are plain text${frameworkKeys(framework.name)?.has('reader') === true ? ', with framework.reader=lenient' : ''}.`,
    2,
  );
}

function requireWindow({ generation, policy }: RunConfig, contextLength: number): void {
  const wanted = generation.maxPromptTokens + generation.maxNewTokens;
  if (contextLength >= wanted) return;
  throw new Failure(
    'usage',
    `Prompts and answers may take ${wanted} tokens together (generation.maxPromptTokens + generation.maxNewTokens), more than the ${contextLength} of the model "${policy.model}"; lower one of them.`,
    2,
  );
}

/** The weights of a role. */
export function requireWeights(weights: RunWeights, role: RoleName): WeightSet {
  const found = weights.get(role);
  if (found === undefined) throw new RangeError(`The framework declares no role "${role}".`);
  return found;
}

/** Makes a stored step the state that a lost trainer returns to; weights that it did not train stay where they were. */
export async function commitWeights(
  store: Lab,
  runId: string,
  weights: RunWeights,
  { step, checkpoint }: StepCommit,
  folder: RunFolder,
): Promise<void> {
  for (const [role, one] of weights) {
    const point = checkpoint?.role === role ? pointOf(store, runId, checkpoint, folder) : null;
    await one.commit(point, `s${step.step}/`);
  }
}

/**
 * Copies the model a run starts from into the run, as checkpoint 0 of every role, and stores what else step 1 depends on. Where the
 * policy writes its own first tasks, every round of them is stored before the next.
 */
export async function storeInitial(
  services: Services,
  runId: string,
  {
    config,
    framework,
    folder,
    trainer,
    checkers,
    modelPath,
    signal,
    isPausing,
  }: Open & { checkers: Checkers; modelPath: string; signal: AbortSignal; isPausing: () => boolean },
): Promise<void> {
  const target = clearFolder(folder.checkpoint(0));
  const roles = framework.roles(config.framework);
  const base = trainer.weights(
    policySettings(config, modelPath),
    { kind: 'model', folder: modelPath, version: 0 },
    () => {},
    // Under the name of a role, so that its own weights take the place of these.
    roles[0],
  );
  const { tokenizer } = await base.load();
  const { pack, guidance: vocabulary } = promptTexts(services.resources, config.policy.promptPack);
  requireChat(config, tokenizer, { pack });
  const saved = await base.save(target);
  const checkpoints = roles.map((role): CheckpointRecord => ({
    step: 0,
    role,
    version: 0,
    folder: basename(target),
    ...saved,
  }));
  const countTokens = async (text: string): Promise<number> =>
    (await base.countTokens([contextItem(pack, text)]))[0] ?? 0;
  const context = await firstContext({ config: config.supervision, vocabulary, pack, countTokens });
  const tasks = await framework.init(config, {
    ...checkers,
    seeds: services.seeds,
    signal,
    onChecked: (done, total) => services.reportProgress(runId, 1, 'tasks', done, total),
    seeding: {
      weights: base,
      pack,
      context: context.text,
      earlier: services.store.listSeedAttempts(runId),
      store: (round) => services.store.putSeedRound(runId, round),
      isPausing,
      onWritten: (kept, wanted) => services.reportProgress(runId, 1, 'seeds', kept, wanted),
    },
  });
  services.store.putInitial(runId, { context, tasks, checkpoints });
}

/** Removes what an interrupted step may have left where a checkpoint is about to be written. */
export function clearFolder(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

/**
 * Keeps the newest two checkpoints of each role, every k-th, the first, those a person asked to keep, and those that one of these goes on
 * from; the database is told before files go.
 */
export function pruneCheckpoints(store: Lab, runId: string, config: RunConfig, folder: RunFolder): void {
  const { keepEvery } = config.checkpoints;
  const kept = store.listCheckpoints(runId);
  const wanted = keptSteps(store, runId);
  const newest = new Set([...Map.groupBy(kept, ({ role }) => role).values()].flatMap((of) => of.slice(-2)));
  const staying = kept.filter(
    (one) =>
      one.step === 0 ||
      newest.has(one) ||
      wanted.has(one.step) ||
      (keepEvery > 0 && one.step % keepEvery === 0),
  );
  const needed = withNeeded(kept, staying, store.listStagedSteps(runId));
  for (const checkpoint of kept) {
    const { step, role } = checkpoint;
    if (needed.has(checkpoint)) continue;
    store.markCheckpointPruned(runId, step, role);
    rmSync(folder.checkpoint(step), { recursive: true, force: true });
  }
  removeStrays(store, runId, folder);
}
