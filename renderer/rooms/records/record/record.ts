import {
  PHASES,
  answerKind,
  type Phase,
  type PhaseProbabilities,
  type ContextLine,
} from '../../../../electron/contract/index.ts';
import type { FullRecord, api } from '../../../data/index.ts';
import { quotedSpan } from '../../../ui/index.ts';

export type Rollout = FullRecord['rollout'];
export type Review = FullRecord['reviews'][number];
export type Task = NonNullable<FullRecord['task']>;
export type Facets = Awaited<ReturnType<typeof api.records.facets.query>>;

/** Why a phase of a record has no review. */
type Unreviewed =
  /** The run never reviews this phase. */
  | 'never'
  /** The gate's coin said no. */
  | 'not-drawn'
  /** The agent wrote no such part. */
  | 'nothing-written'
  /** Estimates are measurements and are never reviewed. */
  | 'estimate'
  /** A solver's task was reviewed where it was proposed, if at all. */
  | 'at-proposal'
  /** A proposal's answer is the task, which is reviewed as such. */
  | 'is-the-task';

/** One phase of a record: what is on the left, and the review beside it or why there is none. */
export type PhaseRow = {
  phase: Phase;
  review: Review | null;
  unreviewed: Unreviewed | null;
  /** Probability of the gate in this run; null where it does not apply. */ probability: number | null;
};

const isBlank = (text: string | null): boolean => text === null || text.trim() === '';

function whyUnreviewed(phase: Phase, { rollout }: FullRecord, probability: number): Unreviewed {
  if (phase === 'exec') return probability === 0 ? 'never' : 'not-drawn';
  if (rollout.purpose === 'estimate') return 'estimate';
  if (phase === 'task' && rollout.purpose === 'solve') return 'at-proposal';
  if (phase === 'output' && rollout.purpose === 'propose') return 'is-the-task';
  if ((phase === 'plan' && isBlank(rollout.plan)) || (phase === 'thought' && isBlank(rollout.thought)))
    return 'nothing-written';
  return probability === 0 ? 'never' : 'not-drawn';
}

/** The five phases of a record in their order, each with its review or the reason why it has none. */
export function pairRows(record: FullRecord, probabilities: PhaseProbabilities): PhaseRow[] {
  return PHASES.map((phase) => {
    const review =
      phase === 'exec' ? record.execReview : (record.reviews.find((each) => each.phase === phase) ?? null);
    const unreviewed = review === null ? whyUnreviewed(phase, record, probabilities[phase]) : null;
    const isGated = unreviewed === null || unreviewed === 'not-drawn' || unreviewed === 'never';
    return {
      phase,
      review,
      unreviewed,
      probability: isGated ? (review?.gateProbability ?? probabilities[phase]) : null,
    };
  });
}

/** What the agent wrote at a phase: what a review of the phase quotes first of all. */
const writtenAt = (phase: Phase, { rollout: { plan, thought, answer } }: FullRecord): string =>
  (phase === 'plan' ? plan : phase === 'thought' ? thought : phase === 'exec' ? null : answer) ?? '';

/** Quotations of a record's reviews by where they are marked: where the agent wrote them at that phase, else in the task that it was given. */
export function quotesByPlace(record: FullRecord): Partial<Record<Phase, string[]>> {
  const places: Partial<Record<Phase, string[]>> = {};
  for (const { phase, quote } of record.reviews) {
    if (quote === undefined) continue;
    const place = quotedSpan(writtenAt(phase, record), quote) === null ? 'task' : phase;
    (places[place] ??= []).push(quote);
  }
  return places;
}

/** Where the instructions of a prompt end and the material between delimiters begins: a quotation stands behind it. */
export const materialStart = (prompt: string): number => Math.max(0, prompt.search(/<<[0-9a-f]{12} /));

/** The phase before or after one; stays at the ends. */
export function neighbourPhase(phase: Phase | undefined, by: 1 | -1): Phase {
  const outside = by === 1 ? -1 : PHASES.length;
  const place = phase === undefined ? outside : PHASES.indexOf(phase);
  return PHASES[Math.max(0, Math.min(PHASES.length - 1, place + by))] as Phase;
}

/** What the leak guard found out about a review. */
type LeakReading = { verdict: 'clean' | 'quarantined' | 'nothing-to-check'; found: readonly string[] };

export function leakReading({ status, leaks }: Pick<Review, 'status' | 'leaks'>): LeakReading {
  if (leaks.length > 0 || status === 'quarantined') return { verdict: 'quarantined', found: leaks };
  return { verdict: status === 'done' ? 'clean' : 'nothing-to-check', found: [] };
}

/** What the verifier compared, as far as it is stored. Texts are Python literals. */
type Comparison =
  /** A value was to be predicted: both sides are known. */
  | { kind: 'value'; expected: string; got: string | null }
  /** An input was to be found that gives this output; what the given input gave is not stored. */
  | { kind: 'input'; output: string; got: string | null }
  /** A program was to be written; `hidden` pairs were held back to verify it. */
  | { kind: 'program'; pairs: number; accuracy: number }
  /** A proposal was validated: which task it became, or none. */
  | { kind: 'proposal'; taskId: string | null; solveRate: number | null }
  /** A rated answer, or a task that is no longer stored: there is nothing to compare with. */
  | { kind: 'none' };

export function comparison({ rollout, task }: FullRecord): Comparison {
  if (rollout.purpose === 'propose')
    return {
      kind: 'proposal',
      taskId: task === null ? null : rollout.taskId,
      solveRate: task?.solveRate ?? null,
    };
  if (task === null) return { kind: 'none' };
  // Null also for a task type that only the run's framework knows: what its task stores is then compared as a value.
  const asks = answerKind(rollout.taskType);
  if (asks === 'program')
    return { kind: 'program', pairs: task.outputs.length, accuracy: rollout.verdict.accuracy };
  const [expected] = task.outputs;
  if (expected === undefined) return { kind: 'none' };
  return asks === 'input'
    ? { kind: 'input', output: expected, got: rollout.answer }
    : { kind: 'value', expected, got: rollout.answer };
}

/** Lines of a context, each with the phases of a record whose reviews caused or renewed it. */
export function linesWithCauses(
  lines: readonly ContextLine[],
  record: FullRecord | null,
): { line: ContextLine; phases: Phase[] }[] {
  const reviews =
    record === null ? [] : [...record.reviews, ...(record.execReview === null ? [] : [record.execReview])];
  return lines.map((line) => {
    const causes = new Set(line.reviewIds);
    return { line, phases: reviews.filter(({ id }) => causes.has(id)).map(({ phase }) => phase) };
  });
}
