import { useState } from 'react';
import {
  Alert,
  Button,
  bytesText,
  Group,
  Num,
  Paper,
  parametersText,
  Quiet,
  Radio,
  Select,
  Stack,
  TextInput,
  Title,
} from '../../ui/index.ts';
import { useTranslate, type Translate } from '../../i18n/index.ts';
import type { Inspection } from './model.ts';
import { kindText } from './tables.tsx';
import { LicenceLine } from './inspectors.tsx';
import './library.css';

/** Copied into the lab, used where it is, or made a policy of. */
export type How = 'copy' | 'link' | 'policy';

type InspectionCardProps = {
  inspection: Inspection;
  proposedName: string;
  how: How;
  onHow: (how: How) => void;
  /** Names of policies in the library, to which an adapter can be added. */
  policies: readonly string[];
  isStarting: boolean;
  onStart: (wish: ImportWish) => void;
};

/** What is to become of the files; a policy is made of an adapter and its base, or of a GGUF by itself. */
export type ImportWish = { name: string } & ({ how: 'copy' | 'link' } | { base: string | null });

/** What stands at the path: how it can be used, or why it cannot. */
export function InspectionCard({
  inspection,
  proposedName,
  how,
  onHow,
  policies,
  isStarting,
  onStart,
}: InspectionCardProps) {
  const t = useTranslate();
  const [name, setName] = useState(proposedName);
  const [base, setBase] = useState(() => baseNamed(inspection, policies));
  if (inspection.kind === 'refused')
    return (
      <Alert color="red" title={t('library.found.refused')} role="alert">
        {inspection.reason}
      </Alert>
    );
  const isAdapter = inspection.kind === 'adapter';
  const isGguf = inspection.kind === 'model' && inspection.use === 'supervisor';
  // What was chosen for a file before may not be offered for this one.
  const way = how === 'policy' && !isGguf ? 'copy' : how;
  const makesPolicy = isAdapter || way === 'policy';
  const isReady = name.trim() !== '' && (!isAdapter || base !== null);
  const start = (): void =>
    onStart({
      name: name.trim(),
      ...(isAdapter ? { base } : way === 'policy' ? { base: null } : { how: way }),
    });
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2}>{titleOf(t, inspection)}</Title>
        <dl className="library-facts">
          <dt>{t('library.path')}</dt>
          <dd>{inspection.path}</dd>
          <dt>{t('library.column.size')}</dt>
          <dd className="numbers">{bytesText(inspection.bytes)}</dd>
          {inspection.kind === 'model' && <ModelFacts inspection={inspection} />}
          {isAdapter && <AdapterFacts inspection={inspection} />}
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
        {isAdapter ? (
          <Select
            label={t('library.adapter.base')}
            description={t('library.adapter.base.text')}
            data={[...policies]}
            value={base}
            onChange={setBase}
          />
        ) : (
          <Radio.Group label={t('library.how')} value={way} onChange={(value) => onHow(value as How)}>
            <Group mt={4}>
              <Radio value="copy" label={t('library.how.copy', { size: bytesText(inspection.bytes) })} />
              <Radio value="link" label={t('library.how.link')} />
              {isGguf && <Radio value="policy" label={t('library.how.policy')} />}
            </Group>
          </Radio.Group>
        )}
        {isAdapter && <Quiet>{t('library.adapter.text')}</Quiet>}
        {way === 'policy' && <Quiet>{t('library.how.policy.text')}</Quiet>}
        {way === 'link' && !isAdapter && <Quiet>{t('library.how.text')}</Quiet>}
        <Group>
          <Button loading={isStarting} disabled={!isReady} onClick={start}>
            {t(makesPolicy ? 'library.start.policy' : 'library.start')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function titleOf(t: Translate, inspection: Exclude<Inspection, { kind: 'refused' }>): string {
  if (inspection.kind === 'adapter') return t('library.found.adapter');
  return inspection.kind === 'model'
    ? t('library.found.model', { use: t(`library.use.${inspection.use}`) })
    : t('library.found.dataset', { kind: kindText(t, inspection.of) });
}

/** The policy that an adapter's author seems to mean: of the name that the last part of a path or of a repository's name says. */
function baseNamed(inspection: Inspection, policies: readonly string[]): string | null {
  const said =
    inspection.kind === 'adapter' ? inspection.base?.split(/[\\/]/).at(-1)?.toLowerCase() : undefined;
  return policies.find((name) => name.toLowerCase() === said) ?? null;
}

function AdapterFacts({ inspection }: { inspection: Extract<Inspection, { kind: 'adapter' }> }) {
  const t = useTranslate();
  return (
    <>
      <dt>{t('library.adapter.named')}</dt>
      <dd>{inspection.base ?? t('common.unknown')}</dd>
      <dt>{t('library.adapter.rank')}</dt>
      <dd>
        <Num value={inspection.rank} />
      </dd>
    </>
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
