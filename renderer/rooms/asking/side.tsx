import { useTranslate } from '../../i18n/index.ts';
import { Loader, Quiet, Text, TextBlock, shortDurationText } from '../../ui/index.ts';
import { AnswerText } from './answer-text.tsx';
import { earlierTurns, type ShownSide } from './model.ts';

/** What one model makes of the question: the conversation before, the answer as it is written, and what is known of it. */
export function SideAnswer({ side, question }: { side: ShownSide; question: string }) {
  const t = useTranslate();
  const { state, tokens, answer, context, subject, messages } = side;
  const system = messages[0]?.role === 'system' ? messages[0].content : null;
  const waits = tokens.length === 0 && state !== 'ended' ? state : null;
  return (
    <div className="asking-answer">
      {earlierTurns(side).map(({ role, content }, index) => (
        <div key={index} className="asking-turn" data-role={role}>
          <Quiet size="xs">{t(role === 'user' ? 'asking.you' : 'asking.model')}</Quiet>
          <TextBlock text={content} look="prose" />
        </div>
      ))}
      <div className="asking-turn" data-role="user">
        <Quiet size="xs">{t('asking.you')}</Quiet>
        <TextBlock text={question} look="prose" />
      </div>
      <div className="asking-turn" data-role="assistant">
        <Quiet size="xs">
          {subject.label} ·{' '}
          {t(
            context === null
              ? 'asking.under.none'
              : context.runId === null
                ? 'asking.under.lines'
                : 'asking.under.run',
            { step: context?.step ?? 0 },
          )}
        </Quiet>
        {waits !== null && (
          <Text size="sm" c="var(--quiet)" role="status">
            <Loader size={12} mr={6} />
            {t(`asking.state.${waits}`)}
          </Text>
        )}
        {tokens.length > 0 && (
          <AnswerText tokens={tokens} label={t('asking.answer', { subject: subject.label })} />
        )}
        {answer?.problem != null && (
          <Text size="sm" c="var(--bad)" role="alert">
            {answer.problem}
          </Text>
        )}
        {answer !== null && (
          <Quiet size="xs" className="numbers">
            {t('asking.facts', {
              tokens: answer.newTokens,
              time: shortDurationText(answer.milliseconds / 1000),
              end: t(`asking.finish.${answer.finish}`),
            })}
          </Quiet>
        )}
        {system !== null && (
          <details className="asking-fold">
            <summary>{t('asking.system')}</summary>
            <TextBlock text={system} look="code" />
          </details>
        )}
      </div>
    </div>
  );
}
