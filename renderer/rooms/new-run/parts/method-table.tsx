import { isSameMethod, type TrainMethod } from '../../../../electron/contract/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { Button, bytesText, durationText, Quiet, Radio, Text, Title } from '../../../ui/index.ts';
import type { MethodPlan } from '../model/estimate.ts';

export type MethodTableProps = {
  methods: readonly MethodPlan[] | null;
  isAsking: boolean;
  problem: string | null;
  onAsk: () => void;
  chosen: TrainMethod;
  isLocked: boolean;
  onChoose: (method: TrainMethod) => void;
};

/** The phases that differ from method to method; loading and saving never take more than answering. */
const COMPARED = ['rollout', 'update', 'optimizer'] as const;

/** Every way to train against this machine's memory, disk and time; asked for, because a trainer is started for it. */
export function MethodTable({
  methods,
  isAsking,
  problem,
  onAsk,
  chosen,
  isLocked,
  onChoose,
}: MethodTableProps) {
  const t = useTranslate();
  return (
    <section aria-labelledby="plan-methods-title" aria-busy={isAsking}>
      <Title order={2} mt="xl" id="plan-methods-title">
        {t('new-run.methods.title')}
      </Title>
      <Quiet mb="xs">{t('new-run.methods.text')}</Quiet>
      {methods === null ? (
        <Button size="compact-sm" variant="default" loading={isAsking} onClick={onAsk}>
          {t('new-run.methods.ask')}
        </Button>
      ) : (
        <Compared t={t} methods={methods} chosen={chosen} isLocked={isLocked} onChoose={onChoose} />
      )}
      {problem !== null && (
        <Text size="xs" c="var(--bad)" role="alert">
          {problem}
        </Text>
      )}
    </section>
  );
}

const bytesOf = ({ phases }: MethodPlan['plan'], phase: string): number =>
  Object.values(phases[phase] ?? {}).reduce((sum, one) => sum + one, 0);

/** What a method keeps, in a few words. */
export function methodName(t: Translate, { precision = 'float32', optimizer, lora }: TrainMethod): string {
  return t('new-run.method', {
    what: lora === undefined ? 'all' : 'lora',
    rank: lora?.rank ?? 0,
    precision,
    moments: optimizer ?? 'adamw',
  });
}

function Compared({
  t,
  methods,
  chosen,
  isLocked,
  onChoose,
}: Pick<MethodTableProps, 'chosen' | 'isLocked' | 'onChoose'> & {
  t: Translate;
  methods: readonly MethodPlan[];
}) {
  // One scale for all, so that bars can be compared down a column as well as with what is free.
  const whole = Math.max(...methods.map(({ plan }) => Math.max(plan.freeBytes, plan.neededBytes)));
  const at = methods.findIndex(({ method }) => isSameMethod(method, chosen));
  return (
    <Radio.Group
      value={String(at)}
      onChange={(value) => onChoose(methods[Number(value)]?.method ?? {})}
      aria-labelledby="plan-methods-title"
    >
      <div className="plan-methods-scroll">
        <table className="plan-methods">
          <thead>
            <tr>
              <th scope="col">{t('new-run.methods.method')}</th>
              {COMPARED.map((phase) => (
                <th key={phase} scope="col">
                  {t(`new-run.memory.${phase}`)}
                </th>
              ))}
              <th scope="col">{t('new-run.methods.checkpoint')}</th>
              <th scope="col">{t('new-run.methods.step')}</th>
            </tr>
          </thead>
          <tbody>
            {methods.map(({ method, plan, stepSeconds, isSuggested }, index) => (
              <tr key={methodName(t, method)} data-suggested={isSuggested} data-fits={plan.fits}>
                <th scope="row">
                  <Radio
                    size="xs"
                    value={String(index)}
                    disabled={isLocked}
                    label={methodName(t, method)}
                    description={[isSuggested ? t('new-run.methods.suggested') : null, against(t, plan)]
                      .filter((part) => part != null)
                      .join(', ')}
                  />
                </th>
                {COMPARED.map((phase) => (
                  <MemoryCell key={phase} bytes={bytesOf(plan, phase)} free={plan.freeBytes} whole={whole} />
                ))}
                <td className="numbers">{bytesText(plan.disk.each)}</td>
                <td>
                  {stepSeconds === null ? (
                    <Quiet size="xs">{t('new-run.estimate.unknown')}</Quiet>
                  ) : (
                    <>
                      <span className="numbers">{durationText(stepSeconds.value)}</span>
                      <Quiet size="xs">
                        {t(stepSeconds.source === 'measured' ? 'common.measured' : 'common.estimated')}
                      </Quiet>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Quiet size="xs" mt={4}>
        {why(t, methods)}
      </Quiet>
    </Radio.Group>
  );
}

/** What stands against a method here, if anything does. */
function against(t: Translate, { obstacle, fits, neededBytes, freeBytes, offloads }: MethodPlan['plan']) {
  if (obstacle !== null) return obstacle;
  if (fits) return offloads ? t('new-run.methods.offloads') : undefined;
  return t('new-run.methods.short', { needed: bytesText(neededBytes), free: bytesText(freeBytes) });
}

function MemoryCell({ bytes, free, whole }: { bytes: number; free: number; whole: number }) {
  const share = (part: number): string => `${((100 * part) / whole).toFixed(2)}%`;
  return (
    <td className="numbers">
      {bytesText(bytes)}
      <span className="plan-memory plan-memory-free" aria-hidden>
        <span style={{ width: share(bytes) }} data-part={bytes > free ? 'over' : 'trainer'} />
        {free < whole && <i style={{ insetInlineStart: share(free) }} />}
      </span>
    </td>
  );
}

/** Which one is suggested, and what the one before it lacks. */
function why(t: Translate, methods: readonly MethodPlan[]): string {
  const at = methods.findIndex(({ isSuggested }) => isSuggested);
  const [first, best, before] = [methods[0], methods[at], methods[at - 1]];
  if (first === undefined) return '';
  const free = bytesText(first.plan.freeBytes);
  if (best === undefined) return t('new-run.methods.none', { free });
  const name = methodName(t, best.method);
  return before === undefined
    ? t('new-run.methods.first', { name, free })
    : t('new-run.methods.why', {
        name,
        before: methodName(t, before.method),
        needed: bytesText(before.plan.neededBytes),
        free,
      });
}
