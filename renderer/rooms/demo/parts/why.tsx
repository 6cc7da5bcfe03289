import type { ReactNode } from 'react';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  EmptyState,
  PhaseChip,
  QueryState,
  Quiet,
  useRoomNavigate,
  visibleString,
} from '../../../ui/index.ts';
import { useAsked } from '../answers.tsx';
import { answerAt, firstApart, spoken, type Cause, type Shown } from '../model.ts';

/** From the first answer that changed to the prompt that was changed by it: four stored records, each with its place. */
export function WhyPart({ pair, suite, kind, item }: Shown) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const cause = useApiQuery('contexts.cause', api.demo.cause, { ...pair, kind });
  const open = (recordId: string): void =>
    navigate('/runs/$runId/records', { runId: pair.supervised }, { record: recordId });
  return (
    <QueryState read={cause} problemOf={readableFailure}>
      {(found) =>
        found === null ? (
          <EmptyState title={t('demo.why.none')} text={t('demo.why.none.text')} />
        ) : (
          <ol className="demo-chain">
            <ChangedAnswer pair={pair} suite={suite} kind={kind} item={item} />
            <ChainLink
              title={t('demo.why.slip')}
              text={t('demo.why.slip.text', { step: found.rollout.step })}
              action={t('demo.why.record')}
              onOpen={() => open(found.rollout.id)}
            >
              <Said label={t('demo.why.asked')}>{found.rollout.user}</Said>
              <Said label={t('demo.why.wrote')}>{spoken(found.rollout.text).answer}</Said>
              <Quiet size="xs">
                {t('demo.why.paid', { reward: (found.rollout.reward ?? 0).toFixed(2) })}
              </Quiet>
            </ChainLink>
            <ChainLink title={t('demo.why.review')} text={t('demo.why.review.text')}>
              <p>
                <PhaseChip phase={found.review.phase} />{' '}
                <strong>{t(`tour.decision.${found.review.decision ?? 'none'}`)}</strong>
              </p>
              <Said label={t('demo.why.said')}>{found.review.feedback}</Said>
            </ChainLink>
            <ChainLink
              title={t('demo.why.line')}
              text={t('demo.why.line.text', { first: found.line.firstContext, last: found.line.lastContext })}
              action={t('demo.why.context')}
              onOpen={() =>
                navigate('/runs/$runId/context', { runId: pair.supervised }, { line: found.line.id })
              }
            >
              <mark className="demo-line">{visibleString(found.line.text)}</mark>
            </ChainLink>
            <NextPrompt found={found} onOpen={open} />
          </ol>
        )
      }
    </QueryState>
  );
}

/** Where the story begins: the first step at which the chosen question is answered apart. */
function ChangedAnswer({ kind, ...asked }: Pick<Shown, 'pair' | 'suite' | 'kind' | 'item'>) {
  const t = useTranslate();
  const { chosen, answers } = useAsked(asked);
  const step = answers.data === undefined ? null : firstApart(answers.data);
  const said = (arm: 'alone' | 'supervised'): string =>
    step === null || answers.data === undefined
      ? ''
      : spoken(answerAt(answers.data[arm], step, false)?.text ?? '').answer;
  return (
    <ChainLink
      title={t('demo.why.changed')}
      text={
        step === null
          ? t('demo.why.changed.none')
          : t('demo.why.changed.text', { step, track: t(`demo.track.${kind}`) })
      }
    >
      {step !== null && chosen !== undefined && (
        <>
          <Said label={t('demo.question')}>{chosen.question}</Said>
          <Said label={t('demo.alone')}>{said('alone')}</Said>
          <Said label={t('demo.supervised')}>{said('supervised')}</Said>
        </>
      )}
    </ChainLink>
  );
}

/** The prompt of the step after: the lines it carried, and an answer to a prompt of the same kind under them. */
function NextPrompt({
  found: { context, line, next },
  onOpen,
}: {
  found: Cause;
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
