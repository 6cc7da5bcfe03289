import {
  isRatedBatch,
  judgedOutcome,
  judgedReason,
  type JudgedOutcome,
  type RolloutRecord,
} from '../contract/index.ts';
import type { Records } from './program.ts';
import { formatPercent, renderTable } from './table.ts';

type FullRecord = NonNullable<ReturnType<Records['getRecord']>>;

const OUTCOME_WORDS: Readonly<Record<JudgedOutcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  invalid: 'invalid',
  satisfied: 'user satisfied, not verified',
  dissatisfied: 'user not satisfied, not verified',
};

/** A record with the whole of its prompt, the response and everything said about it. */
export function recordText({ rollout, reviews, system }: FullRecord & { system: string }): string {
  const { batch, verdict, reward, advantage } = rollout;
  const reason = judgedReason(verdict, batch);
  return [
    `${rollout.id} (${rollout.role}, ${rollout.taskType}): ${OUTCOME_WORDS[judgedOutcome(verdict.outcome, batch)]}${reason === null ? '' : `, ${reason}`}; reward ${reward ?? '–'}, advantage ${advantage?.toFixed(3) ?? '–'}`,
    `── system message of step ${rollout.step} ──\n${system}`,
    `── prompt ──\n${rollout.user}`,
    `── response ──\n${rollout.text}`,
    ...reviews.map(
      (review) =>
        `── review: ${review.phase} (${review.reviewer}) ──\n${review.decision ?? review.status}: ${review.feedback}${review.issues.length > 0 ? ` [${review.issues.join(', ')}]` : ''}${review.quote === undefined ? '' : `\nAbout this place: “${review.quote}”`}`,
    ),
  ].join('\n\n');
}

/** What became of a step's responses, a row for each batch. Satisfied users are a column of their own: nothing they rate is verified. */
export function batchesTable(rollouts: readonly RolloutRecord[]): string {
  const batches = [
    ...Map.groupBy(
      rollouts.filter(({ reward, purpose }) => reward !== null || purpose !== 'estimate'),
      (rollout) => rollout.batch,
    ),
  ];
  const hasRated = batches.some(([batch]) => isRatedBatch(batch));
  return renderTable(
    ['batch', 'rollouts', 'passed', ...(hasRated ? ['users satisfied'] : []), 'mean reward'],
    batches.map(([batch, rows]) => {
      const good = formatPercent(
        rows.filter(({ verdict }) => verdict.outcome === 'passed').length / rows.length,
      );
      const paid = rows.filter((row) => row.reward !== null);
      const reward = paid.reduce((sum, row) => sum + (row.reward ?? 0), 0) / paid.length;
      return [
        batch,
        String(rows.length),
        isRatedBatch(batch) ? '–' : good,
        ...(hasRated ? [isRatedBatch(batch) ? good : '–'] : []),
        paid.length === 0 ? '–' : reward.toFixed(2),
      ];
    }),
  );
}
