import { batchSpec, type BatchStatistics, type WordingRecord } from '../../contract/index.ts';
import { asData, rolloutSeed } from '../../core/index.ts';
import { contextLineText, sameLineKey } from '../context/candidates.ts';
import {
  askModel,
  emptyRecord,
  fenced,
  markSeed,
  render,
  type Ask,
  type LineWriter,
  type WordingBudget,
} from './ask.ts';
import { inWords, type FindingGroup, type Subjects } from './findings.ts';
import { checkedLine, supportedLine, type LineGuard } from './line-checks.ts';

export type SummaryToWord = {
  step: number;
  batch: string;
  seed: number;
  /** Groups of this batch that enough reviews of the step support, the largest first. */
  groups: readonly FindingGroup[];
  statistics: BatchStatistics | null;
  guard: LineGuard;
};

/** The largest groups of a batch; a context has room for few lines. */
const MOST_GROUPS = 3;
const SHOWN_WORDINGS = 6;
const LONGEST_WORDING = 240;
const ANSWER_TOKENS = 96;
const LONGEST_ANSWER = 240;

export const LINE_SCHEMA = {
  type: 'object',
  required: ['line'],
  additionalProperties: false,
  properties: { line: { type: 'string', maxLength: LONGEST_ANSWER } },
};
export const readLine = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && typeof (value as { line?: unknown }).line === 'string'
    ? (value as { line: string }).line
    : null;

/**
 * s_t of one batch in the words of the supervisor's model (ANCHOR Eq. 6): one line for each kind of finding, which rests on the
 * reviews of that kind and on no others. Null where nothing was found often enough.
 */
export async function wordSummary(
  writer: LineWriter,
  budget: WordingBudget,
  { step, batch, seed, groups, statistics, guard }: SummaryToWord,
  signal: AbortSignal,
): Promise<WordingRecord | null> {
  if (groups.length === 0) return null;
  const spent = budget.spentMs;
  const record = emptyRecord(writer, { id: `${step}/summary/${batch}`, step, kind: 'summary', batch });
  // Whether one of the model's answers could stand.
  let stood = false;
  for (const group of groups.slice(0, MOST_GROUPS)) {
    const asked = await askModel(
      writer,
      budget,
      summaryQuestion(
        writer,
        group,
        statistics,
        rolloutSeed(seed, 'summary', step, batch, group.topic),
        writer.subjects === null ? markSeed(seed, step) : undefined,
      ),
      signal,
    );
    record.questions.push(...asked.questions);
    const refused = record.refused.length;
    const line = lineOf(record, group, asked.value, guard, writer.subjects);
    stood ||= asked.value !== null && record.refused.length === refused;
    if (line !== null)
      record.lines.push({
        id: `${step}/${batch}/${record.lines.length + 1}`,
        topic: group.topic,
        sources: group.reviewIds,
        ...line,
      });
  }
  if (!stood) record.status = 'fallback';
  return { ...record, milliseconds: budget.spentMs - spent };
}

/** The model's line where it can stand, else the words of the finding itself: a refused wording must not lose what was found. */
function lineOf(
  record: WordingRecord,
  group: FindingGroup,
  answer: string | null,
  guard: LineGuard,
  subjects: Subjects | null,
): { text: string; wording: 'model' | 'source' } | null {
  // A phrase of the vocabulary is our own sentence: whatever it shares with a request, it gives nothing of it away.
  const phrases = group.issue === null ? [] : (subjects?.phrasesFor(group.issue, group.role) ?? []);
  if (answer !== null && phrases.includes(answer)) return { text: answer, wording: 'model' };
  if (answer !== null) {
    const checked = supportedLine(answer, sourcesOf(group, phrases), guard);
    if (checked.ok) return { text: checked.text, wording: repeats(checked.text, group) ? 'source' : 'model' };
    record.refused.push({ text: answer, sources: group.reviewIds, reason: checked.reason });
  }
  if (group.meaning !== null) return { text: group.meaning, wording: 'source' };
  const text = contextLineText(group.wordings[0] ?? '');
  return text !== null && checkedLine(text, guard).ok ? { text, wording: 'source' } : null;
}

/** Whether a line is, word for word, what it was made of. */
const repeats = (text: string, { meaning, wordings }: FindingGroup): boolean =>
  [...wordings, ...(meaning === null ? [] : [meaning])].some(
    (said) => sameLineKey(said) === sameLineKey(text),
  );

/** What a line about the group may speak of: what its reviews say, what the named issue means, and what a vocabulary says to it. */
const sourcesOf = ({ issue, meaning, wordings }: FindingGroup, phrases: readonly string[]): string[] => [
  ...wordings,
  ...phrases,
  ...(meaning === null ? [] : [inWords(meaning, issue)]),
];

/** What the model is asked of one group. @param mark draws the delimiter; that of the question when absent. */
export function summaryQuestion(
  writer: Pick<LineWriter, 'pack' | 'prompts'>,
  group: Omit<FindingGroup, 'topic'>,
  statistics: BatchStatistics | null,
  seed: number,
  mark = seed,
): Ask<string> {
  // A harmful deed is named by our own sentence alone, so that the model has nothing of it to repeat.
  const shown =
    group.urgent && group.meaning !== null ? [group.meaning] : group.wordings.slice(0, SHOWN_WORDINGS);
  const { text, delimiter } = fenced(
    shown.map((wording, index) => ({
      label: `finding ${index + 1}`,
      text: asData(wording, LONGEST_WORDING),
    })),
    mark,
  );
  const values = {
    batch: group.batch,
    role: group.role,
    count: String(group.reviewIds.length),
    issue: group.issue === null ? '' : group.issue.replaceAll('_', ' '),
    findings: text,
    delimiter,
    facts: statistics === null ? '' : factsOf(group.batch, statistics),
  };
  return {
    system: render(writer, 'system', { delimiter }),
    user: render(writer, 'summary', values),
    schema: LINE_SCHEMA,
    maxTokens: ANSWER_TOKENS,
    seed,
    read: readLine,
  };
}

/** The batch's counts by what they count: tasks that are valid, answers that are right, answers that somebody rated well. */
function factsOf(batch: string, statistics: BatchStatistics): string {
  const { n, passed, invalid, formatFailures, timeouts, solveRateHistogram } = statistics;
  const rest = `${formatFailures} in a broken form, ${timeouts} out of time`;
  const { judgedBy } = batchSpec(batch);
  if (judgedBy === 'pass-rate') return `${n} answers, ${passed} of them right, ${rest}`;
  if (judgedBy === null) return `${n} answers, ${passed} of them rated well, ${rest}`;
  const tried = solveRateHistogram.reduce((sum, count) => sum + count, 0);
  const steps = solveRateHistogram.length - 1;
  const rate = solveRateHistogram.reduce((sum, count, bin) => sum + (count * bin) / steps, 0) / tried;
  const answers =
    tried === 0 ? '' : `, ${Math.round(100 * rate)} % of the answers to them ${AGREED[judgedBy]}`;
  return `${n} proposals, ${passed} of them valid, ${invalid} invalid, ${rest}${answers}`;
}
const AGREED = { 'solve-rate': 'right', agreement: 'in agreement' };
