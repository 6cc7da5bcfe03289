import type { ReactNode } from 'react';
import { PHASES, type Phase } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { durationText, Group, NativeSelect, Progress, SegmentedControl, Text } from '../../../ui/index.ts';
import { countStates, ITEM_STATES, type QueueItem, type ItemState } from './queue.ts';
import { paceOf } from './timing.ts';

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
          <Text size="xs" c="var(--quiet)" className="numbers">
            {t('reviews.progress', { done: counts.done, total })}
          </Text>
          <Text size="xs" c="var(--quiet)" className="numbers">
            {open === 0 ? '' : paceText}
          </Text>
        </Group>
      </div>
      <span className="reviews-spring" />
      {children}
    </div>
  );
}
