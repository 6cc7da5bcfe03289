import { api, readableFailure, useApiMutation, useApiQuery } from '../../../data/index.ts';
import { Button, EmptyState, QueryState, Text, Title, useRoomNavigate } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { ChangeSearch, EvaluationsSearch } from '../model/search.ts';
import { CalibrateForm } from './calibrate-form.tsx';
import { CalibrationTable } from './calibration-table.tsx';
import { JudgeTable } from './judge-table.tsx';
import { RubricList } from './rubric-list.tsx';

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
    <QueryState read={judges} problemOf={readableFailure}>
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
                  <Text size="sm" c="var(--quiet)" mb={6}>
                    {t('evaluations.judges.text')}
                  </Text>
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
              {shown === undefined && all.length > 0 && (
                <Text size="sm" c="var(--quiet)">
                  {t('evaluations.judges.none')}
                </Text>
              )}
              <section>
                <Title order={2} mb={6}>
                  {t('evaluations.calibrations')}
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
