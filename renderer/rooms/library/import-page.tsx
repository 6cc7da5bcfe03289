import { useState } from 'react';
import { z } from 'zod';
import {
  api,
  bridge,
  notify,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useSideQuery,
} from '../../data/index.ts';
import {
  Button,
  FolderBrowser,
  Page,
  QueryState,
  Stack,
  useRoomNavigate,
  useRoomSearch,
  Alert,
  bytesText,
  Group,
  Num,
  Paper,
  Radio,
  Quiet,
  TextInput,
  Title,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { PathField } from './path-field.tsx';
import { freeName, parametersText, type Inspection } from './model.ts';
import { kindText } from './tables.tsx';
import { LicenceLine } from './inspectors.tsx';
import './library.css';

const searchSchema = z.object({
  path: z.string().optional().catch(undefined),
  folder: z.string().optional().catch(undefined),
});

/** /library/import: choose a path, see what stands there, take it in. */
export function ImportPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [{ path, folder }, change] = useRoomSearch(searchSchema);
  const inspection = useApiQuery(
    'library.look',
    api.library.look,
    { path: path ?? '' },
    { enabled: path !== undefined, keep: false },
  );
  const list = useSideQuery('library.list', api.library.list, undefined);
  const places = useApiQuery('library.places', api.library.places, undefined, { enabled: bridge === null });
  const shown = folder ?? places.data?.[0]?.path ?? '';
  const listing = useApiQuery(
    'library.folder',
    api.library.folder,
    { path: shown },
    { enabled: shown !== '' },
  );
  const start = useApiMutation(api.library.import, { invalidates: ['jobs'] });
  const [how, setHow] = useState<'copy' | 'link'>('copy');
  const taken = [...(list.data?.models ?? []), ...(list.data?.datasets ?? [])].map(({ name }) => name);
  const begin = async (name: string): Promise<void> => {
    if (path === undefined) return;
    try {
      await start.mutateAsync({ path, name, how });
    } catch {
      return; // the failure is shown as a notice, and the page stays as it is
    }
    notify(t('library.started', { name }));
    navigate('/library', {}, inspection.data?.kind === 'dataset' ? { tab: 'datasets' } : {});
  };
  return (
    <Page
      title={t('library.import.title')}
      actions={
        <Button variant="default" onClick={() => navigate('/library')}>
          {t('library.back')}
        </Button>
      }
    >
      <Stack className="library-narrow" gap="md">
        <PathField path={path ?? ''} onLook={(wanted) => change({ path: wanted })} />
        {path !== undefined && (
          <QueryState read={inspection} problemOf={readableFailure}>
            {(found) => (
              <InspectionCard
                key={found.path}
                inspection={found}
                proposedName={freeName(found.name, taken)}
                how={how}
                onHow={setHow}
                isStarting={start.isPending}
                onStart={(name) => void begin(name)}
              />
            )}
          </QueryState>
        )}
        {bridge === null && (
          <QueryState read={places} problemOf={readableFailure}>
            {(found) => (
              <FolderBrowser
                places={found}
                folder={shown}
                listing={listing}
                problemOf={readableFailure}
                onFolder={(wanted) => change({ folder: wanted })}
                onTake={(wanted) => change({ path: wanted })}
              />
            )}
          </QueryState>
        )}
      </Stack>
    </Page>
  );
}

type InspectionCardProps = {
  inspection: Inspection;
  proposedName: string;
  how: 'copy' | 'link';
  onHow: (how: 'copy' | 'link') => void;
  isStarting: boolean;
  onStart: (name: string) => void;
};

/** What stands at the path: how it can be used, or why it cannot. */
export function InspectionCard({
  inspection,
  proposedName,
  how,
  onHow,
  isStarting,
  onStart,
}: InspectionCardProps) {
  const t = useTranslate();
  const [name, setName] = useState(proposedName);
  if (inspection.kind === 'refused')
    return (
      <Alert color="red" title={t('library.found.refused')} role="alert">
        {inspection.reason}
      </Alert>
    );
  const title =
    inspection.kind === 'model'
      ? t('library.found.model', { use: t(`library.use.${inspection.use}`) })
      : t('library.found.dataset', { kind: kindText(t, inspection.of) });
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2}>{title}</Title>
        <dl className="library-facts">
          <dt>{t('library.path')}</dt>
          <dd>{inspection.path}</dd>
          <dt>{t('library.column.size')}</dt>
          <dd className="numbers">{bytesText(inspection.bytes)}</dd>
          {inspection.kind === 'model' && <ModelFacts inspection={inspection} />}
          <dt>{t('library.licence')}</dt>
          <dd>
            <LicenceLine licence={inspection.licence} />
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
            <Radio value="copy" label={t('library.how.copy', { size: bytesText(inspection.bytes) })} />
            <Radio value="link" label={t('library.how.link')} />
          </Group>
        </Radio.Group>
        {inspection.kind === 'model' && inspection.use === 'supervisor' && (
          <Quiet>{t('library.found.gguf')}</Quiet>
        )}
        {how === 'link' && <Quiet>{t('library.how.text')}</Quiet>}
        <Group>
          <Button loading={isStarting} disabled={name.trim() === ''} onClick={() => onStart(name.trim())}>
            {t('library.start')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function ModelFacts({ inspection }: { inspection: Extract<Inspection, { kind: 'model' }> }) {
  const t = useTranslate();
  return (
    <>
      <dt>{t('library.architecture')}</dt>
      <dd>{inspection.architecture}</dd>
      <dt>{t('library.column.parameters')}</dt>
      <dd className="numbers">{parametersText(inspection.parameters)}</dd>
      <dt>{t('library.column.context')}</dt>
      <dd>
        <Num value={inspection.contextLength} />
      </dd>
      <dt>{t('library.found.types')}</dt>
      <dd>{inspection.types.join(', ') || t('common.unknown')}</dd>
      <dt>{t('library.found.template')}</dt>
      <dd>
        {t(
          inspection.hasTemplate === null
            ? 'library.found.template.unknown'
            : inspection.hasTemplate
              ? 'library.found.template.yes'
              : 'library.found.template.no',
        )}
      </dd>
      <dt>{t('library.found.files')}</dt>
      <dd>
        <Num value={inspection.files} />
      </dd>
    </>
  );
}
