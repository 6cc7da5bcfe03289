import { useState, type FormEvent } from 'react';
import {
  api,
  type Api,
  notify,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useJobs,
  useSideQuery,
} from '../../data/index.ts';
import {
  Alert,
  bytesText,
  Button,
  CopyButton,
  Group,
  JobLine,
  QueryState,
  Stack,
  Table,
  Text,
  Title,
  TextInput,
  Quiet,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { commandIn, type Finding } from './model.ts';

/** What the machine is, and whether every part a run needs works. */
export function HardwareSection() {
  const t = useTranslate();
  const about = useApiQuery('lab.about', api.lab.about, undefined);
  const cards = useSideQuery('lab.graphicsCards', api.lab.graphicsCards, undefined);
  return (
    <QueryState read={about} problemOf={readableFailure}>
      {({ processor, threads, memoryBytes, system }) => (
        <Stack gap="lg">
          <Stack gap={6}>
            <Title order={2}>{t('settings.hardware.machine')}</Title>
            <dl className="settings-facts">
              <dt>{t('settings.hardware.processor')}</dt>
              <dd>{t('settings.hardware.processor.value', { name: processor, threads })}</dd>
              <dt>{t('settings.hardware.memory')}</dt>
              <dd className="numbers">{bytesText(memoryBytes)}</dd>
              <dt>{t('settings.hardware.cards')}</dt>
              <dd className="numbers">
                <GraphicsCards {...cards.data} />
              </dd>
              <dt>{t('settings.hardware.system')}</dt>
              <dd>{system}</dd>
            </dl>
          </Stack>
          <PythonPart />
          <CheckPart />
        </Stack>
      )}
    </QueryState>
  );
}

type Cards = Awaited<ReturnType<Api['lab']['graphicsCards']['query']>>;

/** Each card with its memory, or why none is seen; undefined before the driver answered. */
export function GraphicsCards({ cards = [], problem }: Partial<Cards>) {
  const t = useTranslate();
  if (problem === undefined) return t('live.gpu.none.not-asked');
  if (cards.length === 0) return t(problem === null ? 'live.gpu.none' : `live.gpu.none.${problem}`);
  return cards.map(({ index, name, memoryTotal }) => (
    <div key={index}>
      {t('live.gpu.card', { name, index })}
      {memoryTotal !== null && `, ${bytesText(memoryTotal)}`}
    </div>
  ));
}

/** The check of every part, which goes on while the window shows something else. */
function CheckPart() {
  const t = useTranslate();
  const [job] = useJobs(['doctor']);
  const start = useApiMutation(api.lab.doctor, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const report = useApiQuery(
    'lab.doctorReport',
    api.lab.doctorReport,
    { jobId: job?.id ?? '' },
    { enabled: job?.state === 'done' },
  );
  return (
    <Stack gap="sm">
      <Quiet>{t('settings.hardware.check.text')}</Quiet>
      <Group>
        <Button onClick={() => start.mutate()} disabled={job?.state === 'running'}>
          {t(job === undefined ? 'settings.hardware.check' : 'settings.hardware.check.again')}
        </Button>
      </Group>
      {job !== undefined && job.state !== 'done' && (
        <JobLine job={job} onCancel={() => cancel.mutate({ id: job.id })} />
      )}
      {job?.state === 'done' && (
        <QueryState read={report} problemOf={readableFailure}>
          {(findings) => findings !== null && <Findings findings={findings} />}
        </QueryState>
      )}
    </Stack>
  );
}

function PythonPart() {
  const t = useTranslate();
  const python = useApiQuery('lab.python', api.lab.python, undefined);
  const keep = useApiMutation(api.lab.setPython, { invalidates: ['lab.python'] });
  return (
    <QueryState read={python} problemOf={readableFailure}>
      {(choice) => (
        <PythonForm
          key={choice.chosen ?? ''}
          choice={choice}
          isKeeping={keep.isPending}
          onKeep={(path) =>
            keep.mutate({ path }, { onSuccess: () => notify(t('settings.hardware.python.kept')) })
          }
        />
      )}
    </QueryState>
  );
}

/** One part a row: what was found, and what to do where it does not work. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const t = useTranslate();
  const bad = findings.filter(({ ok }) => !ok).length;
  return (
    <Stack gap="sm">
      <Alert color={bad === 0 ? 'green' : 'red'} role={bad === 0 ? 'status' : 'alert'}>
        {bad === 0
          ? t('settings.hardware.good', { n: findings.length })
          : t('settings.hardware.bad', { bad, n: findings.length })}
      </Alert>
      <Table verticalSpacing={6} aria-label={t('settings.section.hardware')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('settings.hardware.part')}</Table.Th>
            <Table.Th>{t('settings.hardware.state')}</Table.Th>
            <Table.Th>{t('settings.hardware.detail')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {findings.map(({ part, ok, detail, fix }) => (
            <Table.Tr key={part}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{part}</Table.Td>
              <Table.Td style={{ color: ok ? 'var(--good)' : 'var(--bad)', whiteSpace: 'nowrap' }}>
                {t(ok ? 'settings.hardware.ok' : 'settings.hardware.broken')}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {detail}
                {fix !== null && <Fix fix={fix} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function Fix({ fix }: { fix: string }) {
  const t = useTranslate();
  const command = commandIn(fix);
  return (
    <Group gap={8} mt={4}>
      <Text size="sm" fw={600}>
        {t('settings.hardware.fix', { fix })}
      </Text>
      {command !== null && <CopyButton text={command} label={t('settings.hardware.copy')} />}
    </Group>
  );
}

type Choice = { inUse: string; chosen: string | null; byEnvironment: boolean };

/** Which Python runs trainer and sandbox. */
function PythonForm({
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
