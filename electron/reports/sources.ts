import { APP_VERSION } from '../contract/index.ts';
import type { EvaluationReads } from '../evaluation/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import type { Lab } from '../store/index.ts';

/** What reports read: records only. Nothing is computed but figures, intervals and differences. */
export type ReportSources = {
  /** The records of a run. @throws Failure `unknownRun` (exit code 2). */
  storeOf: (runId: string) => Lab;
  evaluations: EvaluationReads;
  resources: Pick<ResourcePaths, 'prompts'>;
  /** Versions of the program that writes the report, by name. */
  program: Readonly<Record<string, string>>;
};

/** What writes the report, by name. */
export const programVersions = (): Record<string, string> => ({
  'Anchor Lab': APP_VERSION,
  'Node.js': process.versions.node,
});
