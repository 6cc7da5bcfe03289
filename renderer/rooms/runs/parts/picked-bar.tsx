import { useState } from 'react';
import { Button, Group, Modal, TagsInput, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

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
