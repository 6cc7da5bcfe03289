import { useState } from 'react';
import type {
  Contamination,
  DatasetEntry,
  DatasetPreview,
  DatasetTerms,
} from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
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
  visibleString,
  Checkbox,
  TextInput,
  Quiet,
} from '../../../ui/index.ts';
import { Veil } from '../veil.tsx';

type DatasetDetailProps = {
  dataset: DatasetEntry;
  preview: DatasetPreview | null;
  reviewer: string;
  onReviewer: (reviewer: string) => void;
  isBusy: boolean;
  onAcknowledge: () => void;
  onVerify: () => void;
  /** What the set shares with tasks of the lab's runs, once it was compared. */
  overlap: Contamination | null;
  isComparing: boolean;
  onCompare: () => void;
  onRemove: () => void;
};

/** Everything known of one set: what it was read from, its hash, its terms and how it begins. */
export function DatasetDetail({
  dataset,
  preview,
  reviewer,
  onReviewer,
  isBusy,
  onAcknowledge,
  onVerify,
  overlap,
  isComparing,
  onCompare,
  onRemove,
}: DatasetDetailProps) {
  const t = useTranslate();
  const [isAgreed, setAgreed] = useState(false);
  const { name, title, licence, sources, sha256, terms, acknowledgement, state, bytes } = dataset;
  return (
    <Stack gap="sm">
      <Title order={2}>{visibleString(name)}</Title>
      <Quiet>{title}</Quiet>
      {state === 'missing' && (
        <Text size="sm" c="var(--bad)" role="alert">
          {t('evaluations.datasets.missing.text')}
        </Text>
      )}
      {terms !== null && state === 'unacknowledged' && (
        <>
          <TermsForm
            terms={terms}
            isAgreed={isAgreed}
            onAgree={setAgreed}
            reviewer={reviewer}
            onReviewer={onReviewer}
          />
          <Group>
            <Button
              size="compact-sm"
              disabled={!isAgreed || reviewer.trim() === ''}
              loading={isBusy}
              onClick={onAcknowledge}
            >
              {t('evaluations.terms.agree')}
            </Button>
          </Group>
        </>
      )}
      {acknowledgement !== null && (
        <Quiet size="xs">
          {t('evaluations.terms.agreed', {
            by: acknowledgement.by,
            at: new Date(acknowledgement.at).toLocaleString('en-GB'),
          })}{' '}
          {acknowledgement.statement}
        </Quiet>
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
                {visibleString(source.name)} · {bytesText(source.bytes)} ·{' '}
                {source.release ?? t('evaluations.datasets.unknownRelease')}
              </span>
            ))}
          </dd>
        </div>
      </dl>
      {preview !== null && <PreviewTable key={name} preview={preview} />}
      {overlap !== null && <OverlapText overlap={overlap} />}
      <Group gap={8}>
        <Button size="compact-sm" variant="default" disabled={state === 'missing'} onClick={onVerify}>
          {t('evaluations.datasets.verify')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={state !== 'ready'}
          loading={isComparing}
          onClick={onCompare}
        >
          {t('evaluations.datasets.compare')}
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

/** Counts and names of rows; no text of either side is shown. */
function OverlapText({ overlap }: { overlap: Contamination }) {
  const t = useTranslate();
  const { rows, shared, n, tasks, seeds, runs, longestWords, shortestWords, longest } = overlap;
  return (
    <div role="region" aria-label={t('evaluations.overlap')}>
      <Text size="sm" className="numbers">
        <strong>{t('evaluations.overlap.shared', { shared, rows, n })}</strong>{' '}
        {t('evaluations.overlap.against', { tasks, seeds, runs })}{' '}
        {longestWords === 0
          ? t('evaluations.overlap.none', { words: shortestWords })
          : t('evaluations.overlap.longest', { words: longestWords })}
      </Text>
      {longest.map(({ row, words, runId, taskId }) => (
        <Quiet key={row} size="xs">
          {t('evaluations.overlap.row', { row: visibleString(row), words, runId, taskId })}
        </Quiet>
      ))}
    </div>
  );
}

const MOST_CHARACTERS = 220; // of one cell; a preview shows what a column holds, not all of it

/** The first rows of a set, as they will be read. */
export function PreviewTable({ preview: { columns, rows, hazardous } }: { preview: DatasetPreview }) {
  const t = useTranslate();
  const [isRevealed, setRevealed] = useState(false);
  return (
    <Veil isVeiled={hazardous && !isRevealed} onReveal={() => setRevealed(true)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div className="evaluations-preview" tabIndex={0} role="region" aria-label={t('evaluations.preview')}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, cells }) => (
              <tr key={id}>
                {cells.map((cell, index) => (
                  <td key={columns[index] ?? index}>{cut(visibleString(cell))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Veil>
  );
}

const cut = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;

type TermsFormProps = {
  terms: DatasetTerms;
  isAgreed: boolean;
  onAgree: (isAgreed: boolean) => void;
  reviewer: string;
  onReviewer: (reviewer: string) => void;
};

/** What has to be agreed to before a set is used; the name of the person is stored with the statement. */
export function TermsForm({
  terms: { kind, statement },
  isAgreed,
  onAgree,
  reviewer,
  onReviewer,
}: TermsFormProps) {
  const t = useTranslate();
  return (
    <Stack gap={6} className="evaluations-terms">
      <Text size="sm" fw={600}>
        {t(`evaluations.terms.${kind}`)}
      </Text>
      <Checkbox
        size="sm"
        label={statement}
        checked={isAgreed}
        onChange={(event) => onAgree(event.currentTarget.checked)}
      />
      <TextInput
        w={240}
        size="xs"
        label={t('evaluations.override.who')}
        description={t('evaluations.terms.who')}
        maxLength={200}
        value={reviewer}
        onChange={(event) => onReviewer(event.currentTarget.value)}
      />
    </Stack>
  );
}
