import { useState } from 'react';
import {
  Alert,
  bytesText,
  Button,
  Group,
  Num,
  Paper,
  Radio,
  Stack,
  Text,
  TextInput,
  Title,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { parametersText, type Look } from '../model.ts';
import { kindText } from './datasets-table.tsx';
import { LicenceLine } from './inspectors.tsx';

type LookCardProps = {
  look: Look;
  proposedName: string;
  how: 'copy' | 'link';
  onHow: (how: 'copy' | 'link') => void;
  isStarting: boolean;
  onStart: (name: string) => void;
};

/** What stands at the path: how it can be used, or why it cannot. */
export function LookCard({ look, proposedName, how, onHow, isStarting, onStart }: LookCardProps) {
  const t = useTranslate();
  const [name, setName] = useState(proposedName);
  if (look.kind === 'refused')
    return (
      <Alert color="red" title={t('library.found.refused')} role="alert">
        {look.reason}
      </Alert>
    );
  const title =
    look.kind === 'model'
      ? t('library.found.model', { use: t(`library.use.${look.use}`) })
      : t('library.found.dataset', { kind: kindText(t, look.of) });
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2}>{title}</Title>
        <dl className="library-facts">
          <dt>{t('library.path')}</dt>
          <dd>{look.path}</dd>
          <dt>{t('library.column.size')}</dt>
          <dd className="numbers">{bytesText(look.bytes)}</dd>
          {look.kind === 'model' && <ModelFacts look={look} />}
          <dt>{t('library.licence')}</dt>
          <dd>
            <LicenceLine licence={look.licence} />
          </dd>
        </dl>
        <TextInput
          label={t('library.name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
        />
        <Radio.Group
          label={t('library.how')}
          value={how}
          onChange={(value) => onHow(value as 'copy' | 'link')}
        >
          <Group mt={4}>
            <Radio value="copy" label={t('library.how.copy', { size: bytesText(look.bytes) })} />
            <Radio value="link" label={t('library.how.link')} />
          </Group>
        </Radio.Group>
        {how === 'link' && (
          <Text size="sm" c="var(--quiet)">
            {t('library.how.text')}
          </Text>
        )}
        <Group>
          <Button loading={isStarting} disabled={name.trim() === ''} onClick={() => onStart(name.trim())}>
            {t('library.start')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function ModelFacts({ look }: { look: Extract<Look, { kind: 'model' }> }) {
  const t = useTranslate();
  return (
    <>
      <dt>{t('library.architecture')}</dt>
      <dd>{look.architecture}</dd>
      <dt>{t('library.column.parameters')}</dt>
      <dd className="numbers">{parametersText(look.parameters)}</dd>
      <dt>{t('library.column.context')}</dt>
      <dd>
        <Num value={look.contextLength} />
      </dd>
      <dt>{t('library.found.types')}</dt>
      <dd>{look.types.join(', ') || t('common.unknown')}</dd>
      <dt>{t('library.found.template')}</dt>
      <dd>
        {t(
          look.hasTemplate === null
            ? 'library.found.template.unknown'
            : look.hasTemplate
              ? 'library.found.template.yes'
              : 'library.found.template.no',
        )}
      </dd>
      <dt>{t('library.found.files')}</dt>
      <dd>
        <Num value={look.files} />
      </dd>
    </>
  );
}
