import type { ReviewRecord, WordingRecord } from '../../../electron/contract/index.ts';
import { api, useSideQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Anchor, batchText, issueText, PhaseChip, useRoomNavigate } from '../../ui/index.ts';
import {
  type Cause,
  type CauseGroup,
  causeGroups,
  pointsOf,
  reasonForSource,
  wordingsOf,
  type LineLife,
} from './lines.ts';

type LineCausesProps = { runId: string; causes: readonly Cause<ReviewRecord>[]; isCut: boolean };

/** From the line back to its origin: the summary of a step, the reviews it counted, the records they are about. */
export function LineCauses({ runId, causes, isCut }: LineCausesProps) {
  const t = useTranslate();
  const groups = causeGroups(causes);
  return (
    <>
      {groups.length === 0 && <p className="ctx-quiet">{t('contexts.causes.none')}</p>}
      {groups.map((group) => (
        <Group key={group.context} runId={runId} group={group} />
      ))}
      {isCut && <p className="ctx-quiet">{t('contexts.causes.more', { n: causes.length })}</p>}
    </>
  );
}

/** The first cause is open; renewals open on demand, and only then are their summaries read. */
function Group({ runId, group }: { runId: string; group: CauseGroup<ReviewRecord> }) {
  const t = useTranslate();
  const { step, isFirst, causes } = group;
  return (
    <details className="ctx-causes" open={isFirst}>
      <summary>
        {t('contexts.causes.of', { isFirst: isFirst ? 'yes' : 'no', step, n: causes.length })}
      </summary>
      <Summaries runId={runId} group={group} />
      <ul>
        {causes.map(({ review }) => (
          <Review key={review.id} runId={runId} review={review} />
        ))}
      </ul>
    </details>
  );
}

function Summaries({ runId, group }: { runId: string; group: CauseGroup<ReviewRecord> }) {
  const t = useTranslate();
  const read = useSideQuery(
    'contexts.summaries',
    api.contexts.summaries,
    { runId, step: Math.max(1, group.step) },
    { enabled: group.step >= 1 },
  );
  return pointsOf(read.data ?? [], new Set(group.causes.map(({ review }) => review.id))).map(
    ({ batch, reviewed, eligible, points }) => (
      <div key={batch} className="ctx-summary numbers">
        <span title={batch}>
          {t('contexts.causes.summary', { batch: batchText(t, batch), reviewed, eligible })}
        </span>
        {points.map(({ issue, count }) => (
          <span key={issue} className="ctx-point" title={issue}>
            {t('contexts.causes.point', { issue: issueText(t, issue), count })}
          </span>
        ))}
      </div>
    ),
  );
}

function Review({ runId, review }: { runId: string; review: ReviewRecord }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const { rolloutId, batch, step, phase, decision, feedback } = review;
  const open = (): void =>
    navigate(
      '/runs/$runId/records',
      { runId },
      rolloutId === null ? { from: step, to: step } : { record: rolloutId, phase },
    );
  return (
    <li>
      <PhaseChip phase={phase} short />
      {decision !== null && <span>{t(`live.decision.${decision}`)}</span>}
      <span className="ctx-feedback">{feedback}</span>
      <Anchor component="button" size="xs" onClick={open}>
        {rolloutId === null
          ? t('contexts.causes.batch', { batch: batchText(t, batch), step })
          : t('contexts.causes.record', { id: rolloutId })}
      </Anchor>
    </li>
  );
}

/** Whose words a line has, what the supervisor's model was shown for them and what it answered; nothing where rules made the line. */
export function LineWording({ runId, line }: { runId: string; line: LineLife }) {
  const t = useTranslate();
  const step = line.firstContext - 1;
  const read = useSideQuery(
    'contexts.wordings',
    api.contexts.wordings,
    { runId, step },
    { enabled: step >= 1 },
  );
  const found = wordingsOf(line, read.data ?? []);
  if (found.length === 0) return null;
  return (
    <>
      <h3>{t('contexts.wording')}</h3>
      {found.map(({ record, line: written }) => (
        <details key={record.id} className="ctx-causes">
          <summary>
            {t(record.kind === 'merge' ? 'contexts.wording.merge' : 'contexts.wording.summary', {
              batch: record.batch === null ? '' : batchText(t, record.batch),
            })}{' '}
            {t(written.wording === 'model' ? 'contexts.wording.model' : 'contexts.wording.source', {
              model: record.model,
              n: written.sources.length,
              why: reasonForSource(record, written),
            })}
          </summary>
          <p className="ctx-feedback">{written.text}</p>
          <Questions record={record} />
        </details>
      ))}
    </>
  );
}

function Questions({ record }: { record: WordingRecord }) {
  const t = useTranslate();
  return (
    <>
      {record.questions.map(({ prompt, answer, problem, tokensIn, tokensOut }, index) => (
        <div key={index}>
          <p className="ctx-quiet numbers">
            {t('contexts.wording.asked', { number: index + 1, tokensIn, tokensOut })}
          </p>
          <pre className="ctx-prompt">{prompt}</pre>
          <pre className="ctx-prompt">{answer ?? problem ?? ''}</pre>
        </div>
      ))}
      {record.refused.map(({ text, reason }, index) => (
        <p key={index} className="ctx-quiet">
          {t('contexts.wording.refused', { reason: t(`contexts.wording.refused.${reason}`), text })}
        </p>
      ))}
    </>
  );
}
