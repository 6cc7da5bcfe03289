import { Tooltip } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import type { DiffLine } from '../model/context-diff.ts';

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
