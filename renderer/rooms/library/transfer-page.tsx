import { useState, type FormEvent } from 'react';
import { z } from 'zod';
import { api, readableFailure, useApiMutation, useJobs, useApiQuery } from '../../data/index.ts';
import {
  Button,
  Code,
  CopyButton,
  Group,
  JobLine,
  Page,
  QueryState,
  Stack,
  Text,
  TextInput,
  Title,
  useRoomNavigate,
  useRoomSearch,
  Alert,
  Table,
  Quiet,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { worstFirst, type ManifestFinding } from './model.ts';
import './library.css';

const searchSchema = z.object({ job: z.string().optional().catch(undefined) });
const MAKE_MANIFEST = 'sha256sum * > SHA256SUMS';

/** /library/bring: how files get to a machine without a way out, and whether they came whole. */
export function TransferPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [{ job: jobId }, change] = useRoomSearch(searchSchema);
  const [path, setPath] = useState('');
  const check = useApiMutation(api.library.checkManifest, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const job = useJobs(['manifest']).find(({ id }) => id === jobId);
  const report = useApiQuery(
    'library.manifestReport',
    api.library.manifestReport,
    { jobId: jobId ?? '' },
    { enabled: job?.state === 'done', keep: false },
  );
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      change({ job: (await check.mutateAsync({ path: path.trim() })).id });
    } catch {
      change({ job: undefined }); // the failure is shown as a notice
    }
  };
  return (
    <Page
      title={t('library.bring.title')}
      actions={
        <Button variant="default" onClick={() => navigate('/library')}>
          {t('library.back')}
        </Button>
      }
    >
      <Stack className="library-narrow" gap="md">
        <Text>{t('library.bring.lead')}</Text>
        <ol className="library-steps">
          <li>{t('library.bring.1')}</li>
          <li>{t('library.bring.2')}</li>
          <li>
            {t('library.bring.3')}{' '}
            <Group gap={8} mt={4}>
              <Code>{MAKE_MANIFEST}</Code>
              <CopyButton text={MAKE_MANIFEST} />
            </Group>
          </li>
          <li>
            {t('library.bring.4')}
            <form onSubmit={(event) => void submit(event)}>
              <Group align="flex-end" wrap="nowrap" mt={6}>
                <TextInput
                  label={t('library.bring.manifest')}
                  value={path}
                  onChange={(event) => setPath(event.currentTarget.value)}
                  style={{ flex: 1 }}
                  spellCheck={false}
                />
                <Button type="submit" disabled={path.trim() === '' || job?.state === 'running'}>
                  {t('library.bring.check')}
                </Button>
              </Group>
            </form>
            <Stack gap="sm" mt="sm">
              {job !== undefined && job.state !== 'done' && (
                <JobLine job={job} onCancel={() => cancel.mutate({ id: job.id })} />
              )}
              {job?.state === 'done' && (
                <QueryState read={report} problemOf={readableFailure}>
                  {(found) => (found === null ? null : <ManifestResult findings={found.findings} />)}
                </QueryState>
              )}
            </Stack>
          </li>
          <li>{t('library.bring.5')}</li>
        </ol>
        <Title order={2}>{t('library.bring.sizes')}</Title>
        <Text size="sm">{t('library.bring.sizes.text')}</Text>
      </Stack>
    </Page>
  );
}

const MOST_ROWS = 200;
const COLORS = { same: 'var(--good)', different: 'var(--bad)', missing: 'var(--bad)' } as const;

/** Which files are as their manifest says. */
export function ManifestResult({ findings }: { findings: readonly ManifestFinding[] }) {
  const t = useTranslate();
  const bad = findings.filter(({ state }) => state !== 'same').length;
  const rows = worstFirst(findings).slice(0, MOST_ROWS);
  return (
    <Stack gap="xs">
      <Alert color={bad === 0 ? 'green' : 'red'} role={bad === 0 ? 'status' : 'alert'}>
        {bad === 0
          ? t('library.manifest.all', { n: findings.length })
          : t('library.manifest.bad', { bad, n: findings.length })}
      </Alert>
      <Table aria-label={t('library.manifest.table')} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('library.manifest.file')}</Table.Th>
            <Table.Th>{t('library.manifest.state')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ path, state }) => (
            <Table.Tr key={path}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{path}</Table.Td>
              <Table.Td style={{ color: COLORS[state] }}>{t(`library.manifest.${state}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {findings.length > rows.length && (
        <Quiet>{t('library.manifest.shown', { shown: rows.length, n: findings.length })}</Quiet>
      )}
    </Stack>
  );
}
