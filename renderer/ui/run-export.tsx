import { useState, type ComponentProps, type FormEvent } from 'react';
import type { CheckpointFormat, Job, RunRecord } from '../../electron/contract/index.ts';
import { useTranslate, visibleString } from '../i18n/index.ts';
import { CopyButton } from './buttons.tsx';
import { FolderBrowser } from './folder-browser.tsx';
import { JobLine } from './job-line.tsx';
import { Alert, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from './mantine.ts';
import { PartBanner } from './states.tsx';
import { formatChoices, isWholePath, newFolderIn, USUAL_FORMATS } from './run-export-form.ts';

type ExportFormProps = {
  run: Pick<RunRecord, 'id' | 'config' | 'committedSteps'>;
  /** Whether the weights of its last stored step are there. */
  hasCheckpoint: boolean;
  /** The newest export of this run, at work or ended. */
  job: Job | null;
  /** What that one wrote; null until it is done. */
  exported: { folder: string; steps: number; files: readonly string[] } | null;
  /** What this rests on; where one of them failed, it says so. */
  reads: ComponentProps<typeof PartBanner>['reads'];
  problemOf: ComponentProps<typeof PartBanner>['problemOf'];
  isAsked: boolean;
  /** Why the last one that was asked for was not begun, one sentence. */
  refusal: string | null;
  onStart: (target: string, formats: readonly CheckpointFormat[]) => void;
  onCancel: (jobId: string) => void;
  /** Folders to look through; null where the system's dialog shows them. */
  folders: Omit<ComponentProps<typeof FolderBrowser>, 'isForFolders' | 'onTake'> | null;
  /** The system's dialog, which comes to a folder or to nothing; null where there is none. */
  onChoose: ((title: string) => Promise<string | null>) | null;
};

type RunExportButtonProps = ExportFormProps & {
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
};

/** Writes a run into a folder of this machine: asks what and where, says how far it is and where it lies then. */
export function RunExportButton({ isOpen, onOpen, onClose, ...form }: RunExportButtonProps) {
  const t = useTranslate();
  return (
    <>
      <Button variant="default" size="compact-sm" title={t('runExport.text')} onClick={onOpen}>
        {t('runExport.open')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={onClose}
        size="lg"
        title={t('runExport.title', { name: form.run.config.name })}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <ExportForm {...form} />
      </Modal>
    </>
  );
}

/** What is written of the run and where to, and what became of the last export of it. */
export function ExportForm({
  run,
  hasCheckpoint,
  job,
  exported,
  reads,
  problemOf,
  isAsked,
  refusal,
  onStart,
  onCancel,
  folders,
  onChoose,
}: ExportFormProps) {
  const t = useTranslate();
  const [formats, setFormats] = useState(USUAL_FORMATS);
  const [target, setTarget] = useState('');
  const [isBrowsing, setBrowsing] = useState(false);
  const choices = formatChoices(run, hasCheckpoint);
  const path = target.trim();
  const isPartial = path !== '' && !isWholePath(path);
  const isBusy = isAsked || job?.state === 'running';
  const take = (folder: string): void => {
    setTarget(newFolderIn(folder, run.id));
    setBrowsing(false);
  };
  const choose = async (): Promise<void> => {
    const folder = (await onChoose?.(t('runExport.choose.title'))) ?? null;
    if (folder !== null) take(folder);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const possible = choices.filter(({ obstacle }) => obstacle === null).map(({ format }) => format);
    onStart(
      path,
      possible.filter((format) => formats.includes(format)),
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <PartBanner reads={reads} problemOf={problemOf} />
        <Stack gap={6} role="group" aria-label={t('runExport.what')}>
          <Checkbox
            checked
            disabled
            readOnly
            label={t('runExport.records')}
            description={t('runExport.records.text')}
          />
          {choices.map(({ format, obstacle }) => (
            <Checkbox
              key={format}
              label={t(`runExport.${format}`, { step: run.committedSteps })}
              description={obstacle === null ? undefined : t(obstacle)}
              checked={obstacle === null && formats.includes(format)}
              disabled={obstacle !== null || isBusy}
              onChange={({ currentTarget: { checked } }) =>
                setFormats(checked ? [...formats, format] : formats.filter((each) => each !== format))
              }
            />
          ))}
        </Stack>
        <Group align="flex-end" wrap="nowrap" gap="sm">
          <TextInput
            data-autofocus
            style={{ flex: 1 }}
            size="sm"
            label={t('runExport.target')}
            description={t('runExport.target.text')}
            error={isPartial ? t('runExport.target.partial') : undefined}
            spellCheck={false}
            value={target}
            onChange={(event) => setTarget(event.currentTarget.value)}
          />
          {onChoose !== null && (
            <Button variant="default" onClick={() => void choose()}>
              {t('runExport.choose')}
            </Button>
          )}
          {folders !== null && (
            <Button variant="default" aria-expanded={isBrowsing} onClick={() => setBrowsing(!isBrowsing)}>
              {t('runExport.browse')}
            </Button>
          )}
        </Group>
        {folders !== null && isBrowsing && <FolderBrowser {...folders} isForFolders onTake={take} />}
        {refusal !== null && (
          <Text size="sm" c="var(--bad)" role="alert">
            {refusal}
          </Text>
        )}
        {refusal === null && job !== null && job.state !== 'done' && (
          <JobLine job={job} onCancel={() => onCancel(job.id)} />
        )}
        {refusal === null && exported !== null && <Written {...exported} />}
        <Group justify="flex-end">
          <Button type="submit" disabled={path === '' || isPartial || isBusy}>
            {t('runExport.start')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Where an export lies, and what is in it. */
function Written({ folder, steps, files }: NonNullable<ExportFormProps['exported']>) {
  const t = useTranslate();
  return (
    <Alert color="green" role="status" p="xs">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('runExport.done', { steps, folder })}
        </Text>
        <span className="ui-whole">
          <CopyButton text={folder} label={t('runExport.copy')} />
        </span>
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t('runExport.files', { files: files.map(visibleString).join(', ') })}
      </Text>
    </Alert>
  );
}
