import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { baseValue } from './base-value.ts';
import { changedPaths, withValue, type Tree } from './tree.ts';

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
