import { existsSync, statSync } from 'node:fs';
import {
  Failure,
  runConfigSchema,
  type EvaluationSubject,
  type ModelRecord,
  type RunConfig,
} from '../../contract/index.ts';
import { examineModel } from '../../library/index.ts';
import { EMBEDDED_POLICY, EMBEDDED_SUPERVISOR, resolveKnownModel } from '../../models/index.ts';
import type { EvaluationServices } from '../services.ts';

/** A subject with where its weights lie and how its process is set up. */
export type ResolvedSubject = {
  subject: EvaluationSubject;
  path: string;
  config: RunConfig;
  /** Tokens of question and answer together; null where the files do not say. */
  contextTokens: number | null;
};

const MODEL = 'model:';
const CHECKPOINT = /^(.+)@(\d{1,7}|last)$/;

type World = Pick<EvaluationServices, 'store' | 'resources' | 'lab' | 'clock'>;

/** Short names for the models that come with the program. */
const SHORT: Readonly<Record<string, string>> = { embedded: EMBEDDED_POLICY };

/**
 * Finds what a reference means: "run@step" or "run@last", "model:name", or the name or path of a model.
 * @throws Failure `unknownRun`, `noCheckpoint`, `missingModel`, `badModel` (exit code 2).
 */
export async function resolveSubject(services: World, reference: string): Promise<ResolvedSubject> {
  const checkpoint = reference.startsWith(MODEL) ? null : CHECKPOINT.exec(reference);
  if (checkpoint !== null && !existsSync(reference))
    return checkpointSubject(services, checkpoint[1]!, checkpoint[2]!);
  const name = reference.startsWith(MODEL) ? reference.slice(MODEL.length) : reference;
  return modelSubject(services, SHORT[name] ?? name);
}

function checkpointSubject({ store, lab }: World, runId: string, wanted: string): ResolvedSubject {
  const run = store.requireRun(runId);
  const step = wanted === 'last' ? run.committedSteps : Number(wanted);
  const record = store.getCheckpoint(runId, step);
  const path = lab.run(run.folder).checkpoint(step);
  if (record === null || !existsSync(path)) {
    const kept = store.listCheckpoints(runId).map((each) => each.step);
    throw new Failure(
      'noCheckpoint',
      `Run "${runId}" has no checkpoint of step ${step}; it keeps ${kept.length === 0 ? 'none yet' : `those of steps ${kept.join(', ')}`}.`,
      2,
    );
  }
  return {
    subject: {
      id: `${runId}@${step}`,
      kind: 'checkpoint',
      label: `${run.config.name}, step ${step}`,
      runId,
      step,
      model: run.config.policy.model,
      format: 'safetensors',
      sha256: record.weightsSha256,
    },
    path,
    config: run.config,
    contextTokens: examineModel(path).contextLength,
  };
}

async function modelSubject(services: World, name: string): Promise<ResolvedSubject> {
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
    contextTokens: model.contextLength,
    config: runConfigSchema.parse({ policy: { model: name } }),
  };
}

function kindOf(stored: ModelRecord | null, name: string): ModelRecord['kind'] {
  if (name === EMBEDDED_SUPERVISOR) return 'supervisor';
  if (stored !== null) return stored.kind;
  return existsSync(name) && !statSync(name).isDirectory() ? 'supervisor' : 'policy';
}
