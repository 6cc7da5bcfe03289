import type { ExportedEvaluation, ExportedItem } from '../exported.ts';
import { wellFormedJson } from '../well-formed-json.ts';
import { inspectHeader } from './header.ts';
import { inspectSample } from './sample.ts';

/**
 * An evaluation as a log of Inspect (inspect_ai, log format 2, JSON), piece by piece, one answer in memory at a time: pass it to a
 * `pipeline` with a Writable, or to an atomic writer. A sample stands on a line of its own.
 * @param items in the evaluation's order. @param version of this program, for the record.
 */
export function* inspectLog(
  evaluation: ExportedEvaluation,
  items: Iterable<ExportedItem>,
  version: string,
): Generator<string> {
  const header = wellFormedJson(inspectHeader(evaluation, version));
  yield `${header.slice(0, -1)},"samples":[`;
  let between = '\n';
  for (const item of items) {
    yield between + wellFormedJson(inspectSample(evaluation, item));
    between = ',\n';
  }
  yield '\n]}\n';
}

/**
 * The name Inspect gives such a log, and by which its viewer finds it in a folder: the time it began, the suite and the evaluation's id,
 * with nothing that a file system minds.
 */
export function inspectFileName({ createdAt, id, plan }: ExportedEvaluation): string {
  const began = new Date(createdAt).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${began}+00-00_${plan.suite.replaceAll(/[^A-Za-z0-9.-]+/g, '-')}_${id.replaceAll(/[^A-Za-z0-9]+/g, '')}.json`;
}
