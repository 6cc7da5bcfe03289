import { useMemo, useState } from 'react';
import {
  DEFAULT_TASK_TYPES,
  judgedOutcome,
  PHASES,
  TASK_TYPES,
  type TaskType,
} from '../../../../electron/contract/index.ts';
import { useThrottled } from '../../../charts/index.ts';
import { notify, readableFailure } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  DataList,
  EmptyState,
  ErrorPanel,
  Loading,
  NativeSelect,
  NoMatch,
  PhaseChip,
  useRoomNavigate,
  VisuallyHidden,
} from '../../../ui/index.ts';
import { useFeed, useHold } from '../hooks.ts';
import { batchRole } from '../model/curves.ts';
import { type FeedDecision, type FeedRow, feedRows } from '../model/feed.ts';
import type { ChangeSearch, LiveSearch } from '../search.ts';

type FeedPanelProps = {
  runId: string;
  range: { from: number; to: number | null } | null;
  committedSteps: number;
  isAtWork: boolean;
  search: LiveSearch;
  change: ChangeSearch;
  /** Grows when a person asks for the newest. */
  topAsked: number;
};

const ROW_PX = 44;
const REPAINT_MS = 250;
const DECISIONS: readonly FeedDecision[] = ['continue', 'retry', 'quarantined', 'failed', 'skipped', 'none'];

/** What is written and what is said of it, newest first; stands still while a person points at it. */
export function FeedPanel({
  runId,
  range,
  committedSteps,
  isAtWork,
  search,
  change,
  topAsked,
}: FeedPanelProps) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const { feed, isReady, error, readAgain } = useFeed(runId, range, {
    committedSteps,
    isAtWork,
  });
  const calm = useThrottled(feed, REPAINT_MS);
  const { shown, isHeld, hold, release } = useHold(calm, topAsked);
  const [selected, setSelected] = useState<string | null>(null);
  const { phase = null, decision = null, type = null } = search;
  const rows = useMemo(
    () => feedRows(shown, { phase, decision, taskType: type }, TASK_TYPES),
    [shown, phase, decision, type],
  );
  const isComing = shown.entries.length === 0 && (!isReady || feed.entries.length > 0);
  const toTop = (): void => {
    release();
    setSelected(null);
  };
  const fresh = isHeld ? feed.received - shown.received : 0;
  const open = (row: FeedRow): void => {
    if (row.step > committedSteps) notify(t('live.feed.later'), 'plain');
    else
      navigate(
        '/runs/$runId/records',
        { runId },
        row.recordId === null ? { from: row.step, to: row.step } : { record: row.recordId },
      );
  };
  const filters = [
    phase === null ? null : t(`phase.${phase}.short`),
    decision === null ? null : t(`live.decision.${decision}`),
    type === null ? null : t(`live.task.${type}`),
  ].filter((each) => each !== null);
  return (
    <section className="live-feed" aria-label={t('live.feed')}>
      <div
        className="live-feed-hold"
        onPointerLeave={release}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) release();
        }}
      >
        <header className="live-panel-head">
          <h2>{t('live.feed')}</h2>
          <FilterSelect
            label={t('live.feed.phase')}
            any={t('live.feed.any.phase')}
            value={phase}
            options={PHASES}
            wordOf={(each) => t(`phase.${each}`)}
            onChoose={(chosen) => change({ phase: chosen })}
          />
          <FilterSelect
            label={t('live.feed.decision')}
            any={t('live.feed.any.decision')}
            value={decision}
            options={DECISIONS}
            wordOf={(each) => t(`live.decision.${each}`)}
            onChoose={(chosen) => change({ decision: chosen })}
          />
          <FilterSelect
            label={t('live.feed.type')}
            any={t('live.feed.any.type')}
            value={type}
            options={typesOf(shown.entries)}
            wordOf={(each) => t(`live.task.${each}`)}
            onChoose={(chosen) => change({ type: chosen })}
          />
          <span className="ui-spring" />
          {fresh > 0 && (
            <Button size="compact-xs" radius="xl" onClick={toTop}>
              {t('live.feed.fresh', { n: fresh })}
            </Button>
          )}
        </header>
        {/* Pointing at a line or standing in the list holds it, so that nobody reads a moving text, until the panel is left: the way to
          "n new" is no leaving. */}
        <div className="live-feed-list" onPointerEnter={hold} onFocus={hold}>
          {isComing && error === null && <Loading />}
          {isComing && error !== null && <ErrorPanel problem={readableFailure(error)} onRetry={readAgain} />}
          {!isComing && shown.entries.length === 0 && (
            <EmptyState title={t('live.feed.empty')} text={t('live.feed.empty.text')} />
          )}
          {shown.entries.length > 0 && rows.length === 0 && (
            <NoMatch
              title={t('live.feed.noMatch')}
              filter={t('live.feed.noMatch.text', { n: shown.entries.length, filter: filters.join(', ') })}
              onClear={() => change({ phase: undefined, decision: undefined, type: undefined })}
            />
          )}
          {rows.length > 0 && (
            <DataList
              label={t('live.feed')}
              rows={rows}
              keyOf={(row) => row.key}
              rowHeight={ROW_PX}
              total={rows.length}
              selected={selected}
              onSelect={setSelected}
              onOpen={(_, row) => open(row)}
              opensOnClick
              renderRow={(row) => <FeedLine row={row} />}
            />
          )}
        </div>
        <footer className="live-panel-foot">
          <span className="numbers">
            {t('live.feed.count', { n: rows.length, heard: shown.entries.length })}
          </span>
          {isHeld && <span className="live-quiet">{t('live.feed.held')}</span>}
          <span className="ui-spring" />
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() =>
              navigate(
                '/runs/$runId/records',
                { runId },
                range === null ? {} : { from: range.from, ...(range.to === null ? {} : { to: range.to }) },
              )
            }
          >
            {t('live.feed.all')}
          </Button>
        </footer>
      </div>
    </section>
  );
}

type FilterSelectProps<T extends string> = {
  label: string;
  /** What the entry that filters nothing is called. */
  any: string;
  value: T | null;
  options: readonly T[];
  wordOf: (option: T) => string;
  onChoose: (chosen: T | undefined) => void;
};

/** One condition on the lines: one of these, or any. */
function FilterSelect<T extends string>({
  label,
  any,
  value,
  options,
  wordOf,
  onChoose,
}: FilterSelectProps<T>) {
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={value ?? ''}
      onChange={({ currentTarget: { value: chosen } }) => onChoose(chosen === '' ? undefined : (chosen as T))}
      data={[{ value: '', label: any }, ...options.map((each) => ({ value: each, label: wordOf(each) }))]}
    />
  );
}

/** The types that occur here, in the order of tables; before anything came, those every run has. */
function typesOf(entries: readonly { taskType: TaskType }[]): readonly TaskType[] {
  const seen = new Set(entries.map(({ taskType }) => taskType));
  return seen.size === 0 ? DEFAULT_TASK_TYPES : TASK_TYPES.filter((taskType) => seen.has(taskType));
}

/** Told apart by shape as well as by colour and word. */
const GLYPHS: Record<FeedDecision, { glyph: string; color: string }> = {
  continue: { glyph: '✓', color: 'var(--good)' },
  retry: { glyph: '↻', color: 'var(--warn)' },
  quarantined: { glyph: '⚑', color: 'var(--bad)' },
  failed: { glyph: '✕', color: 'var(--bad)' },
  skipped: { glyph: '⏭', color: 'var(--quiet)' },
  none: { glyph: '·', color: 'var(--quiet)' },
};

/** Two lines: what the agent wrote, and what the supervisor said of it. The first of a group carries step and task type. */
export function FeedLine({ row }: { row: FeedRow }) {
  const t = useTranslate();
  const { glyph, color } = GLYPHS[row.decision];
  return (
    <div className="live-line" data-first={row.group !== null}>
      <div className="live-line-group">
        {row.group !== null && (
          <>
            <strong className="numbers">{t('live.feed.step', { step: row.group.step })}</strong>
            <span>
              {t(`live.task.${row.group.taskType}`)} <span className="numbers">{row.group.count}</span>
            </span>
          </>
        )}
      </div>
      <div className="live-line-body">
        <div className="live-line-top">
          {row.at !== null && (
            <time
              className="numbers live-quiet"
              dateTime={row.at}
              title={new Date(row.at).toLocaleString('en-GB')}
            >
              {new Date(row.at).toLocaleTimeString('en-GB')}
            </time>
          )}
          {row.phase !== null && <PhaseChip phase={row.phase} short />}
          <span className="numbers">
            {t(batchRole(row.batch))}
            {row.recordId === null ? '' : ` ${row.recordId.split('/').slice(2).join('/')}`}
          </span>
          {row.phase === null ? (
            <VisuallyHidden>{t('live.decision.none')}</VisuallyHidden>
          ) : (
            <span style={{ color }}>
              <span aria-hidden>{glyph}</span> {t(`live.decision.${row.decision}`)}
            </span>
          )}
          {row.outcome !== null && (
            <span className="live-quiet">{t(`outcome.${judgedOutcome(row.outcome, row.batch)}`)}</span>
          )}
          <span className="live-cut">{row.phase === 'exec' ? t('live.feed.batch') : row.agent}</span>
        </div>
        <div className="live-line-bottom live-cut">{row.supervisor}</div>
      </div>
      <span className="live-line-open" aria-hidden title={t('live.feed.open')}>
        ›
      </span>
    </div>
  );
}
