import { useState } from 'react';
import type { SavedFilter } from '../../../../electron/contract/index.ts';
import { ActionIcon, Button, Group, Popover, Text, TextInput, UnstyledButton } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type SavedFiltersProps = {
  saved: readonly SavedFilter[];
  /** Whether there is a filter that could be saved. */ canSave: boolean;
  onApply: (filter: SavedFilter) => void;
  onSave: (name: string) => void;
  onForget: (name: string) => void;
};

/** Filters under names, kept for the whole lab. */
export function SavedFilters({ saved, canSave, onApply, onSave, onForget }: SavedFiltersProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const save = (): void => {
    onSave(name.trim());
    setName('');
  };
  return (
    <Popover width={300} position="bottom-start" withArrow trapFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(!isOpen)}>
          {t('records.saved')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('records.saved')}>
        {saved.length === 0 && (
          <Text size="sm" c="var(--quiet)">
            {t('records.saved.none')}
          </Text>
        )}
        {saved.map((filter) => (
          <Group key={filter.name} wrap="nowrap" justify="space-between" gap={4}>
            <UnstyledButton
              className="records-choice"
              aria-label={t('records.saved.apply', { name: filter.name })}
              onClick={() => {
                onApply(filter);
                setOpen(false);
              }}
            >
              {filter.name}
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
