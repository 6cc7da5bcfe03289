import { EventEmitter, once } from 'node:events';
import type {
  LiveBatch,
  LiveEvent,
  SequencedEvent,
  RecordHead,
  ReviewHead,
  ReviewRecord,
  RolloutRecord,
} from '../contract/index.ts';

/** Events kept for readers that come back: a minute at a thousand a second. */
const KEPT_EVENTS = 60_000;
/** Most events in one batch, so that a frame stays well under the hosts' limit of a megabyte. */
const BATCH_EVENTS = 250;
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

/** Everything that happens in the engine, numbered, with the newest kept so that a reader can go on where it was cut off. */
export class LiveFeed {
  readonly epoch: string;
  readonly #now: () => Date;
  readonly #kept: SequencedEvent[] = [];
  /** Index of the oldest kept event in #kept: the front is cut off in large pieces only. */
  #front = 0;
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
    const found = this.#kept.findLast(({ event }) => event.kind === 'queue' && event.runId === runId);
    return found?.event.kind === 'queue' ? found.event : null;
  }

  emit(event: LiveEvent): void {
    this.#seq += 1;
    this.#kept.push({ seq: this.#seq, at: this.#now().toISOString(), event });
    if (this.#kept.length - this.#front > KEPT_EVENTS) this.#front += 1;
    if (this.#front > KEPT_EVENTS) this.#front = (this.#kept.splice(0, this.#front), 0);
    this.#arrivals.emit('event');
  }

  /**
   * Events after `from`, then every further one, in batches, until `signal` aborts. Without `from` it starts now. When events
   * after `from` are gone, the first batch says `missed`.
   */
  async *follow(from: LiveCursor | null, signal: AbortSignal): AsyncGenerator<LiveBatch> {
    let seq = this.#seq;
    let missed = from !== null;
    if (from?.epoch === this.epoch && from.seq <= this.#seq && from.seq >= this.#oldest() - 1)
      [seq, missed] = [from.seq, false];
    // The first batch says where the reader stands, so that it can come back even if nothing happens.
    yield { epoch: this.epoch, events: [], missed };
    while (!signal.aborted) {
      const events = this.#after(seq);
      if (events.length > 0) {
        // A reader too slow for the ring gets `missed` instead of a hole.
        const hole = (events[0] as SequencedEvent).seq !== seq + 1;
        seq = (events.at(-1) as SequencedEvent).seq;
        yield { epoch: this.epoch, events, missed: hole };
      }
      if (events.length < BATCH_EVENTS) await this.#nextBatch(seq, signal);
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

  #oldest(): number {
    return this.#kept[this.#front]?.seq ?? this.#seq + 1;
  }

  #after(seq: number): SequencedEvent[] {
    const start = this.#front + Math.max(0, seq + 1 - this.#oldest());
    return this.#kept.slice(start, start + BATCH_EVENTS);
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
