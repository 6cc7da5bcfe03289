import { PhaseChip, VisuallyHidden } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { batchRole } from '../model/curve-choices.ts';
import type { FeedDecision, FeedRow } from '../model/feed.ts';

/** Told apart by shape as well as by colour and word. */
const GLYPHS: Record<FeedDecision, { glyph: string; color: string }> = {
  continue: { glyph: '✓', color: 'var(--good)' },
  retry: { glyph: '↻', color: 'var(--warn)' },
  quarantined: { glyph: '⚑', color: 'var(--bad)' },
  failed: { glyph: '✕', color: 'var(--bad)' },
  skipped: { glyph: '⏭', color: 'var(--quiet)' },
  none: { glyph: '·', color: 'var(--quiet)' },
};

/** Two lines: what the agent wrote, and what the supervisor said of it. The first of a group carries step and task type. */
export function FeedLine({ row }: { row: FeedRow }) {
  const t = useTranslate();
  const { glyph, color } = GLYPHS[row.decision];
  return (
    <div className="live-line" data-first={row.group !== null}>
      <div className="live-line-group">
        {row.group !== null && (
          <>
            <strong className="numbers">{t('live.feed.step', { step: row.group.step })}</strong>
            <span>
              {t(`live.task.${row.group.taskType}`)} <span className="numbers">{row.group.count}</span>
            </span>
          </>
        )}
      </div>
      <div className="live-line-body">
        <div className="live-line-top">
          {row.at !== null && (
            <time className="numbers live-quiet" dateTime={row.at}>
              {new Date(row.at).toLocaleTimeString('en-GB')}
            </time>
          )}
          {row.phase !== null && <PhaseChip phase={row.phase} short />}
          <span className="numbers">
            {t(batchRole(row.batch))}
            {row.recordId === null ? '' : ` ${row.recordId.split('/').slice(2).join('/')}`}
          </span>
          {row.phase === null ? (
            <VisuallyHidden>{t('live.decision.none')}</VisuallyHidden>
          ) : (
            <span style={{ color }}>
              <span aria-hidden>{glyph}</span> {t(`live.decision.${row.decision}`)}
            </span>
          )}
          {row.outcome !== null && (
            <span className="live-quiet">{t(`live.feed.outcome.${row.outcome}`)}</span>
          )}
          <span className="live-cut">{row.phase === 'exec' ? t('live.feed.batch') : row.agent}</span>
        </div>
        <div className="live-line-bottom live-cut">{row.supervisor}</div>
      </div>
    </div>
  );
}
