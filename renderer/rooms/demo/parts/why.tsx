import type { ReactNode } from 'react';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import {
  Button,
  EmptyState,
  following,
  PhaseChip,
  QueryState,
  Quiet,
  useRoomNavigate,
  visibleString,
} from '../../../ui/index.ts';
import { useAsked } from '../answers.tsx';
import { answerAt, spoken, type Answers, type Arm, type Chain, type Shown } from '../model.ts';

/** From the first answer that changed to the prompt that was changed before it: stored records, each with its place. */
export function WhyPart({ pair, suite, kind, item }: Shown) {
  const t = useTranslate();
  const { questions, chosen, answers } = useAsked({ pair, suite, item });
  const cause = useApiQuery(
    'evaluations.cause',
    api.demo.cause,
    { ...pair, kind, itemId: chosen?.itemId ?? '' },
    // The chain of another question is none of this one, not even for a moment.
    { enabled: chosen !== undefined, keep: false },
  );
  if (questions.data?.length === 0) return <Quiet>{t('demo.answers.none')}</Quiet>;
  return (
    <QueryState read={following(questions, cause)} problemOf={readableFailure}>
      {({ apartAt, chain }) =>
        apartAt === null ? (
          <EmptyState title={t('demo.why.together')} text={t('demo.why.together.text')}>
            <Quiet>{visibleString(chosen?.question ?? '')}</Quiet>
          </EmptyState>
        ) : (
          <ol className="demo-chain">
            <ChangedAnswer
              kind={kind}
              step={apartAt}
              question={chosen?.question ?? ''}
              answers={answers.data ?? null}
            />
            {chain === null ? (
              <ChainLink title={t('demo.why.none')} text={t('demo.why.none.text', { step: apartAt })}>
                {null}
              </ChainLink>
            ) : (
              <Chain chain={chain} apartAt={apartAt} runId={pair.supervised} />
            )}
          </ol>
        )
      }
    </QueryState>
  );
}

type ChangedAnswerProps = Pick<Shown, 'kind'> & { step: number; question: string; answers: Answers | null };

/** Where the story begins: the first step at which the chosen question is answered apart. */
function ChangedAnswer({ kind, step, question, answers }: ChangedAnswerProps) {
  const t = useTranslate();
  const said = (arm: Arm): string =>
    answers === null ? '' : spoken(answerAt(answers[arm], step, false)?.text ?? '').answer;
  return (
    <ChainLink
      title={t('demo.why.changed')}
      text={t('demo.why.changed.text', { step, track: t(`demo.track.${kind}`) })}
    >
      <Said label={t('demo.question')}>{question}</Said>
      <Said label={t('demo.alone')}>{said('alone')}</Said>
      <Said label={t('demo.supervised')}>{said('supervised')}</Said>
    </ChainLink>
  );
}

/** What came before the answers parted, oldest first. */
function Chain({ chain, apartAt, runId }: { chain: Chain; apartAt: number; runId: string }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const { rollout, review, line } = chain;
  const open = (recordId: string): void => navigate('/runs/$runId/records', { runId }, { record: recordId });
  return (
    <>
      <ChainLink
        title={t('demo.why.slip')}
        text={t('demo.why.slip.text', { step: rollout.step })}
        action={t('demo.why.record')}
        onOpen={() => open(rollout.id)}
      >
        <Said label={t('demo.why.asked')}>{rollout.user}</Said>
        <Said label={t('demo.why.wrote')}>{spoken(rollout.text).answer}</Said>
        <Quiet size="xs">{t('demo.why.paid', { reward: (rollout.reward ?? 0).toFixed(2) })}</Quiet>
      </ChainLink>
      <ChainLink title={t('demo.why.review')} text={t('demo.why.review.text')}>
        <p>
          <PhaseChip phase={review.phase} />{' '}
          <strong>{t(`tour.decision.${review.decision ?? 'none'}`)}</strong>
        </p>
        <Said label={t('demo.why.said')}>{review.feedback}</Said>
      </ChainLink>
      <ChainLink
        title={t('demo.why.line')}
        text={lineSentence(t, line, apartAt)}
        action={t('demo.why.context')}
        onOpen={() => navigate('/runs/$runId/context', { runId }, { line: line.id })}
      >
        <mark className="demo-line">{visibleString(line.text)}</mark>
      </ChainLink>
      <NextPrompt chain={chain} onOpen={open} />
    </>
  );
}

/** How long a line stood, and whether it still did when the answers parted. */
export const lineSentence = (
  t: Translate,
  { firstContext: first, lastContext: last }: Pick<Chain['line'], 'firstContext' | 'lastContext'>,
  apartAt: number,
): string => t('demo.why.line.text', { first, last, step: apartAt, stood: last >= apartAt ? 'yes' : 'no' });

/** The prompt of the step after: the lines it carried, and an answer to a prompt of the same kind under them. */
function NextPrompt({
  chain: { context, line, next },
  onOpen,
}: {
  chain: Chain;
  onOpen: (recordId: string) => void;
}) {
  const t = useTranslate();
  return (
    <ChainLink
      title={t('demo.why.next')}
      text={t('demo.why.next.text', { step: context.step })}
      {...(next === null ? {} : { action: t('demo.why.record'), onOpen: () => onOpen(next.id) })}
    >
      <pre className="ui-pre">
        {context.text
          .trim()
          .split('\n')
          .map((row) => (
            <span key={row}>
              {row.includes(line.text) ? <mark className="demo-line">{row}</mark> : row}
              {'\n'}
            </span>
          ))}
      </pre>
      {next !== null && (
        <>
          <Said label={t('demo.why.asked')}>{next.user}</Said>
          <Said label={t('demo.why.wrote')}>{spoken(next.text).answer}</Said>
        </>
      )}
    </ChainLink>
  );
}

type ChainLinkProps = {
  title: string;
  text: string;
  action?: string;
  onOpen?: () => void;
  children: ReactNode;
};

/** One link of the chain, with the way to its room. */
function ChainLink({ title, text, action, onOpen, children }: ChainLinkProps) {
  return (
    <li className="demo-link">
      <h2>{title}</h2>
      <Quiet size="sm">{text}</Quiet>
      {children}
      {onOpen !== undefined && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={onOpen}>
          {action}
        </Button>
      )}
    </li>
  );
}

function Said({ label, children }: { label: string; children: string }) {
  return (
    <div className="demo-said">
      <Quiet size="xs" span>
        {label}
      </Quiet>
      <p>{visibleString(children)}</p>
    </div>
  );
}
