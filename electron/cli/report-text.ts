import { resolve } from 'node:path';
import { Failure } from '../contract/index.ts';
import { joinedReads } from '../evaluation/index.ts';
import { resourcePaths, writeExport } from '../library/index.ts';
import { makeReport, programVersions, type Report, type ReportSubject } from '../reports/index.ts';
import { doJob } from './progress.ts';
import { systemClock, type Program, type Records } from './program.ts';

/**
 * Makes a report with its progress, which Ctrl-C ends with nothing written.
 * @param to the file, whole or as it was before; null for standard output, and '' for its own name in this folder.
 */
export async function printReport(
  program: Program,
  { store, sample }: { store: Records; sample: Records | null },
  subject: ReportSubject,
  to: string | null,
): Promise<void> {
  let refusal: unknown = null;
  const { result, problem } = await doJob<Report>(
    program,
    { kind: 'report', title: 'Report', unit: 'part' },
    (job) =>
      makeReport(
        {
          storeOf: (runId) => (sample !== null && sample.getRun(runId) !== null ? sample : store),
          evaluations: joinedReads(store, sample),
          resources: resourcePaths(program.application),
          program: programVersions(),
        },
        subject,
        systemClock.now(),
        job,
      ).catch((error: unknown) => {
        refusal = error;
        throw error;
      }),
  );
  if (refusal instanceof Failure && refusal.exitCode === 2) throw refusal;
  if (result === null) return program.fail(problem ?? 'The report was not made.');
  if (to === null) return program.print(result, () => result.html.trimEnd());
  const path = resolve(to === '' ? result.name : to);
  writeExport(path, [result.html]);
  program.print({ path, bytes: Buffer.byteLength(result.html) }, () => `Wrote ${path}.`);
}
