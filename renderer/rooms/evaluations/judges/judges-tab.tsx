import { useState } from 'react';
import { api, readableFailure, useApiMutation, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  CsvButton,
  EmptyState,
  QueryState,
  Text,
  Title,
  useRoomNavigate,
  Group,
  NumberInput,
  Quiet,
  following,
} from '../../../ui/index.ts';
import { PathForm } from '../datasets/path-form.tsx';
import type { ChangeSearch, EvaluationsSearch } from '../page-state.ts';
import { calibrationsTable, judgesTable } from './tables.ts';
import { CalibrationTable, JudgeTable } from './judge-tables.tsx';

/** Who judges, by which words, and how far each judge can be trusted. */
export function JudgesTab({ search, onChange }: { search: EvaluationsSearch; onChange: ChangeSearch }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const selected = search.model ?? null;
  const judges = useApiQuery('judges.list', api.judges.list, undefined);
  const rubrics = useApiQuery('judges.rubrics', api.judges.rubrics, undefined);
  const calibrations = useApiQuery('judges.calibrations', api.judges.calibrations, undefined);
  const chosen = useApiQuery('judges.chosen', api.judges.chosen, undefined);
  const choose = useApiMutation(api.judges.choose, { invalidates: ['judges', 'evaluations'] });
  const calibrate = useApiMutation(api.judges.calibrate, { invalidates: ['jobs'] });
  return (
    <QueryState read={following(chosen, judges)} problemOf={readableFailure}>
      {(all) => {
        const shown = all.find(({ name }) => name === selected);
        return (
          <div className="evaluations-split">
            <div className="evaluations-main evaluations-padded">
              {all.length === 0 ? (
                <EmptyState
                  title={t('evaluations.judges.empty.title')}
                  text={t('evaluations.judges.empty.text')}
                >
                  <Button onClick={() => navigate('/library/import')}>
                    {t('evaluations.judges.import')}
                  </Button>
                  <Button variant="default" onClick={() => navigate('/library/bring')}>
                    {t('evaluations.datasets.bring')}
                  </Button>
                </EmptyState>
              ) : (
                <section>
                  <Group mb={6} gap={6} wrap="nowrap">
                    <Quiet>{t('evaluations.judges.text')}</Quiet>
                    <CsvButton
                      title={t('evaluations.judges.table')}
                      table={() => judgesTable(all, chosen.data ?? null)}
                    />
                  </Group>
                  <JudgeTable
                    judges={all}
                    chosen={chosen.data ?? null}
                    selected={selected}
                    onSelect={(name) => onChange({ model: name })}
                    onChoose={(name) => choose.mutate({ model: name })}
                  />
                </section>
              )}
              {shown !== undefined && (
                <section>
                  <Title order={2} mb={6}>
                    {t('evaluations.calibrate')}
                  </Title>
                  <CalibrateForm
                    key={shown.name}
                    model={shown.name}
                    isBusy={calibrate.isPending}
                    onCalibrate={(path, limit) => calibrate.mutate({ model: shown.name, path, limit })}
                  />
                </section>
              )}
              {shown === undefined && all.length > 0 && <Quiet>{t('evaluations.judges.none')}</Quiet>}
              <section>
                <Title order={2} mb={6}>
                  {t('evaluations.calibrations')}{' '}
                  {(calibrations.data ?? []).length > 0 && (
                    <CsvButton
                      title={t('evaluations.calibrations')}
                      table={() => calibrationsTable(calibrations.data ?? [])}
                    />
                  )}
                </Title>
                <QueryState read={calibrations} problemOf={readableFailure}>
                  {(found) => <CalibrationTable calibrations={found} />}
                </QueryState>
              </section>
            </div>
            <aside className="evaluations-inspector" aria-label={t('evaluations.judges.detail')}>
              <section className="evaluations-block">
                <Title order={2} mb={6}>
                  {t('evaluations.rubrics')}
                </Title>
                <QueryState read={rubrics} problemOf={readableFailure}>
                  {(found) => <RubricList rubrics={found} />}
                </QueryState>
              </section>
            </aside>
          </div>
        );
      }}
    </QueryState>
  );
}

const FIRST_LIMIT = 100; // some ten minutes with a small judge; all 602 of HarmBench's labels take an hour

type CalibrateFormProps = {
  model: string;
  isBusy: boolean;
  onCalibrate: (path: string, limit: number | null) => void;
};

/** Measures a judge against a set that people labelled. */
function CalibrateForm({ model, isBusy, onCalibrate }: CalibrateFormProps) {
  const t = useTranslate();
  const [path, setPath] = useState('');
  const [limit, setLimit] = useState<number | null>(FIRST_LIMIT);
  return (
    <>
      <Text size="sm" mb="xs">
        {t('evaluations.calibrate.text', { model })}
      </Text>
      <PathForm
        path={path}
        title={t('evaluations.calibrate.path')}
        text={t('evaluations.calibrate.files')}
        action={t('evaluations.calibrate.take')}
        onPath={setPath}
      />
      {path !== '' && (
        <Quiet size="xs" mt={4}>
          {t('evaluations.calibrate.chosen', { path })}
        </Quiet>
      )}
      <Group align="flex-end" mt="sm">
        <NumberInput
          w={160}
          size="sm"
          label={t('evaluations.calibrate.limit')}
          placeholder={t('evaluations.order.limit.all')}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          value={limit ?? ''}
          onChange={(value) => setLimit(typeof value === 'number' && value >= 1 ? value : null)}
        />
        <Button disabled={path === ''} loading={isBusy} onClick={() => onCalibrate(path, limit)}>
          {t('evaluations.calibrate.start')}
        </Button>
      </Group>
    </>
  );
}

type RubricText = { name: string; version: string; system: string; question: string };

/** The wording that judges are asked with; every verdict carries its version, which begins with the name that stands before it here. */
export function RubricList({ rubrics }: { rubrics: readonly RubricText[] }) {
  const t = useTranslate();
  return (
    <>
      {rubrics.map(({ name, version, system, question }) => (
        <details key={name} className="evaluations-fold">
          <summary>
            {name}{' '}
            <span className="evaluations-quiet">
              {t('evaluations.rubric.version', { version: version.replace(`${name}-`, '') })}
            </span>
          </summary>
          <Quiet size="xs" mt={4}>
            {t('evaluations.rubric.system')}
          </Quiet>
          <pre className="ui-pre">{system}</pre>
          <Quiet size="xs" mt={4}>
            {t('evaluations.rubric.question')}
          </Quiet>
          <pre className="ui-pre">{question}</pre>
        </details>
      ))}
    </>
  );
}
