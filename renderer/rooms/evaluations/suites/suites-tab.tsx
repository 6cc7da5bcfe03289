import { useState } from 'react';
import { useCommand } from '../../../commands/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { Button, EmptyState, QueryState, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { ChangeSearch, EvaluationsSearch } from '../model/search.ts';
import { shownColumns, toggled, type SubjectChoice } from '../model/subjects.ts';
import { OrderDialog } from '../parts/order-dialog.tsx';
import { SubjectPicker } from '../parts/subject-picker.tsx';
import { SuiteDetail } from './suite-detail.tsx';
import { SuiteTable } from './suite-table.tsx';

/** What can be measured here, and the way to measure it. */
export function SuitesTab({ search, onChange }: { search: EvaluationsSearch; onChange: ChangeSearch }) {
  const t = useTranslate();
  const suites = useApiQuery('evaluations.suites', api.evaluations.suites, undefined);
  const subjects = useApiQuery('evaluations.subjects', api.evaluations.subjects, undefined);
  const [isOrdering, setOrdering] = useState(false);
  const { suites: picked, suite: selected } = search;
  const choices = (subjects.data ?? []) as SubjectChoice[];
  const columns = shownColumns(search.columns, choices);
  const mini = (suites.data ?? []).filter((suite) => suite.mini).map(({ name }) => name);
  const pick = (names: readonly string[]): void =>
    onChange({ suites: names.length === 0 ? undefined : names.join(',') });
  const canStart = picked.length > 0 && columns.length > 0;
  const group = t('evaluations.group');
  useCommand(
    {
      id: 'evaluations.start',
      title: t('evaluations.suites.start'),
      keys: 'r',
      group,
      run: () => setOrdering(true),
    },
    canStart,
  );
  useCommand(
    {
      id: 'evaluations.mini',
      title: t('evaluations.suites.pickMini'),
      keys: null,
      group,
      run: () => pick(mini),
    },
    mini.length > 0,
  );
  return (
    <QueryState read={suites} problemOf={readableFailure}>
      {(all) => {
        const shown = all.find(({ name }) => name === selected);
        if (all.length === 0)
          return (
            <EmptyState
              title={t('evaluations.suites.empty.title')}
              text={t('evaluations.suites.empty.text')}
            />
          );
        return (
          <div className="evaluations-split">
            <div className="evaluations-main">
              <div className="evaluations-fill">
                <SuiteTable
                  suites={all}
                  picked={picked}
                  onPick={(name) => pick(toggled(picked, name))}
                  selected={selected ?? null}
                  onSelect={(name) => onChange({ suite: name })}
                />
              </div>
              <div className="evaluations-foot">
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={mini.length === 0}
                  onClick={() => pick(mini)}
                >
                  {t('evaluations.suites.pickMini')}
                </Button>
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={picked.length === 0}
                  onClick={() => pick([])}
                >
                  {t('evaluations.suites.pickNone')}
                </Button>
                <span className="kit-spring" />
                <Text size="sm" c="var(--quiet)" className="numbers">
                  {t('evaluations.suites.picked', { suites: picked.length, subjects: columns.length })}
                </Text>
                <SubjectPicker
                  subjects={choices}
                  shown={columns}
                  onColumns={(ids) => onChange({ columns: ids.length === 0 ? undefined : ids.join(',') })}
                />
                <Button
                  disabled={!canStart}
                  title={canStart ? undefined : t('evaluations.suites.start.why')}
                  onClick={() => setOrdering(true)}
                >
                  {t('evaluations.suites.start')}
                </Button>
              </div>
            </div>
            <aside className="evaluations-inspector" aria-label={t('evaluations.suites.detail')}>
              {shown === undefined ? (
                <Text size="sm" c="var(--quiet)">
                  {t('evaluations.suites.none')}
                </Text>
              ) : (
                <SuiteDetail
                  suite={shown}
                  onDatasets={(kind) => onChange({ tab: 'datasets', dataset: kind }, { replace: false })}
                  onEvaluations={() =>
                    onChange(
                      { tab: 'items', evaluation: undefined, against: undefined, suite: shown.name },
                      { replace: false },
                    )
                  }
                />
              )}
            </aside>
            {isOrdering && (
              <OrderDialog
                wanted={{ subjects: columns, suites: picked, seed: null, limit: null, context: null }}
                onClose={() => setOrdering(false)}
                onStarted={() => {
                  setOrdering(false);
                  onChange({ tab: 'matrix', columns: columns.join(',') }, { replace: false });
                }}
              />
            )}
          </div>
        );
      }}
    </QueryState>
  );
}
