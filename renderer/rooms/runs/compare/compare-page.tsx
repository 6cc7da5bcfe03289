import { useMemo } from 'react';
import { useCommand } from '../../../commands/index.ts';
import { api, readableFailure, useApiQuery, useReport, useSideQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  ActionIcon,
  Banner,
  Button,
  EmptyState,
  Page,
  QueryState,
  Radio,
  ReportButton,
  saveText,
  SegmentedControl,
  StatusDot,
  Text,
  useRoomNavigate,
  useRoomSearch,
  Quiet,
  visibleString,
  following,
} from '../../../ui/index.ts';
import { configRows } from '../../../../electron/figures/index.ts';
import { type ComparedRun, compareSearch, runLabels, SCORES } from '../model/compare.ts';
import {
  Differences,
  environmentRows,
  NO_FACTS,
  resultRows,
  scoresTable,
  type ScoreFacts,
} from './differences.tsx';
import { FlipsPanel } from './flips-panel.tsx';
import { OverlayCurves } from './overlay-curves.tsx';
import '../runs.css';
import './compare.css';

/** /runs/compare: several runs side by side; the address names them. */
export function ComparePage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [search, change] = useRoomSearch(compareSearch);
  const { runs: ids } = search;
  const read = useApiQuery('runs.compare', api.runs.compare, { runIds: ids }, { enabled: ids.length > 0 });
  useCommand({
    id: 'compare.back',
    title: t('compare.back'),
    keys: 'Escape',
    group: t('runs.group'),
    run: () => navigate('/runs'),
  });
  useCommand({
    id: 'compare.all',
    title: t('compare.what'),
    keys: 'd',
    group: t('runs.group'),
    run: () => change({ show: search.show === 'all' ? undefined : 'all' }),
  });
  const report = useReport(({ name, html }) => saveText(name, 'text/html', html));
  const baseFirst = [...ids].sort((a, b) => Number(b === search.base) - Number(a === search.base));
  const showAll = search.show === 'all';
  const nothing = (
    <EmptyState title={t('compare.few.title')} text={t('compare.few.text')}>
      <Button onClick={() => navigate('/runs')}>{t('compare.back')}</Button>
    </EmptyState>
  );
  return (
    <Page
      title={t('compare.title')}
      flush
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('compare.what')}
            value={search.show}
            data={[
              { value: 'different', label: t('compare.different') },
              { value: 'all', label: t('compare.all') },
            ]}
            onChange={(value) => change({ show: value === 'all' ? 'all' : undefined })}
          />
          {ids.length > 0 && (
            <ReportButton
              job={report.job}
              onMake={() => report.make({ kind: 'runs', runIds: baseFirst })}
              onCancel={report.cancel}
            />
          )}
          <Button variant="default" onClick={() => navigate('/runs', {}, { picked: ids.join(',') })}>
            {t('compare.back')}
          </Button>
        </>
      }
    >
      {ids.length === 0 ? (
        nothing
      ) : (
        <QueryState read={read} problemOf={readableFailure}>
          {(data) => (
            <>
              {data.length < ids.length && (
                <Banner tone="warn">{t('compare.gone', { n: ids.length - data.length })}</Banner>
              )}
              {data.length > 0 ? (
                <Compared runs={data as ComparedRun[]} search={search} change={change} showAll={showAll} />
              ) : (
                nothing
              )}
            </>
          )}
        </QueryState>
      )}
    </Page>
  );
}

type Search = ReturnType<typeof useRoomSearch<typeof compareSearch>>;

function Compared({
  runs,
  search,
  change,
  showAll,
}: {
  runs: ComparedRun[];
  search: Search[0];
  change: Search[1];
  showAll: boolean;
}) {
  const t = useTranslate();
  const baseline = runs.some(({ run }) => run.id === search.base)
    ? (search.base as string)
    : (runs[0]?.run.id ?? '');
  const ids = runs.map(({ run }) => run.id);
  const labels = runLabels(runs);
  const labelOf = (one: ComparedRun | undefined): string => labels.get(one?.run.id ?? '') ?? '';
  // Of scores, the steps of any measure say where they lie on the axis.
  const curves = useApiQuery('runs.curves', api.runs.curves, {
    runIds: ids,
    measure: search.measure === SCORES ? 'passRate' : search.measure,
  });
  const scores = useSideQuery('evaluations.scoresOfRuns', api.runs.scores, { runIds: ids });
  const changes = useSideQuery('runs.scoreChanges', api.runs.scoreChanges, {
    runIds: ids.toSorted((a, b) => Number(b === baseline) - Number(a === baseline)),
  });
  const facts = useMemo(
    (): ScoreFacts => ({
      intervals: new Map(
        (scores.data ?? []).flatMap((one) => one.scores.map(({ id, interval }) => [id, interval] as const)),
      ),
      changes: changes.data ?? NO_FACTS.changes,
    }),
    [scores.data, changes.data],
  );
  const base = runs.find(({ run }) => run.id === baseline);
  const others = runs.filter(({ run }) => run.id !== baseline);
  const after =
    others.find(({ run }) => run.id === search.against) ??
    others.find(({ row }) => (row?.scores.length ?? 0) > 0) ??
    others[0];
  const suites = (base?.row?.scores ?? [])
    .map(({ suite }) => suite)
    .filter((suite) => after?.row?.scores.some((score) => score.suite === suite));
  const suite = suites.find((name) => name === search.suite) ?? suites[0] ?? null;
  const pair = [base, after].map((one) => one?.row?.scores.find((score) => score.suite === suite)?.id ?? '');
  const flips = useSideQuery(
    'runs.flips',
    api.runs.flips,
    { before: pair[0] ?? '', after: pair[1] ?? '' },
    { enabled: pair.every((id) => id !== '') },
  );
  const remove = (id: string): void =>
    change({ runs: ids.filter((other) => other !== id).join(',') || undefined });
  const shared = { runs, baseline, showAll };
  return (
    <div className="compare-split">
      <RunChecklist
        runs={runs}
        baseline={baseline}
        onBaseline={(id) => change({ base: id })}
        onRemove={remove}
      />
      <div className="compare-main">
        <Differences
          title={t('compare.config')}
          heading={t('compare.key')}
          rows={configRows(runs.map(({ run }) => run.config))}
          {...shared}
        />
        <Differences
          title={t('compare.environment')}
          heading={t('compare.fact')}
          rows={environmentRows(t, runs)}
          {...shared}
        />
        <Differences
          title={t('compare.metrics')}
          heading={t('compare.result')}
          rows={resultRows(t, runs, baseline, facts)}
          csv={() => scoresTable(t, runs, facts)}
          note={runs.some(({ row }) => (row?.scores.length ?? 0) > 0) ? t('compare.metrics.note') : undefined}
          {...shared}
        />
        <OverlayCurves
          runs={runs}
          read={search.measure === SCORES ? following(scores, curves) : curves}
          curves={curves.data ?? []}
          scores={scores.data ?? []}
          measure={search.measure}
          scored={search.scored ?? null}
          axis={search.axis}
          grouping={search.group ?? 'run'}
          onMeasure={(measure) => change({ measure })}
          onScored={(scored) => change({ scored })}
          onAxis={(axis) => change({ axis })}
          onGrouping={(group) => change({ group })}
        />
        <FlipsPanel
          suites={suites}
          suite={suite}
          onSuite={(value) => change({ suite: value })}
          others={others.map((one) => ({ id: one.run.id, name: visibleString(labelOf(one)) }))}
          against={after?.run.id ?? null}
          onAgainst={(id) => change({ against: id })}
          names={{ before: labelOf(base), after: labelOf(after) }}
          flips={flips.data ?? null}
        />
      </div>
    </div>
  );
}

/** The runs that are compared: which one is the baseline, and taking one out. */
function RunChecklist({
  runs,
  baseline,
  onBaseline,
  onRemove,
}: {
  runs: readonly ComparedRun[];
  baseline: string;
  onBaseline: (id: string) => void;
  onRemove: (id: string) => void;
}) {
  const t = useTranslate();
  const labels = runLabels(runs);
  return (
    <aside className="compare-runs" aria-label={t('compare.runs')}>
      <Quiet size="xs" mb={6}>
        {t('compare.baseline')}
      </Quiet>
      <Radio.Group value={baseline} onChange={onBaseline} aria-label={t('compare.baseline')}>
        {runs.map(({ run: { id, state } }) => (
          <div key={id} className="compare-run">
            <Radio
              value={id}
              size="xs"
              aria-label={t('compare.baseline.of', { name: labels.get(id) ?? id })}
            />
            <span className="compare-run-name">
              <span title={id}>{visibleString(labels.get(id) ?? id)}</span>
              <Text size="xs" c="var(--quiet)" component="span">
                <StatusDot state={state} />
              </Text>
            </span>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t('compare.remove', { name: labels.get(id) ?? id })}
              onClick={() => onRemove(id)}
            >
              ×
            </ActionIcon>
          </div>
        ))}
      </Radio.Group>
    </aside>
  );
}
