import { useState } from 'react';
import type { DatasetEntry, DatasetPreview } from '../../../../electron/contract/index.ts';
import {
  bytesText,
  Button,
  Code,
  ConfirmButton,
  CopyButton,
  Group,
  Stack,
  Text,
  Title,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { PreviewTable } from './preview-table.tsx';
import { TermsForm } from './terms-form.tsx';

type DatasetDetailProps = {
  dataset: DatasetEntry;
  preview: DatasetPreview | null;
  who: string;
  onWho: (who: string) => void;
  isBusy: boolean;
  onAcknowledge: () => void;
  onVerify: () => void;
  onRemove: () => void;
};

/** Everything known of one set: what it was read from, its hash, its terms and how it begins. */
export function DatasetDetail({
  dataset,
  preview,
  who,
  onWho,
  isBusy,
  onAcknowledge,
  onVerify,
  onRemove,
}: DatasetDetailProps) {
  const t = useTranslate();
  const [isAgreed, setAgreed] = useState(false);
  const { name, title, licence, sources, sha256, terms, acknowledgement, state, bytes } = dataset;
  return (
    <Stack gap="sm">
      <Title order={2}>{name}</Title>
      <Text size="sm" c="var(--quiet)">
        {title}
      </Text>
      {state === 'missing' && (
        <Text size="sm" c="var(--bad)" role="alert">
          {t('evaluations.datasets.missing.text')}
        </Text>
      )}
      {terms !== null && state === 'unacknowledged' && (
        <>
          <TermsForm terms={terms} isAgreed={isAgreed} onAgree={setAgreed} who={who} onWho={onWho} />
          <Group>
            <Button
              size="compact-sm"
              disabled={!isAgreed || who.trim() === ''}
              loading={isBusy}
              onClick={onAcknowledge}
            >
              {t('evaluations.terms.agree')}
            </Button>
          </Group>
        </>
      )}
      {acknowledgement !== null && (
        <Text size="xs" c="var(--quiet)">
          {t('evaluations.terms.agreed', {
            by: acknowledgement.by,
            at: new Date(acknowledgement.at).toLocaleString('en-GB'),
          })}{' '}
          {acknowledgement.statement}
        </Text>
      )}
      <dl className="evaluations-facts">
        <div>
          <dt>{t('evaluations.kinds.licence')}</dt>
          <dd>{licence}</dd>
        </div>
        <div>
          <dt>{t('evaluations.datasets.hash')}</dt>
          <dd>
            <Group gap={6}>
              <Code title={sha256}>{sha256.slice(0, 16)}…</Code>
              <CopyButton text={sha256} label={t('evaluations.datasets.copyHash')} />
            </Group>
          </dd>
        </div>
        <div>
          <dt>{t('evaluations.datasets.sources')}</dt>
          <dd>
            {sources.map((source) => (
              <span key={source.name} className="evaluations-source" title={source.sha256}>
                {source.name} · {bytesText(source.bytes)} ·{' '}
                {source.release ?? t('evaluations.datasets.unknownRelease')}
              </span>
            ))}
          </dd>
        </div>
      </dl>
      {preview !== null && <PreviewTable key={name} preview={preview} />}
      <Group gap={8}>
        <Button size="compact-sm" variant="default" disabled={state === 'missing'} onClick={onVerify}>
          {t('evaluations.datasets.verify')}
        </Button>
        <ConfirmButton
          size="compact-sm"
          label={t('evaluations.datasets.remove')}
          title={t('evaluations.datasets.remove.title', { name })}
          confirm={t('evaluations.datasets.remove.confirm')}
          onConfirm={onRemove}
          consequence={t('evaluations.datasets.remove.text', { size: bytesText(bytes) })}
        />
      </Group>
    </Stack>
  );
}
