import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { JsonLines, writeWholeFile } from '../../library/index.ts';

/** One evaluation: `passed` has one character per item and suite, 1 for passed, in the suite's order. */
export const evaluationEntrySchema = z.strictObject({
  kind: z.literal('evaluation'),
  /** Run key, or `start//SEED` for the untouched weights. */
  run: z.string(),
  step: z.int().nonnegative(),
  context: z.enum(['none', 'final', 'trace']),
  weightsSha256: z.string(),
  passed: z.record(z.string(), z.string().regex(/^[01]+$/)),
  /** Wall clock of the request, which may have asked under several contexts. */
  seconds: z.number(),
});
/** A run that is done: what it ended with and what it cost. */
export const runEntrySchema = z.strictObject({
  kind: z.literal('run'),
  run: z.string(),
  id: z.string(),
  finalHash: z.string(),
  context: z.array(z.string()),
  reviews: z.int(),
  secondsPerStep: z.number(),
  reviewSeconds: z.number(),
  /** Means of metrics over the first and the last part of the run; absent where its steps have none of them. */
  along: z.record(z.string(), z.tuple([z.number(), z.number()])).optional(),
});
const entrySchema = z.discriminatedUnion('kind', [evaluationEntrySchema, runEntrySchema]);
export type EvaluationEntry = z.infer<typeof evaluationEntrySchema>;
export type RunEntry = z.infer<typeof runEntrySchema>;
export type Entry = z.infer<typeof entrySchema>;

export const entryKey = (entry: Entry): string =>
  entry.kind === 'run' ? `run ${entry.run}` : evaluationKey(entry.run, entry.step, entry.context);
export const evaluationKey = (run: string, step: number, context: string): string =>
  `${run} @${step} ${context}`;

/** What the study has found out so far. */
export class StudyState {
  readonly entries: Map<string, Entry>;
  readonly #lines: JsonLines<Entry>;

  /** Reads what is there. @throws Failure `badFile`. */
  constructor(file: string) {
    this.#lines = new JsonLines(file, (line, number) => {
      try {
        return entrySchema.parse(JSON.parse(line));
      } catch (cause) {
        throw new Failure(
          'badFile',
          `Line ${number} of ${file} is no entry of this study; remove the line to have it done again.`,
          1,
          { cause },
        );
      }
    });
    this.entries = new Map(this.#lines.lines.map((entry) => [entryKey(entry), entry]));
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** Writes an entry through to the disk. @throws Error when it is there already: nothing is done twice. */
  add(entry: Entry): void {
    const key = entryKey(entry);
    if (this.entries.has(key)) throw new Error(`The study has ${key} already.`);
    this.#lines.add([entry]);
    this.entries.set(key, entry);
  }

  evaluation(run: string, step: number, context: string): EvaluationEntry | undefined {
    const entry = this.entries.get(evaluationKey(run, step, context));
    return entry?.kind === 'evaluation' ? entry : undefined;
  }

  run(run: string): RunEntry | undefined {
    const entry = this.entries.get(`run ${run}`);
    return entry?.kind === 'run' ? entry : undefined;
  }
}

/**
 * Binds a folder to what its results depend on; more seeds and arms may come later.
 * @throws Failure `otherStudy` (exit code 2) when the folder was begun with other settings or models.
 */
export function bindFolder(folder: string, settings: Record<string, unknown>): void {
  const file = join(folder, 'settings.json');
  if (!existsSync(file)) {
    writeWholeFile(file, `${JSON.stringify(settings, null, 2)}\n`);
    return;
  }
  const changed = changedSettings(boundSettings(folder), settings);
  if (changed.length > 0) {
    throw new Failure(
      'otherStudy',
      `The folder ${folder} holds a study begun with other ${changed.join(', ')}; continue it as it was begun, or choose another folder with --folder.`,
      2,
    );
  }
}

/** Names of the settings that differ. */
export function changedSettings(
  before: Record<string, unknown>,
  settings: Record<string, unknown>,
): string[] {
  return Object.keys({ ...before, ...settings }).filter(
    (name) => canonicalJson(before[name] ?? null) !== canonicalJson(settings[name] ?? null),
  );
}

/**
 * Begins a folder with what another study found: runs that were cut off begin again, since their lab stays behind. A folder that
 * holds the same already is left as it is. @throws Failure `otherStudy` when it holds other evaluations, `noStudy` (exit code 2).
 */
export function beginFrom(folder: string, from: string): void {
  const [settings, evaluations] = ['settings.json', 'evaluations.jsonl'] as const;
  const found = boundSettings(from);
  const done = new StudyState(join(from, evaluations));
  if (existsSync(join(folder, settings))) {
    const there = new StudyState(join(folder, evaluations));
    if ([...done.entries.keys()].every((key) => there.has(key))) return;
    throw new Failure(
      'otherStudy',
      `The folder ${folder} holds a study of its own; choose an empty one with --folder to begin with what ${from} found.`,
      2,
    );
  }
  const finished = new Set(
    [...done.entries.values()].flatMap((entry) => (entry.kind === 'run' ? [entry.run] : [])),
  );
  const kept = [...done.entries.values()].filter(({ run }) => finished.has(run) || run.startsWith('start//'));
  writeWholeFile(join(folder, evaluations), kept.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  writeWholeFile(join(folder, settings), `${JSON.stringify(found, null, 2)}\n`);
}

/** What the folder is bound to. @throws Failure `noStudy` (exit code 2) when no study was begun in it. */
export function boundSettings(folder: string): Record<string, unknown> {
  const file = join(folder, 'settings.json');
  if (!existsSync(file))
    throw new Failure(
      'noStudy',
      `There is no study in ${folder}; begin one, or name its folder with --folder.`,
      2,
    );
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

/** What two studies both hold, and where they found something else. */
export type Comparison = { runs: number; evaluations: number; different: string[] };

/** What table and figure are made of; when it was done, how long it took and which id a run drew are nobody's finding. */
const findingOf = (entry: Entry): string =>
  canonicalJson(
    entry.kind === 'evaluation'
      ? { weights: entry.weightsSha256, passed: entry.passed }
      : { context: entry.context, reviews: entry.reviews },
  );

/** Compares every run and evaluation that both hold: the same weights to the bit, the same answers passed, the same context. */
export function compareStudies(own: StudyState, other: StudyState): Comparison {
  const both = [...own.entries].flatMap(([key, entry]) => {
    const theirs = other.entries.get(key);
    return theirs === undefined
      ? []
      : [{ key, kind: entry.kind, same: findingOf(entry) === findingOf(theirs) }];
  });
  const runs = both.filter(({ kind }) => kind === 'run').length;
  return {
    runs,
    evaluations: both.length - runs,
    different: both.filter(({ same }) => !same).map(({ key }) => key),
  };
}

/** Opens the study to be compared with. @throws Failure `otherStudy` (exit code 2) when models, suites or settings are others, `noStudy`. */
export function openOther(folder: string, settings: Record<string, unknown>): StudyState {
  const changed = changedSettings(boundSettings(folder), settings);
  if (changed.length > 0)
    throw new Failure(
      'otherStudy',
      `The study in ${folder} was made with other ${changed.join(', ')}: their results have nothing to say about each other.`,
      2,
    );
  return new StudyState(join(folder, 'evaluations.jsonl'));
}

/** Returns what is the same as a sentence. @throws Failure `different` naming the first that differ, `nothingInCommon`. */
export function requireSame({ runs, evaluations, different }: Comparison, folder: string): string {
  if (runs + evaluations === 0)
    throw new Failure(
      'nothingInCommon',
      `Nothing that was asked here was asked in ${folder}; choose the same seeds, arms and shares of rewarded prompts.`,
    );
  const all = `${runs} runs and ${evaluations} evaluations that ${folder} holds too`;
  if (different.length === 0) return `The same weights, answers and contexts in all ${all}.`;
  const named = different.slice(0, 3).join('; ');
  throw new Failure(
    'different',
    `${different.length} of ${all} came out otherwise: ${named}${different.length > 3 ? '; …' : ''}. Another processor may round otherwise; on the same one this must not be.`,
  );
}
