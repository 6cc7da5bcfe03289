import { dirname } from 'node:path';
import type { Verifications } from '../contract/index.ts';
import type { JobHandle } from '../core/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import { verifyRecords } from '../processes/index.ts';

export type VerifyRequest = {
  /** Runs, evaluations, or names of experiments; everything that is stored where there are none. */
  ids: readonly string[];
  /** Answers of each run that are scored again under the weights that wrote them. */
  sample: number;
};

/**
 * Computes again what a lab stored, with a program that has its own rules (docs/verify.md). The lab is only read, and may be at work.
 * @throws Failure `usage` (exit code 2) where a name is of nothing in the lab.
 */
export function verifyLab(
  {
    lab,
    resources,
  }: { lab: string; resources: Pick<ResourcePaths, 'python' | 'verifyModule' | 'suites' | 'runnerBroker'> },
  { ids, sample }: VerifyRequest,
  job: JobHandle,
): Promise<Verifications> {
  return verifyRecords({
    python: resources.python,
    moduleDir: resources.verifyModule,
    args: [
      '--lab',
      lab,
      '--resources',
      dirname(resources.suites),
      '--broker',
      resources.runnerBroker,
      '--sample',
      String(sample),
      '--',
      ...ids,
    ],
    signal: job.signal,
    onProgress: ({ done, total }) => {
      job.total(total);
      job.at(done);
    },
  });
}
