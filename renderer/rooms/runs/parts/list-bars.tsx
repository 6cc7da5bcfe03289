import { type RefObject, useState } from 'react';
import { useTranslate } from '../../../i18n/index.ts';
import { Button, Chip, EmptyState, FilterInput, Group, Modal, TagsInput, Text } from '../../../ui/index.ts';
import { groupCount, STATE_GROUP_NAMES, type StateGroup } from '../model/filter.ts';

type RunBarProps = {
  input: RefObject<HTMLInputElement | null>;
  text: string;
  onText: (text: string) => void;
  problems: readonly string[];
  states: Record<string, number>;
  group: StateGroup | null;
  onGroup: (group: StateGroup | null) => void;
  shown: number;
  total: number;
};

/** The filter of the list: text with terms, and the states. */
export function RunBar({ input, text, onText, problems, states, group, onGroup, shown, total }: RunBarProps) {
  const t = useTranslate();
  return (
    <div className="ui-filter-bar" role="search">
      <FilterInput
        input={input}
        text={text}
        onText={onText}
        label={t('runs.filter')}
        placeholder={t('runs.filter.placeholder')}
        help={t('runs.filter.help')}
      />
      <StateChips states={states} selected={group} onSelect={onGroup} />
      <Text size="xs" c="var(--quiet)" className="numbers" role="status">
        {t('runs.count', { shown, total })}
      </Text>
      {problems.length > 0 && (
        <Text size="xs" c="var(--bad)" role="alert" w="100%">
          {t('runs.filter.problem', { terms: problems.join(' ') })}
        </Text>
      )}
    </div>
  );
}

/** The states there are under the filter, with how many runs are in each; one of them, or all. */
export function StateChips({
  states,
  selected,
  onSelect,
}: {
  states: Record<string, number>;
  selected: StateGroup | null;
  onSelect: (group: StateGroup | null) => void;
}) {
  const t = useTranslate();
  const all = Object.values(states).reduce((sum, n) => sum + n, 0);
  const shown = STATE_GROUP_NAMES.filter((group) => group === selected || groupCount(group, states) > 0);
  return (
    <Chip.Group
      multiple={false}
      value={selected ?? 'all'}
      onChange={(value) => onSelect(value === 'all' ? null : (value as StateGroup))}
    >
      <Group gap={6} role="radiogroup" aria-label={t('runs.states')}>
        <Chip size="xs" value="all">
          {t('runs.chip', { name: t('runs.states.all'), n: all })}
        </Chip>
        {shown.map((group) => (
          <Chip key={group} size="xs" value={group}>
            {t('runs.chip', { name: t(`runs.states.${group}`), n: groupCount(group, states) })}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

type PickedBarProps = {
  n: number;
  onCompare: () => void;
  onTag: (tags: string[]) => void;
  onArchive: () => void;
  onUnpick: () => void;
};

/** What can be done with the runs that were picked. */
export function PickedBar({ n, onCompare, onTag, onArchive, onUnpick }: PickedBarProps) {
  const t = useTranslate();
  const [isTagging, setTagging] = useState(false);
  const [tags, setTags] = useState<string[]>([]);
  const close = (): void => {
    setTagging(false);
    setTags([]);
  };
  return (
    <div className="runs-picked" role="region" aria-label={t('runs.selected', { n })}>
      <Text size="sm" fw={600}>
        {t('runs.selected', { n })}
      </Text>
      <Button
        size="compact-sm"
        onClick={onCompare}
        disabled={n < 2}
        title={n < 2 ? t('runs.compare.few') : undefined}
      >
        {t('runs.compare')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => setTagging(true)}>
        {t('runs.tag')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={onArchive}>
        {t('runs.archive')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={onUnpick}>
        {t('runs.unpick')}
      </Button>
      <Modal
        opened={isTagging}
        onClose={close}
        title={t('runs.tag.title', { n })}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <TagsInput
          label={t('runs.tag.label')}
          value={tags}
          onChange={setTags}
          maxTags={12}
          data-autofocus
          mb="md"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            disabled={tags.length === 0}
            onClick={() => {
              onTag(tags);
              close();
            }}
          >
            {t('runs.tag.apply')}
          </Button>
        </Group>
      </Modal>
    </div>
  );
}

type EmptyRunsProps = { hasSample: boolean; onSample: () => void; onNew: () => void };

/** A lab without runs of its own: what a run is, and the ways to one; the sample is offered only where it is not listed above. */
export function EmptyRuns({ hasSample, onSample, onNew }: EmptyRunsProps) {
  const t = useTranslate();
  if (hasSample)
    return (
      <EmptyState title={t('runs.empty.own.title')} text={t('runs.empty.own.text')}>
        <Button onClick={onNew}>{t('runs.empty.new')}</Button>
      </EmptyState>
    );
  return (
    <EmptyState title={t('runs.empty.title')} text={t('runs.empty.text')}>
      <Button onClick={onSample}>{t('runs.empty.sample')}</Button>
      <Button variant="default" onClick={onNew}>
        {t('runs.empty.new')}
      </Button>
    </EmptyState>
  );
}
