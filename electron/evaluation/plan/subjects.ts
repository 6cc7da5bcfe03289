import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  Failure,
  resultRole,
  runConfigSchema,
  type EvaluationSubject,
  type ModelRecord,
  type RunConfig,
} from '../../contract/index.ts';
import {
  examineModel,
  isAdapter,
  modelFilesOf,
  requireUnchanged,
  type HashedFile,
} from '../../library/index.ts';
import {
  EMBEDDED_POLICY,
  embeddedKind,
  requireKnownModel,
  resolveKnownModel,
  GgufSampler,
  type Sampler,
  type Trainer,
} from '../../models/index.ts';
import {
  cacheBytesPerToken,
  readGgufHeader,
  startSupervisor,
  type LoadRequest,
} from '../../processes/index.ts';
import type { EvaluationServices } from '../services.ts';
import { ggufRows, trainerRollout, trainerWindow, withinOwn } from './answer-windows.ts';

/** A subject with where its weights lie and how its process is set up. */
export type ResolvedSubject = {
  subject: EvaluationSubject;
  path: string;
  /** What a run stored of its checkpoint; nothing of models, which are compared by the one hash of them. */
  stored: HashedFile[];
  config: RunConfig;
  /** Tokens of question and answer together; null where the files do not say. */
  contextTokens: number | null;
  /** Keys and values of a token of context; of a GGUF file that says so. */
  cacheBytesPerToken: number | null;
};

const MODEL = 'model:';
const CHECKPOINT = /^(.+)@(\d{1,7}|last)$/;

type SubjectServices = Pick<
  EvaluationServices,
  'store' | 'resources' | 'lab' | 'clock' | 'storeOf' | 'filesOf' | 'remadeOf'
>;

/** Short for the policy that comes with the program. */
const EMBEDDED = 'embedded';

/**
 * Finds what a reference means: "run@step" or "run@last", "model:name", or the name or path of a model.
 * @throws Failure `unknownRun`, `noCheckpoint`, `missingModel`, `badModel` (exit code 2).
 */
export async function resolveSubject(services: SubjectServices, reference: string): Promise<ResolvedSubject> {
  const checkpoint = reference.startsWith(MODEL) ? null : CHECKPOINT.exec(reference);
  if (checkpoint !== null && !existsSync(reference))
    return checkpointSubject(services, checkpoint[1]!, checkpoint[2]!);
  const name = reference.startsWith(MODEL) ? reference.slice(MODEL.length) : reference;
  return modelSubject(services, name === EMBEDDED ? EMBEDDED_POLICY : name);
}

/** Ends the name of a run whose checkpoints were made again and have other weights than it recorded: they are subjects of their own. */
const REMADE = '-remade';
export const remadeId = (runId: string, step: number): string => `${runId}${REMADE}@${step}`;
export const remadeLabel = (name: string, step: number): string =>
  `${name}, step ${step}, made again here with other weights`;

function checkpointSubject(services: SubjectServices, named: string, wanted: string): ResolvedSubject {
  const isRemade = named.endsWith(REMADE);
  const runId = isRemade ? named.slice(0, -REMADE.length) : named;
  const store = services.storeOf(runId);
  const run = store.requireRun(runId);
  const step = wanted === 'last' ? run.committedSteps : Number(wanted);
  const role = resultRole(run.config.framework);
  const kept = isRemade ? services.remadeOf(runId) : store.listCheckpoints(runId);
  const latest = step > run.committedSteps ? null : store.latestCheckpoint(runId, role, step);
  const record = kept.find((one) => one.role === role && one.step === latest?.step) ?? null;
  const folder = services.filesOf(runId);
  const path = folder.checkpoint(record?.step ?? step);
  if (record === null || !existsSync(path)) {
    const steps = kept.map((each) => each.step);
    throw new Failure(
      'noCheckpoint',
      !isRemade && services.remadeOf(runId).length > 0
        ? `The recorded weights of "${runId}" cannot be made on this processor, which rounds otherwise; ask those it came to, "${remadeId(runId, step)}".`
        : `Run "${named}" has no checkpoint of step ${step}; it keeps ${steps.length === 0 ? 'none yet' : `those of steps ${steps.join(', ')}`}.`,
      2,
    );
  }
  return {
    subject: {
      id: isRemade ? remadeId(runId, step) : `${runId}@${step}`,
      kind: 'checkpoint',
      label: isRemade ? remadeLabel(run.config.name, step) : `${run.config.name}, step ${step}`,
      runId,
      step,
      model: run.config.policy.model,
      format: 'safetensors',
      sha256: record.weightsSha256,
    },
    path,
    stored: modelFilesOf(folder, record, kept.find((one) => one.role === role && one.step === 0) ?? null),
    config: run.config,
    // An adapter has the window of the weights it is used with.
    contextTokens: examineModel(isAdapter(record) ? folder.checkpoint(0) : path).contextLength,
    cacheBytesPerToken: null,
  };
}

async function modelSubject(services: SubjectServices, name: string): Promise<ResolvedSubject> {
  const model = await resolveKnownModel(services, name, kindOf(services.store.getModel(name), name));
  return {
    subject: {
      id: `${MODEL}${name}`,
      kind: 'model',
      label: model.name,
      runId: null,
      step: null,
      model: name,
      format: model.format,
      sha256: model.sha256,
    },
    path: model.path,
    stored: [],
    contextTokens: model.contextLength,
    cacheBytesPerToken: model.format === 'gguf' ? cacheBytesPerToken(readGgufHeader(model.path)) : null,
    config: runConfigSchema.parse({ policy: { model: name } }),
  };
}

function kindOf(stored: ModelRecord | null, name: string): ModelRecord['kind'] {
  const kind = embeddedKind(name) ?? stored?.kind;
  if (kind !== undefined) return kind;
  return existsSync(name) && !statSync(name).isDirectory() ? 'supervisor' : 'policy';
}

/** A subject that answers, and the hash of the weights that do. */
export type SubjectSampler = { sampler: Sampler; weightsSha256: string };

/**
 * Suites with the same number are asked of one loading of the subject, each within the window that it has by itself: the rows that a
 * GGUF file's answers are written in, for the numbers of an answer depend on how many are computed together.
 */
export const loadingOf = (resolved: ResolvedSubject, maxNewTokens: number): number =>
  resolved.subject.format === 'gguf' ? ggufRows(resolved, maxNewTokens).rows : 0;

/** Makes the subject answer suites of these longest answers, in new tokens, as often as asked, one loading after the other. */
type Opener = <T>(lengths: readonly number[], use: (subject: SubjectSampler) => Promise<T>) => Promise<T>;

/**
 * What is loaded has to be what was stored of a checkpoint, or the model that was planned with. @throws Failure `modelChanged`, and what
 * `resolveSubject` does.
 */
export async function requireAsResolved(
  services: Pick<EvaluationServices, 'store' | 'resources' | 'lab' | 'clock'>,
  { subject, stored }: ResolvedSubject,
): Promise<void> {
  await requireUnchanged(stored, 'put the files of this checkpoint back, or ask that of another step');
  if (subject.kind === 'model')
    await requireKnownModel(
      services,
      subject.model,
      subject.format === 'gguf' ? 'supervisor' : 'policy',
      subject.sha256,
    );
}

/**
 * Starts the process of a subject and ends it with `use`: the trainer for safetensors, llama.cpp for a GGUF file.
 * @param by a trainer that has nothing else to do; without it one is started.
 */
export async function withSubject<T>(
  services: Pick<EvaluationServices, 'children' | 'lab' | 'store' | 'resources' | 'clock'>,
  resolved: ResolvedSubject,
  seed: number,
  by: Trainer | undefined,
  use: (open: Opener) => Promise<T>,
): Promise<T> {
  const { subject, config } = resolved;
  await requireAsResolved(services, resolved);
  if (subject.format === 'gguf') return withGguf(services, resolved, use);
  const open =
    (trainer: Trainer): Opener =>
    async (lengths, ask) => {
      const { sampler, loaded } = await trainer.sampler(loadRequest(resolved, seed, lengths));
      const own = (maxNewTokens: number): number => trainerWindow(resolved, maxNewTokens);
      return ask({ sampler: withinOwn(sampler, own), weightsSha256: loaded.weightsSha256 });
    };
  return by === undefined
    ? services.children.withTrainer('evaluation', config.policy.threads, (trainer) => use(open(trainer)))
    : use(open(by));
}

async function withGguf<T>(
  { lab }: Pick<EvaluationServices, 'lab'>,
  resolved: ResolvedSubject,
  use: (open: Opener) => Promise<T>,
): Promise<T> {
  const client = await startSupervisor({ logFile: join(lab.logs, 'evaluated.log') });
  try {
    return await use(async (lengths, ask) => {
      const loaded = ggufRows(resolved, Math.max(...lengths));
      const { policy } = resolved.config;
      await client.load({
        path: resolved.path,
        contextSize: loaded.contextTokens,
        rows: loaded.rows,
        threads: policy.threads,
        gpu: policy.device === 'cpu' ? false : 'auto',
      });
      const own = (maxNewTokens: number): number => ggufRows(resolved, maxNewTokens).contextTokens;
      const sampler = withinOwn(new GgufSampler(client, loaded), own);
      return ask({ sampler, weightsSha256: resolved.subject.sha256 });
    });
  } finally {
    await client.close();
  }
}

function loadRequest(resolved: ResolvedSubject, seed: number, lengths: readonly number[]): LoadRequest {
  const { path, config } = resolved;
  return {
    model: { path },
    train: { mode: 'none' },
    rollout: trainerRollout(resolved, lengths),
    device: config.policy.device,
    threads: config.policy.threads,
    seed,
    reference: 'none',
  };
}
