import { memo, useState } from 'react';
import type { RecordFilter, SavedFilter } from '../../../../electron/contract/index.ts';
import { api, useApiMutation, useApiQuery, readableFailure } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  ActionIcon,
  Button,
  Group,
  Popover,
  Quiet,
  TextInput,
  UnstyledButton,
  visibleString,
  PartBanner,
  type Read,
} from '../../../ui/index.ts';
import type { Facets } from '../record/record.ts';
import { FacetPanel } from './facet-panel.tsx';

type SidePaneProps = {
  facets: Facets | undefined;
  /** They could not be counted; the list says why. */
  hasFailed: boolean;
  filter: RecordFilter;
  text: string;
  steps: number;
  isSearching: boolean;
  onFilter: (part: Partial<RecordFilter>) => void;
  onApply: (filter: SavedFilter) => void;
};

/** Filters with names, and every question a list can be asked. */
export const SidePane = memo(function SidePane({
  facets,
  hasFailed,
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
        saved={saved}
        canSave={Object.keys(filter).length > 0 || text !== ''}
        onApply={onApply}
        onSave={(name) => save.mutate({ name, filter, text })}
        onForget={(name) => forget.mutate({ name })}
      />
      <FacetPanel
        facets={facets}
        hasFailed={hasFailed}
        filter={filter}
        steps={steps}
        isSearching={isSearching}
        onChange={onFilter}
      />
    </div>
  );
});

type SavedFiltersProps = {
  saved: Read<readonly SavedFilter[]>;
  /** Whether there is a filter that could be saved. */ canSave: boolean;
  onApply: (filter: SavedFilter) => void;
  onSave: (name: string) => void;
  onForget: (name: string) => void;
};

/** Filters under names, kept for the whole lab. */
function SavedFilters({ saved, canSave, onApply, onSave, onForget }: SavedFiltersProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const save = (): void => {
    onSave(name.trim());
    setName('');
  };
  return (
    <Popover
      width={300}
      position="bottom-start"
      withArrow
      trapFocus
      returnFocus
      opened={isOpen}
      onChange={setOpen}
    >
      <Popover.Target>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(!isOpen)}>
          {t('records.saved')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('records.saved')}>
        <PartBanner reads={[saved]} problemOf={readableFailure} />
        {saved.data?.length === 0 && <Quiet>{t('records.saved.none')}</Quiet>}
        {saved.data?.map((filter) => (
          <Group key={filter.name} wrap="nowrap" justify="space-between" gap={4}>
            <UnstyledButton
              className="records-choice"
              aria-label={t('records.saved.apply', { name: filter.name })}
              onClick={() => {
                onApply(filter);
                setOpen(false);
              }}
            >
              {visibleString(filter.name)}
            </UnstyledButton>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('records.saved.remove', { name: filter.name })}
              onClick={() => onForget(filter.name)}
            >
              ×
            </ActionIcon>
          </Group>
        ))}
        {canSave && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim() !== '') save();
            }}
          >
            <TextInput
              size="xs"
              mt="sm"
              label={t('records.saved.name')}
              value={name}
              maxLength={60}
              required
              withAsterisk={false}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button size="compact-sm" mt={6} type="submit">
              {t('records.saved.save')}
            </Button>
          </form>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
