import { useCallback, memo, Fragment } from 'react';
import {
  batchSpec,
  type RecordFilter,
  type RecordRow as Row,
  type ReviewMark,
} from '../../../../electron/contract/index.ts';
import { readableFailure } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Banner,
  Button,
  ErrorPanel,
  Loading,
  NoMatch,
  StaleBanner,
  Text,
  UnstyledButton,
  Skeleton,
  WindowedList,
  batchText,
  Num,
  visibleString,
} from '../../../ui/index.ts';
import type { RecordsSearch } from '../filters/address.ts';
import { chipsOf, FilterChips } from '../filters/filter-chips.tsx';
import type { useCursor, RecordList as List, ListRows } from './use-record-list.ts';
import { OutcomeMark } from '../record/task-and-verdict.tsx';

type ListPaneProps = {
  list: List;
  cursor: ReturnType<typeof useCursor>;
  search: RecordsSearch;
  filter: RecordFilter;
  onChange: (part: Partial<RecordsSearch>) => void;
  onClear: () => void;
};

/** The list under its conditions, in whatever state it is. */
export function ListPane({ list, cursor, search, filter, onChange, onClear }: ListPaneProps) {
  const t = useTranslate();
  const chips = chipsOf(t, search, filter, onChange);
  const { rows, mode } = list;
  const read = { filter: list.facets, search: list.found, similar: list.similar }[mode];
  const failure = read.error ?? rows.failure;
  const retry = (): void => {
    rows.retry();
    void read.refetch();
  };
  const isReading = rows.count === null || (mode !== 'filter' && read.data === undefined);
  const isEmpty =
    !isReading &&
    rows.count === 0 &&
    !read.isPlaceholderData &&
    (mode !== 'search' || (list.found.data?.batchReviews.length ?? 0) === 0);
  if (failure != null && rows.isBlank)
    return <ErrorPanel problem={readableFailure(failure)} onRetry={retry} />;
  return (
    <>
      <FilterChips chips={chips} onClear={onClear} />
      <ListNote list={list} search={search} />
      {failure != null && <StaleBanner problem={readableFailure(failure)} onRetry={retry} />}
      {cursor.isOutside && (
        <Banner
          tone="warn"
          action={
            <Button size="compact-sm" variant="default" onClick={onClear}>
              {t('common.clearFilters')}
            </Button>
          }
        >
          {t('records.notInList')}
        </Banner>
      )}
      {isReading && failure == null && <Loading />}
      {mode === 'search' &&
        list.found.data?.batchReviews.slice(0, 3).map(({ id, step, batch }) => (
          <UnstyledButton
            key={id}
            className="records-choice"
            onClick={() =>
              onChange({
                q: undefined,
                from: step,
                to: step,
                batch: batch as RecordsSearch['batch'],
                phase: 'exec',
              })
            }
          >
            {t('records.search.batch', { batch: batchText(t, batch), step })}
          </UnstyledButton>
        ))}
      {isEmpty ? (
        <NoMatch
          title={t('records.noMatch')}
          filter={chips.map(({ label }) => label).join(' · ')}
          onClear={onClear}
        />
      ) : (
        (rows.count ?? 0) > 0 && (
          <RecordList rows={rows} selected={cursor.index} onSelect={cursor.select} onOpen={cursor.select} />
        )
      )}
    </>
  );
}

/** How many there are, and of which kind. */
function ListNote({ list: { mode, facets, found, similar }, search }: { list: List; search: RecordsSearch }) {
  const t = useTranslate();
  const line = (text: string) => (
    <Text size="xs" c="var(--quiet)" className="records-note numbers" role="status">
      {text}
    </Text>
  );
  if (mode === 'similar')
    return line(t('records.similar.found', { n: similar.data?.length ?? 0, id: search.similar ?? '' }));
  if (mode === 'search') {
    if (found.data?.problem === 'only-excludes') return line(t('records.search.onlyExcludes'));
    if (found.data?.problem === 'nothing-to-look-for') return line(t('records.search.nothing'));
    if (found.data === undefined) return null;
    return line(
      t(found.data.more ? 'records.search.more' : 'records.search.found', { n: found.data.records.length }),
    );
  }
  // Why it failed is said above the list.
  if (facets.data === undefined) return facets.error === null ? line(t('records.facets.counting')) : null;
  return line(t('records.count', { n: facets.data.total }));
}

type RecordListProps = {
  rows: ListRows;
  selected: number | null;
  onSelect: (index: number) => void;
  onOpen: (index: number) => void;
};

/** The records of the filter, of which only those in view exist. */
function RecordList({ rows, selected, onSelect, onOpen }: RecordListProps) {
  const t = useTranslate();
  const { name, isStale, rowAt, want, count } = rows;
  const renderRow = useCallback(
    (index: number) => {
      const entry = rowAt(index);
      if (entry === undefined) return <LoadingRow label={t('records.row.loading', { n: index + 1 })} />;
      return <RecordRow row={entry.row} found={entry.found} note={entry.note} />;
    },
    [rowAt, t],
  );
  return (
    <WindowedList
      label={t('records.list')}
      name={name}
      isStale={isStale}
      count={count ?? 0}
      rowHeight={ROW_HEIGHT}
      keyOf={(index) => String(index)}
      selected={selected}
      onSelect={onSelect}
      onOpen={onOpen}
      onView={want}
      renderRow={renderRow}
    />
  );
}

function LoadingRow({ label }: { label: string }) {
  return (
    <div className="records-row" role="img" aria-label={label}>
      <Skeleton height={10} mt={8} width="60%" animate={false} />
      <Skeleton height={10} mt={10} width="85%" animate={false} />
    </div>
  );
}

/** CSS pixels: two lines. */
export const ROW_HEIGHT = 52;

type RecordRowProps = {
  row: Row;
  /** Shown instead of the answer's beginning: what was found. */ found?: string;
  /** In front of it, such as a share. */ note?: string;
};

/** One record in two lines: where it belongs and how it ended, and how its answer begins. */
export const RecordRow = memo(function RecordRow({ row, found, note }: RecordRowProps) {
  const t = useTranslate();
  const item =
    row.sample === null
      ? t('records.row.item', { index: row.index })
      : t('records.row.sample', { index: row.index, sample: row.sample });
  const excerpt = found ?? row.excerpt;
  const { role, taskType } = batchSpec(row.batch);
  return (
    <div className="records-row">
      <div className="records-row-line">
        <span className="records-row-step numbers">{t('records.row.step', { step: row.step })}</span>
        <span className="records-row-item">
          <span className="records-row-role" title={row.batch}>
            {t(`live.role.${role}`)}
          </span>{' '}
          <span title={row.batch}>{t(`live.task.${taskType}`)}</span> {item}
        </span>
        <OutcomeMark outcome={row.verdict.outcome} batch={row.batch} />
        {row.reward !== null && <Num value={row.reward} digits={2} />}
      </div>
      <div className="records-row-line">
        <ReviewMarks reviews={row.reviews} />
        <span className="records-row-text">
          {note !== undefined && <span className="numbers">{note} · </span>}
          {excerpt.trim() === '' ? (
            t('records.row.noText')
          ) : (
            <ExcerptText text={visibleString(excerpt.replaceAll(/\s+/g, ' '))} />
          )}
        </span>
      </div>
    </div>
  );
});

const GLYPHS = { continue: '✓', retry: '↻', quarantined: '⚑', unasked: '○', other: '–' } as const;

function markOf({ status, decision }: ReviewMark): keyof typeof GLYPHS {
  if (status === 'quarantined') return 'quarantined';
  return status === 'done' ? (decision ?? 'unasked') : 'other';
}

/** One sign per review, in the colour of its phase; the words are for screen readers. */
function ReviewMarks({ reviews }: { reviews: readonly ReviewMark[] }) {
  const t = useTranslate();
  if (reviews.length === 0) return null;
  const words = reviews
    .map((review) => t(`records.review.${markOf(review)}`, { phase: t(`phase.${review.phase}.short`) }))
    .join(', ');
  return (
    <span
      className="records-marks"
      role="img"
      aria-label={t('records.row.reviews', { list: words })}
      title={words}
    >
      {reviews.map((review) => (
        <span key={review.phase} style={{ color: `var(--phase-${review.phase})` }}>
          {GLYPHS[markOf(review)]}
        </span>
      ))}
    </span>
  );
}

/** Text of a search hit, in which what matched stands between ‹ and ›. */
function ExcerptText({ text }: { text: string }) {
  const parts = text.split(/‹([^‹›]*)›/);
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <mark key={index} className="records-match">
        {part}
      </mark>
    ) : (
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
