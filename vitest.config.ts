import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const filesOf = (...patterns: string[]): string[] => globSync(patterns, { cwd: import.meta.dirname }).sort();

/** Strikes, themes and rounds beyond one of each kind: `npm run test:full`. Each file, or single tests of others, bear the tag `full`. */
const FULL = filesOf('test/**/*.full.test.ts');
const HOLDS_FULL = filesOf('test/{e2e,electron,mutants,sim,structure,study,torture}/**/*.test.ts').filter(
  (file) => /tags: \['full'\]|@module-tag full/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);
for (const file of FULL)
  if (!HOLDS_FULL.includes(file)) throw new Error(`${file} begins without "// @module-tag full".`);

/** Files that start a process, where others beside them do not. */
const APART = new Set([
  'test/electron/evaluation/datasets/carry.test.ts',
  'test/electron/evaluation/datasets/cli.test.ts',
  'test/electron/evaluation/datasets/memory.test.ts',
  'test/electron/evaluation/datasets/minhash-pickles.test.ts',
  'test/electron/evaluation/datasets/mutants.test.ts',
  'test/electron/evaluation/datasets/official-files.test.ts',
  'test/electron/evaluation/datasets/verbs.test.ts',
  'test/electron/evaluation/export/latex-compiles.test.ts',
  'test/electron/shell/engine-process.test.ts',
  'test/electron/store/disk-full.test.ts',
  'test/electron/store/kill.test.ts',
  'test/electron/store/opening.test.ts',
  'test/electron/core/cpython.test.ts',
  'test/electron/evaluation/maths/grader.test.ts',
  'test/electron/evolution/code-tasks/regressions.test.ts',
  'test/electron/supervision/context-controls.test.ts',
  'test/electron/supervision/llama.test.ts',
  'test/renderer/app/shell-link.test.tsx',
  'test/renderer/data/host.test.ts',
  'test/structure/runners.test.ts',
]);
for (const file of APART)
  if (filesOf(file).length === 0) throw new Error(`vitest.config.ts names ${file}, which is not there.`);
/** Files that put something else in the place of a module: who had read it before them in the same process would keep the real one. */
const REPLACING = filesOf('test/**/*.test.ts', 'test/**/*.test.tsx').filter((file) =>
  readFileSync(join(import.meta.dirname, file), 'utf8').includes('vi.mock('),
);
const together = (...patterns: string[]): string[] =>
  filesOf(...patterns).filter(
    (file) => !APART.has(file) && !FULL.includes(file) && !REPLACING.includes(file),
  );

/** Plain functions, and the store in folders of their own: they leave nothing behind, so one worker reads the modules once for all of them. */
const PURE = together(
  'test/electron/{contract,core,evolution,library,live,shell,store,supervision}/**/*.test.ts',
  'test/electron/evaluation/{datasets,export,maths,running,safety}/**/*.test.ts',
  'test/renderer/**/*.test.ts',
  'test/{mutants,structure}/*.test.ts',
  'test/study/*.test.ts',
);
/** Components in a page that is only simulated; each file takes its own away again. */
const PARTS = together('test/renderer/**/*.test.tsx');

/** Begun first, so that no worker is left alone with one of them at the end. Vitest itself knows only how long files took here before. */
const LONGEST = [
  'test/e2e/determinism.test.ts',
  'test/e2e/shell/run-through.test.ts',
  'test/torture/',
  'test/electron/engine/planned-evaluation.test.ts',
  'test/e2e/',
  'test/electron/engine/',
  'test/electron/cli/',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((place) => moduleId.includes(`/${place}`));
      return found === -1 ? LONGEST.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Tests start real processes and wait for them: three workers keep two cores busy, two left a third of them idle.
    pool: 'forks',
    maxWorkers: 3,
    // Young objects get more room than V8 gives them: it collects less often, which saves 5 to 12 % of the processor.
    execArgv: ['--max-semi-space-size=64'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
    tags: [{ name: 'full', description: 'Asks what another test asks once; left out by `npm test`.' }],
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      { extends: true, test: { name: 'parts', include: PARTS, isolate: false } },
      {
        extends: true,
        test: {
          name: 'real',
          isolate: false,
          setupFiles: ['test/support/left-as-found.ts'],
          globalSetup: ['test/support/warm-trainer.ts'],
          include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
          exclude: [...FULL, ...PURE, ...PARTS, ...REPLACING],
        },
      },
      { extends: true, test: { name: 'replacing', include: REPLACING } },
      {
        extends: true,
        test: { name: 'full', globalSetup: ['test/support/warm-trainer.ts'], include: HOLDS_FULL },
      },
    ],
  },
});
