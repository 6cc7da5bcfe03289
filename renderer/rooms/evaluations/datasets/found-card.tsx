import { useState } from 'react';
import type { FoundDataset } from '../../../../electron/contract/index.ts';
import { Alert, bytesText, Button, Group, Paper, Stack, Text, TextInput, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { FaultList } from './fault-list.tsx';
import { PreviewTable } from './preview-table.tsx';
import { TermsForm } from './terms-form.tsx';

type FoundCardProps = {
  found: FoundDataset;
  who: string;
  onWho: (who: string) => void;
  isBusy: boolean;
  onImport: (name: string, by: string | null) => void;
};

/** A set that was recognised: what it is, how it begins, what has to be agreed to, and the button that takes it in. */
export function FoundCard({ found, who, onWho, isBusy, onImport }: FoundCardProps) {
  const t = useTranslate();
  const [name, setName] = useState(found.suggestedName);
  const [isAgreed, setAgreed] = useState(false);
  const { title, files, release, terms, preview, fault, alreadyAs } = found;
  const agrees = isAgreed && who.trim() !== '';
  // A licence has to be agreed to first; a warning about the texts can be read later, before they are used.
  const canImport =
    fault === null && name.trim() !== '' && (terms?.kind !== 'licence' || agrees) && (!isAgreed || agrees);
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label={t('evaluations.found.file', {
        name: title,
        size: files.map((file) => file.name).join(', '),
      })}
    >
      <Stack gap="sm">
        <Title order={3}>{title}</Title>
        <Text size="sm" c="var(--quiet)">
          {release === null ? t('evaluations.found.columns') : t('evaluations.found.release', { release })}{' '}
          {files
            .map((file) => t('evaluations.found.file', { name: file.name, size: bytesText(file.bytes) }))
            .join(', ')}
        </Text>
        {alreadyAs !== null && (
          <Alert color="yellow" role="status">
            {t('evaluations.found.already', { name: alreadyAs })}
          </Alert>
        )}
        {fault !== null && (
          <FaultList title={t('evaluations.found.refused')} refusal={{ faults: [fault], count: 1 }} />
        )}
        {preview === null ? (
          fault === null && <Text size="sm">{t('evaluations.found.noPreview')}</Text>
        ) : (
          <PreviewTable preview={preview} />
        )}
        {fault === null && terms !== null && (
          <TermsForm terms={terms} isAgreed={isAgreed} onAgree={setAgreed} who={who} onWho={onWho} />
        )}
        {fault === null && (
          <Group align="flex-end">
            <TextInput
              w={260}
              size="sm"
              label={t('evaluations.found.name')}
              value={name}
              maxLength={100}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button
              disabled={!canImport}
              loading={isBusy}
              onClick={() => onImport(name.trim(), agrees ? who.trim() : null)}
            >
              {t('evaluations.found.import')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
