import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  Failure,
  modelProbeSchema,
  type LiveEvent,
  type ModelProbe,
  type ModelRecord,
} from '../contract/index.ts';
import type { Trainer } from '../models/index.ts';
import { startSupervisor } from '../processes/index.ts';
import type { Lab } from '../store/index.ts';
import type { Clock, JobHandle } from '../core/index.ts';
import { peakBytes } from './measure.ts';

const TOKENS = 96; // long enough for a steady rate, short enough for a 7B model on a CPU
const CONTEXT_TOKENS = 512;
const THREADS = 2;
/** Neutral text any model can go on from; its content does not matter to the rate. */
const PROMPT = 'Write down the numbers from one to one hundred as words, one after the other.';

type TestLoadServices = {
  store: Lab;
  lab: { logs: string };
  children: {
    withTrainer: <T>(
      purpose: string,
      threads: number,
      use: (trainer: Trainer) => Promise<T>,
      attempts?: number,
      signal?: AbortSignal,
    ) => Promise<T>;
  };
  clock: Clock;
  emit: (event: LiveEvent) => void;
};

const settingOf = (sha256: string): `app.${string}` => `app.probe.${sha256}`;

/** The last test load of exactly these files on this lab's machine; null when there was none. */
export function probeOf(store: Lab, sha256: string): ModelProbe | null {
  const stored = store.getSetting(settingOf(sha256));
  return stored === null ? null : modelProbeSchema.parse(stored);
}

/**
 * Loads the model in a process of its own, lets it write, and keeps what that took as its probe. The process ends with the
 * test, and a model that crashes takes nothing else along. @throws Failure with the fault of a model that cannot be loaded.
 */
export async function testLoad(
  services: TestLoadServices,
  model: ModelRecord,
  job: JobHandle,
): Promise<ModelProbe> {
  if (!existsSync(model.path))
    throw new Failure(
      'missingModel',
      `The files of "${model.name}" are not at ${model.path}; plug in the drive, or remove the entry and import it again.`,
      2,
    );
  job.total(TOKENS);
  const measured =
    model.format === 'gguf'
      ? await loadSupervisor(services, model, job)
      : await loadPolicy(services, model, job);
  const probe: ModelProbe = { ...measured, sha256: model.sha256, at: services.clock.now().toISOString() };
  services.store.setSetting(settingOf(model.sha256), probe);
  services.emit({ kind: 'changed', what: 'library', runId: null });
  return probe;
}

type Measured = Omit<ModelProbe, 'sha256' | 'at'>;

async function loadSupervisor(
  { lab, clock }: TestLoadServices,
  model: ModelRecord,
  job: JobHandle,
): Promise<Measured> {
  // Loading is native code that cannot be asked to stop; its process can be ended.
  const client = await startSupervisor({
    logFile: join(lab.logs, 'test-load-supervisor.log'),
    signal: job.signal,
  });
  try {
    const began = clock.monotonicMs();
    const loaded = await client.load({ path: model.path, contextSize: CONTEXT_TOKENS, threads: THREADS });
    const loadSeconds = (clock.monotonicMs() - began) / 1000;
    const { tokensOut, milliseconds } = await client.complete(
      { prompt: PROMPT, maxTokens: TOKENS, seed: 1, temperature: 1 },
      job.signal,
    );
    job.at(TOKENS);
    return {
      loadSeconds,
      tokens: tokensOut,
      tokensPerSecond: rate(tokensOut, milliseconds),
      memoryBytes: peakBytes(client.pid),
      threads: THREADS,
      device: loaded.gpu ?? 'CPU',
    };
  } finally {
    await client.close();
  }
}

function loadPolicy(
  { children, clock }: TestLoadServices,
  model: ModelRecord,
  job: JobHandle,
): Promise<Measured> {
  const measure = async (trainer: Trainer): Promise<Measured> => {
    const began = clock.monotonicMs();
    const { sampler, loaded } = await trainer.sampler({
      model: { path: model.path },
      train: { mode: 'none' },
      rollout: { maxSeqTokens: CONTEXT_TOKENS, maxConcurrent: 1 },
      device: 'auto',
      threads: THREADS,
      seed: 1,
      reference: 'none',
    });
    const loadSeconds = (clock.monotonicMs() - began) / 1000;
    const request = {
      key: 'one',
      messages: [{ role: 'user' as const, content: PROMPT }],
      raw: true,
      stops: [],
      seed: 1,
    };
    const sampling = { temperature: 1, topP: 1, maxNewTokens: TOKENS };
    // Its chat template is a program too, and what it does shows only when it is used.
    if (loaded.tokenizer.templateSha256 !== null)
      await sampler.sampleEach(
        [{ ...request, raw: false }],
        { ...sampling, maxNewTokens: 1 },
        () => {},
        job.signal,
      );
    const asked = clock.monotonicMs();
    let tokens = 0;
    await sampler.sampleEach([request], sampling, ({ newTokens }) => (tokens += newTokens), job.signal);
    const milliseconds = clock.monotonicMs() - asked;
    job.at(TOKENS);
    return {
      loadSeconds,
      tokens,
      tokensPerSecond: rate(tokens, milliseconds),
      memoryBytes: peakBytes(trainer.pid),
      threads: loaded.threads,
      device: loaded.device,
    };
  };
  // A model that takes its process along would do so again. One that occupies it does not look at its requests.
  return children.withTrainer('test-load', THREADS, measure, 1, job.signal);
}

const rate = (tokens: number, milliseconds: number): number =>
  milliseconds > 0 ? (1000 * tokens) / milliseconds : 0;
