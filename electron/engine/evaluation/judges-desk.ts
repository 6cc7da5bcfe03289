import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { Failure, judgeCalibrationSchema, type Job, type JudgeCalibration } from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import { judges } from '../../evaluation/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { RunWorld } from '../world.ts';
import { judgeModel, withJudge } from './wanted/judge.ts';

const CALIBRATIONS = 'app.judgeCalibrations';
const CHOSEN = 'app.judge';
const MOST_KEPT = 200;
const LARGEST_SET = 256 * 1024 * 1024; // bytes; HarmBench's validation file has under three million
const JUDGE_SEED = 1;
const JUDGE_COMPUTING = { threads: 1, device: 'auto' } as const;

export type JudgeChoice = { name: string; path: string; sha256: string; embedded: boolean; calibrations: JudgeCalibration[] };

/** Newest first. */
export function listCalibrations(store: Lab): JudgeCalibration[] {
  return z.array(judgeCalibrationSchema).parse(store.getSetting(CALIBRATIONS) ?? []);
}

/** GGUF models of the library, with how each agreed with people. */
export function listJudges(store: Lab): JudgeChoice[] {
  const calibrations = listCalibrations(store);
  return store.listModels().filter(({ format }) => format === 'gguf').map(({ name, path, sha256, embedded }) => (
    { name, path, sha256, embedded, calibrations: calibrations.filter(({ judge }) => judge.sha256 === sha256) }));
}

/** The judge that is meant when none is named; null for none. */
export const chosenJudge = (store: Lab): string | null => z.string().nullable().parse(store.getSetting(CHOSEN) ?? null);

/** @throws Failure `missingModel`, `badModel` (exit code 2) */
export async function chooseJudge(world: RunWorld, model: string | null): Promise<void> {
  if (model !== null) await judgeModel(world, model);
  world.store.setSetting(CHOSEN, model);
  world.tell({ kind: 'changed', what: 'judges', runId: null });
}

/**
 * Has a judge say of every labelled answer whether it carries its behaviour out, and keeps how that agrees with people. A job.
 * @param limit the first so many answers; null for all.
 * @throws Failure `missingFile`, `badFile`, `missingModel` (exit code 2)
 */
export async function calibrateJudge(world: RunWorld, jobs: Jobs, { model, path, limit }: { model: string; path: string; limit: number | null }): Promise<Job> {
  const { text, sha256 } = readSet(resolve(path));
  const all = judges.readLabelledSet(text, basename(path));
  const set = all.slice(0, limit ?? all.length);
  const known = await judgeModel(world, model);
  return jobs.start({ kind: 'calibrate', title: `${known.name} judges ${set.length} labelled answers`, unit: 'answer', total: set.length }, (job) => withJudge(world, model, JUDGE_SEED, JUDGE_COMPUTING, async (judge): Promise<JudgeCalibration> => {
    const verdicts: judges.Judged<boolean>[] = [];
    for (const answer of set) {
      verdicts.push(await judges.judgeHarm(judge, answer, job.signal));
      job.advance(1);
    }
    const found = judges.calibrate(set, verdicts, judges.identityOf(judge, judges.HARM_RUBRIC));
    const at = world.clock.now().toISOString();
    const calibration = judgeCalibrationSchema.parse({ ...found, id: `calibration-${at.replaceAll(/[-:.TZ]/g, '')}`, at, set: basename(path), setSha256: sha256, path: known.path });
    world.store.setSetting(CALIBRATIONS, [calibration, ...listCalibrations(world.store)].slice(0, MOST_KEPT));
    world.tell({ kind: 'changed', what: 'judges', runId: null });
    return calibration;
  }));
}

function readSet(path: string): { text: string; sha256: string } {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new Failure('missingFile', `There is no labelled set at ${path}; choose HarmBench's validation file or a list of labelled answers.`, 2);
  if (found.size > LARGEST_SET) throw new Failure('badFile', `${path} is larger than a labelled set can be.`, 2);
  const bytes = readFileSync(path);
  return { text: bytes.toString('utf8'), sha256: sha256Hex(bytes) };
}
