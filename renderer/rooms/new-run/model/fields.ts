import type { z } from 'zod';
import { baseValue, mayChange, type Only, sameValue, type Tree, valueAt } from './draft.ts';
import { LEAF_BY_PATH } from './schema.ts';
import { type RunConfig, runConfigSchema } from '../../../../electron/contract/index.ts';
import type { Translate } from '../../../i18n/index.ts';

/** What the fields of a plan read and do; every step gets this and nothing else of the draft. */
export type Fields = {
  value: (path: string) => unknown;
  /** What the plan began with there. */ base: (path: string) => unknown;
  issue: (path: string) => string | undefined;
  isChanged: (path: string) => boolean;
  isLocked: (path: string) => boolean;
  set: (path: string, value: unknown) => void;
  reset: (path: string) => void;
};

export function fieldsOf(
  config: Tree,
  base: Tree,
  issues: ReadonlyMap<string, string>,
  only: Only,
  set: Fields['set'],
  reset: Fields['reset'],
): Fields {
  const before = (path: string): unknown => baseValue(base, path);
  return {
    value: (path) => valueAt(config, path),
    base: before,
    // An entry of a list is wrong at its place in the list; the list is what has a field.
    issue: (path) =>
      issues.get(path) ??
      [...issues].find(([wrong]) => wrong.startsWith(`${path}.`) && !LEAF_BY_PATH.has(wrong))?.[1],
    isChanged: (path) => !sameValue(valueAt(config, path), before(path)),
    isLocked: (path) => !mayChange(path, only),
    set,
    reset,
  };
}

/** A value as a sentence about it shows it. */
export function shownValue(value: unknown, none: string): string {
  if (value === null || value === undefined || value === '') return none;
  if (Array.isArray(value)) return value.length === 0 ? none : value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Which step of the plan a value belongs to. */
export function stepOf(path: string): 'base' | 'training' | 'supervision' | 'evaluation' {
  const [section] = path.split('.');
  if (section === 'supervision') return 'supervision';
  if (section === 'checkpoints' || section === 'evaluation') return 'evaluation';
  return section === 'azr' ||
    section === 'train' ||
    section === 'pressure' ||
    section === 'sandbox' ||
    section === 'steps'
    ? 'training'
    : 'base';
}

type Checked = {
  config: RunConfig | null;
  /** The first sentence for each path that is wrong. */ issues: ReadonlyMap<string, string>;
};

/** Reads a draft by the schema of runs: either it is a configuration, or each wrong value has a sentence. */
export function checkDraft(draft: Tree, t: Translate): Checked {
  const read = runConfigSchema.safeParse(draft);
  if (read.success) return { config: read.data, issues: new Map() };
  const issues = new Map<string, string>();
  for (const issue of read.error.issues) {
    const path = issue.path.join('.');
    if (!issues.has(path)) issues.set(path, sentence(issue, t));
  }
  return { config: null, issues };
}

/** What the schema objects to, as a person would say it. */
function sentence(issue: z.core.$ZodIssue, t: Translate): string {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return t('new-run.issue.empty');
      if (issue.origin === 'array') return t('new-run.issue.few', { least: Number(issue.minimum) });
      return t(issue.inclusive === false ? 'new-run.issue.above' : 'new-run.issue.least', {
        least: Number(issue.minimum),
      });
    case 'too_big':
      if (issue.origin === 'string') return t('new-run.issue.long', { most: Number(issue.maximum) });
      if (issue.origin === 'array') return t('new-run.issue.many', { most: Number(issue.maximum) });
      return t('new-run.issue.most', { most: Number(issue.maximum) });
    case 'invalid_type':
      if (issue.expected === 'int') return t('new-run.issue.whole');
      return t(issue.expected === 'number' ? 'new-run.issue.number' : 'new-run.issue.kind', {
        expected: String(issue.expected),
      });
    case 'invalid_value':
      return t('new-run.issue.choice', { options: issue.values.map(String).join(', ') });
    case 'unrecognized_keys':
      return t('new-run.issue.unknown', { keys: issue.keys.join(', ') });
    default:
      return issue.message;
  }
}
