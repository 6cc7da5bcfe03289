import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  NativeSelect,
  OverriddenMark,
  following,
  QueryState,
  Quiet,
  Slider,
  Switch,
  Text,
  visibleString,
} from '../../ui/index.ts';
import {
  answerAt,
  ARMS,
  askedSteps,
  spoken,
  type Answer,
  type Answers,
  type Arm,
  type Shown,
} from './model.ts';

type AnswersProps = Shown & {
  onItem: (item: string) => void;
  onStep: (step: number | null) => void;
  onContext: (on: boolean) => void;
};

/** The questions both runs were asked, the chosen one (the first where none is), and all that was answered to it. */
export function useAsked({ pair, suite, item }: Pick<Shown, 'pair' | 'suite' | 'item'>) {
  const questions = useApiQuery('evaluations.questions', api.demo.questions, { ...pair, suite });
  const chosen = questions.data?.find(({ itemId }) => itemId === item) ?? questions.data?.[0];
  const answers = useApiQuery(
    'evaluations.answers',
    api.demo.answers,
    { ...pair, suite, itemId: chosen?.itemId ?? '' },
    { enabled: chosen !== undefined },
  );
  return { questions, chosen, answers: following(questions, answers) };
}

/** One held-out question, and what both runs answer to it at the chosen step. */
export function QuestionAndAnswers(props: AnswersProps) {
  const t = useTranslate();
  const { onItem } = props;
  const { questions, chosen, answers } = useAsked(props);
  if (questions.data?.length === 0) return <Quiet>{t('demo.answers.none')}</Quiet>;
  return (
    <section className="demo-question" aria-label={t('demo.question')}>
      <div className="demo-question-head">
        <p className="demo-asked">{visibleString(chosen?.question ?? '')}</p>
        <NativeSelect
          size="xs"
          aria-label={t('demo.question.other')}
          value={chosen?.itemId ?? ''}
          data={(questions.data ?? []).map(({ itemId, question, apart }) => ({
            value: itemId,
            label: t('demo.question.option', { question: visibleString(question), n: apart.length }),
          }))}
          onChange={(event) => onItem(event.currentTarget.value)}
        />
        <Switch
          label={t('demo.context')}
          checked={props.withContext}
          onChange={(event) => props.onContext(event.currentTarget.checked)}
        />
      </div>
      <QueryState read={answers} problemOf={readableFailure}>
        {(found) => <Columns {...props} answers={found} />}
      </QueryState>
    </section>
  );
}

function Columns({ answers, kind, step, withContext, onStep }: AnswersProps & { answers: Answers }) {
  const t = useTranslate();
  const steps = askedSteps(answers);
  const at = step !== null && steps.includes(step) ? step : (steps.at(-1) ?? 0);
  const place = Math.max(0, steps.indexOf(at));
  return (
    <>
      {steps.length > 1 && (
        // Arrow keys belong to the slider here, not to the presenter.
        <div role="presentation" className="demo-slider" onKeyDown={(event) => event.stopPropagation()}>
          <Text size="sm" className="numbers">
            {t('demo.step', { step: at })}
          </Text>
          <Slider
            value={place}
            min={0}
            max={steps.length - 1}
            step={1}
            onChange={(next) => onStep(next === steps.length - 1 ? null : (steps[next] ?? null))}
            label={(value) => t('demo.step', { step: steps[value] ?? 0 })}
            thumbLabel={t('demo.slider')}
            thumbProps={{ 'aria-valuetext': t('demo.step', { step: at }) }}
            marks={steps.map((_, value) => ({ value }))}
          />
        </div>
      )}
      <AnswerPair answers={answers} kind={kind} step={at} withContext={withContext} orPlain />
    </>
  );
}

type AnswerPairProps = Pick<Shown, 'kind' | 'withContext'> & {
  answers: Answers;
  step: number;
  /** Shows the answer without context where none was asked with it. */
  orPlain: boolean;
};

/** What both runs answered at a step, beside each other. */
export function AnswerPair({ answers, kind, step, withContext, orPlain }: AnswerPairProps) {
  return (
    <div className="demo-pair">
      {ARMS.map((arm) => (
        <AnswerCard
          key={arm}
          arm={arm}
          kind={kind}
          answer={answerAt(answers[arm], step, withContext)}
          plain={answerAt(answers[arm], step, false)}
          orPlain={orPlain}
          withContext={withContext}
          step={step}
        />
      ))}
    </div>
  );
}

type AnswerCardProps = {
  arm: Arm;
  kind: Shown['kind'];
  /** As it was asked for; null where it was not asked so. */
  answer: Answer | null;
  /** Without context. */
  plain: Answer | null;
  /** Shows `plain` where there is no other. */
  orPlain: boolean;
  withContext: boolean;
  step: number;
};

/** One run's answer, large; whether it kept to the rule is said in words, by a sign and by colour. */
function AnswerCard({ arm, kind, answer, plain, orPlain, withContext, step }: AnswerCardProps) {
  const t = useTranslate();
  const shown = answer ?? (orPlain ? plain : null);
  const told = shown === null ? null : spoken(shown.text);
  return (
    <article
      className="demo-answer"
      data-arm={arm}
      data-passed={shown?.passed ?? 'none'}
      aria-label={t(`demo.${arm}`)}
    >
      <header>
        <h2>{t(`demo.${arm}`)}</h2>
        {shown !== null && (
          <span className="demo-outcome" data-tone={shown.passed ? 'good' : 'bad'}>
            {shown.passed ? '✓' : '✗'} {t(`demo.outcome.${kind}.${shown.passed ? 'passed' : 'failed'}`)}
            <OverriddenMark n={shown.isOverridden ? 1 : 0} />
          </span>
        )}
      </header>
      {told === null ? (
        <Quiet>{t('demo.answer.none')}</Quiet>
      ) : (
        <>
          <blockquote>{visibleString(told.answer)}</blockquote>
          {told.thought !== '' && (
            <Quiet size="xs">
              {t('demo.answer.thought', { thought: visibleString(told.thought).replaceAll('\n', ' · ') })}
            </Quiet>
          )}
        </>
      )}
      {withContext && (
        <Quiet size="xs">
          {answer === null
            ? t(`demo.answer.noContext.${arm}`, { step })
            : t('demo.answer.context', {
                step: answer.contextStep ?? step,
                same: plain !== null && spoken(plain.text).answer === told?.answer ? 'yes' : 'no',
              })}
        </Quiet>
      )}
    </article>
  );
}
