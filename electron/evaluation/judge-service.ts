import { basename, resolve, join } from 'node:path';
import { z } from 'zod';
import {
  judgeCalibrationSchema,
  type Job,
  type JudgeCalibration,
  type ModelRecord,
  type RunConfig,
} from '../contract/index.ts';
import { readText, sampleWithoutReplacement, sha256Hex } from '../core/index.ts';
import { requireKnownModel, resolveKnownModel } from '../models/index.ts';
import { startSupervisor } from '../processes/index.ts';
import type { Lab } from '../store/index.ts';
import { identityOf, HARM_RUBRIC, judgeIdentitySchema, type Judged, type ModelJudge } from './judges/ask.ts';
import { readLabelledSet, calibrate, type LabelledCompletion } from './judges/calibration.ts';
import { judgeHarm } from './judges/questions.ts';
import type { EvaluationServices } from './services.ts';

const CALIBRATIONS = 'app.judgeCalibrations';
const CHOSEN = 'app.judge';
const MOST_KEPT = 200;
const LARGEST_SET = 256 * 1024 * 1024; // bytes; HarmBench's validation file has under three million
const JUDGE_SEED = 1;
const JUDGE_COMPUTING = { threads: 1, device: 'auto' } as const;

type JudgeChoice = {
  name: string;
  path: string;
  sha256: string;
  embedded: boolean;
  calibrations: JudgeCalibration[];
};

/** Newest first. */
export function listCalibrations(store: Lab): JudgeCalibration[] {
  return z.array(judgeCalibrationSchema).parse(store.getSetting(CALIBRATIONS) ?? []);
}

/** GGUF models of the library, with how each agreed with people. */
export function listJudges(store: Lab): JudgeChoice[] {
  const calibrations = listCalibrations(store);
  return store
    .listModels()
    .filter(({ format }) => format === 'gguf')
    .map(({ name, path, sha256, embedded }) => ({
      name,
      path,
      sha256,
      embedded,
      calibrations: calibrations.filter(({ judge }) => judge.sha256 === sha256),
    }));
}

/** The judge that is meant when none is named; null for none. */
export const chosenJudge = (store: Lab): string | null =>
  z
    .string()
    .nullable()
    .parse(store.getSetting(CHOSEN) ?? null);

/** @throws Failure `missingModel`, `badModel` (exit code 2) */
export async function chooseJudge(services: EvaluationServices, model: string | null): Promise<void> {
  if (model !== null) await judgeModel(services, model);
  services.store.setSetting(CHOSEN, model);
  services.emit({ kind: 'changed', what: 'judges', runId: null });
}

/**
 * Has a judge say of labelled answers whether each carries its behaviour out, and keeps how that agrees with people. A job; one
 * that was cut off goes on when the same is asked for again.
 * @param limit so many answers, drawn at random (always the same ones of a set); null for all.
 * @throws Failure `missingFile`, `badFile`, `missingModel` (exit code 2)
 */
export async function calibrateJudge(
  services: EvaluationServices,
  { model, path, limit }: { model: string; path: string; limit: number | null },
): Promise<Job> {
  const { text, sha256 } = readSet(resolve(path));
  const set = partOf(readLabelledSet(text, basename(path)), limit);
  const known = await judgeModel(services, model);
  return services.jobs.start(
    {
      kind: 'calibrate',
      title: `${known.name} judges ${set.length} labelled answers`,
      unit: 'answer',
      total: set.length,
      keeps: 'It was cancelled; its verdicts are kept, and the same calibration goes on from there.',
    },
    (job) =>
      withJudge(services, model, JUDGE_SEED, JUDGE_COMPUTING, async (judge): Promise<JudgeCalibration> => {
        const identity = identityOf(judge, HARM_RUBRIC);
        const begun = new CalibrationInProgress(
          services.store,
          [sha256, set.length, identity.sha256, identity.promptVersion].join(' '),
        );
        job.found({ done: begun.verdicts.length });
        for (const answer of set.slice(begun.verdicts.length)) {
          begun.keep(await judgeHarm(judge, answer, job.signal));
          job.advance(1);
        }
        const at = services.clock.now().toISOString();
        const found = calibrate(set, begun.verdicts, identity);
        const calibration = judgeCalibrationSchema.parse({
          ...found,
          id: `calibration-${at.replaceAll(/[-:.TZ]/g, '')}`,
          at,
          set: basename(path),
          setSha256: sha256,
          path: known.path,
        });
        services.store.setSetting(
          CALIBRATIONS,
          [calibration, ...listCalibrations(services.store)].slice(0, MOST_KEPT),
        );
        begun.end();
        services.emit({ kind: 'changed', what: 'judges', runId: null });
        return calibration;
      }),
  );
}

/** Labelled files are sorted by behaviour, so the first so many would speak of a few behaviours only. */
function partOf(all: readonly LabelledCompletion[], limit: number | null): readonly LabelledCompletion[] {
  return limit === null ? all : sampleWithoutReplacement(all, limit, JUDGE_SEED, 'calibration');
}

function readSet(path: string): { text: string; sha256: string } {
  const text = readText(path, LARGEST_SET);
  return { text, sha256: sha256Hex(text) };
}

const BEGUN = 'app.judgeCalibrationBegun';

const rest = {
  judge: judgeIdentitySchema,
  attempts: z.int().nonnegative(),
  milliseconds: z.number().nonnegative(),
};
const verdictSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('judged'), value: z.boolean(), ...rest }),
  z.strictObject({ status: z.literal('unjudged'), why: z.string(), ...rest }),
]);
const begunSchema = z.strictObject({ key: z.string(), verdicts: z.array(verdictSchema) });

/**
 * Verdicts of the calibration that was begun last, kept one by one, so that asking for the same one again goes on where it was
 * cut off. `key` names all that decides a verdict: the set, its part, the judge's file and its wording.
 */
class CalibrationInProgress {
  readonly #store: Lab;
  readonly #key: string;
  readonly verdicts: Judged<boolean>[];

  constructor(store: Lab, key: string) {
    this.#store = store;
    this.#key = key;
    const kept = begunSchema.safeParse(store.getSetting(BEGUN));
    this.verdicts = kept.success && kept.data.key === key ? kept.data.verdicts : [];
  }

  keep(verdict: Judged<boolean>): void {
    this.verdicts.push(verdict);
    this.#store.setSetting(BEGUN, { key: this.#key, verdicts: this.verdicts });
  }

  end(): void {
    this.#store.setSetting(BEGUN, null);
  }
}

type JudgeServices = Pick<EvaluationServices, 'store' | 'resources' | 'lab' | 'clock'>;

/** Room for the longest material, the rubric and the answer; less where the model has less. */
const JUDGE_CONTEXT_TOKENS = 8192;

/** The name and hash by which a judge is known, without loading it. @throws Failure `missingModel`, `badModel` (exit code 2). */
export async function judgeModel(
  services: JudgeServices,
  reference: string,
): Promise<Pick<ModelRecord, 'name' | 'sha256' | 'path' | 'embedded' | 'contextLength'>> {
  const { name, sha256, path, embedded, contextLength } = await resolveKnownModel(
    services,
    reference,
    'supervisor',
  );
  return { name, sha256, path, embedded, contextLength };
}

/** A GGUF judge in a process of its own, which ends with `use`. */
export async function withJudge<T>(
  services: JudgeServices,
  reference: string,
  seed: number,
  { threads, device }: Pick<RunConfig['policy'], 'threads' | 'device'>,
  use: (judge: ModelJudge) => Promise<T>,
): Promise<T> {
  const { name, sha256, path, contextLength } = await judgeModel(services, reference);
  await requireKnownModel(services, reference, 'supervisor', sha256);
  const client = await startSupervisor({ logFile: join(services.lab.logs, 'judge.log') });
  try {
    await client.load({
      path,
      contextSize: Math.min(JUDGE_CONTEXT_TOKENS, contextLength ?? JUDGE_CONTEXT_TOKENS),
      threads,
      gpu: device === 'cpu' ? false : 'auto',
    });
    return await use({ port: client, model: { name, sha256 }, seed });
  } finally {
    await client.close();
  }
}
