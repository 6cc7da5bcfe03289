import { baseValue } from './base-value.ts';
import { LEAF_BY_PATH } from './schema-tree.ts';
import { mayChange, type Only } from './draft.ts';
import { sameValue, valueAt, type Tree } from './tree.ts';

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
