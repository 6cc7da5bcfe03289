import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure, PHASES } from '../../contract/index.ts';
import type { Comparison, RunOrder, RunRowFilter } from '../../contract/index.ts';
import { allOf, Query, readAll, reader, sql } from '../sql.ts';

/** The value a run is ordered by, and its id, which decides between equals. */
const placeSchema = z.tuple([z.union([z.string(), z.number()]), z.string()]);
export type RowPlace = z.infer<typeof placeSchema>;

/** The run's largest review probability. Configurations name all five phases since they are stored with their defaults. */
const LARGEST_PROBABILITY = new Query(
  `max(${PHASES.map((phase) => `json_extract(r.config, '$.supervision.phases.${phase}')`).join(', ')})`,
  [],
);

const ORDERS: Record<RunOrder['by'], Query> = {
  created: sql`r.created_at`,
  name: sql`lower(r.name)`,
  state: sql`r.state`,
  model: sql`lower(json_extract(r.config, '$.policy.model'))`,
  supervision: LARGEST_PROBABILITY,
  progress: sql`CAST(r.committed_steps AS REAL) / json_extract(r.config, '$.steps')`,
  seconds: sql`(SELECT coalesce(sum(m.value), 0) FROM metrics m WHERE m.run_id = r.id AND m.kind = 'timing' AND m.name = 'step')`,
  bytes: sql`(SELECT coalesce(sum(c.bytes), 0) FROM checkpoints c WHERE c.run_id = r.id AND c.removed_at IS NULL)`,
};

const SIGNS: Record<Comparison['is'], Query> = {
  '=': sql`=`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
};
const compared = (what: Query, { is, value }: Comparison): Query => sql`${what} ${SIGNS[is]} ${value}`;
const contains = (what: Query, part: string): Query => sql`instr(lower(${what}), lower(${part})) > 0`;

function conditionsOf(filter: RunRowFilter): Query[] {
  const conditions: Query[] = [];
  const {
    states,
    words,
    model,
    reviewer,
    framework,
    preset,
    tag,
    supervision,
    step,
    seed,
    archived = 'no',
  } = filter;
  if (states !== undefined)
    conditions.push(sql`r.state IN (SELECT value FROM json_each(${JSON.stringify(states)}))`);
  for (const word of words ?? [])
    conditions.push(
      contains(
        sql`r.name || ' ' || r.preset || ' ' || r.id || ' ' || coalesce(a.tags || ' ' || a.notes, '')`,
        word,
      ),
    );
  if (model !== undefined) conditions.push(contains(sql`json_extract(r.config, '$.policy.model')`, model));
  if (reviewer !== undefined)
    conditions.push(
      contains(
        sql`json_extract(r.config, '$.supervision.reviewer') || ' ' || json_extract(r.config, '$.supervision.model')`,
        reviewer,
      ),
    );
  if (framework !== undefined)
    conditions.push(
      sql`coalesce(json_extract(r.config, '$.framework.name'), json_extract(r.config, '$.framework')) = ${framework}`,
    );
  if (preset !== undefined) conditions.push(sql`r.preset = ${preset}`);
  if (tag !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM json_each(coalesce(a.tags, '[]')) t WHERE lower(t.value) = lower(${tag}))`,
    );
  if (supervision !== undefined) conditions.push(compared(LARGEST_PROBABILITY, supervision));
  if (step !== undefined) conditions.push(compared(sql`r.committed_steps`, step));
  if (seed !== undefined) conditions.push(compared(sql`json_extract(r.config, '$.seed')`, seed));
  if (archived !== 'all') conditions.push(sql`coalesce(a.archived, 0) = ${archived === 'only' ? 1 : 0}`);
  return conditions;
}

const FROM = sql`FROM runs r LEFT JOIN run_annotations a ON a.run_id = r.id`;

/** Ids in order, after `after`, with the values they are ordered by. */
export function runRowPageQuery(
  filter: RunRowFilter,
  { by, descending }: RunOrder,
  after: RowPlace | null,
  limit: number,
): Query {
  const order = ORDERS[by];
  const conditions = conditionsOf(filter);
  if (after !== null)
    conditions.push(sql`(${order}, r.id) ${descending ? SIGNS['<'] : SIGNS['>']} (${after[0]}, ${after[1]})`);
  const direction = descending ? sql`DESC` : sql`ASC`;
  return sql`SELECT ${order} AS place, r.id AS id ${FROM} WHERE ${allOf(conditions)} ORDER BY place ${direction}, r.id ${direction} LIMIT ${limit}`;
}

const asPlace = reader('place of a run', placeSchema, (row: { place: string | number; id: string }) => [
  row.place,
  row.id,
]);
const asCount = reader('count of runs', z.int(), (row: { count: number }) => row.count);

export function selectRunPlaces(db: Database, query: Query): RowPlace[] {
  return readAll(db, asPlace, query);
}

export function countRunRows(db: Database, filter: RunRowFilter): number {
  return (
    readAll(db, asCount, sql`SELECT count(*) AS count ${FROM} WHERE ${allOf(conditionsOf(filter))}`)[0] ?? 0
  );
}

const asState = reader(
  'count of runs by state',
  z.tuple([z.string(), z.int()]),
  (row: { state: string; count: number }) => [row.state, row.count],
);

/** How many runs there are in each state under a filter, whatever states it asks for. */
export function countRunStates(db: Database, filter: RunRowFilter): Record<string, number> {
  const { states: _, ...rest } = filter;
  return Object.fromEntries(
    readAll(
      db,
      asState,
      sql`SELECT r.state AS state, count(*) AS count ${FROM} WHERE ${allOf(conditionsOf(rest))} GROUP BY r.state`,
    ),
  );
}

export const placeToCursor = (place: RowPlace): string => JSON.stringify(place);

/** @throws Failure `badCursor` (exit code 2) for text that no page returned. */
export function cursorToPlace(cursor: string): RowPlace {
  try {
    return placeSchema.parse(JSON.parse(cursor));
  } catch (cause) {
    throw new Failure(
      'badCursor',
      `"${cursor}" is not a page cursor of runs; use the one the previous page returned.`,
      2,
      { cause },
    );
  }
}
