import type { MatrixCell, MatrixRequest } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, readableFailure, useApiQuery, useReport } from '../../../data/index.ts';
import {
  Banner,
  Button,
  EmptyState,
  NoMatch,
  QueryState,
  ReportButton,
  saveText,
  useRoomNavigate,
} from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { baseColumns, groupedRows } from './grid.ts';
import type { ChangeSearch, EvaluationsSearch } from '../page-state.ts';
import { columnsInAddress, shownColumns, type SubjectChoice, SubjectList } from '../request/subject-list.tsx';
import { CopyTable, Legend, RunMissing, useCopy } from './matrix-foot.tsx';
import { MatrixBar } from './matrix-bar.tsx';
import { MatrixTable } from './matrix-table.tsx';
import { ScoreCurves } from './score-curves.tsx';

type MatrixTabProps = { search: EvaluationsSearch; onChange: ChangeSearch };

/** The figures of every policy on every suite. */
export function MatrixTab({ search, onChange }: MatrixTabProps) {
  const subjects = useApiQuery('evaluations.subjects', api.evaluations.subjects, undefined);
  return (
    <QueryState read={subjects} problemOf={readableFailure}>
      {(all) => <Matrix subjects={all as SubjectChoice[]} search={search} onChange={onChange} />}
    </QueryState>
  );
}

function Matrix({ subjects, search, onChange }: MatrixTabProps & { subjects: readonly SubjectChoice[] }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const columns = shownColumns(search.columns, subjects);
  const isEmpty = subjects.every(({ evaluations }) => evaluations === 0) && search.columns.length === 0;
  if (isEmpty) {
    return (
      <EmptyState title={t('evaluations.empty.title')} text={t('evaluations.empty.text')}>
        <Button onClick={() => onChange({ tab: 'suites' })}>{t('evaluations.empty.suites')}</Button>
        <Button variant="default" onClick={() => navigate('/demo')}>
          {t('evaluations.empty.tour')}
        </Button>
      </EmptyState>
    );
  }
  return (
    <div className="evaluations-split">
      <aside className="evaluations-rail" aria-label={t('evaluations.columns')}>
        <SubjectList
          subjects={subjects}
          shown={columns}
          onColumns={(ids) => onChange({ columns: columnsInAddress(ids) })}
        />
      </aside>
      {columns.length === 0 ? (
        <EmptyState title={t('evaluations.columns.empty.title')} text={t('evaluations.columns.empty.text')} />
      ) : (
        <Figures columns={columns} search={search} onChange={onChange} />
      )}
    </div>
  );
}

function Figures({ columns, search, onChange }: MatrixTabProps & { columns: readonly string[] }) {
  const t = useTranslate();
  const { seed = null, limit = null, judge = null, delta, sort, scores, base } = search;
  const context = search.context === 'weights' ? null : search.context;
  const changes = delta === 'on' || sort === 'change';
  const request: MatrixRequest = {
    subjects: [...columns],
    seed,
    limit,
    context,
    judge,
    changes,
    base: changes ? (base ?? null) : null,
  };
  const read = useApiQuery('evaluations.matrix', api.evaluations.matrix, request);
  const { isBusy, copy, save } = useCopy(request);
  const report = useReport(({ name, html }) => saveText(name, 'text/html', html));
  const group = t('evaluations.group');
  const open = (cell: MatrixCell, before: MatrixCell | null): void => {
    onChange(
      {
        tab: 'items',
        evaluation: cell.evaluationIds[0],
        against: before?.evaluationIds[0],
        item: undefined,
        show: undefined,
      },
      { replace: false },
    );
  };
  useCommand({
    id: 'evaluations.delta',
    title: t('evaluations.delta'),
    keys: 'd',
    group,
    run: () => onChange({ delta: delta === 'on' ? undefined : 'on' }),
  });
  useCommand({
    id: 'evaluations.sort',
    title: t('evaluations.sort'),
    keys: 's',
    group,
    run: () => onChange({ sort: sort === 'change' ? undefined : 'change' }),
  });
  return (
    <div className="evaluations-main">
      <QueryState read={read} problemOf={readableFailure}>
        {(matrix) => {
          const bases = baseColumns(matrix.columns);
          return (
            <>
              <MatrixBar search={search} matrix={matrix} onChange={onChange} />
              {matrix.warnings.map((warning) => (
                <Banner key={warning} tone="warn">
                  {warning}
                </Banner>
              ))}
              {matrix.rows.length === 0 ? (
                <NoFigures search={search} onChange={onChange} />
              ) : (
                <MatrixTable
                  columns={matrix.columns}
                  bases={bases}
                  isDelta={delta === 'on'}
                  onOpen={open}
                  groups={groupedRows(matrix, {
                    byChange: sort === 'change',
                    withScores: scores === 'on',
                  })}
                />
              )}
              <ScoreCurves columns={matrix.columns} />
              <div className="evaluations-foot">
                <Legend matrix={matrix} />
                <ReportButton
                  job={report.job}
                  onMake={() => report.make({ kind: 'matrix', request })}
                  onCancel={report.cancel}
                />
                <CopyTable isBusy={isBusy} onCopy={copy} onSave={save} />
                <RunMissing matrix={matrix} seed={seed} limit={limit} judge={judge} />
              </div>
            </>
          );
        }}
      </QueryState>
    </div>
  );
}

/** Nothing under what was chosen above is no match; columns that were never asked anything are something else. */
function NoFigures({ search, onChange }: MatrixTabProps) {
  const t = useTranslate();
  const isFiltered =
    search.seed !== undefined ||
    search.limit !== undefined ||
    search.judge !== undefined ||
    search.context !== 'both';
  if (isFiltered)
    return (
      <div className="evaluations-fill">
        <NoMatch
          title={t('evaluations.matrix.noMatch')}
          filter={filterText(t, search)}
          onClear={() =>
            onChange({ seed: undefined, limit: undefined, judge: undefined, context: undefined })
          }
        />
      </div>
    );
  return (
    <div className="evaluations-fill">
      <EmptyState title={t('evaluations.matrix.noFigures')} text={t('evaluations.matrix.noFigures.text')}>
        <Button variant="default" onClick={() => onChange({ tab: 'suites' }, { replace: false })}>
          {t('evaluations.empty.suites')}
        </Button>
      </EmptyState>
    </div>
  );
}

function filterText(t: Translate, { seed, limit, judge, context }: EvaluationsSearch): string {
  return [
    t(`evaluations.context.${context}`),
    seed === undefined ? '' : t('evaluations.seed.value', { seed }),
    limit === undefined ? '' : t('evaluations.limit.value', { limit }),
    judge === undefined ? '' : t('evaluations.judge.value', { judge }),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
