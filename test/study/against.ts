import { join } from 'node:path';
import { Failure } from '../../electron/contract/index.ts';
import { canonicalJson } from '../../electron/core/index.ts';
import { boundSettings, changedSettings, StudyState, type Entry } from './state.ts';

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
      `Nothing that was asked here was asked in ${folder}; choose the same seeds, arms and pressures.`,
    );
  const all = `${runs} runs and ${evaluations} evaluations that ${folder} holds too`;
  if (different.length === 0) return `The same weights, answers and contexts in all ${all}.`;
  const named = different.slice(0, 3).join('; ');
  throw new Failure(
    'different',
    `${different.length} of ${all} came out otherwise: ${named}${different.length > 3 ? '; …' : ''}. Another processor may round otherwise; on the same one this must not be.`,
  );
}
