import type { RecordFilter } from '../../contract/index.ts';
import { ROLLOUT_COLUMNS } from '../queries/rollouts.ts';
import { sql } from '../sql.ts';
import type { Query } from '../sql.ts';
import { placesQuery } from './places.ts';
import type { RolloutPlace } from './places.ts';

/** Which records of a run; the contract tells what each part means. */
export type RolloutFilter = RecordFilter;

/** One page in order of writing. The filter is decided on covering indexes, and only rows of the page are read in full. */
export function rolloutPageQuery(
  runId: string,
  filter: RolloutFilter,
  after: RolloutPlace | null,
  limit: number,
): Query {
  return sql`
    SELECT ${ROLLOUT_COLUMNS} FROM (${placesQuery(runId, filter, { after, limit })}) p
    CROSS JOIN rollouts r ON r.key = p.key CROSS JOIN rollout_texts t ON t.key = p.key
    ORDER BY p.step, p.key`;
}
