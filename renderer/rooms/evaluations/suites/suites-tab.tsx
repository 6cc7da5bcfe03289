import { useState } from 'react';
import type { SuiteChoice } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  CsvButton,
  EmptyState,
  QueryState,
  Text,
  Group,
  Stack,
  Title,
  Quiet,
  following,
} from '../../../ui/index.ts';
import type { ChangeSearch, EvaluationsSearch } from '../page-state.ts';
import { EvaluationDialog } from '../request/evaluation-dialog.tsx';
import {
  columnsInAddress,
  SubjectPicker,
  shownColumns,
  toggled,
  type SubjectChoice,
} from '../request/subject-list.tsx';
import { suitesTable } from './table.ts';
import { SuiteTable, needsText, SourceMark } from './suite-table.tsx';

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
    <QueryState read={following(subjects, suites)} problemOf={readableFailure}>
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
                {shown === undefined && <Quiet my={6}>{t('evaluations.suites.none')}</Quiet>}
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
                <CsvButton title={t('evaluations.suites.table')} table={() => suitesTable(all)} />
                <span className="ui-spring" />
                <Quiet className="numbers">
                  {t('evaluations.suites.picked', { suites: picked.length, subjects: columns.length })}
                </Quiet>
                <SubjectPicker
                  subjects={choices}
                  shown={columns}
                  onColumns={(ids) => onChange({ columns: columnsInAddress(ids) })}
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
            {shown !== undefined && (
              <aside className="evaluations-inspector" aria-label={t('evaluations.suites.detail')}>
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
              </aside>
            )}
            <EvaluationDialog
              isOpen={isOrdering}
              request={{ subjects: columns, suites: picked, seed: null, limit: null, context: null }}
              onClose={() => setOrdering(false)}
              onStarted={() => {
                setOrdering(false);
                onChange({ tab: 'matrix', columns: columns.join(',') }, { replace: false });
              }}
            />
          </div>
        );
      }}
    </QueryState>
  );
}

/** What one suite is, how it asks, and what stands between it and an answer. */
function SuiteDetail({
  suite,
  onDatasets,
  onEvaluations,
}: {
  suite: SuiteChoice;
  onDatasets: (kind: string) => void;
  onEvaluations: () => void;
}) {
  const t = useTranslate();
  const { title, measures, source, protocols, hazardous, mini } = suite;
  return (
    <Stack gap="sm">
      <Title order={2}>{title}</Title>
      <Text size="sm">{measures}</Text>
      <Group gap={6}>
        <SourceMark suite={suite} />
        <Quiet size="xs">{needsText(t, suite)}</Quiet>
      </Group>
      {source.kind === 'dataset' && source.note !== null && (
        <Text size="sm" c={source.state === 'ready' ? undefined : 'var(--warn)'}>
          {source.note}
        </Text>
      )}
      {hazardous && (
        <Text size="sm" c="var(--warn)">
          {t('evaluations.suites.hazardous')}
        </Text>
      )}
      {mini && <Quiet>{t('evaluations.suites.mini')}</Quiet>}
      <div>
        <Text size="sm" fw={600}>
          {t('evaluations.suites.protocols')}
        </Text>
        <dl className="evaluations-facts">
          {protocols.map(({ name, temperature, maxNewTokens, samples, says }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {says}{' '}
                <span className="numbers evaluations-quiet">
                  {t('evaluations.suites.protocol', { temperature, tokens: maxNewTokens, samples })}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <Group>
        {source.kind === 'dataset' && source.state !== 'ready' && (
          <Button size="compact-sm" onClick={() => onDatasets(source.dataset)}>
            {t(source.state === 'absent' ? 'evaluations.suites.import' : 'evaluations.suites.acknowledge')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={onEvaluations}>
          {t('evaluations.suites.evaluations')}
        </Button>
      </Group>
    </Stack>
  );
}
