import { type ReactNode, useEffect, useState } from 'react';
import { PHASES, type Phase } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { durationText, Group, NativeSelect, Progress, SegmentedControl, Quiet } from '../../../ui/index.ts';
import { countStates, ITEM_STATES, type QueueItem, type ItemState } from './queue.ts';

/** A pause longer than this is a break, not work on an item. */
const BREAK_S = 600;
const RECENT = 10;
/** Fewer answers than this say nothing about the pace. */
const LEAST = 3;

/** Seconds per answer: the median of the last ten gaps between answers, breaks left out; null until there are three gaps. */
export function paceOf(answeredAtSeconds: readonly number[]): number | null {
  const gaps = answeredAtSeconds
    .slice(1)
    .map((at, index) => at - (answeredAtSeconds[index] ?? at))
    .filter((gap) => gap > 0 && gap <= BREAK_S)
    .slice(-RECENT);
  if (gaps.length < LEAST) return null;
  const sorted = gaps.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? null)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** `4:12` or `1:02:09`; never negative. */
export function countdownText(milliseconds: number): string {
  const whole = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** How long each item was in front of the person, all visits of one page together. Times are seconds of any steady clock. */
export class Dwell {
  readonly #spent = new Map<string, number>();
  #key: string | null = null;
  #since = 0;

  /** Another item is in front of the person from now on, or none. */
  visit(key: string | null, now: number): void {
    if (this.#key !== null) this.#spent.set(this.#key, this.of(this.#key, now));
    this.#key = key;
    this.#since = now;
  }

  of(key: string, now: number): number {
    return (this.#spent.get(key) ?? 0) + (key === this.#key ? now - this.#since : 0);
  }
}

const now = (): number => performance.now() / 1000;

/** Seconds an item was in front of the person since the page was opened. */
export function useDwell(current: string | null): (key: string) => number {
  const [dwell] = useState(() => new Dwell());
  useEffect(() => {
    dwell.visit(current, now());
    return () => dwell.visit(null, now());
  }, [dwell, current]);
  return (key) => dwell.of(key, now());
}

type QueueBarProps = {
  items: readonly QueueItem<unknown>[];
  tab: ItemState;
  phase: Phase | null;
  finishedAt: readonly number[];
  /** Counts of tabs whose items the queue does not hold. */
  counts?: Partial<Record<ItemState, number>>;
  onView: (change: { tab?: ItemState; phase?: Phase | null }) => void;
  children?: ReactNode;
};

/** How far one is, how fast, and which items are shown. */
export function QueueBar({
  items,
  tab,
  phase,
  finishedAt,
  counts: given = {},
  onView,
  children,
}: QueueBarProps) {
  const t = useTranslate();
  const counts = { ...countStates(items), ...given };
  const open = counts.pending + counts.draft;
  const total = open + counts.done;
  const pace = paceOf(finishedAt);
  const paceText =
    pace === null
      ? t('reviews.pace.learning')
      : t('reviews.pace', { seconds: durationText(pace), left: durationText(pace * open) });
  return (
    <div className="reviews-bar">
      <SegmentedControl
        size="xs"
        aria-label={t('reviews.state')}
        value={tab}
        onChange={(value) => onView({ tab: value as ItemState })}
        data={ITEM_STATES.map((state) => ({
          value: state,
          label: t('reviews.stateCount', { state: t(`reviews.state.${state}`), n: counts[state] }),
        }))}
      />
      <NativeSelect
        size="xs"
        aria-label={t('reviews.phase')}
        value={phase ?? ''}
        onChange={(event) =>
          onView({ phase: event.currentTarget.value === '' ? null : (event.currentTarget.value as Phase) })
        }
        data={[
          { value: '', label: t('reviews.phase.all') },
          ...PHASES.map((each) => ({ value: each, label: t(`phase.${each}.short`) })),
        ]}
      />
      <div className="reviews-progress">
        <Progress
          value={total === 0 ? 0 : (counts.done / total) * 100}
          size="sm"
          aria-label={t('reviews.progress.label')}
        />
        <Group justify="space-between" gap="xs">
          <Quiet size="xs" className="numbers">
            {t('reviews.progress', { done: counts.done, total })}
          </Quiet>
          <Quiet size="xs" className="numbers">
            {open === 0 ? '' : paceText}
          </Quiet>
        </Group>
      </div>
      <span className="reviews-spring" />
      {children}
    </div>
  );
}
