import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { LEAF_BY_PATH } from './schema.ts';

/** A configuration being written: keys and values, right or wrong. */
export type Tree = { [key: string]: unknown };

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path such as `train.learningRate`; undefined where there is none. */
export function valueAt(tree: Tree, path: string): unknown {
  let value: unknown = tree;
  for (const key of path.split('.')) value = isTree(value) ? value[key] : undefined;
  return value;
}

/** The tree with another value at a path; nothing else is copied. `undefined` takes the key away. */
export function withValue(tree: Tree, path: string, value: unknown): Tree {
  const [key = '', ...rest] = path.split('.');
  if (rest.length > 0)
    return { ...tree, [key]: withValue(isTree(tree[key]) ? tree[key] : {}, rest.join('.'), value) };
  const { [key]: _, ...others } = tree;
  return value === undefined ? others : { ...tree, [key]: value };
}

export const sameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Paths at which two trees differ; lists are compared whole. */
export function changedPaths(base: Tree, tree: Tree, prefix = ''): string[] {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(tree)])];
  return keys.flatMap((key) => {
    const [before, after] = [base[key], tree[key]];
    const path = `${prefix}${key}`;
    // What was added as a whole is told part by part; what was taken away has nothing left to tell.
    if (isTree(after) && (isTree(before) || before == null))
      return changedPaths(before ?? {}, after, `${path}.`);
    return sameValue(before, after) ? [] : [path];
  });
}

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
  begin: (origin: Origin, config: Tree, only?: Only, name?: string) => void;
  set: (path: string, value: unknown) => void;
  reset: (path: string) => void;
  /** Lets everything be changed again. */
  lift: () => void;
  clear: () => void;
};

/** The run being written. It outlives the room and a reload, until it is started or cleared. */
export const useDraft = create<DraftState>()(
  persist(
    (set) => ({
      config: null,
      origin: null,
      base: {},
      only: null,
      begin: (origin, base, only = null, name) =>
        set({ origin, base, only, config: name === undefined ? base : withValue(base, 'name', name) }),
      set: (path, value) =>
        set(({ config, only }) =>
          config === null || !mayChange(path, only) ? {} : { config: withValue(config, path, value) },
        ),
      reset: (path) =>
        set(({ config, base }) =>
          config === null ? {} : { config: withValue(config, path, baseValue(base, path)) },
        ),
      lift: () => set({ only: null }),
      clear: () => set({ config: null, origin: null, base: {}, only: null }),
    }),
    {
      name: 'anchor.new-run',
      version: 1,
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

/** Paths that differ from what the draft began as; its name is expected to. */
export function draftChanges(config: Tree, base: Tree): string[] {
  return changedPaths(base, config).filter((path) => path !== 'name' && path !== 'preset');
}

/** What a plan began with at a path. Inside a group that was not there at first it is the schema's own value. */
export function baseValue(base: Tree, path: string): unknown {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  return parent !== '' && valueAt(base, parent) == null
    ? LEAF_BY_PATH.get(path)?.fallback
    : valueAt(base, path);
}
