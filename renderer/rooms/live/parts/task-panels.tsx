import {
  type RunRecord,
  viewOf,
  viewWarnings,
  POSITION_METRICS,
} from '../../../../electron/contract/index.ts';
import { Bars, type CurveRange } from '../../../charts/index.ts';
import { api, readableFailure, useApiQuery, useSideQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Banner,
  Button,
  LabelAccuracyTable,
  numberText,
  percentText,
  QueryState,
  Table,
  useRoomNavigate,
  visibleString,
} from '../../../ui/index.ts';
import type { Timeline } from '../model/timeline.ts';

type OfRun = { runId: string; committedSteps: number };

/** Iterations in which answers agreed more while something that ought not to fell. */
export function ViewWarnings({
  framework,
  timeline,
}: {
  framework: RunRecord['config']['framework'];
  timeline: Timeline;
}) {
  const t = useTranslate();
  const { steps, metrics } = timeline;
  const warnings = viewWarnings(
    viewOf(framework.name).watches,
    steps.map((_, place) => ({
      iteration: metrics[POSITION_METRICS.iteration]?.[place] ?? 0,
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, values]) => [name, values[place] ?? null]),
      ),
    })),
  );
  const change = ({ label, before, after }: { label: string; before: number; after: number }): string =>
    t('live.warning.change', { label, before: before.toFixed(2), after: after.toFixed(2) });
  return (
    <>
      {warnings.map(({ iteration, rose, worse }) => (
        <Banner key={`${iteration} ${rose.label}`} tone="warn">
          {t('live.warning', { iteration, rose: change(rose), worse: worse.map(change).join('; ') })}
        </Banner>
      ))}
    </>
  );
}

/** How right the labels of a run are that nobody verifies, and where a person can look at them. */
export function LabelAccuracyPanel({ runId, committedSteps }: OfRun) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const read = useApiQuery('reviews.labels.accuracy', api.reviews.labels.accuracy, { runId, committedSteps });
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(rows) =>
        rows.length === 0 ? null : (
          <section className="live-card live-labels" aria-label={t('labels.caption')}>
            <LabelAccuracyTable rows={rows} />
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => navigate('/reviews/labels/$runId', { runId })}
            >
              {t('live.labels.audit')}
            </Button>
          </section>
        )
      }
    </QueryState>
  );
}

/** What became of the proposals of the chosen steps: tasks, or not and why. */
export function ProposalOutcomes({ runId, committedSteps, range }: OfRun & { range: CurveRange | null }) {
  const t = useTranslate();
  const read = useSideQuery('live.proposals', api.live.proposals, { runId, committedSteps });
  const chosen = (read.data ?? []).filter(
    ({ step }) => range === null || (step >= range.from && step <= (range.to ?? Infinity)),
  );
  if (chosen.length === 0) return null;
  const groups = [...Map.groupBy(chosen, ({ reason }) => reason)].map(([reason, rows]) => ({
    reason,
    sentence: rows[0]?.sentence ?? null,
    count: rows.reduce((sum, { count }) => sum + count, 0),
  }));
  const ordered = groups.toSorted(
    (a, b) => Number(b.reason === null) - Number(a.reason === null) || b.count - a.count,
  );
  const all = groups.reduce((sum, { count }) => sum + count, 0);
  const [first] = ordered;
  return (
    <Bars
      title={t('live.proposals')}
      bars={ordered.map(({ reason, count }) => ({
        id: reason ?? '',
        label: reason ?? t('live.proposals.kept'),
        value: count,
        color: reason === null ? 0 : DROPPED,
      }))}
      columns={[t('live.proposals.what'), t('live.proposals.count')]}
      format={(value) => value.toLocaleString('en')}
      note={t('live.proposals.note', {
        share: percentText((first?.reason === null ? first.count : 0) / all, 0),
        n: all,
        most: ordered.find(({ reason }) => reason !== null)?.sentence ?? 'none',
      })}
    />
  );
}

/** Number of the colour of what was left out. */
const DROPPED = 7;
const MOST_ROWS = 12;

/**
 * The proposals that were paid most, those first to which most answers are missing: a reward for a question that nobody can answer is
 * earned by confusion.
 */
export function PaidProposals({ runId, committedSteps }: OfRun) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const read = useApiQuery('live.paid', api.live.paid, { runId, committedSteps });
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(rows) => {
        const measured = rows.filter(({ samples }) => samples > 0);
        if (measured.length === 0) return null;
        const worst = measured
          .toSorted((a, b) => b.abstained / b.samples - a.abstained / a.samples || b.reward - a.reward)
          .slice(0, MOST_ROWS);
        return (
          <section className="live-card live-labels" aria-label={t('live.paid')}>
            <Table verticalSpacing={3} fz="sm" className="numbers" captionSide="top">
              <Table.Caption ta="start">{t('live.paid.caption', { n: measured.length })}</Table.Caption>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('live.paid.proposal')}</Table.Th>
                  {(['reward', 'abstained', 'truncated', 'passed'] as const).map((column) => (
                    <Table.Th key={column} ta="end">
                      {t(`live.paid.${column}`)}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {worst.map(({ id, step, reward, text, samples, abstained, truncated, passed }) => (
                  <Table.Tr key={id}>
                    <Table.Th scope="row" fw={400}>
                      <button
                        type="button"
                        className="live-paid"
                        onClick={() =>
                          navigate('/runs/$runId/records', { runId }, { from: step, to: step, record: id })
                        }
                      >
                        {visibleString(text)}
                      </button>
                    </Table.Th>
                    <Table.Td ta="end">{numberText(reward, 2)}</Table.Td>
                    <Table.Td ta="end">{percentText(abstained / samples, 0)}</Table.Td>
                    <Table.Td ta="end">{percentText(truncated / samples, 0)}</Table.Td>
                    <Table.Td ta="end">{percentText(passed / samples, 0)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </section>
        );
      }}
    </QueryState>
  );
}
