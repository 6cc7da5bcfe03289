import type { ExportedEvaluation, ExportedItem } from '../items-csv.ts';
import { inspectHeader, NUMBER, VERDICT } from './header.ts';
import type { ItemGrade, ItemOutcome, ItemOverride } from '../../../contract/index.ts';

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

/** Inspect's letters. An unjudged answer has none: it gets no score at all, so that nothing averages over it. */
const LETTER = { passed: 'C', failed: 'I', unanswered: 'N' } as const satisfies Record<
  Exclude<ItemOutcome, 'unjudged'>,
  string
>;

/** One answer as a sample; several answers to an item are its epochs. */
export function inspectSample(
  { id, plan }: ExportedEvaluation,
  { item, override }: ExportedItem,
): Record<string, unknown> {
  const { ordinal, itemId, sample, asked, target, text, newTokens, grade } = item;
  const answer = { role: 'assistant', content: text, source: 'generate', model: plan.subject.id };
  const scores = scoresOf(grade, override);
  return {
    id: itemId,
    epoch: sample + 1,
    input: asked.length === 0 ? '' : asked.map((message) => ({ ...message, source: 'input' })),
    target: target ?? '',
    messages: [...asked.map((message) => ({ ...message, source: 'input' })), answer],
    output: { model: plan.subject.id, choices: [{ message: answer, stop_reason: 'unknown' }] },
    ...(Object.keys(scores).length === 0 ? {} : { scores }),
    metadata: { ordinal, outcome: grade.outcome, newTokens, grade, override },
    uuid: `${id}/${ordinal}`,
  };
}

function scoresOf(grade: ItemGrade, override: ItemOverride | null): Record<string, unknown> {
  const { outcome, score, method, reason, flags, judge, details } = grade;
  const extracted = typeof details['extracted'] === 'string' ? { answer: details['extracted'] } : {};
  const graded =
    outcome === 'unjudged'
      ? null
      : {
          value: LETTER[outcome],
          ...extracted,
          explanation: reason,
          ...(outcome === 'unanswered' ? { reason: 'no_response' } : {}),
          metadata: { method, flags, judge },
        };
  const verdict = override === null ? graded : overridden(graded, override);
  return {
    ...(verdict === null ? {} : { [VERDICT]: verdict }),
    ...(score === null ? {} : { [NUMBER]: { value: score, metadata: { judge } } }),
  };
}

/** As Inspect keeps an edited score: the value is the person's, the history begins with the grader's. */
function overridden(
  graded: Record<string, unknown> | null,
  { outcome, by, note, at }: ItemOverride,
): Record<string, unknown> {
  const value = LETTER[outcome];
  const edit = { value, provenance: { timestamp: at, author: by, reason: note } };
  return graded === null ? { value, history: [edit] } : { ...graded, value, history: [graded, edit] };
}

const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/gs;

/**
 * JSON text on one line that every reader takes. Text cut in the middle of a character holds half a surrogate pair, which JSON can
 * carry as an escape but UTF-8 cannot: strict parsers refuse the whole file over it. Each becomes U+FFFD.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Whole pairs are written as they are, so an escaped surrogate is always half of one. Escapes are read in order, for "\\ud800" is a backslash.
  return json.includes('\\ud')
    ? json.replace(ESCAPE, (escape) => (/^\\ud[89a-f]/.test(escape) ? '\\ufffd' : escape))
    : json;
}
