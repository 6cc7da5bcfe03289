import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { following, NativeSelect, QueryState, Tooltip, useRoomNavigate } from '../../../ui/index.ts';
import { contextDiff, type DiffLine } from '../model/context-diff.ts';

type ContextPanelProps = {
  runId: string;
  /** The step whose context is shown. */
  step: number;
  compare: number | null;
  isFiller: boolean;
  onCompare: (step: number | undefined) => void;
};

/** The prompt every rollout of a step sees, with the words that changed since an earlier step. */
export function ContextPanel({ runId, step, compare, isFiller, onCompare }: ContextPanelProps) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const other = compare !== null && compare < step ? compare : step - 1;
  const later = useApiQuery('contexts.get', api.contexts.get, { runId, step });
  const earlier = useApiQuery(
    'contexts.get',
    api.contexts.get,
    { runId, step: Math.max(1, other) },
    { enabled: other >= 1 },
  );
  return (
    <section className="live-context" aria-label={t('live.context', { step })}>
      <header className="live-panel-head">
        <h2 className="numbers">{t('live.context', { step })}</h2>
        {later.data != null && (
          <span className="live-quiet numbers">
            {t('live.context.tokens', { lines: later.data.lines.length, tokens: later.data.tokens })}
          </span>
        )}
        <span className="ui-spring" />
        {step > 1 && (
          <>
            <label htmlFor="live-compare" className="live-quiet">
              {t('live.context.compare')}
            </label>
            <NativeSelect
              id="live-compare"
              size="xs"
              value={String(other)}
              onChange={(event) =>
                onCompare(
                  Number(event.currentTarget.value) === step - 1
                    ? undefined
                    : Number(event.currentTarget.value),
                )
              }
              data={Array.from({ length: step - 1 }, (_, index) => String(step - 1 - index))}
            />
          </>
        )}
      </header>
      <div className="live-context-body">
        <QueryState read={other >= 1 ? following(earlier, later) : later} problemOf={readableFailure}>
          {(context) => {
            if (context === null) return <p className="live-quiet">{t('live.context.missing', { step })}</p>;
            const before = other >= 1 ? (earlier.data ?? null) : null;
            const lines = contextDiff(before, context);
            return (
              <>
                {isFiller && <p className="live-quiet">{t('live.context.filler')}</p>}
                {lines.length === 0 && <p className="live-quiet">{t('live.context.none')}</p>}
                {lines.length > 0 && before !== null && lines.every(({ is }) => is === 'same') && (
                  <p className="live-quiet">{t('live.context.same', { step: other })}</p>
                )}
                <ContextLines
                  lines={lines}
                  onOpen={(id) => navigate('/runs/$runId/context', { runId }, { line: id })}
                />
              </>
            );
          }}
        </QueryState>
      </div>
    </section>
  );
}

const SIGNS = { same: '', added: '+', removed: '−', changed: '±' } as const;

/** Lines of a context with their changes marked by sign, word and colour; each tells where it comes from on hover and focus. */
export function ContextLines({
  lines,
  onOpen,
}: {
  lines: readonly DiffLine[];
  onOpen: (id: string) => void;
}) {
  const t = useTranslate();
  return (
    <ol className="live-context-lines">
      {lines.map((line) => (
        <li key={`${line.is} ${line.id}`} data-is={line.is}>
          <span className="live-sign" aria-hidden>
            {SIGNS[line.is]}
          </span>
          <Tooltip
            label={origin(t, line)}
            multiline
            w={320}
            withArrow
            events={{ hover: true, focus: true, touch: true }}
          >
            <button type="button" onClick={() => onOpen(line.id)}>
              {line.is !== 'same' && <span className="live-change">{t(`live.context.${line.is}`)} </span>}
              {line.parts.map((part, index) => (
                <Part key={index} {...part} />
              ))}
            </button>
          </Tooltip>
        </li>
      ))}
    </ol>
  );
}

function Part({ text, is }: DiffLine['parts'][number]) {
  if (is === 'added') return <ins>{text}</ins>;
  return is === 'removed' ? <del>{text}</del> : <span>{text}</span>;
}

function origin(t: Translate, { line, reason }: DiffLine): string {
  if (line === null)
    return reason === null
      ? t('live.context.removed')
      : t('live.context.left', { reason: t(`live.context.reason.${reason}`) });
  const { id, enteredStep: entered, lastSupportedStep: supported, reviewIds } = line;
  return t('live.context.origin', {
    fixed: id.startsWith('fixed.') ? 'yes' : 'no',
    entered,
    supported,
    reviews: reviewIds.length,
  });
}
