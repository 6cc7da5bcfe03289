import { z } from 'zod';
import { Failure } from '../contract/index.ts';
import { allOf, reader, sql, type Query } from './sql.ts';

/** Where a row stands in an ordered list: the value it is ordered by, and what decides between equals. */
const cursorSchema = z.tuple([z.union([z.string(), z.number()]), z.union([z.string(), z.number()])]);
type RowCursor = z.infer<typeof cursorSchema>;

export const formatCursor = (cursor: RowCursor): string => JSON.stringify(cursor);

/** @param of what the list has, for the sentence. @throws Failure `badCursor` (exit code 2) for text that no page returned. */
export function parseCursor(cursor: string, of: string): RowCursor {
  try {
    return cursorSchema.parse(JSON.parse(cursor));
  } catch (cause) {
    throw new Failure(
      'badCursor',
      `"${cursor}" is not a page cursor of ${of}; use the one the previous page returned.`,
      2,
      { cause },
    );
  }
}

export const contains = (what: Query, part: string): Query => sql`instr(lower(${what}), lower(${part})) > 0`;

type Places = {
  /** Tables and joins, with FROM. */
  from: Query;
  where: readonly Query[];
  /** What is ordered by, and what tells equals apart; neither is ever null. */
  order: Query;
  tie: Query;
  id: Query;
  descending: boolean;
  after: RowCursor | null;
  limit: number;
};

/** Ids in order, after a row, with where each stands. Pages keyed by a place lose and double no row when rows come or go. */
export function placesQuery({ from, where, order, tie, id, descending, after, limit }: Places): Query {
  const beyond = descending ? sql`<` : sql`>`;
  const conditions =
    after === null ? where : [...where, sql`(${order}, ${tie}) ${beyond} (${after[0]}, ${after[1]})`];
  const direction = descending ? sql`DESC` : sql`ASC`;
  return sql`SELECT ${order} AS place, ${tie} AS tie, ${id} AS id ${from} WHERE ${allOf(conditions)} ORDER BY place ${direction}, tie ${direction} LIMIT ${limit}`;
}

const placeSchema = z.strictObject({ id: z.string(), cursor: cursorSchema });
export const asPlace = reader(
  'place of a list',
  placeSchema,
  (row: { id: string; place: string | number; tie: string | number }) => ({
    id: row.id,
    cursor: [row.place, row.tie],
  }),
);

/** A page out of one row more than it holds, which tells whether there are others. */
export function pageOf(places: readonly z.infer<typeof placeSchema>[], limit: number) {
  const shown = places.slice(0, limit);
  const last = places.length > limit ? shown.at(-1) : undefined;
  return { ids: shown.map(({ id }) => id), next: last === undefined ? null : formatCursor(last.cursor) };
}

export type FacetCount<T> = { value: T; count: number };

/** Counts by value, the most frequent first. */
export class Tally {
  readonly #counts = new Map<unknown, number>();
  add(value: unknown, count: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
  }
  sorted<T>(): FacetCount<T>[] {
    return [...this.#counts]
      .map(([value, count]) => ({ value: value as T, count }))
      .sort((left, right) => right.count - left.count || (String(left.value) < String(right.value) ? -1 : 1));
  }
}

/** The one of several conditions that does not hold; null when all do, 'several' when more fail. */
export function mismatch<D extends string>(
  dimensions: readonly D[],
  holds: (dimension: D) => boolean,
): D | 'several' | null {
  let found: D | null = null;
  for (const dimension of dimensions) {
    if (holds(dimension)) continue;
    if (found !== null) return 'several';
    found = dimension;
  }
  return found;
}
