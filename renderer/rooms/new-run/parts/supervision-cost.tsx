import { PHASES, type RunConfig } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { durationText, shortDurationText, Title } from '../../../ui/index.ts';
import { type Estimate, reviewTerms, totals } from '../model/estimate.ts';
import { EstimateLine } from './estimate-line.tsx';

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** What the chosen probabilities cost in a step: how many reviews, how long each takes here, and what that adds. */
export function SupervisionCost({
  config,
  estimate,
  now,
}: {
  config: RunConfig;
  estimate: Estimate;
  now: Date;
}) {
  const t = useTranslate();
  const { supervision } = config;
  const { reviewsPerStep, secondsAReview, addedSeconds } = totals(config, estimate);
  const asked = PHASES.filter((phase) => supervision.phases[phase] > 0);
  if (asked.length === 0) return null;
  const terms = reviewTerms(supervision.phases, estimate)
    .map(({ phase, p, items, written }) =>
      t('new-run.cost.term', {
        phase: t(`phase.${phase}.short`),
        p: number(p),
        items: number(items),
        written: written < 1 ? written.toFixed(2) : 'all',
      }),
    )
    .join(' + ');
  const words = supervision.summary === 'model' || supervision.merge === 'model';
  const asksModel = estimate.memory.supervisor?.value !== 0;
  return (
    <section aria-labelledby="supervision-cost">
      <Title order={2} mt="xl" id="supervision-cost">
        {t('new-run.cost.title')}
      </Title>
      <dl className="plan-lines">
        <EstimateLine
          name={t('new-run.cost.reviews')}
          value={number(reviewsPerStep)}
          hint={`${t('new-run.cost.formula')} ${terms} = ${number(reviewsPerStep)}`}
        />
        <EstimateLine
          name={t('new-run.cost.each')}
          value={secondsAReview === null ? t('new-run.cost.unmeasured') : shortDurationText(secondsAReview)}
          quantity={asked.map((phase) => estimate.reviewSeconds[phase]).find((each) => each !== null) ?? null}
          about="review"
          now={now}
          hint={
            secondsAReview !== null
              ? undefined
              : asksModel
                ? t('new-run.cost.measure', { command: `anchor judge probe ${supervision.model}` })
                : t('new-run.cost.measure.step')
          }
        />
        <EstimateLine
          name={t('new-run.cost.added')}
          value={
            addedSeconds === null
              ? t('new-run.estimate.unknown')
              : addedSeconds.high - addedSeconds.low < 0.05 * addedSeconds.high
                ? durationText(addedSeconds.high)
                : t('new-run.estimate.range', {
                    low: durationText(addedSeconds.low),
                    high: durationText(addedSeconds.high),
                  })
          }
          hint={
            addedSeconds === null
              ? undefined
              : `${t('new-run.cost.hidden')}${words ? ` ${t('new-run.cost.words')}` : ''}`
          }
        />
      </dl>
    </section>
  );
}
