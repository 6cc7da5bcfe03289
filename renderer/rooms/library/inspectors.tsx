import { useState } from 'react';
import {
  bytesText,
  Button,
  Code,
  ConfirmButton,
  CopyButton,
  durationText,
  Group,
  JudgeProbeNote,
  Stack,
  Text,
  Title,
  When,
  Quiet,
  visibleString,
} from '../../ui/index.ts';
import { useJudgeProbe } from '../../data/index.ts';
import { useTranslate, type Translate } from '../../i18n/index.ts';
import type { LibraryDataset, LibraryModel } from './model.ts';
import { kindText } from './tables.tsx';

type ModelInspectorProps = {
  model: LibraryModel;
  onTestLoad: () => void;
  onVerify: () => void;
  onRemove: () => void;
  onOpenRun: (runId: string) => void;
};

/** Everything known of one model, and what can be done with it. */
export function ModelInspector({ model, onTestLoad, onVerify, onRemove, onOpenRun }: ModelInspectorProps) {
  const t = useTranslate();
  const { name, architecture, path, sha256, usedBy, embedded, present, addedAt } = model;
  return (
    <Stack gap="sm">
      <Title order={2}>{visibleString(name)}</Title>
      <dl className="library-facts">
        <dt>{t('library.architecture')}</dt>
        <dd>{architecture}</dd>
        <dt>{t('library.column.fits')}</dt>
        <dd>{fitText(t, model)}</dd>
        <dt>{t('library.column.speed')}</dt>
        <dd className="numbers">{probeText(t, model)}</dd>
        <dt>{t('library.column.added')}</dt>
        <dd>
          <When iso={addedAt} />
        </dd>
        <dt>{t('library.path')}</dt>
        <dd>{path}</dd>
        <dt>{t('library.hash')}</dt>
        <dd>
          <HashLine sha256={sha256} />
        </dd>
        <dt>{t('library.licence')}</dt>
        <dd>
          <LicenceLine licence={model.licence} />
        </dd>
        <dt>{t('library.runs')}</dt>
        <dd>
          {usedBy.length === 0 ? (
            t('library.usedBy.none')
          ) : (
            <Stack gap={2} align="flex-start">
              {usedBy.slice(0, 12).map((run) => (
                <Button key={run.id} size="compact-xs" variant="subtle" onClick={() => onOpenRun(run.id)}>
                  {visibleString(run.atWork ? `${run.name} (${t('library.atWork')})` : run.name)}
                </Button>
              ))}
            </Stack>
          )}
        </dd>
      </dl>
      {model.kind === 'supervisor' && present && <AsJudge name={name} />}
      <Quiet size="xs">{t('library.testLoad.why')}</Quiet>
      <Group gap={8}>
        <Button size="compact-sm" onClick={onTestLoad} disabled={!present}>
          {t('library.testLoad')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onVerify} disabled={!present}>
          {t('library.verify')}
        </Button>
        {!embedded && <RemoveButton entry={model} onRemove={onRemove} />}
      </Group>
    </Stack>
  );
}

/** How good it is as a judge; the job stands with the others of the room. */
function AsJudge({ name }: { name: string }) {
  const note = useJudgeProbe(name, 1);
  return note === null ? null : <JudgeProbeNote {...note} showsJob={false} />;
}

/** Everything known of one data set. */
export function DatasetInspector({ dataset, onRemove }: { dataset: LibraryDataset; onRemove: () => void }) {
  const t = useTranslate();
  const { name, kind, path, sha256 } = dataset;
  return (
    <Stack gap="sm">
      <Title order={2}>{visibleString(name)}</Title>
      <dl className="library-facts">
        <dt>{t('library.column.kind')}</dt>
        <dd>{kindText(t, kind)}</dd>
        <dt>{t('library.path')}</dt>
        <dd>{path}</dd>
        <dt>{t('library.hash')}</dt>
        <dd>
          <HashLine sha256={sha256} />
        </dd>
      </dl>
      {kind === 'tasks' && (
        <Stack gap={4}>
          <Text size="sm">{t('library.use.command')}</Text>
          <Code block>{`framework:\n  name: fixed-tasks\n  tasks: ${path}`}</Code>
        </Stack>
      )}
      <Group>
        <RemoveButton entry={dataset} onRemove={onRemove} />
      </Group>
    </Stack>
  );
}

type RemoveButtonProps = {
  entry: Pick<LibraryModel, 'name' | 'path' | 'bytes' | 'copied'>;
  onRemove: () => void;
};

/** Takes an entry out of the library, after saying what becomes of its files. */
function RemoveButton({ entry: { name, path, bytes, copied }, onRemove }: RemoveButtonProps) {
  const t = useTranslate();
  return (
    <ConfirmButton
      size="compact-sm"
      label={t('library.remove')}
      title={t('library.remove.title', { name })}
      confirm={t('library.remove.confirm')}
      onConfirm={onRemove}
      consequence={
        copied ? t('library.remove.copied', { size: bytesText(bytes) }) : t('library.remove.linked', { path })
      }
    />
  );
}

function HashLine({ sha256 }: { sha256: string }) {
  const t = useTranslate();
  return (
    <Group gap={6}>
      <Code title={sha256}>{sha256.slice(0, 16)}…</Code>
      <CopyButton text={sha256} label={t('library.hash.copy')} />
    </Group>
  );
}

export function LicenceLine({ licence }: { licence: LibraryModel['licence'] }) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  if (licence === null || (licence.name === null && licence.file === null))
    return <>{t('library.licence.none')}</>;
  return (
    <Stack gap={4} align="flex-start">
      <span>{[licence.name, licence.file].filter((part) => part !== null).join(' · ')}</span>
      {licence.text !== null && (
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'library.licence.hide' : 'library.licence.show')}
        </Button>
      )}
      {isOpen && (
        <pre className="ui-pre" style={{ maxHeight: 240, overflow: 'auto' }}>
          {licence.text}
        </pre>
      )}
    </Stack>
  );
}

function fitText(t: Translate, { fit, kind }: LibraryModel): string {
  if (fit.needBytes === null) return t('library.fit.unknown.reason');
  const reason = t('library.fit.reason', {
    what: t(kind === 'policy' ? 'library.fit.training' : 'library.fit.reviewing'),
    need: bytesText(fit.needBytes),
    basis: t(`common.${fit.basis}`),
    have: bytesText(fit.haveBytes),
    where: t(`library.fit.${fit.on}`),
  });
  return fit.lora === null
    ? reason
    : `${reason} ${t('library.fit.lora.reason', { need: bytesText(fit.lora.needBytes) })}`;
}

function probeText(t: Translate, { probe }: LibraryModel): string {
  if (probe === null) return t('library.probe.none');
  return t('library.probe.text', {
    rate: probe.tokensPerSecond.toFixed(0),
    tokens: probe.tokens,
    load: durationText(probe.loadSeconds),
    device: probe.device,
    threads: probe.threads,
    memory: probe.memoryBytes === null ? t('library.probe.memory.unknown') : bytesText(probe.memoryBytes),
  });
}
