import { useState } from 'react';
import type { RunAnnotation } from '../../../../electron/contract/index.ts';
import { TagsInput, Textarea } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const MOST_TAGS = 12;

/** Tags and notes of a run. Notes are kept when the field is left, or with Ctrl+Enter. */
export function AnnotationFields({
  annotation,
  onChange,
}: {
  annotation: RunAnnotation;
  onChange: (change: Partial<RunAnnotation>) => void;
}) {
  const t = useTranslate();
  const [typed, setTyped] = useState<string | null>(null);
  const notes = typed ?? annotation.notes;
  const keep = (): void => {
    if (notes !== annotation.notes) onChange({ notes });
  };
  return (
    <>
      <TagsInput
        size="xs"
        mt="md"
        label={t('runs.tags')}
        placeholder={annotation.tags.length === 0 ? t('runs.tags.placeholder') : undefined}
        value={annotation.tags}
        maxTags={MOST_TAGS}
        onChange={(tags) => onChange({ tags })}
      />
      <Textarea
        size="xs"
        mt="xs"
        label={t('runs.notes')}
        placeholder={t('runs.notes.placeholder')}
        rows={3}
        resize="vertical"
        maxLength={4000}
        value={notes}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) keep();
        }}
      />
    </>
  );
}
