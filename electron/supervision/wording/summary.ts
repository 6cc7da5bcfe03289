import type { BatchStatistics, WordingRecord } from '../../contract/index.ts';
import { asData, rolloutSeed } from '../../core/index.ts';
import { contextLineText } from '../context/candidates.ts';
import { ISSUES, isIssue } from '../reviewers/answers.ts';
import {
  askModel,
  emptyRecord,
  fenced,
  render,
  type Ask,
  type LineWriter,
  type WordingBudget,
} from './ask.ts';
import type { FindingGroup, Subjects } from './findings.ts';
import { checkedLine, isAbout, type LineGuard, type Refusal } from './line-checks.ts';

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
  for (const group of groups.slice(0, MOST_GROUPS)) {
    const asked = await askModel(
      writer,
      budget,
      summaryQuestion(writer, group, statistics, rolloutSeed(seed, 'summary', step, batch, group.topic)),
      signal,
    );
    record.questions.push(...asked.questions);
    const line = lineOf(record, group, asked.value, guard, writer.subjects);
    if (line !== null)
      record.lines.push({
        id: `${step}/${batch}/${record.lines.length + 1}`,
        topic: group.topic,
        sources: group.reviewIds,
        ...line,
      });
  }
  if (!record.lines.some(({ wording }) => wording === 'model')) record.status = 'fallback';
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
  const refuse = (text: string, reason: Refusal): void =>
    void record.refused.push({ text, sources: group.reviewIds, reason });
  // A phrase of the vocabulary is our own sentence: whatever it shares with a request, it gives nothing of it away.
  const phrases = group.issue === null ? [] : (subjects?.phrasesFor(group.issue, group.role) ?? []);
  if (answer !== null && phrases.includes(answer)) return { text: answer, wording: 'model' };
  if (answer !== null) {
    const checked = checkedLine(answer, guard);
    if (!checked.ok) refuse(answer, checked.reason);
    else if (isAbout(checked.text, sourcesOf(group, phrases)))
      return { text: checked.text, wording: 'model' };
    else refuse(answer, 'unsupported');
  }
  if (group.issue !== null && isIssue(group.issue))
    return { text: ISSUES[group.issue].feedback, wording: 'source' };
  const text = contextLineText(group.wordings[0] ?? '');
  return text !== null && checkedLine(text, guard).ok ? { text, wording: 'source' } : null;
}

/** What a line about the group may speak of: what reviews said, what the named issue means, and what a vocabulary says to it. */
const sourcesOf = ({ issue, wordings }: FindingGroup, phrases: readonly string[]): string[] => [
  ...wordings,
  ...phrases,
  ...(issue !== null && isIssue(issue) ? [`${ISSUES[issue].feedback} ${issue.replaceAll('_', ' ')}`] : []),
];

/** What the model is asked of one group. */
export function summaryQuestion(
  writer: Pick<LineWriter, 'pack' | 'prompts'>,
  group: Omit<FindingGroup, 'topic'>,
  statistics: BatchStatistics | null,
  seed: number,
): Ask<string> {
  // A harmful deed is named by our own sentence alone, so that the model has nothing of it to repeat.
  const shown =
    group.urgent && isIssue(group.issue ?? '')
      ? [ISSUES[group.issue as keyof typeof ISSUES].feedback]
      : group.wordings.slice(0, SHOWN_WORDINGS);
  const { text, delimiter } = fenced(
    shown.map((wording, index) => ({
      label: `finding ${index + 1}`,
      text: asData(wording, LONGEST_WORDING),
    })),
    seed,
  );
  const values = {
    batch: group.batch,
    role: group.role,
    count: String(group.reviewIds.length),
    issue: group.issue === null ? '' : group.issue.replaceAll('_', ' '),
    findings: text,
    delimiter,
    facts: statistics === null ? '' : factsOf(statistics),
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

const factsOf = ({ n, passed, invalid, formatFailures, timeouts }: BatchStatistics): string =>
  `${n} responses, ${passed} passed, ${formatFailures} in a broken form, ${invalid} invalid tasks, ${timeouts} out of time`;
