import { useState, type FormEvent } from 'react';
import { Button, Checkbox, Group, Stack, Text, TextInput, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type Request = { from: string; to: string; withRuns: boolean };

/** From which backup into which new folder. */
export function RestoreForm({ from, onRestore }: { from: string; onRestore: (request: Request) => void }) {
  const t = useTranslate();
  const [source, setSource] = useState(from);
  const [to, setTo] = useState('');
  const [withRuns, setWithRuns] = useState(true);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onRestore({ from: source.trim(), to: to.trim(), withRuns });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2}>{t('settings.restore.title')}</Title>
        <Text size="sm" c="var(--quiet)">
          {t('settings.restore.text')}
        </Text>
        <TextInput
          label={t('settings.restore.from')}
          value={source}
          onChange={(event) => setSource(event.currentTarget.value)}
          spellCheck={false}
        />
        <TextInput
          label={t('settings.restore.to')}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          spellCheck={false}
        />
        <Checkbox
          label={t('settings.restore.withRuns')}
          checked={withRuns}
          onChange={(event) => setWithRuns(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" variant="default" disabled={source.trim() === '' || to.trim() === ''}>
            {t('settings.restore.start')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
