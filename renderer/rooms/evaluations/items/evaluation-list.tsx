import {
  countedScores,
  type EvaluationRowOrder,
  type EvaluationSummary,
} from '../../../../electron/contract/index.ts';
import { type MessageId, useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  ConfirmButton,
  Duration,
  Num,
  OverriddenMark,
  Quiet,
  SortedGrid,
  visibleString,
  When,
} from '../../../ui/index.ts';
import { intervalText, scoreText } from '../score-text.ts';
import { contextText, protocolText } from './items-head.tsx';

type Column = { id: string; word: MessageId; by: EvaluationRowOrder['by'] | null; smallestFirst?: boolean };

const COLUMNS: readonly Column[] = [
  { id: 'suite', word: 'evaluations.list.suite', by: 'suite', smallestFirst: true },
  { id: 'subject', word: 'evaluations.list.subject', by: 'subject', smallestFirst: true },
  { id: 'step', word: 'evaluations.list.step', by: 'step' },
  { id: 'state', word: 'evaluations.list.state', by: null },
  { id: 'score', word: 'evaluations.list.score', by: 'score' },
  { id: 'graded', word: 'evaluations.list.graded', by: 'items' },
  { id: 'judge', word: 'evaluations.list.judge', by: null },
  { id: 'duration', word: 'evaluations.list.duration', by: 'duration' },
  { id: 'when', word: 'evaluations.list.when', by: 'time' },
  { id: 'acts', word: 'evaluations.list.acts', by: null },
];

const NEWEST_FIRST: EvaluationRowOrder = { by: 'time', descending: true };
const ROW_HEIGHT = 42;

type RowActs = {
  onOpen: (id: string) => void;
  onRemove: (id: string) => void;
  onRerun: (id: string) => void;
};
type EvaluationListProps = RowActs & {
  rows: readonly EvaluationSummary[];
  total: number;
  order: EvaluationRowOrder;
  onOrder: (order: EvaluationRowOrder) => void;
  selected: string | null;
  onSelect: (id: string) => void;
  onNearEnd: () => void;
};

/** The evaluations of the lab as a grid: suite and conditions, policy, progress and score. */
export function EvaluationList({ rows, onOpen, onRemove, onRerun, ...grid }: EvaluationListProps) {
  const t = useTranslate();
  return (
    <SortedGrid
      {...grid}
      label={t('evaluations.list')}
      className="evaluations-list"
      columns={COLUMNS.map(({ word, ...column }) => ({ ...column, title: t(word) }))}
      rows={rows}
      rowHeight={ROW_HEIGHT}
      keyOf={({ id }) => id}
      usualOrder={NEWEST_FIRST}
      onOpen={onOpen}
      renderCells={(summary) => (
        <EvaluationCells summary={summary} onOpen={onOpen} onRemove={onRemove} onRerun={onRerun} />
      )}
    />
  );
}

/** The cells of one evaluation, in the order of the head. */
export function EvaluationCells({
  summary,
  onOpen,
  onRemove,
  onRerun,
}: RowActs & { summary: EvaluationSummary }) {
  const t = useTranslate();
  const { id, plan, state, graded, planned, counts, milliseconds, createdAt } = summary;
  const problem = summary.problem === null ? undefined : visibleString(summary.problem);
  const protocol = protocolText(t, summary);
  const label = visibleString(plan.subject.label);
  return (
    <>
      <span role="gridcell" className="ui-grid-cell" data-column="suite" title={protocol}>
        <button
          type="button"
          className="evaluations-name"
          onClick={(event) => {
            event.stopPropagation();
            onOpen(id);
          }}
        >
          {plan.suite}
        </button>
        <Quiet size="xs" truncate>
          {protocol}
        </Quiet>
      </span>
      <span role="gridcell" className="ui-grid-cell" data-column="subject" title={label}>
        {label}
        <Quiet size="xs" truncate>
          {contextText(t, summary)}
        </Quiet>
      </span>
      <span role="gridcell" className="ui-grid-cell numbers" data-column="step">
        {plan.subject.step === null ? '–' : <Num value={plan.subject.step} />}
      </span>
      <span role="gridcell" className="ui-grid-cell" data-column="state">
        <span data-state={state} className="evaluations-state" title={problem}>
          {t(`evaluations.state.${state}`)}
        </span>
      </span>
      <span role="gridcell" className="ui-grid-cell numbers" data-column="score">
        <ScoreLine summary={summary} />
      </span>
      <span role="gridcell" className="ui-grid-cell numbers" data-column="graded">
        <Num value={graded} />
        {graded < planned && (
          <>
            {' '}
            / <Num value={planned} />
          </>
        )}
      </span>
      <span role="gridcell" className="ui-grid-cell" data-column="judge" title={plan.judge?.name}>
        {plan.judge?.name ?? t('evaluations.judge.none')}
      </span>
      <span role="gridcell" className="ui-grid-cell numbers" data-column="duration">
        <Duration seconds={milliseconds === 0 ? null : milliseconds / 1000} />
      </span>
      <span role="gridcell" className="ui-grid-cell" data-column="when">
        <When iso={createdAt} />
      </span>
      <span role="gridcell" className="ui-grid-cell evaluations-acts" data-column="acts">
        {counts.loadAffected > 0 && state !== 'running' && (
          <Button
            size="compact-xs"
            variant="default"
            title={t('evaluations.rerun.text', { n: counts.loadAffected })}
            onClick={() => onRerun(id)}
          >
            {t('evaluations.rerun', { n: counts.loadAffected })}
          </Button>
        )}
        {state !== 'running' && (
          <ConfirmButton
            size="compact-xs"
            label={t('evaluations.remove')}
            title={t('evaluations.remove.title', { suite: plan.suite, subject: plan.subject.label })}
            consequence={t('evaluations.remove.text', { n: graded, overridden: counts.overridden })}
            confirm={t('evaluations.remove.confirm')}
            onConfirm={() => onRemove(id)}
          />
        )}
      </span>
    </>
  );
}

/** The first score with its interval, as people corrected it where they did. */
function ScoreLine({ summary }: { summary: EvaluationSummary }) {
  const [score] = countedScores(summary);
  if (score === undefined) return <>–</>;
  const interval = intervalText(score.low, score.high, score.unit);
  return (
    <>
      {scoreText(score.value, score.unit)}
      {summary.corrected !== null && <OverriddenMark n={summary.counts.overridden} />}
      {interval !== null && <span className="evaluations-quiet"> {interval}</span>}
    </>
  );
}
