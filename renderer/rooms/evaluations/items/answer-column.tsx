import { useState } from 'react';
import type { GradedItem, ItemOverride } from '../../../../electron/contract/index.ts';
import { english, useTranslate, type MessageId } from '../../../i18n/index.ts';
import { Badge, Text, TextBlock, visibleString, Button, Group, TextInput, Quiet } from '../../../ui/index.ts';
import { Veil } from '../veil.tsx';
import { Outcome } from './item-row.tsx';

export type ShownItem = { item: GradedItem; override: ItemOverride | null; hazardous: boolean };

type AnswerColumnProps = {
  /** Its letter in a comparison. */ side: 'A' | 'B' | null;
  label: string;
  shown: ShownItem | null;
  look: 'prose' | 'code';
  isVeiled: boolean;
  onReveal: () => void;
};

/** One policy's answer with everything that was said of it. */
export function AnswerColumn({ side, label, shown, look, isVeiled, onReveal }: AnswerColumnProps) {
  const t = useTranslate();
  return (
    <section className="evaluations-answer" aria-label={t('evaluations.side', { label })}>
      <h3>
        {side !== null && <span className="evaluations-side">{side}</span>} {label}
      </h3>
      {shown === null ? (
        <Quiet>{t('evaluations.item.absent')}</Quiet>
      ) : (
        <>
          <Verdict shown={shown} />
          {/* A judge's reason may quote the answer. */}
          <Veil hasKey isVeiled={isVeiled} onReveal={onReveal}>
            {shown.item.grade.reason !== null && (
              <p className="evaluations-reason">{visibleString(shown.item.grade.reason)}</p>
            )}
            <TextBlock
              text={shown.item.text === '' ? t('evaluations.item.noText') : shown.item.text}
              look={look}
              label={t('evaluations.answer')}
            />
          </Veil>
          <Quiet size="xs" className="numbers" mt={4}>
            {t('evaluations.answer.tokens', { n: shown.item.newTokens })}
          </Quiet>
        </>
      )}
    </section>
  );
}

/** How the verdict came about: program, judge and person, each in its own words. */
function Verdict({
  shown: {
    item: { grade },
    override,
  },
}: {
  shown: ShownItem;
}) {
  const t = useTranslate();
  const { outcome, score, method, flags, judge } = grade;
  return (
    <div className="evaluations-verdict">
      <p>
        <Outcome outcome={outcome} override={null} />
        {score !== null && <span className="numbers"> · {t('evaluations.item.score', { score })}</span>}
        <span className="evaluations-quiet">
          {' '}
          ·{' '}
          {judge === null || judge.name === method
            ? method
            : t('evaluations.verdict.by', { who: judge.name, method })}
        </span>
      </p>
      {flags.length > 0 && (
        <div className="evaluations-flags">
          {flags.map((flag) => (
            <FlagBadge key={flag} flag={flag} />
          ))}
        </div>
      )}
      {override !== null && (
        <p className="evaluations-override">
          <Outcome outcome={override.outcome} override={null} />{' '}
          {t('evaluations.verdict.person', {
            by: override.by,
            at: new Date(override.at).toLocaleString('en-GB'),
          })}
          {override.note !== '' && <span className="evaluations-note">{visibleString(override.note)}</span>}
        </p>
      )}
    </div>
  );
}

/** A flag with its explanation where the catalogue has one; the suite's own word otherwise. */
function FlagBadge({ flag }: { flag: string }) {
  const t = useTranslate();
  const id = `evaluations.flag.${flag}`;
  const says = id in english ? t(id as MessageId) : null;
  return (
    <Badge
      size="sm"
      variant="light"
      color="yellow"
      tt="none"
      c="var(--mantine-color-text)"
      title={says ?? undefined}
      aria-label={says === null ? undefined : `${flag}: ${says}`}
    >
      ⚑ {flag}
    </Badge>
  );
}

type OverrideFormProps = {
  /** Whose answer it is about. */ label: string;
  override: ItemOverride | null;
  reviewer: string;
  onReviewer: (reviewer: string) => void;
  isBusy: boolean;
  onOverride: (outcome: 'passed' | 'failed', note: string) => void;
  onWithdraw: () => void;
};

/** A person's own verdict; the grader's stays beside it. */
export function OverrideForm({
  label,
  override,
  reviewer,
  onReviewer,
  isBusy,
  onOverride,
  onWithdraw,
}: OverrideFormProps) {
  const t = useTranslate();
  const [note, setNote] = useState(override?.note ?? '');
  const isNameless = reviewer.trim() === '';
  const keep = (outcome: 'passed' | 'failed'): void => onOverride(outcome, note.trim());
  return (
    <form
      className="evaluations-person"
      aria-label={t('evaluations.override', { label })}
      onSubmit={(event) => event.preventDefault()}
    >
      <Text size="sm" fw={600}>
        {t('evaluations.override', { label })}
      </Text>
      <Group align="flex-end" gap="sm">
        <TextInput
          className="evaluations-person-name"
          size="xs"
          label={t('evaluations.override.who')}
          value={reviewer}
          maxLength={120}
          onChange={(event) => onReviewer(event.currentTarget.value)}
        />
        <TextInput
          className="evaluations-person-note"
          size="xs"
          label={t('evaluations.override.note')}
          value={note}
          maxLength={2000}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Button
          size="xs"
          variant="default"
          disabled={isNameless}
          loading={isBusy}
          onClick={() => keep('passed')}
        >
          {t('evaluations.override.passed')}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isNameless}
          loading={isBusy}
          onClick={() => keep('failed')}
        >
          {t('evaluations.override.failed')}
        </Button>
        {override !== null && (
          <Button size="xs" variant="subtle" loading={isBusy} onClick={onWithdraw}>
            {t('evaluations.override.withdraw')}
          </Button>
        )}
      </Group>
      <Quiet size="xs" mt={4}>
        {t(isNameless ? 'evaluations.override.nameless' : 'evaluations.override.text')}
      </Quiet>
    </form>
  );
}
