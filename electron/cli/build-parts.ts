import { join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { filesOfRules, rulesOf } from '../core/index.ts';

/** One folder below out/ and what it is made of. */
export type Part = {
  name: string;
  /** Files and folders of the checkout; a change in any of them makes the part stale. */
  sources: readonly string[];
  /** Writes the part into `folder`, which is empty. */
  build(root: string, folder: string): Promise<void>;
};

const renderer: Part = {
  name: 'renderer',
  sources: ['renderer', 'electron/contract', 'electron/figures'],
  build: async (root, folder) => {
    await build({
      configFile: join(root, 'renderer/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: folder, emptyOutDir: true },
    });
  },
};

/** What the shell's processes load from node_modules; everything else is bundled. */
const LOADED_AT_RUN_TIME = ['electron', 'better-sqlite3', 'node-llama-cpp'];
/** Node of the pinned Electron. */
const SHELL_NODE = 'node24';

/** Bundles Node modules for the shell. */
async function buildForNode(
  root: string,
  folder: string,
  external: string[],
  rolldownOptions: Rolldown.RolldownOptions,
): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    define: { ANCHOR_RULES: JSON.stringify(rulesOf(root)) },
    ssr: { noExternal: true, external },
    build: {
      outDir: folder,
      emptyOutDir: true,
      ssr: true,
      target: SHELL_NODE,
      minify: false,
      rolldownOptions,
    },
  });
}

/** The desktop shell, the engine's process, its threads and the supervisor's process, as Node modules. */
const main: Part = {
  name: 'main',
  sources: ['electron', ...filesOfRules(join(import.meta.dirname, '../..'))],
  build: (root, folder) =>
    buildForNode(root, folder, LOADED_AT_RUN_TIME, {
      input: {
        main: join(root, 'electron/main.ts'),
        engine: join(root, 'electron/hosts/engine-process/main.ts'),
        checker: join(root, 'electron/store/opening/checker.ts'),
        deleter: join(root, 'electron/store/runs/deleter.ts'),
        exporter: join(root, 'electron/engine/exports/exporter.ts'),
        'supervisor-worker': join(root, 'electron/processes/supervisor/utility-worker.ts'),
      },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      // The shell uses a few pure parts of rooms whose other parts load native modules; it must not load those.
      treeshake: { moduleSideEffects: false },
    }),
};

/** One script without imports: the page's process is sandboxed. */
const preload: Part = {
  name: 'preload',
  sources: ['electron/preload.ts'],
  build: (root, folder) =>
    buildForNode(root, folder, ['electron'], {
      input: { preload: join(root, 'electron/preload.ts') },
      output: { format: 'cjs', entryFileNames: '[name].cjs' },
    }),
};

export const PARTS: readonly Part[] = [renderer, main, preload];
