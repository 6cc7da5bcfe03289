import { memo } from 'react';
import type { ItemOutcome, ItemOverride, ItemRow as Row } from '../../../../electron/contract/index.ts';
import { OVERRIDDEN, visibleString } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** CSS pixels: two lines. */
export const ITEM_ROW_HEIGHT = 50;

const OUTCOME_SIGNS: Record<ItemOutcome, string> = {
  passed: '✓',
  failed: '✗',
  unjudged: '?',
  unanswered: '○',
};

/** An outcome as sign, colour and word; a person's verdict stands in front of the one it corrects. */
export function Outcome({ outcome, override }: { outcome: ItemOutcome; override: ItemOverride | null }) {
  const t = useTranslate();
  const counted = override?.outcome ?? outcome;
  return (
    <span
      className="evaluations-outcome"
      data-outcome={counted}
      title={
        override === null
          ? undefined
          : t('evaluations.item.overrode', { by: override.by, outcome: t(`evaluations.outcome.${outcome}`) })
      }
    >
      {OUTCOME_SIGNS[counted]} {t(`evaluations.outcome.${counted}`)}
      {override !== null && ` ${OVERRIDDEN}`}
    </span>
  );
}

/** One answer in two lines: which item and how it ended, and how it begins. */
export const ItemRow = memo(function ItemRow({
  row,
  isHidden,
}: {
  row: Row;
  /** Its text is not shown before somebody asks. */ isHidden: boolean;
}) {
  const t = useTranslate();
  const { itemId, sample, outcome, override, against, flip, flags, excerpt, score } = row;
  const beginning =
    excerpt.trim() === '' ? t('evaluations.item.noText') : visibleString(excerpt.replaceAll(/\s+/g, ' '));
  return (
    <div className="evaluations-item">
      <div className="evaluations-item-line">
        <span className="evaluations-item-id">
          {sample === 0 ? itemId : t('evaluations.item.sample', { id: itemId, sample: sample + 1 })}
        </span>
        {flip !== null && (
          <span className="evaluations-flip" data-flip={flip}>
            {flip === 'lost' ? '▼' : '▲'} {t(`evaluations.flip.${flip}`)}
          </span>
        )}
        {flags.length > 0 && (
          <span className="evaluations-flag" title={flags.join(', ')}>
            ⚑ {flags.length}
          </span>
        )}
        <Outcome outcome={outcome} override={override} />
        {score !== null && (
          <span className="numbers evaluations-quiet">{t('evaluations.item.score', { score })}</span>
        )}
      </div>
      <div className="evaluations-item-line evaluations-quiet">
        <span className="evaluations-item-text">{isHidden ? t('evaluations.item.hidden') : beginning}</span>
        {against !== null && flip === null && (
          <span className="evaluations-small">{t('evaluations.item.both')}</span>
        )}
      </div>
    </div>
  );
});
