import type { BatchStatistics, PhaseItem, TaskRecord, TaskView } from '../../../contract/index.ts';
import { EMPTY_VIEW, type Gold, type SupervisedItem } from '../../../supervision/index.ts';
import type { ScoredRollout } from '../../loop/framework.ts';
import { reviewItemsOf } from '../../loop/supervision.ts';
import type { ParsedSolution } from './parsing.ts';
import { labelOf, questionOf } from './state.ts';
import type { Vote } from './voting.ts';

const viewOf = (question: string): TaskView => ({ ...EMPTY_VIEW, question });

/** What no feedback on this question may hold: what most answers agree on, what its author claims, and long copies of an answer. */
export function goldsAbout(
  { majority = null, claimed = null }: { majority?: string | null; claimed?: string | null },
  texts: readonly string[],
): Gold[] {
  const answers = new Set([majority, claimed].filter((answer) => answer !== null && answer !== ''));
  return [
    ...[...answers].map((text): Gold => ({ kind: 'expression', text: text as string })),
    ...texts.map((text): Gold => ({ kind: 'passage', text })),
  ];
}

/** The answer to a labelled question. */
export const goldsOfQuestion = (task: TaskRecord): Gold[] => {
  const label = labelOf(task);
  return label === '' ? [] : [{ kind: 'expression', text: label }];
};

/** A question under review: its author's work, whoever answers it. What its author claims to be the answer is not in it. */
function questionItem(
  at: Pick<PhaseItem, 'step' | 'batch' | 'index' | 'rolloutId'>,
  question: string,
  clusterShare: number | null,
): PhaseItem {
  return {
    ...at,
    phase: 'task',
    role: 'proposer',
    taskType: 'question',
    task: viewOf(question),
    plan: null,
    thought: null,
    answer: null,
    formatOk: true,
    validity: { valid: true, reason: null },
    statistics: null,
    ...(clusterShare === null ? {} : { clusterShare }),
  };
}

/** A solver's plan, thought and output, as far as it wrote them. */
function answerItems(
  at: Pick<PhaseItem, 'step' | 'batch' | 'index' | 'rolloutId'>,
  question: string,
  { plan, thought, answer, output }: ParsedSolution,
  cutOff: boolean,
): PhaseItem[] {
  const item = (phase: PhaseItem['phase']): PhaseItem => ({
    ...at,
    phase,
    role: 'solver',
    taskType: 'question',
    task: viewOf(question),
    plan,
    thought,
    answer: output,
    formatOk: answer !== null,
    cutOff,
    validity: null,
    statistics: null,
  });
  return [
    ...(plan === null ? [] : [item('plan')]),
    ...(thought === null ? [] : [item('thought')]),
    item('output'),
  ];
}

/**
 * What a challenger's question and the first of the solver's answers to it bring to review, once all answers are counted: only then is it
 * known what feedback may not say.
 */
export function itemsOfVote(
  { request, found }: ScoredRollout<unknown, { claimed: string | null }>,
  { ballot, samples, majority }: Vote,
  clusterShare: number,
): SupervisedItem[] {
  const { step } = stepOf(request.id);
  const { batch, index, id } = request;
  const question = questionOf(ballot.task);
  const texts = samples.map(({ record: { text } }) => text);
  const golds = goldsAbout({ majority, claimed: found.claimed }, texts);
  const [first] = samples;
  return [
    questionItem({ step, batch, index, rolloutId: id }, question, clusterShare),
    ...(first === undefined
      ? []
      : answerItems(
          { step, batch, index, rolloutId: first.record.id },
          question,
          first.parsed,
          first.record.finish === 'length',
        )),
  ].map((item) => ({ item, golds }));
}

/** A text that is no question: what is there to say is that its form is broken. The box that it may have is not shown. */
export function itemsOfBroken(scored: ScoredRollout): SupervisedItem[] {
  const { verdict, response, rollout } = scored;
  const text = rollout.text.replace(/\\boxed\s*\{[^\n]*/g, '\\boxed{…}');
  return reviewItemsOf(
    {
      ...scored,
      response: { ...response, plan: null, thought: null, answer: null },
      rollout: { ...rollout, text },
    },
    viewOf(''),
    { valid: false, reason: verdict.reason },
    { golds: [] },
  );
}

/** What a trained answer brings to review; the question itself with the first of its group. */
export function itemsOfAnswer(
  { request, rollout }: ScoredRollout,
  task: TaskRecord,
  parsed: ParsedSolution,
  isFirst: boolean,
): SupervisedItem[] {
  const { step } = stepOf(request.id);
  const at = { step, batch: request.batch, index: request.index, rolloutId: request.id };
  const question = questionOf(task);
  const golds = goldsAbout({ majority: labelOf(task) }, [rollout.text]);
  return [
    ...(isFirst ? [questionItem(at, question, null)] : []),
    ...answerItems(at, question, parsed, rollout.finish === 'length'),
  ].map((item) => ({ item, golds }));
}

const stepOf = (requestId: string): { step: number } => ({ step: Number(requestId.split('/')[0]) });

/** Agreement is counted in steps of a tenth, whatever the number of answers. */
const BINS = 10;

/** Counts of votes for the exec phase: how often answers agree, never which. */
export function voteStatistics(
  votes: readonly Vote[],
  counts: Pick<BatchStatistics, 'n' | 'invalid' | 'formatFailures' | 'timeouts'>,
  agreement: NonNullable<BatchStatistics['agreement']>,
): BatchStatistics {
  const histogram = new Array<number>(BINS + 1).fill(0);
  for (const vote of votes)
    if (vote.agreement !== null) {
      const bin = Math.round(vote.agreement * BINS);
      histogram[bin] = (histogram[bin] ?? 0) + 1;
    }
  return {
    ...counts,
    passed: 0,
    solveRateHistogram: histogram.some((count) => count > 0) ? histogram : [],
    agreement: { abstained: meanOf(votes.map(({ abstained }) => abstained)) ?? 0, ...agreement },
  };
}

export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
