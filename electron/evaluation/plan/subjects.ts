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
  type SamplingLimits,
  type Trainer,
  type GgufRows,
} from '../../models/index.ts';
import {
  cacheBytesPerToken,
  readGgufHeader,
  startSupervisor,
  type LoadRequest,
} from '../../processes/index.ts';
import type { EvaluationServices } from '../services.ts';

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

/** Toy questions fit what a run's own prompts fit. */
const SHORT_ANSWER_TOKENS = 256;
const TRAINER_ROWS = 64; // answers do not depend on each other; a wide batch is fastest, also on one core
/** Keys and values of so many tokens are held at once: 64 short rows, or a few long ones. */
const TOKENS_AT_ONCE = 131_072;

/** A subject that answers, and the hash of the weights that do. */
export type SubjectSampler = { sampler: Sampler; weightsSha256: string };

/**
 * Suites with the same number are asked of one loading of the subject, each within the window that it has by itself: the rows that a
 * GGUF file's answers are written in, for the numbers of an answer depend on how many are computed together.
 */
export const loadingOf = (resolved: ResolvedSubject, maxNewTokens: number): number =>
  resolved.subject.format === 'gguf' ? ggufRows(resolved, maxNewTokens).rows : 0;

/** Makes the subject answer up to `maxNewTokens` each and fewer, as often as asked, one loading after the other. */
type Opener = <T>(maxNewTokens: number, use: (subject: SubjectSampler) => Promise<T>) => Promise<T>;

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
    async (maxNewTokens, ask) => {
      const { sampler, loaded } = await trainer.sampler(loadRequest(resolved, seed, maxNewTokens));
      const own = (fewer: number): number => trainerTokens(resolved, fewer);
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
    return await use(async (maxNewTokens, ask) => {
      const loaded = ggufRows(resolved, maxNewTokens);
      const { policy } = resolved.config;
      await client.load({
        path: resolved.path,
        contextSize: loaded.contextTokens,
        rows: loaded.rows,
        threads: policy.threads,
        gpu: policy.device === 'cpu' ? false : 'auto',
      });
      const own = (fewer: number): number => ggufRows(resolved, fewer).contextTokens;
      const sampler = withinOwn(new GgufSampler(client, loaded), own);
      return ask({ sampler, weightsSha256: resolved.subject.sha256 });
    });
  } finally {
    await client.close();
  }
}

/** Answers of each length within the window that `tokensOf` gives it, however large the one is that the model was loaded for. */
function withinOwn(sampler: Sampler, tokensOf: (maxNewTokens: number) => number): Sampler {
  const within = <L extends SamplingLimits>(limits: L): L => ({
    ...limits,
    contextTokens: tokensOf(limits.maxNewTokens),
  });
  return {
    sample: (messages, n, options) => sampler.sample(messages, n, within(options)),
    sampleEach: (requests, limits, ...rest) => sampler.sampleEach(requests, within(limits), ...rest),
  };
}

/** The window that a trainer's answers of up to `maxNewTokens` have, questions included. */
function trainerTokens(
  { config, contextTokens }: Pick<ResolvedSubject, 'config' | 'contextTokens'>,
  maxNewTokens: number,
): number {
  const wanted = questionTokens(config, maxNewTokens) + maxNewTokens;
  return Math.min(wanted, contextTokens ?? wanted);
}

function loadRequest(resolved: ResolvedSubject, seed: number, maxNewTokens: number): LoadRequest {
  const { path, config } = resolved;
  const maxSeqTokens = trainerTokens(resolved, maxNewTokens);
  return {
    model: { path },
    train: { mode: 'none' },
    rollout: {
      maxSeqTokens,
      maxConcurrent: Math.max(1, Math.min(TRAINER_ROWS, Math.floor(TOKENS_AT_ONCE / maxSeqTokens))),
    },
    device: config.policy.device,
    threads: config.policy.threads,
    seed,
    reference: 'none',
  };
}

const questionTokens = ({ generation }: RunConfig, maxNewTokens: number): number =>
  maxNewTokens <= SHORT_ANSWER_TOKENS ? generation.maxPromptTokens : QUESTION_TOKENS;

/** Room for a question. */
const QUESTION_TOKENS = 4096;
/** Answers of up to so many tokens share one size of window. */
const SHORT_ANSWER = 1024;
const LONG_ANSWER = 4096;
/** Reading the weights once for each token of eight answers is most of what more rows could save. */
const MOST_ROWS = 8;
/** Of all rows: llama.cpp sets the room for keys and values aside at once, and that of one sequence more beside them. */
const CACHE_BYTES = 4 * 2 ** 30;
/** Of a model whose file does not say how much a token takes: one of 7 billion parameters with as many key heads as heads. */
const USUAL_BYTES_PER_TOKEN = 2 ** 19;
const UNKNOWN_WINDOW = 8192; // of a model whose file does not say
/** No answer of a suite says the same over and over for so long; a model that does so goes on to its limit. */
const LOOP_TOKENS = 512;

/**
 * How a GGUF model is loaded for answers of up to `maxNewTokens`. The numbers of an answer depend on how many rows are computed
 * together, so this is a function of model and suite, and of nothing that the machine or the other suites are.
 */
export function ggufRows(
  model: { contextTokens: number | null; cacheBytesPerToken: number | null },
  maxNewTokens: number,
): GgufRows {
  const wanted =
    QUESTION_TOKENS +
    (maxNewTokens <= SHORT_ANSWER
      ? SHORT_ANSWER
      : maxNewTokens <= LONG_ANSWER
        ? LONG_ANSWER
        : 2 ** Math.ceil(Math.log2(maxNewTokens)));
  const contextTokens = Math.min(model.contextTokens ?? UNKNOWN_WINDOW, wanted);
  const rowBytes = contextTokens * (model.cacheBytesPerToken ?? USUAL_BYTES_PER_TOKEN);
  let rows = MOST_ROWS;
  while (rows > 1 && rows * rowBytes > CACHE_BYTES) rows /= 2;
  return { contextTokens, rows, loopTokens: LOOP_TOKENS };
}
