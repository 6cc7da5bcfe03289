import { useState, type FormEvent } from 'react';
import { Button, Group, Stack, Text, TextInput, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type Choice = { inUse: string; chosen: string | null; byEnvironment: boolean };

/** Which Python runs trainer and sandbox. */
export function PythonForm({
  choice,
  isKeeping,
  onKeep,
}: {
  choice: Choice;
  isKeeping: boolean;
  onKeep: (path: string | null) => void;
}) {
  const t = useTranslate();
  const [path, setPath] = useState(choice.chosen ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onKeep(path.trim() === '' ? null : path.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap={6}>
        <Title order={2}>{t('settings.hardware.python')}</Title>
        <Text size="sm" c="var(--quiet)" style={{ overflowWrap: 'anywhere' }}>
          {t('settings.hardware.python.text', { inUse: choice.inUse })}
        </Text>
        {choice.byEnvironment && (
          <Text size="sm" c="var(--warn)">
            {t('settings.hardware.python.environment')}
          </Text>
        )}
        <Group align="flex-end" wrap="nowrap">
          <TextInput
            label={t('settings.hardware.python.path')}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
            style={{ flex: 1 }}
            spellCheck={false}
          />
          <Button
            type="submit"
            variant="default"
            loading={isKeeping}
            disabled={path.trim() === (choice.chosen ?? '')}
          >
            {t('settings.hardware.python.keep')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
