import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure, storedEventSchema, type StoredEvent } from '../../contract/index.ts';
import { canonicalJson, sha256Hex } from '../../core/index.ts';
import { execute, immediately, readAll, readEach, reader, readOne, sql, wellFormed } from '../sql.ts';

type EventRow = {
  seq: number;
  at: string;
  run_id: string | null;
  kind: string;
  body: string;
  prev: string;
  hash: string;
};

export const asEvent = reader('event', storedEventSchema, (row: EventRow) => ({
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

function selectLastEvent(db: Database): StoredEvent | null {
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
function selectEvents(db: Database, runId: string | null, afterSeq: number, limit: number): StoredEvent[] {
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

const asProgram = reader('program', z.string().nullable(), (row: { program: string | null }) => row.program);

/** The versions of the program that took a run's steps, in no order. */
export function selectPrograms(db: Database, runId: string): (string | null)[] {
  return readAll(
    db,
    asProgram,
    sql`SELECT DISTINCT json_extract(body, '$.program') AS program FROM events WHERE run_id = ${runId} AND kind = 'step.committed'`,
  );
}

export type Clock = () => Date;

/** What the first event points back to. */
export const CHAIN_START = '0'.repeat(64);

/** A point of the chain to write down outside the lab. Only against such a point can a cut or rewritten chain be noticed. */
export type ChainCheckpoint = { seq: number; head: string; count: number };

/** `head` is the hash of the last sound event; `firstBroken` the first that does not follow from the one before, with the reason. */
export type ChainCheck = { count: number; head: string; firstBroken?: { seq: number; reason: string } };

/** hash = SHA-256('anchor-event-v1' ‖ prev ‖ canonical JSON of the event without its two hashes). */
export function eventHash(event: Omit<StoredEvent, 'hash'>): string {
  const { seq, at, runId, kind, body, prev } = event;
  return sha256Hex(`anchor-event-v1${prev}${canonicalJson({ seq, at, runId, kind, body })}`);
}

/** Adds one event at the end of the chain; call it inside the transaction whose data it attests. */
export function appendToChain(
  db: Database,
  now: Clock,
  runId: string | null,
  kind: string,
  body: unknown,
): StoredEvent {
  const last = selectLastEvent(db);
  const event = {
    seq: (last?.seq ?? 0) + 1,
    at: now().toISOString(),
    runId,
    kind: wellFormed(kind),
    body: wellFormed(body),
    prev: last?.hash ?? CHAIN_START,
  };
  const stored = storedEventSchema.parse({ ...event, hash: eventHash(event) });
  insertEvent(db, stored);
  return stored;
}

/** Why an event cannot follow the one before it, or null. */
function objectionTo(event: StoredEvent, before: { seq: number; hash: string }): string | null {
  if (event.seq !== before.seq + 1) return `event ${before.seq + 1} is missing`;
  if (event.prev !== before.hash) return 'it does not follow from the event before it';
  return eventHash(event) === event.hash ? null : 'its content was changed';
}

/** How far back the chain is looked at in a moment. */
const NEWEST = 200;

/** The first of the newest events that does not follow from the one before it, or null. */
export function brokenAtEnd(db: Database): { seq: number; reason: string } | null {
  const newest = readAll(db, asEvent, sql`SELECT ${COLUMNS} FROM events ORDER BY seq DESC LIMIT ${NEWEST}`);
  const [oldest, ...later] = newest.toReversed();
  let before = oldest;
  for (const event of later) {
    const reason = before === undefined ? null : objectionTo(event, before);
    if (reason !== null) return { seq: event.seq, reason };
    before = event;
  }
  return null;
}

/** Follows the whole chain. With `checkpoint` it also tells whether the chain still goes through that point. */
export function checkChain(db: Database, checkpoint?: ChainCheckpoint): ChainCheck {
  let count = 0;
  let head = CHAIN_START;
  let passed = checkpoint === undefined || checkpoint.seq === 0;
  try {
    for (const event of eachEvent(db)) {
      const broken = (reason: string): ChainCheck => ({
        count,
        head,
        firstBroken: { seq: event.seq, reason },
      });
      const objection = objectionTo(event, { seq: count, hash: head });
      if (objection !== null) return broken(objection);
      if (checkpoint?.seq === event.seq) {
        if (event.hash !== checkpoint.head)
          return broken('the chain was written again: it does not match the exported checkpoint');
        passed = true;
      }
      count = event.seq;
      head = event.hash;
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'corrupt') throw error;
    return { count, head, firstBroken: { seq: count + 1, reason: 'it cannot be read' } };
  }
  if (!passed)
    return {
      count,
      head,
      firstBroken: { seq: count + 1, reason: 'the chain was cut: it ends before the exported checkpoint' },
    };
  return { count, head };
}

/** Audit events of the lab: a hash chain that only grows. */
export function eventRepository(db: Database, now: Clock) {
  return {
    /** @param body plain JSON data; NaN, dates and undefined are refused */
    appendEvent(runId: string | null, kind: string, body: unknown): StoredEvent {
      return immediately(db, () => appendToChain(db, now, runId, kind, body));
    },
    /** In order, after `afterSeq` (default: from the first), at most `limit` (default 500). */
    listEvents(runId: string | null, options: { afterSeq?: number; limit?: number } = {}): StoredEvent[] {
      return selectEvents(db, runId, options.afterSeq ?? 0, options.limit ?? 500);
    },
    /** Events of one kind about a run, in order. */
    eventsOfKind(runId: string, kind: string): StoredEvent[] {
      return selectEventsOfKind(db, runId, kind);
    },
    /** Shows changed, deleted, inserted and reordered events; a cut tail or a rewritten chain only against `checkpoint`. */
    verifyEvents(checkpoint?: ChainCheckpoint): ChainCheck {
      return checkChain(db, checkpoint);
    },
    exportCheckpointOfChain(): ChainCheckpoint {
      const last = selectLastEvent(db);
      return { seq: last?.seq ?? 0, head: last?.hash ?? CHAIN_START, count: last?.seq ?? 0 };
    },
  };
}
