import {
  totals,
  type Job,
  type Range,
  type RunConfig,
  type Totals,
  viewOf,
} from '../../../../electron/contract/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  bytesText,
  durationText,
  JobLine,
  Loading,
  shortDurationText,
  Text,
  Title,
  Quiet,
} from '../../../ui/index.ts';
import {
  type Estimate,
  PAPER_STEP_RATIO,
  PAPER_TEST_RATIO,
  reviewQuantity,
  unhiddenSeconds,
  withPlan,
} from '../model/estimate.ts';
import {
  EstimateLine,
  loadWords,
  MemoryBar,
  MemoryPhases,
  type MemoryPhasesProps,
  rangeText,
  waitedText,
} from './estimate-line.tsx';

type EstimatePanelProps = {
  config: RunConfig | null;
  estimate: Estimate | null;
  problem: string | null;
  now: Date;
  probe: Job | null;
  atWork: number;
  memory: Omit<MemoryPhasesProps, 'rowsAsked'>;
  onProbe: () => void;
  onCancelProbe: () => void;
};

/** What the plan would take on this machine; it stays beside every step. */
export function EstimatePanel({
  config,
  estimate: found,
  problem,
  now,
  probe,
  atWork,
  memory,
  onProbe,
  onCancelProbe,
}: EstimatePanelProps) {
  const t = useTranslate();
  const estimate = found === null ? null : withPlan(found, memory.plan);
  const isProbing = probe?.state === 'running';
  const isMeasured = estimate?.stepSeconds != null && estimate.reviewSeconds.exec !== null;
  return (
    <aside className="plan-estimate" aria-label={t('new-run.estimate')}>
      <Title order={2}>{t('new-run.estimate')}</Title>
      {problem !== null && (
        <Text size="sm" c="var(--bad)" role="alert">
          {problem}
        </Text>
      )}
      {config === null && <Text size="sm">{t('new-run.estimate.wrong')}</Text>}
      {estimate !== null && estimate.load !== null && (
        <Quiet size="xs" className="numbers">
          {t('new-run.estimate.loadNow', loadWords(estimate.load))}
        </Quiet>
      )}
      {estimate === null
        ? problem === null && config !== null && <Loading />
        : config !== null && (
            <Lines
              t={t}
              config={config}
              estimate={estimate}
              memory={memory}
              now={now}
              sums={totals(config, estimate)}
            />
          )}
      {probe !== null && (isProbing || probe.state === 'failed') && (
        <JobLine job={probe} onCancel={onCancelProbe} />
      )}
      {!isProbing && (
        <>
          <Button
            size="compact-sm"
            variant={isMeasured ? 'default' : 'light'}
            mt="sm"
            disabled={config === null}
            onClick={onProbe}
          >
            {t(isMeasured ? 'new-run.estimate.probeAgain' : 'new-run.estimate.probe')}
          </Button>
          <Quiet size="xs" mt={4}>
            {t('new-run.estimate.probe.text')}
            {atWork > 0 && ` ${t('new-run.estimate.besides', { n: atWork })}`}
          </Quiet>
        </>
      )}
    </aside>
  );
}

const count = (value: number): string =>
  value >= 10 ? Math.round(value).toLocaleString('en') : value.toFixed(1);

function Lines({
  t,
  config,
  estimate,
  memory,
  sums,
  now,
}: Pick<EstimatePanelProps, 'memory'> & {
  t: Translate;
  config: RunConfig;
  estimate: Estimate;
  sums: Totals;
  now: Date;
}) {
  const { supervision, steps, policy } = config;
  const unknown = t('new-run.estimate.unknown');
  const isSupervised = sums.reviewsPerStep > 0;
  const share = supervision.human?.share ?? 0;
  const threads = policy.threads + supervision.threads;
  const unhidden = unhiddenSeconds(sums, estimate);
  return (
    <dl className="plan-lines">
      <EstimateLine
        name={t('new-run.estimate.reviews')}
        value={count(sums.reviewsPerStep)}
        hint={t('new-run.estimate.rollouts', {
          n: count(estimate.trained),
          estimates: count(estimate.mostEstimates),
        })}
      />
      {share > 0 && (
        <EstimateLine
          name={t('new-run.estimate.person')}
          value={`≈ ${count(sums.reviewsPerStep * share)}`}
          warning={t('new-run.estimate.human', {
            time: durationText(supervision.human?.timeoutSeconds ?? 0),
          })}
        />
      )}
      {isSupervised && (
        <EstimateLine
          name={t('new-run.estimate.supervisor')}
          value={sums.supervisorSeconds === null ? unknown : durationText(sums.supervisorSeconds)}
          quantity={reviewQuantity(config, estimate)}
          about="review"
          now={now}
        />
      )}
      <EstimateLine
        name={t('new-run.estimate.step')}
        value={sums.stepSeconds === null ? unknown : rangeText(t, sums.stepSeconds)}
        quantity={estimate.stepSeconds}
        now={now}
        hint={waitedText(t, sums, estimate, threads)}
        warning={unhidden > 0 ? t('new-run.estimate.slow', { time: shortDurationText(unhidden) }) : undefined}
      />
      {estimate.stages.map(({ stage, steps: n, seconds: each }) => (
        <EstimateLine
          key={stage}
          name={t('new-run.estimate.stage', { stage: stageLabel(config, stage) })}
          value={
            each === null
              ? unknown
              : t('new-run.estimate.stage.value', { steps: n, each: durationText(each.value) })
          }
          quantity={each}
          now={now}
        />
      ))}
      {isSupervised && sums.ratio !== null && (
        <EstimateLine
          name={t('new-run.estimate.ratio')}
          value={`${ratioText(t, sums.ratio)}; ${t(bandWord(sums.ratio))}`}
          hint={`${t('common.fromPaper')}: ${t('new-run.estimate.paper', { low: PAPER_STEP_RATIO.low, high: PAPER_STEP_RATIO.high, testLow: PAPER_TEST_RATIO.low, testHigh: PAPER_TEST_RATIO.high })}`}
        />
      )}
      <EstimateLine
        name={t('new-run.estimate.total', { steps })}
        value={sums.totalSeconds === null ? unknown : rangeText(t, sums.totalSeconds)}
        hint={sums.totalSeconds === null ? undefined : t('common.estimated')}
      />
      <EstimateLine
        name={t('new-run.estimate.disk', { n: estimate.checkpointsKept })}
        value={sums.checkpointBytes === null ? unknown : bytesText(sums.checkpointBytes)}
        quantity={estimate.checkpointBytes}
        now={now}
        hint={t('new-run.estimate.disk.free', { free: bytesText(estimate.freeDiskBytes) })}
        warning={
          sums.checkpointBytes !== null && sums.checkpointBytes > estimate.freeDiskBytes
            ? t('new-run.estimate.disk.short', { free: bytesText(estimate.freeDiskBytes) })
            : undefined
        }
      />
      <EstimateLine
        name={t('new-run.estimate.memory')}
        value={sums.memoryBytes === null ? unknown : bytesText(sums.memoryBytes)}
        quantity={estimate.memory.trainer}
        now={now}
        warning={
          sums.memoryBytes !== null && sums.memoryBytes > estimate.memory.freeBytes
            ? t('new-run.estimate.memory.short')
            : undefined
        }
      >
        {sums.memoryBytes !== null && (
          <MemoryBar
            trainer={estimate.memory.trainer?.value ?? 0}
            supervisor={isSupervised ? (estimate.memory.supervisor?.value ?? 0) : 0}
            free={estimate.memory.freeBytes}
            total={estimate.memory.totalBytes}
          />
        )}
        <MemoryPhases {...memory} rowsAsked={config.policy.maxConcurrent} />
      </EstimateLine>
    </dl>
  );
}

const ratioText = (t: Translate, { low, high }: Range): string =>
  high - low < 0.005
    ? `${low.toFixed(2)} ×`
    : `${t('new-run.estimate.range', { low: low.toFixed(2), high: high.toFixed(2) })} ×`;

const bandWord = ({ low, high }: Range) =>
  low > PAPER_STEP_RATIO.high
    ? 'new-run.estimate.outside'
    : high > PAPER_STEP_RATIO.high
      ? 'new-run.estimate.partly'
      : 'new-run.estimate.within';

/** A stage as its framework calls it. */
function stageLabel({ framework }: RunConfig, stage: string): string {
  const view = viewOf(framework.name).stages.find(({ name }) => name === stage);
  return view === undefined ? stage : `${view.letter}, ${view.label}`;
}
