import { EventEmitter, once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type {
  LiveBatch,
  LiveEvent,
  SequencedEvent,
  RecordHead,
  ReviewHead,
  ReviewRecord,
  RolloutRecord,
} from '../contract/index.ts';

/** What is kept for readers that come back, as `sizeOf` counts; some 3,700 of the longest reviews fill it. */
export const KEPT_BYTES = 16 * 1024 * 1024;
/** Most of one batch: a window that comes back gets what it missed in frames that it can take in between two pictures. */
const BATCH = { events: 250, bytes: 256 * 1024 };
/** What an event costs beside its text: its number, time and object. */
const EVENT_BYTES = 200;
/** A window repaints at most ten times a second; what happens in between travels together. */
const BATCH_MS = 100;

export type ReviewQueueEvent = Extract<LiveEvent, { kind: 'queue' }>;

/** Where a reader is: the engine's start and the last event it has seen. */
export type LiveCursor = { epoch: string; seq: number };

export const cursorToText = ({ epoch, seq }: LiveCursor): string => `${epoch}:${seq}`;

/** Null for text that no subscription gave out. */
export function textToCursor(text: string): LiveCursor | null {
  const match = /^([\w-]{1,64}):(\d{1,15})$/.exec(text);
  return match === null ? null : { epoch: match[1] as string, seq: Number(match[2]) };
}

type KeptEvent = SequencedEvent & { bytes: number };

const sizeOf = (event: LiveEvent): number => Buffer.byteLength(JSON.stringify(event)) + EVENT_BYTES;

/** Everything that happens in the engine, numbered, with the newest kept so that a reader can go on where it was cut off. */
export class LiveFeed {
  readonly epoch: string;
  readonly #now: () => Date;
  /** By their numbers, without a gap from the oldest that is kept to the newest. */
  readonly #kept = new Map<number, KeptEvent>();
  #keptBytes = 0;
  #oldest = 1;
  #seq = 0;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  constructor(epoch: string, now: () => Date) {
    this.epoch = epoch;
    this.#now = now;
  }

  /** Where a reader that starts now stands. */
  cursor(): LiveCursor {
    return { epoch: this.epoch, seq: this.#seq };
  }

  /** The last word on the reviewer of a run, for a window that opens in the middle of a step; null where none is kept. */
  lastQueue(runId: string): ReviewQueueEvent | null {
    for (let seq = this.#seq; seq >= this.#oldest; seq -= 1) {
      const event = this.#kept.get(seq)?.event;
      if (event?.kind === 'queue' && event.runId === runId) return event;
    }
    return null;
  }

  emit(event: LiveEvent): void {
    this.#seq += 1;
    const bytes = sizeOf(event);
    this.#kept.set(this.#seq, { seq: this.#seq, at: this.#now().toISOString(), event, bytes });
    this.#keptBytes += bytes;
    // The newest stays whatever its size, so that every reader hears at least of the hole before it.
    for (; this.#keptBytes > KEPT_BYTES && this.#oldest < this.#seq; this.#oldest += 1) {
      this.#keptBytes -= this.#kept.get(this.#oldest)?.bytes ?? 0;
      this.#kept.delete(this.#oldest);
    }
    this.#arrivals.emit('event');
  }

  /**
   * Events after `from`, then every further one, in batches, until `signal` aborts. Without `from` it starts now. When events
   * after `from` are gone, the first batch says `missed`.
   */
  async *follow(from: LiveCursor | null, signal: AbortSignal): AsyncGenerator<LiveBatch> {
    let seq = this.#seq;
    let missed = from !== null;
    if (from?.epoch === this.epoch && from.seq <= this.#seq && from.seq >= this.#oldest - 1)
      [seq, missed] = [from.seq, false];
    // The first batch says where the reader stands, so that it can come back even if nothing happens.
    yield { epoch: this.epoch, events: [], missed };
    while (!signal.aborted) {
      const events = this.#after(seq);
      const isBehind = events.length > 0 && events.at(-1)?.seq !== this.#seq;
      if (events.length > 0) {
        // A reader too slow for the ring gets `missed` instead of a hole.
        const hole = (events[0] as SequencedEvent).seq !== seq + 1;
        seq = (events.at(-1) as SequencedEvent).seq;
        yield { epoch: this.epoch, events, missed: hole };
      }
      // A reader with much to catch up on takes its turn among others.
      await (isBehind ? turn() : this.#nextBatch(seq, signal));
    }
  }

  /** The next batch's time; returns early only when the reader leaves. */
  async #nextBatch(seq: number, signal: AbortSignal): Promise<void> {
    try {
      if (this.#seq === seq) await once(this.#arrivals, 'event', { signal });
      await new Promise<void>((resolve) => {
        setTimeout(resolve, BATCH_MS);
      });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #after(seq: number): SequencedEvent[] {
    const events: SequencedEvent[] = [];
    let left: number = BATCH.bytes;
    for (let next = Math.max(seq + 1, this.#oldest); events.length < BATCH.events; next += 1) {
      const kept = this.#kept.get(next);
      // One that is larger than a batch travels alone.
      if (kept === undefined || (events.length > 0 && kept.bytes > left)) break;
      left -= kept.bytes;
      events.push({ seq: kept.seq, at: kept.at, event: kept.event });
    }
    return events;
  }
}

const EXCERPT_CHARACTERS = 140;

/** The part of a rollout that a feed shows. */
export function recordHead({
  id,
  step,
  batch,
  purpose,
  role,
  taskType,
  finish,
  newTokens,
  formatOk,
  verdict,
  reward,
  answer,
  text,
}: RolloutRecord): RecordHead {
  return {
    id,
    step,
    batch,
    purpose,
    role,
    taskType,
    finish,
    newTokens,
    formatOk,
    verdict,
    reward,
    excerpt: oneLine(answer ?? text),
  };
}

/** The part of a review that a feed shows. */
export function reviewHead({
  id,
  step,
  batch,
  phase,
  rolloutId,
  status,
  decision,
  issues,
  feedback,
  reviewer,
  milliseconds,
}: ReviewRecord): ReviewHead {
  return { id, step, batch, phase, rolloutId, status, decision, issues, feedback, reviewer, milliseconds };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > EXCERPT_CHARACTERS ? `${line.slice(0, EXCERPT_CHARACTERS)}…` : line;
}
