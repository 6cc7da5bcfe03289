import type { AskedMessage, SuiteGroup } from '../../../../electron/contract/index.ts';
import { Button, Group, TextBlock, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Veil } from '../veil.tsx';
import { AnswerColumn, OverrideForm, type ShownItem } from './answer-column.tsx';

type ItemViewProps = {
  shown: ShownItem;
  label: string;
  group: SuiteGroup;
  /** The answer it is compared with, which stands in front of it; `shown` is null where the other policy was not asked this. */
  before: { label: string; shown: ShownItem | null } | null;
  isRevealed: boolean;
  onReveal: (isRevealed: boolean) => void;
  reviewer: string;
  onReviewer: (reviewer: string) => void;
  isBusy: boolean;
  onOverride: (outcome: 'passed' | 'failed', note: string) => void;
  onWithdraw: () => void;
};

/** One item: what was asked, what would have been right, and the answers side by side with their verdicts. */
export function ItemView({
  shown,
  label,
  before,
  group,
  isRevealed,
  onReveal,
  reviewer,
  onReviewer,
  isBusy,
  onOverride,
  onWithdraw,
}: ItemViewProps) {
  const t = useTranslate();
  const { item, override, hazardous } = shown;
  const isVeiled = hazardous && !isRevealed;
  const reveal = (): void => onReveal(true);
  const look = group === 'code' ? 'code' : 'prose';
  return (
    <article className="evaluations-view" aria-label={t('evaluations.item', { id: item.itemId })}>
      <Group gap="sm" wrap="nowrap">
        <Title order={2} className="evaluations-view-title">
          {item.sample === 0
            ? item.itemId
            : t('evaluations.item.sample', { id: item.itemId, sample: item.sample + 1 })}
        </Title>
        <span className="ui-spring" />
        {hazardous && isRevealed && (
          <Button size="compact-sm" variant="default" onClick={() => onReveal(false)}>
            {t('evaluations.hide')}
          </Button>
        )}
      </Group>
      <Veil hasKey isVeiled={isVeiled} onReveal={reveal}>
        <Question asked={item.asked} look={look} />
      </Veil>
      {item.target !== null && (
        <details className="evaluations-fold">
          <summary>{t('evaluations.target')}</summary>
          <Veil hasKey isVeiled={isVeiled} onReveal={reveal}>
            <TextBlock text={item.target} look={look} label={t('evaluations.target')} />
          </Veil>
        </details>
      )}
      <div className="evaluations-answers" data-pair={before !== null}>
        {before !== null && (
          <AnswerColumn
            side="A"
            label={before.label}
            shown={before.shown}
            look={look}
            isVeiled={isVeiled}
            onReveal={reveal}
          />
        )}
        <AnswerColumn
          side={before === null ? null : 'B'}
          label={label}
          shown={shown}
          look={look}
          isVeiled={isVeiled}
          onReveal={reveal}
        />
      </div>
      <OverrideForm
        key={`${item.ordinal} ${override?.at ?? ''}`}
        label={label}
        override={override}
        reviewer={reviewer}
        onReviewer={onReviewer}
        isBusy={isBusy}
        onOverride={onOverride}
        onWithdraw={onWithdraw}
      />
    </article>
  );
}

/** What was asked: the person's message at once, the rest folded. */
function Question({ asked, look }: { asked: readonly AskedMessage[]; look: 'prose' | 'code' }) {
  const t = useTranslate();
  return (
    <div>
      {asked.map(({ role, content }, index) => (
        // Messages of one conversation never change places.
        <details key={index} className="evaluations-fold" open={role === 'user'}>
          <summary>{t(`evaluations.asked.${role}`)}</summary>
          <TextBlock text={content} look={look} label={t(`evaluations.asked.${role}`)} />
        </details>
      ))}
    </div>
  );
}
