import type { Phase, RecordHead, ReviewHead, TaskType } from '../../../../electron/contract/index.ts';
import { batchSpec, FEED_LINES } from '../../../../electron/contract/index.ts';

export type FeedDecision = 'continue' | 'retry' | 'failed' | 'skipped' | 'quarantined' | 'none';

/** One line of the feed: a review of something the agent wrote, or something nobody reviewed. */
type FeedEntry = {
  key: string;
  /** When its event came; null for what was stored before. */
  at: string | null;
  /** Grows with arrival. */
  order: number;
  step: number;
  batch: string;
  taskType: TaskType;
  recordId: string | null;
  phase: Phase | null;
  decision: FeedDecision;
  outcome: RecordHead['verdict']['outcome'] | null;
  agent: string;
  supervisor: string;
  issues: readonly string[];
};

export type Feed = {
  entries: readonly FeedEntry[];
  /** The records whose events came, by id, for reviews that come later. */
  records: ReadonlyMap<string, RecordHead>;
  /** Entries that came in, whether or not they are still here. */
  received: number;
};
export type FeedFilter = {
  phase: Phase | null;
  decision: FeedDecision | null;
  taskType: TaskType | null;
};

/** Beyond this a person does not scroll in a feed; all records are in their own room. */
export const KEPT_ENTRIES = 2000;
export const EMPTY_FEED: Feed = { entries: [], records: new Map(), received: 0 };

export type FeedEvent = { at: string | null; record: RecordHead } | { at: string | null; review: ReviewHead };

/** The feed with more events, oldest first. A review takes the place of the line that said "not reviewed". */
export function addToFeed(feed: Feed, events: readonly FeedEvent[]): Feed {
  if (events.length === 0) return feed;
  const records = new Map(feed.records);
  const entries = new Map(feed.entries.map((entry) => [entry.key, entry]));
  let { received } = feed;
  for (const one of events) {
    const entry =
      'record' in one
        ? recordEntry(one.record, one.at, received)
        : reviewEntry(one.review, one.at, received, records);
    if ('record' in one) {
      records.set(one.record.id, one.record);
      if ([...phasesOf(entries, one.record.id)].length > 0) continue; // its reviews came first and say more
    } else if (one.review.rolloutId !== null) {
      entries.delete(one.review.rolloutId);
    }
    if (entries.has(entry.key)) continue;
    received += 1;
    entries.set(entry.key, entry);
  }
  const kept = [...entries.values()].slice(-KEPT_ENTRIES);
  const oldest = kept.reduce((least, { step }) => Math.min(least, step), Infinity);
  for (const [id, record] of records) if (record.step < oldest) records.delete(id);
  return { entries: kept, records, received };
}

/** What was stored and what events brought, each line once; what events brought is newer. */
export function mergeFeeds(stored: Feed, live: Feed): Feed {
  if (stored.entries.length === 0) return live;
  const known = new Map(stored.entries.map((entry) => [entry.key, entry]));
  const reviewed = new Set(
    stored.entries.flatMap(({ recordId, phase }) => (recordId === null || phase === null ? [] : [recordId])),
  );
  const newer = live.entries
    .filter(({ phase, recordId }) => phase !== null || recordId === null || !reviewed.has(recordId))
    .map((entry) => {
      const twin = known.get(entry.key);
      known.delete(entry.key);
      // A review whose record came before anybody listened knows nothing of what the agent wrote.
      return {
        ...entry,
        agent: entry.agent === '' ? (twin?.agent ?? '') : entry.agent,
        outcome: entry.outcome ?? twin?.outcome ?? null,
        order: entry.order + stored.received,
      };
    });
  return {
    entries: [...known.values(), ...newer],
    records: live.records,
    received: known.size + live.received,
  };
}

/** The feed of a run that stands still after a step: what came of a later one was thrown away. */
export const withoutStepsAfter = (feed: Feed, step: number): Feed =>
  feed.entries.every((entry) => entry.step <= step)
    ? feed
    : { ...feed, entries: feed.entries.filter((entry) => entry.step <= step) };

/**
 * The lines within a range of steps, as a reload would read them, however many were heard before: of the stored steps the newest, whole
 * ones, until they have FEED_LINES lines, and all of later steps.
 */
export function newestSteps(
  feed: Feed,
  committedSteps: number,
  { from, to }: { from: number; to: number | null },
): Feed {
  const within = feed.entries.filter(({ step }) => step >= from && step <= (to ?? Infinity));
  const lines = new Map<number, number>();
  for (const { step } of within) if (step <= committedSteps) lines.set(step, (lines.get(step) ?? 0) + 1);
  let [oldest, count] = [Infinity, 0];
  for (const [step, ofStep] of [...lines].sort(([a], [b]) => b - a)) {
    if (count >= FEED_LINES) break;
    [oldest, count] = [step, count + ofStep];
  }
  const entries = within.filter(({ step }) => step >= oldest || step > committedSteps);
  return entries.length === feed.entries.length ? feed : { ...feed, entries };
}

const PHASES_OF_A_RECORD = ['task', 'plan', 'thought', 'output'];

function* phasesOf(entries: ReadonlyMap<string, FeedEntry>, recordId: string): Generator<FeedEntry> {
  for (const phase of PHASES_OF_A_RECORD) {
    const entry = entries.get(`${recordId}#${phase}`);
    if (entry !== undefined) yield entry;
  }
}

function recordEntry(
  { id, step, batch, taskType, verdict, excerpt }: RecordHead,
  at: string | null,
  order: number,
): FeedEntry {
  return {
    key: id,
    at,
    order,
    step,
    batch,
    taskType,
    recordId: id,
    phase: null,
    decision: 'none',
    outcome: verdict.outcome,
    agent: excerpt,
    supervisor: '',
    issues: [],
  };
}

function reviewEntry(
  { id, step, batch, phase, rolloutId, status, decision, issues, feedback }: ReviewHead,
  at: string | null,
  order: number,
  records: ReadonlyMap<string, RecordHead>,
): FeedEntry {
  const record = rolloutId === null ? undefined : records.get(rolloutId);
  const outcomes = {
    done: decision ?? 'none',
    failed: 'failed',
    quarantined: 'quarantined',
    'skipped-by-budget': 'skipped',
  } as const;
  return {
    key: id,
    at,
    order,
    step,
    batch,
    taskType: batchSpec(batch).taskType,
    recordId: rolloutId,
    phase,
    decision: outcomes[status],
    outcome: record?.verdict.outcome ?? null,
    agent: record?.excerpt ?? '',
    supervisor: firstLine(feedback),
    issues,
  };
}

const firstLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A line of the feed as it is shown: the first of its group carries the group's heading. */
export type FeedRow = FeedEntry & { group: { step: number; taskType: TaskType; count: number } | null };

/** What passes the filter, newest step first, then task type in the order given, newest first within. */
export function feedRows(feed: Feed, filter: FeedFilter, taskTypes: readonly TaskType[]): FeedRow[] {
  const shown = feed.entries.filter(
    (entry) =>
      (filter.phase === null || entry.phase === filter.phase) &&
      (filter.decision === null || entry.decision === filter.decision) &&
      (filter.taskType === null || entry.taskType === filter.taskType),
  );
  const place = new Map(taskTypes.map((taskType, index) => [taskType, index]));
  const sorted = shown.sort(
    (a, b) =>
      b.step - a.step || (place.get(a.taskType) ?? 0) - (place.get(b.taskType) ?? 0) || b.order - a.order,
  );
  const counts = new Map<string, number>();
  const groupOf = ({ step, taskType }: FeedEntry): string => `${step}/${taskType}`;
  for (const entry of sorted) counts.set(groupOf(entry), (counts.get(groupOf(entry)) ?? 0) + 1);
  return sorted.map((entry, index) => {
    const before = sorted[index - 1];
    const isFirst = before === undefined || groupOf(before) !== groupOf(entry);
    return {
      ...entry,
      group: isFirst
        ? { step: entry.step, taskType: entry.taskType, count: counts.get(groupOf(entry)) ?? 0 }
        : null,
    };
  });
}
