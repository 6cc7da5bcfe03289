import type { EvaluationRowFilter, EvaluationRowOrder, EvaluationRowPage } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { listSummaries, summaryOf } from './compare.ts';

type Page = { cursor?: string | null; limit?: number };

/**
 * A page of a lab's evaluations. Where scores decide the order, those that people corrected count as corrected, which is what the list shows;
 * they follow from all answers of these evaluations, so that nothing but this order asks for them beforehand.
 */
export function pageSummaries(
  store: Lab,
  filter: EvaluationRowFilter = {},
  order?: EvaluationRowOrder,
  page: Page = {},
): EvaluationRowPage {
  const corrected = new Map(
    order?.by === 'score'
      ? listSummaries(store, { overridden: true, states: ['done'] }).flatMap(({ id, corrected: scores }) =>
          scores === null ? [] : [[id, scores[0]?.value ?? null] as const],
        )
      : [],
  );
  const found = store.pageStoredEvaluations(filter, order, page, corrected);
  return { ...found, rows: found.rows.map((one) => summaryOf(store, one)) };
}
