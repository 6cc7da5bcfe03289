import { useState, useEffect } from 'react';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { QueryState, Stack, Text, Slider, Quiet } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { SUPERVISED, lineChanges, type LineChange } from '../model.ts';
import { Pane, type StopExhibit } from '../stop-frame.tsx';

const SHOWN_CAUSES = 8;

/** Lines of the context, each with the reviews that caused it. */
export const LineageStop: StopExhibit = ({ onDone }) => {
  const t = useTranslate();
  const [open, setOpen] = useState<string | null>(null);
  const lines = useApiQuery('contexts.lines', api.contexts.lines, { runId: SUPERVISED });
  const choose = (id: string): void => {
    setOpen(id);
    onDone();
  };
  return (
    <QueryState read={lines} problemOf={readableFailure}>
      {(found) => (
        <div className="tour-pair">
          <Pane label={t('tour.lineage.lines')}>
            <Quiet mb={4}>{t('tour.lineage.lines')}</Quiet>
            <ul className="tour-lines">
              {found.map(({ id, text, sources, firstContext, lastContext }) => (
                <li key={id}>
                  <button type="button" aria-pressed={open === id} onClick={() => choose(id)}>
                    {t('tour.lineage.line', { text, sources, first: firstContext, last: lastContext })}
                  </button>
                </li>
              ))}
            </ul>
          </Pane>
          <Pane label={t('tour.lineage.causes')}>
            <Quiet mb={4}>{t('tour.lineage.causes')}</Quiet>
            {open !== null && <Causes lineId={open} />}
          </Pane>
        </div>
      )}
    </QueryState>
  );
};

function Causes({ lineId }: { lineId: string }) {
  const t = useTranslate();
  const lineage = useApiQuery('contexts.lineage', api.contexts.lineage, { runId: SUPERVISED, lineId });
  return (
    <QueryState read={lineage} problemOf={readableFailure}>
      {(found) => (
        <Stack gap={6}>
          {(found?.causes ?? []).slice(0, SHOWN_CAUSES).map(({ review }) => (
            <Text key={review.id} size="sm">
              {t('tour.lineage.cause', {
                step: review.step,
                phase: t(`phase.${review.phase}.short`),
                feedback: review.feedback,
              })}
            </Text>
          ))}
        </Stack>
      )}
    </QueryState>
  );
}

const MARKS = { added: '+', removed: '−', kept: ' ' } as const;
const FIRST_STEP = 2;

/** The context of a step against the one before it. */
export const DiffStop: StopExhibit = ({ sample, onDone }) => {
  const t = useTranslate();
  const last = (sample.runs.find(({ id }) => id === SUPERVISED)?.steps ?? 1) + 1;
  const [step, setStep] = useState(FIRST_STEP);
  const before = useApiQuery('contexts.get', api.contexts.get, { runId: SUPERVISED, step: step - 1 });
  const after = useApiQuery('contexts.get', api.contexts.get, { runId: SUPERVISED, step });
  return (
    <Stack gap="md">
      <div role="presentation" onKeyDown={(event) => event.stopPropagation()}>
        <Text size="sm" mb={4}>
          {t('tour.diff.step')}
        </Text>
        <Slider
          value={step}
          onChange={setStep}
          min={FIRST_STEP}
          max={last}
          step={1}
          thumbLabel={t('tour.diff.step')}
          marks={[FIRST_STEP, Math.round(last / 2), last].map((value) => ({ value, label: String(value) }))}
          mb="lg"
          styles={{ markLabel: { color: 'var(--quiet)' } }}
        />
      </div>
      <QueryState read={before} problemOf={readableFailure}>
        {(earlier) => (
          <QueryState read={after} problemOf={readableFailure}>
            {(later) => (
              <DiffView
                step={step}
                changes={lineChanges(
                  earlier?.lines.map(({ text }) => text) ?? [],
                  later?.lines.map(({ text }) => text) ?? [],
                )}
                reasons={new Map(later?.removed.map(({ text, reason }) => [text, reason]) ?? [])}
                onRemoval={onDone}
              />
            )}
          </QueryState>
        )}
      </QueryState>
    </Stack>
  );
};

type DiffViewProps = {
  step: number;
  changes: readonly LineChange[];
  reasons: ReadonlyMap<string, 'expired' | 'conflict' | 'budget' | 'model'>;
  onRemoval: () => void;
};

export function DiffView({ step, changes, reasons, onRemoval }: DiffViewProps) {
  const t = useTranslate();
  const hasRemoval = changes.some(({ change }) => change === 'removed');
  useEffect(() => {
    if (hasRemoval) onRemoval();
  }, [hasRemoval, onRemoval]);
  return (
    <section aria-label={t('tour.diff.against', { after: step, before: step - 1 })}>
      <Quiet mb={4}>{t('tour.diff.against', { after: step, before: step - 1 })}</Quiet>
      {changes.length === 0 && <Text>{t('tour.diff.empty')}</Text>}
      <ul className="tour-diff">
        {changes.map(({ text, change }) => (
          <li key={`${change} ${text}`} data-change={change}>
            <span className="tour-mark" aria-hidden>
              {MARKS[change]}
            </span>{' '}
            {text}
            <Text component="span" size="xs" c="var(--quiet)" ms={8}>
              {[
                t(`tour.diff.${change}`),
                reasons.has(text) && change === 'removed'
                  ? t('tour.diff.reason', { reason: t(`tour.diff.reason.${reasons.get(text) ?? 'expired'}`) })
                  : null,
              ]
                .filter((part) => part !== null)
                .join(' · ')}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
