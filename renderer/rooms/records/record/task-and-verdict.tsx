import {
  answerKind,
  judgedOutcome,
  judgedReason,
  type JudgedOutcome,
  type Verdict,
} from '../../../../electron/contract/index.ts';
import type { FullRecord } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Anchor, TextBlock, percentText, visibleString } from '../../../ui/index.ts';
import { comparison, type Task } from './record.ts';

/** The task: as proposed, or as it was given to the solver, and the way to the record that proposed it. */
export function TaskBlock({
  record,
  quotes,
  onRecord,
}: {
  record: FullRecord;
  /** Of reviews, to be marked where they stand. */
  quotes: readonly string[] | undefined;
  onRecord: (id: string) => void;
}) {
  const t = useTranslate();
  const { rollout, task } = record;
  if (rollout.purpose === 'propose') {
    return rollout.answer === null ? (
      <p className="records-quiet">{t('records.pair.noAnswer')}</p>
    ) : (
      <TextBlock text={rollout.answer} look="code" label={t('records.pair.task')} quotes={quotes} />
    );
  }
  if (task === null) return <p className="records-quiet">{t('records.pair.task.gone')}</p>;
  return (
    <>
      <GivenTask task={task} quotes={quotes} />
      {task.rolloutId !== null && task.rolloutId !== rollout.id && (
        <Anchor component="button" type="button" size="sm" onClick={() => onRecord(task.rolloutId ?? '')}>
          {t('records.pair.task.origin')}
        </Anchor>
      )}
    </>
  );
}

/** What of a task the solver has to go by; what it has to find is named as such. */
function GivenTask({ task, quotes }: { task: Task; quotes: readonly string[] | undefined }) {
  const t = useTranslate();
  const asks = answerKind(task.taskType);
  const [input, output] = [task.inputs[0], task.outputs[0]];
  const pairs = task.inputs.map((each, index) => `f(${each}) = ${task.outputs[index] ?? ''}`).join('\n');
  const part = (title: string, text: string, look: 'prose' | 'code' = 'code') => (
    <div className="records-part-of-task">
      <h4>{title}</h4>
      <TextBlock text={text} look={look} label={title} quotes={quotes} />
    </div>
  );
  return (
    <>
      {task.message !== null && part(t('records.pair.task.message'), task.message, 'prose')}
      {asks === 'program' && part(t('records.pair.task.pairs'), pairs)}
      {task.program !== '' &&
        part(t(asks === 'program' ? 'records.pair.task.hidden' : 'records.pair.task.program'), task.program)}
      {asks !== 'program' &&
        asks !== 'input' &&
        input !== undefined &&
        part(t('records.pair.task.input'), input)}
      {asks === 'input' && output !== undefined && part(t('records.pair.task.output'), output)}
    </>
  );
}

/** What the verifier found, with both sides of its comparison where they are stored. */
export function VerifierBlock({ record }: { record: FullRecord }) {
  const t = useTranslate();
  const { verdict, batch } = record.rollout;
  const reason = judgedReason(verdict, batch);
  return (
    <div className="records-verifier">
      <div className="records-facts">
        <OutcomeMark outcome={verdict.outcome} batch={batch} />
        {reason !== null && (
          <span>
            {t('records.verifier.reason')}: <code>{visibleString(reason)}</code>
          </span>
        )}
        <span>
          {t('records.verifier.sandbox')}: {verdict.sandboxLevel ?? t('records.verifier.sandbox.none')}
        </span>
      </div>
      <Sides record={record} />
      <p className="records-quiet">{t('records.verifier.unrecorded')}</p>
    </div>
  );
}

function Sides({ record }: { record: FullRecord }) {
  const t = useTranslate();
  const compared = comparison(record);
  const side = (title: string, text: string | null) => (
    <>
      <dt>{title}</dt>
      <dd>
        {text === null ? (
          <span className="records-quiet">{t('records.pair.noAnswer')}</span>
        ) : (
          <TextBlock text={text} look="code" label={title} />
        )}
      </dd>
    </>
  );
  switch (compared.kind) {
    case 'value':
      return (
        <dl className="records-sides">
          {side(t('records.verifier.expected'), compared.expected)}
          {side(t('records.verifier.got'), compared.got)}
        </dl>
      );
    case 'input':
      return (
        <>
          <dl className="records-sides">
            {side(t('records.verifier.anyInput'), compared.output)}
            {side(t('records.verifier.got'), compared.got)}
          </dl>
          <p className="records-quiet">{t('records.verifier.inputNote')}</p>
        </>
      );
    case 'program':
      return (
        <p>
          {t('records.verifier.program', { share: percentText(compared.accuracy, 0), pairs: compared.pairs })}
        </p>
      );
    case 'proposal':
      return compared.taskId === null ? (
        <p>{t('records.verifier.proposal.none')}</p>
      ) : (
        <p>
          {t('records.verifier.proposal.task', { id: compared.taskId })}
          {compared.solveRate !== null &&
            ` ${t('records.verifier.proposal.rate', { share: percentText(compared.solveRate, 0) })}`}
        </p>
      );
    case 'none':
      return <p className="records-quiet">{t('records.verifier.none')}</p>;
  }
}

/** A user's word has no colour of right or wrong. */
const SIGNS: Record<JudgedOutcome, { glyph: string; color?: string }> = {
  passed: { glyph: '✓', color: 'var(--good)' },
  failed: { glyph: '✗', color: 'var(--bad)' },
  invalid: { glyph: '⊘', color: 'var(--warn)' },
  satisfied: { glyph: '☺' },
  dissatisfied: { glyph: '☹' },
};

/** What the verifier found, as sign and word. Of a rated answer nobody verified anything: a user was satisfied with it or not. */
export function OutcomeMark({ outcome, batch }: { outcome: Verdict['outcome']; batch: string }) {
  const t = useTranslate();
  const judged = judgedOutcome(outcome, batch);
  const { glyph, color } = SIGNS[judged];
  const word = t(`outcome.${judged}`);
  const title = color === undefined ? t('records.rated.text') : word;
  return (
    <span className="records-outcome" style={color === undefined ? undefined : { color }} title={title}>
      <span aria-hidden>{glyph}</span> <span className="records-outcome-word">{word}</span>
    </span>
  );
}
