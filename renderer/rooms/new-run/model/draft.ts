import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { upcastRunConfig } from '../../../../electron/contract/index.ts';
import { entriesOf, firstValues, leavesOf, RUN_ENTRIES, type SchemaEntry, sectionAt } from './schema.ts';
import { changedPaths, type Tree, valueAt, withValue } from './tree.ts';

/** What a draft began as; "changed" and "reset" go by it. */
export type Origin =
  | { kind: 'preset'; name: string }
  | { kind: 'run'; runId: string; name: string }
  | { kind: 'file'; name: string };

/** The one thing that may differ from the run it was copied from, besides its name. */
export type Only = 'gate' | null;

type DraftState = {
  config: Tree | null;
  origin: Origin | null;
  base: Tree;
  only: Only;
  /** `name` is what the new run is called; that of the configuration unless given. */
  begin: (origin: Origin, config: Tree, how?: { only?: Only; name?: string }) => void;
  set: (path: string, value: unknown) => void;
  reset: (path: string) => void;
  /** Lets everything be changed again. */
  lift: () => void;
  /** Has a person answer a share of the reviews, whatever else was held to be like another run. */
  askPerson: () => void;
  clear: () => void;
};

export const PERSON = 'supervision.human';

/** What a person's share begins with, from the schema. */
function firstPerson(): unknown {
  const group = RUN_ENTRIES.find((entry) => entry.path === PERSON);
  return group?.kind === 'group' ? firstValues(group) : undefined;
}

/** The run being written. It outlives the room and a reload, until it is started or cleared. */
export const useDraft = create<DraftState>()(
  persist(
    (set) => ({
      config: null,
      origin: null,
      base: {},
      only: null,
      begin: (origin, base, { only = null, name } = {}) =>
        set({ origin, base, only, config: name === undefined ? base : withValue(base, 'name', name) }),
      set: (path, value) =>
        set(({ config, base, only }) =>
          config === null || !mayChange(path, only) ? {} : { config: changed({ config, base }, path, value) },
        ),
      reset: (path) =>
        set(({ config, base }) =>
          config === null
            ? {}
            : { config: changed({ config, base }, path, baseValue({ config, base }, path)) },
        ),
      lift: () => set({ only: null }),
      askPerson: () =>
        set(({ config }) =>
          config === null || valueAt(config, PERSON) != null
            ? {}
            : { only: null, config: withValue(config, PERSON, firstPerson()) },
        ),
      clear: () => set({ config: null, origin: null, base: {}, only: null }),
    }),
    {
      name: 'anchor.new-run',
      version: 2,
      // A draft that was kept by an earlier version may be spelled as that one spelled runs.
      migrate: (kept) => {
        const { config, base, ...rest } = kept as Pick<DraftState, 'config' | 'origin' | 'base' | 'only'>;
        return {
          ...rest,
          config: upcastRunConfig(config) as Tree | null,
          base: upcastRunConfig(base) as Tree,
        };
      },
      partialize: ({ config, origin, base, only }) => ({ config, origin, base, only }),
    },
  ),
);

/** Whether a value may be changed in a draft that has to stay like another run. */
export function mayChange(path: string, only: Only): boolean {
  return (
    only === null ||
    path === 'name' ||
    path === 'supervision.phases' ||
    path.startsWith('supervision.phases.')
  );
}

/** A configuration being written, and what it began as. */
export type Drafted = { config: Tree; base: Tree; entries?: readonly SchemaEntry[] };

/**
 * The configuration with another value. Naming another form of a section begins the section again: as the draft began where that
 * was this form, else with the form's own defaults; what has none waits to be entered.
 */
export function changed(
  { config, base, entries = RUN_ENTRIES }: Drafted,
  path: string,
  value: unknown,
): Tree {
  const section = sectionAt(entries, path);
  const form = section?.choice.path === path ? section.forms.get(String(value)) : undefined;
  if (section === undefined || form === undefined) return withValue(config, path, value);
  if (valueAt(base, path) === value) return withValue(config, section.path, valueAt(base, section.path));
  const begun = withValue(withValue(config, section.path, undefined), path, value);
  return form.reduce(
    (tree, entry) => withValue(tree, entry.path, entry.kind === 'group' ? entry.absent : entry.fallback),
    begun,
  );
}

/**
 * What a draft began with at a path. Inside a group that was not there at first, or a form that was not chosen then, it is the
 * schema's own value.
 */
export function baseValue({ config, base, entries = RUN_ENTRIES }: Drafted, path: string): unknown {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  const wasThere = parent === '' || valueAt(base, parent) != null;
  if (wasThere && !isOfAnotherForm({ config, base, entries }, path)) return valueAt(base, path);
  return leavesOf(entriesOf(entries, config)).find((leaf) => leaf.path === path)?.fallback;
}

/** Paths that differ from what the draft began as; its name is expected to, and of a form that was left nothing is there to tell. */
export function draftChanges({ config, base, entries = RUN_ENTRIES }: Drafted): string[] {
  return changedPaths(base, config).filter(
    (path) =>
      path !== 'name' &&
      path !== 'preset' &&
      !(isOfAnotherForm({ config, base, entries }, path) && valueAt(config, path) === undefined),
  );
}

/** Whether a path lies in a section whose form is another than at first; the choice itself does not. */
function isOfAnotherForm({ config, base, entries = RUN_ENTRIES }: Drafted, path: string): boolean {
  const choice = sectionAt(entries, path)?.choice.path;
  return choice !== undefined && choice !== path && valueAt(config, choice) !== valueAt(base, choice);
}
