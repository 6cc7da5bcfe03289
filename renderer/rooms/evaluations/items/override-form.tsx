import { useState } from 'react';
import type { ItemOverride } from '../../../../electron/contract/index.ts';
import { Button, Group, Text, TextInput } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type OverrideFormProps = {
  /** Whose answer it is about. */ label: string;
  override: ItemOverride | null;
  who: string;
  onWho: (who: string) => void;
  isBusy: boolean;
  onOverride: (outcome: 'passed' | 'failed', note: string) => void;
  onWithdraw: () => void;
};

/** A person's own verdict; the grader's stays beside it. */
export function OverrideForm({
  label,
  override,
  who,
  onWho,
  isBusy,
  onOverride,
  onWithdraw,
}: OverrideFormProps) {
  const t = useTranslate();
  const [note, setNote] = useState(override?.note ?? '');
  const isNameless = who.trim() === '';
  const keep = (outcome: 'passed' | 'failed'): void => onOverride(outcome, note.trim());
  return (
    <form
      className="evaluations-person"
      aria-label={t('evaluations.override', { label })}
      onSubmit={(event) => event.preventDefault()}
    >
      <Text size="sm" fw={600}>
        {t('evaluations.override', { label })}
      </Text>
      <Group align="flex-end" gap="sm" wrap="nowrap">
        <TextInput
          w={150}
          size="xs"
          label={t('evaluations.override.who')}
          value={who}
          maxLength={120}
          onChange={(event) => onWho(event.currentTarget.value)}
        />
        <TextInput
          style={{ flex: 1 }}
          size="xs"
          label={t('evaluations.override.note')}
          value={note}
          maxLength={2000}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Button
          size="xs"
          variant="default"
          disabled={isNameless}
          loading={isBusy}
          onClick={() => keep('passed')}
        >
          {t('evaluations.override.passed')}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isNameless}
          loading={isBusy}
          onClick={() => keep('failed')}
        >
          {t('evaluations.override.failed')}
        </Button>
        {override !== null && (
          <Button size="xs" variant="subtle" loading={isBusy} onClick={onWithdraw}>
            {t('evaluations.override.withdraw')}
          </Button>
        )}
      </Group>
      <Text size="xs" c="var(--quiet)" mt={4}>
        {t(isNameless ? 'evaluations.override.nameless' : 'evaluations.override.text')}
      </Text>
    </form>
  );
}
