import { useMemo } from 'react';
import type { RecordFilter } from '../../../electron/contract/index.ts';
import { api, useApiQuery } from '../../data/index.ts';
import { percentText } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { RecordsSearch } from './model/search-schema.ts';
import { useFilteredRows, useGivenRows, type ListEntry } from './use-rows.ts';

const MOST_FOUND = 200; // more than anybody reads through; a narrower search is one word away
const MOST_SIMILAR = 30;
const NONE: readonly ListEntry[] = [];

/** What the list shows: all records of the filter, what a search found among them, or the neighbours of one record. */
export function useList(runId: string, search: RecordsSearch, filter: RecordFilter) {
  const t = useTranslate();
  const text = search.q?.trim() ?? '';
  const mode =
    search.similar !== undefined
      ? ('similar' as const)
      : text !== ''
        ? ('search' as const)
        : ('filter' as const);
  const facets = useApiQuery('records.facets', api.records.facets, { runId, filter });
  const filtered = useFilteredRows(
    runId,
    filter,
    facets.data === undefined || facets.isPlaceholderData ? null : facets.data.total,
  );
  const found = useApiQuery(
    'records.find',
    api.records.find,
    { runId, filter, text, place: search.in ?? null, limit: MOST_FOUND },
    { enabled: mode === 'search' },
  );
  const similar = useApiQuery(
    'records.similar',
    api.records.similar,
    { runId, recordId: search.similar ?? '', limit: MOST_SIMILAR },
    { enabled: mode === 'similar', keep: false },
  );
  const entries = useMemo((): readonly ListEntry[] => {
    if (mode === 'search')
      return (
        found.data?.records.map(({ row, agent, reviews }) => ({
          row,
          found: agent ?? reviews[0]?.excerpt,
        })) ?? NONE
      );
    return (
      similar.data?.map(({ row, similarity }) => ({
        row,
        note: t('records.similar.share', { share: percentText(similarity, 0) }),
      })) ?? NONE
    );
  }, [mode, found.data, similar.data, t]);
  const given = useGivenRows(`${mode} ${text} ${search.similar ?? ''} ${JSON.stringify(filter)}`, entries);
  return { mode, facets, found, similar, rows: mode === 'filter' ? filtered : given };
}

export type RecordList = ReturnType<typeof useList>;
