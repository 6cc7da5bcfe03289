import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { QueryState, SegmentedControl } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { isFixed, type LineLife } from '../model/lanes.ts';
import { LineCauses } from './line-causes.tsx';
import { LineEffect } from './line-effect.tsx';
import { LineFacts } from './line-facts.tsx';

export const WINDOWS = [3, 5, 10] as const;
type LineDetailProps = {
  runId: string;
  line: LineLife;
  newestContext: number;
  steps: number;
  onSteps: (steps: number) => void;
};

/** Everything that is known of one line: when, from where, and what happened around it. */
export function LineDetail({ runId, line, newestContext, steps, onSteps }: LineDetailProps) {
  const t = useTranslate();
  const lineage = useApiQuery('contexts.lineage', api.contexts.lineage, { runId, lineId: line.id });
  const entered = useApiQuery(
    'contexts.around',
    api.contexts.around,
    { runId, at: line.firstContext, window: steps },
    { enabled: line.firstContext > 1 && line.firstContext < newestContext },
  );
  const gone = useApiQuery(
    'contexts.around',
    api.contexts.around,
    { runId, at: line.left?.context ?? 1, window: steps },
    { enabled: line.left !== null && line.left.context < newestContext },
  );
  return (
    <section className="ctx-detail" aria-label={t('contexts.detail', { id: line.id })}>
      <h2 className="ctx-line">{line.text}</h2>
      <LineFacts line={line} />
      <h3>{t('contexts.causes')}</h3>
      {isFixed(line) ? (
        <p className="ctx-quiet">{t('contexts.causes.fixed')}</p>
      ) : (
        <QueryState read={lineage} problemOf={readableFailure}>
          {(found) => (
            <LineCauses
              runId={runId}
              causes={found?.causes ?? []}
              isCut={(found?.causes.length ?? 0) < line.sources}
            />
          )}
        </QueryState>
      )}
      <div className="ctx-effect-head">
        <span id="ctx-window">{t('contexts.effect.window')}</span>
        <SegmentedControl
          size="xs"
          aria-labelledby="ctx-window"
          value={String(steps)}
          onChange={(value) => onSteps(Number(value))}
          data={WINDOWS.map(String)}
        />
      </div>
      {line.firstContext > 1 && <LineEffect title={t('contexts.effect.enter')} around={entered.data ?? []} />}
      {line.left !== null && <LineEffect title={t('contexts.effect.leave')} around={gone.data ?? []} />}
      <p className="ctx-quiet">{t('contexts.effect.caution')}</p>
    </section>
  );
}
