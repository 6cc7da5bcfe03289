import type { Database } from 'better-sqlite3';
import { storedEventSchema } from '../../contract/index.ts';
import type { StoredEvent } from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { execute, readAll, readEach, readOne, reader, sql } from '../sql.ts';

type EventRow = {
  seq: number;
  at: string;
  run_id: string | null;
  kind: string;
  body: string;
  prev: string;
  hash: string;
};

const asEvent = reader('event', storedEventSchema, (row: EventRow) => ({
  seq: row.seq,
  at: row.at,
  runId: row.run_id,
  kind: row.kind,
  body: JSON.parse(row.body),
  prev: row.prev,
  hash: row.hash,
}));

const COLUMNS = sql`seq, at, run_id, kind, body, prev, hash`;

export function insertEvent(db: Database, event: StoredEvent): void {
  execute(
    db,
    sql`
    INSERT INTO events (seq, at, run_id, kind, body, prev, hash)
    VALUES (${event.seq}, ${event.at}, ${event.runId}, ${event.kind}, ${canonicalJson(event.body)}, ${event.prev}, ${event.hash})`,
  );
}

export function selectLastEvent(db: Database): StoredEvent | null {
  return readOne(db, asEvent, sql`SELECT ${COLUMNS} FROM events ORDER BY seq DESC LIMIT 1`);
}

export function selectLastEventOf(db: Database, runId: string): StoredEvent | null {
  return readOne(
    db,
    asEvent,
    sql`SELECT ${COLUMNS} FROM events WHERE run_id = ${runId} ORDER BY seq DESC LIMIT 1`,
  );
}

export function eachEvent(db: Database): Generator<StoredEvent> {
  return readEach(db, asEvent, sql`SELECT ${COLUMNS} FROM events ORDER BY seq`);
}

/** In order, after `afterSeq`; of one run, or of all when `runId` is null. */
export function selectEvents(
  db: Database,
  runId: string | null,
  afterSeq: number,
  limit: number,
): StoredEvent[] {
  return readAll(
    db,
    asEvent,
    runId === null
      ? sql`SELECT ${COLUMNS} FROM events WHERE seq > ${afterSeq} ORDER BY seq LIMIT ${limit}`
      : sql`SELECT ${COLUMNS} FROM events WHERE run_id = ${runId} AND seq > ${afterSeq} ORDER BY seq LIMIT ${limit}`,
  );
}

export function selectEventsOfKind(db: Database, runId: string, kind: string): StoredEvent[] {
  return readAll(
    db,
    asEvent,
    sql`SELECT ${COLUMNS} FROM events WHERE run_id = ${runId} AND kind = ${kind} ORDER BY seq`,
  );
}
