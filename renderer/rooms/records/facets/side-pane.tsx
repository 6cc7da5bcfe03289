import { memo } from 'react';
import type { RecordFilter, SavedFilter } from '../../../../electron/contract/index.ts';
import { api, useApiMutation, useApiQuery } from '../../../data/index.ts';
import type { Facets } from '../model/types.ts';
import { FacetPanel } from './facet-panel.tsx';
import { SavedFilters } from './saved-filters.tsx';

type SidePaneProps = {
  facets: Facets | undefined;
  filter: RecordFilter;
  text: string;
  steps: number;
  isSearching: boolean;
  onFilter: (part: Partial<RecordFilter>) => void;
  onApply: (filter: SavedFilter) => void;
};

const NONE: readonly SavedFilter[] = [];

/** Filters with names, and every question a list can be asked. */
export const SidePane = memo(function SidePane({
  facets,
  filter,
  text,
  steps,
  isSearching,
  onFilter,
  onApply,
}: SidePaneProps) {
  const saved = useApiQuery('records.savedFilters', api.records.savedFilters, undefined);
  const save = useApiMutation(api.records.saveFilter, { invalidates: ['records.savedFilters'] });
  const forget = useApiMutation(api.records.forgetFilter, { invalidates: ['records.savedFilters'] });
  return (
    <div className="records-side">
      <SavedFilters
        saved={saved.data ?? NONE}
        canSave={Object.keys(filter).length > 0 || text !== ''}
        onApply={onApply}
        onSave={(name) => save.mutate({ name, filter, text })}
        onForget={(name) => forget.mutate({ name })}
      />
      <FacetPanel
        facets={facets}
        filter={filter}
        steps={steps}
        isSearching={isSearching}
        onChange={onFilter}
      />
    </div>
  );
});
