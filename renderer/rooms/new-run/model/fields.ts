import type { z } from 'zod';
import { outOfRange, type RunConfig, runConfigSchema } from '../../../../electron/contract/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import { baseValue, type Drafted, mayChange, type Only } from './draft.ts';
import { entriesOf, type Entry, type Leaf, leavesOf, RUN_ENTRIES, sectionAt } from './schema.ts';
import { sameValue, type Tree, valueAt } from './tree.ts';

/** What the fields of a plan read and do; every step gets this and nothing else of the draft. */
export type Fields = {
  /** All there are under the choices of the draft, in the order of the schema. */
  entries: readonly Entry[];
  leaf: (path: string) => Leaf | undefined;
  value: (path: string) => unknown;
  /** What the plan began with there. */
  base: (path: string) => unknown;
  issue: (path: string) => string | undefined;
  isChanged: (path: string) => boolean;
  isLocked: (path: string) => boolean;
  set: (path: string, value: unknown) => void;
  reset: (path: string) => void;
};

type FieldParts = Drafted &
  Pick<Fields, 'set' | 'reset'> & {
    /** A sentence for each path that is wrong. */
    issues: ReadonlyMap<string, string>;
    only: Only;
  };

export function fieldsOf({
  config,
  base,
  entries: all = RUN_ENTRIES,
  issues,
  only,
  set,
  reset,
}: FieldParts): Fields {
  const entries = entriesOf(all, config);
  const leaves = new Map(leavesOf(entries).map((leaf) => [leaf.path, leaf]));
  const before = (path: string): unknown => baseValue({ config, base, entries: all }, path);
  const section = (path: string): string | undefined => {
    const found = sectionAt(all, path);
    return found?.choice.path === path ? found.path : undefined;
  };
  return {
    entries,
    leaf: (path) => leaves.get(path),
    value: (path) => valueAt(config, path),
    base: before,
    // An entry of a list is wrong at its place in the list; the list is what has a field. What is wrong with a section as a whole,
    // such as a key its form does not know, is told where the form is chosen.
    issue: (path) =>
      issues.get(path) ??
      issues.get(section(path) ?? path) ??
      [...issues].find(([wrong]) => wrong.startsWith(`${path}.`) && !leaves.has(wrong))?.[1],
    isChanged: (path) => !sameValue(valueAt(config, path), before(path)),
    isLocked: (path) => !mayChange(path, only),
    set,
    reset,
  };
}

/** A value as a sentence about it shows it. */
export function shownValue(value: unknown, none: string): string {
  if (value === null || value === undefined || value === '') return none;
  if (Array.isArray(value))
    return value.length === 0 ? none : value.map((each) => shownValue(each, none)).join(', ');
  if (typeof value !== 'object') return String(value);
  return `{ ${Object.entries(value)
    .map(([name, part]) => `${name}: ${shownValue(part, none)}`)
    .join(', ')} }`;
}

type Checked = {
  config: RunConfig | null;
  /** The first sentence for each path that is wrong. */
  issues: ReadonlyMap<string, string>;
};

/** Reads a draft by the schema of runs: either it is a configuration, or each wrong value has a sentence. */
export function checkDraft(draft: Tree, t: Translate): Checked {
  const read = runConfigSchema.safeParse(draft);
  if (read.success) return { config: read.data, issues: new Map() };
  const issues = new Map<string, string>();
  for (const issue of [...read.error.issues, ...outOfRange(draft)]) {
    const path = issue.path.join('.');
    const isMissing = issue.code === 'invalid_type' && valueAt(draft, path) === undefined;
    if (!issues.has(path)) issues.set(path, isMissing ? t('new-run.issue.empty') : sentence(issue, t));
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
    case 'invalid_union':
      // Of a union told apart by a key zod says which keys there are, though its type does not.
      return 'options' in issue && Array.isArray(issue.options)
        ? t('new-run.issue.choice', { options: issue.options.join(', ') })
        : issue.message;
    case 'unrecognized_keys':
      return t('new-run.issue.unknown', { keys: issue.keys.join(', ') });
    default:
      return issue.message;
  }
}
