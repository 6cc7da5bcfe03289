import type { ReactNode } from 'react';
import type { MachineLoad, Range, Totals } from '../../../../electron/contract/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { bytesText, Button, durationText, percentText, Text, Quiet } from '../../../ui/index.ts';
import type { Estimate, MemoryPlan, Quantity } from '../model/estimate.ts';

type EstimateLineProps = {
  name: string;
  value: string;
  /** Where the value comes from; tagged measured or estimated. */
  quantity?: Quantity | null;
  about?: 'step' | 'review';
  now?: Date;
  hint?: string;
  warning?: string;
  children?: ReactNode;
};

/** One figure of the estimate, with its tag, its age and what to mind. */
export function EstimateLine({
  name,
  value,
  quantity = null,
  about = 'step',
  now,
  hint,
  warning,
  children,
}: EstimateLineProps) {
  const t = useTranslate();
  return (
    <div className="plan-line">
      <dt>{name}</dt>
      <dd className="numbers">{value}</dd>
      {quantity !== null && now !== undefined && (
        <Text component="dd" size="xs" className="plan-tag" data-source={quantity.source}>
          {originText(t, quantity, about, now)}
        </Text>
      )}
      {hint !== undefined && (
        <Text component="dd" size="xs" c="var(--quiet)">
          {hint}
        </Text>
      )}
      {children}
      {warning !== undefined && (
        <dd>
          <Text size="xs" c="var(--warn)" role="status">
            ⚠ {warning}
          </Text>
        </dd>
      )}
    </div>
  );
}

/** Processors that everything else keeps busy, of those there are, as messages take them. */
export const loadWords = ({ others, cores }: MachineLoad): { others: string; cores: number } => ({
  others: others.toFixed(1),
  cores,
});

/** Whether both ends are worth telling apart. */
const isRange = ({ low, high }: Range): boolean => high - low > 0.05 * high;

/** Seconds from one to the other, or one figure where they hardly differ. */
export const rangeText = (t: Translate, { low, high }: Range): string =>
  isRange({ low, high })
    ? t('new-run.estimate.range', { low: durationText(low), high: durationText(high) })
    : durationText(high);

/** In a narrow sentence a figure keeps its sign. */
const together = (share: number): string => percentText(share).replaceAll(' ', '\u00A0');

/** How much of the reviewing a step waits for and who has told, for the same seconds as in its time. Undefined without reviews or their times. */
export function waitedText(
  t: Translate,
  { waitedShare, waitedSeconds, stepSeconds }: Totals,
  { waited, cores }: Estimate,
  threads: number,
): string | undefined {
  const seconds = stepSeconds ?? waitedSeconds;
  if (waitedShare === null || seconds === null) return undefined;
  const [low, high] = [together(waitedShare.low), together(waitedShare.high)];
  if (waited === null || waited.from.kind !== 'run') {
    const told = t('new-run.estimate.untold', { low, high });
    return isRange(seconds)
      ? `${told} ${t('new-run.estimate.cores', { cores, threads, which: cores >= threads ? 'low' : 'high' })}`
      : told;
  }
  const before = together(waited.value);
  const said = t('new-run.estimate.waited', {
    share: low,
    before,
    as: before === low ? 'same' : 'other',
    name: waited.from.name,
  });
  return waited.load === null ? said : `${said} ${t('new-run.estimate.waited.load', loadWords(waited.load))}`;
}

/** Where a number comes from, and how busy the machine was meanwhile. */
function originText(t: Translate, quantity: Quantity, about: 'step' | 'review', now: Date): string {
  const source = sourceText(t, quantity, about, now);
  return quantity.load === null
    ? source
    : `${source}; ${t('new-run.estimate.load', loadWords(quantity.load))}`;
}

function sourceText(
  t: Translate,
  { from, source, at, n }: Quantity,
  about: 'step' | 'review',
  now: Date,
): string {
  const age = at === null ? '' : ageText(t, (now.getTime() - new Date(at).getTime()) / 1000);
  switch (from.kind) {
    case 'run':
      return t(about === 'review' ? 'new-run.estimate.from.review' : 'new-run.estimate.from.run', {
        source,
        n,
        name: from.name,
        age,
      });
    case 'probe':
      return t('new-run.estimate.from.probe', { source, age });
    case 'judge-probe':
      return t('new-run.estimate.from.judge', { n, age });
    case 'test-load':
      return t('new-run.estimate.from.load', { age });
    case 'rule':
      return t('new-run.estimate.from.rule');
  }
}

/** An age in its largest unit; nobody needs the seconds of an hour ago. */
function ageText(t: Translate, seconds: number): string {
  if (seconds < 90) return t('new-run.estimate.now');
  if (seconds < 3600) return t('new-run.estimate.age', { n: Math.round(seconds / 60), unit: 'minute' });
  if (seconds < 48 * 3600) return t('new-run.estimate.age', { n: Math.round(seconds / 3600), unit: 'hour' });
  return t('new-run.estimate.age', { n: Math.round(seconds / 86_400), unit: 'day' });
}

/** Trainer and supervisor against the machine's memory. */
export function MemoryBar({
  trainer,
  supervisor,
  free,
  total,
}: {
  trainer: number;
  supervisor: number;
  free: number;
  total: number;
}) {
  const t = useTranslate();
  const share = (bytes: number): string => `${Math.min(100, (100 * bytes) / total).toFixed(2)}%`;
  return (
    <dd>
      <div
        className="plan-memory"
        role="img"
        aria-label={t('new-run.estimate.memory.bar', {
          trainer: bytesText(trainer),
          supervisor: bytesText(supervisor),
          total: bytesText(total),
        })}
      >
        <span style={{ width: share(trainer) }} data-part="trainer" />
        <span style={{ width: share(supervisor) }} data-part="supervisor" />
      </div>
      <Quiet size="xs" className="numbers">
        {t('new-run.estimate.memory.trainer')} {bytesText(trainer)} ·{' '}
        {t('new-run.estimate.memory.supervisor')} {bytesText(supervisor)} ·{' '}
        {t('new-run.estimate.memory.free', { free: bytesText(free), total: bytesText(total) })}
      </Quiet>
    </dd>
  );
}

export type MemoryPhasesProps = {
  plan: MemoryPlan | null;
  isAsking: boolean;
  problem: string | null;
  /** Rows at a time as the run asks for them. */
  rowsAsked: number;
  onAsk: () => void;
};

const PHASES_OF_MEMORY = ['load', 'rollout', 'update', 'optimizer', 'save'] as const;

/** What each phase of a step takes, as the trainer reckons before it loads anything; asked for, because a trainer is started for it. */
export function MemoryPhases({ plan, isAsking, problem, rowsAsked, onAsk }: MemoryPhasesProps) {
  const t = useTranslate();
  if (plan === null)
    return (
      <dd>
        <Button size="compact-xs" variant="default" loading={isAsking} onClick={onAsk}>
          {t('new-run.memory.ask')}
        </Button>
        {problem !== null && (
          <Text size="xs" c="var(--bad)" role="alert">
            {problem}
          </Text>
        )}
      </dd>
    );
  const phases = PHASES_OF_MEMORY.flatMap((name) => {
    const uses = plan.phases[name];
    return uses === undefined
      ? []
      : [{ name, bytes: Object.values(uses).reduce((sum, one) => sum + one, 0) }];
  });
  const whole = Math.max(plan.freeBytes, plan.neededBytes);
  return (
    <dd aria-busy={isAsking}>
      <ul className="plan-phases">
        {phases.map(({ name, bytes }) => (
          <li key={name} data-largest={bytes === plan.neededBytes}>
            <span>{t(`new-run.memory.${name}`)}</span>
            <span className="plan-memory" aria-hidden>
              <span
                style={{ width: `${((100 * bytes) / whole).toFixed(2)}%` }}
                data-part={bytes > plan.freeBytes ? 'over' : 'trainer'}
              />
            </span>
            <span className="numbers">{bytesText(bytes)}</span>
          </li>
        ))}
      </ul>
      <Quiet size="xs">
        {t(plan.device === 'cuda' ? 'new-run.memory.cuda' : 'new-run.memory.cpu', {
          free: bytesText(plan.freeBytes),
        })}
        {plan.rows < rowsAsked && ` ${t('new-run.memory.rows', { rows: plan.rows, asked: rowsAsked })}`}
        {plan.gradCheckpoint && ` ${t('new-run.memory.again')}`}
        {plan.offloads && ` ${t('new-run.memory.offloads', { bytes: bytesText(plan.disk.parked) })}`}
        {plan.systemInUser && ` ${t('new-run.memory.system-in-user')}`}
      </Quiet>
      {plan.obstacle !== null && (
        <Text size="xs" c="var(--bad)" role="alert">
          {plan.obstacle}
        </Text>
      )}
      {!plan.fits && (
        <Text size="xs" c="var(--bad)" role="alert">
          {t('new-run.memory.short')}{' '}
          {plan.suggestions
            .slice(0, 3)
            .map(({ change, saves }) => t('new-run.memory.saves', { change, bytes: bytesText(saves) }))
            .join('; ')}
        </Text>
      )}
    </dd>
  );
}
