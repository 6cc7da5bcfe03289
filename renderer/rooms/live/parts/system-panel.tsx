import { useMemo, useState } from 'react';
import type { GpuSample, ResourceSample } from '../../../../electron/contract/index.ts';
import { Curve, type CurveRange } from '../../../charts/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { Button, bytesText, percentText, Progress, QueryState, Quiet } from '../../../ui/index.ts';
import { choiceOf, type CurveId, SYSTEM_CURVES } from '../model/curve-choices.ts';
import { metricNames, timelineSeries } from '../model/curves.ts';

/** The machine as it was measured last, in one line. */
export function MachineNow({ sample }: { sample: ResourceSample }) {
  const t = useTranslate();
  const { cpu, cores, memory, disk } = sample;
  const parts = [
    cpu === null ? null : t('live.now.cpu', { share: percentText(cpu, 0), cores }),
    t('live.now.memory', { used: bytesText(memory.used), total: bytesText(memory.total) }),
    disk === null ? null : t('live.now.disk', { free: bytesText(disk.free) }),
  ].filter((part) => part !== null);
  return (
    <div className="live-machine numbers" aria-label={t('live.now.machine')} role="group">
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </div>
  );
}

/** Every card as it was measured last; where there is none, why, in one line. */
export function GpuPanel({ sample: { gpus, gpuProblem } }: { sample: ResourceSample }) {
  const t = useTranslate();
  return (
    <div className="live-gpus numbers" aria-label={t('live.gpu')} role="group">
      {gpus.length === 0 && (
        <span>{t(gpuProblem === null ? 'live.gpu.none' : `live.gpu.none.${gpuProblem}`)}</span>
      )}
      {gpus.map((card) => (
        <Card key={card.index} card={card} />
      ))}
    </div>
  );
}

function Card({ card }: { card: GpuSample }) {
  const t = useTranslate();
  const { index, name, memoryUsed, memoryTotal, memoryOurs } = card;
  const title = t('live.gpu.card', { name, index });
  const whole = memoryUsed === null ? null : memoryTotal;
  return (
    <div className="live-gpu">
      <strong>{title}</strong>
      {whole !== null && whole > 0 && (
        <Progress.Root size="sm" w={120}>
          <Progress.Section
            value={(100 * (memoryOurs ?? memoryUsed ?? 0)) / whole}
            aria-label={title}
            color="var(--series-1)"
          />
          {memoryOurs !== null && (
            <Progress.Section
              value={(100 * (card.memoryOthers ?? 0)) / whole}
              color="var(--quiet)"
              withAria={false}
            />
          )}
        </Progress.Root>
      )}
      {factsOf(t, card).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {card.slowedBy.map((reason) => (
        <span key={reason} className="live-slowed">
          {t('live.gpu.slowed', { reason })}
        </span>
      ))}
    </div>
  );
}

/** What a card tells, in the order of its panel. */
function factsOf(t: Translate, card: GpuSample): string[] {
  const { busy, isSplit, memoryUsed, memoryTotal, memoryOurs, memoryOthers } = card;
  return [
    busy !== null
      ? t('live.gpu.busy', { share: percentText(busy, 0) })
      : t(isSplit ? 'live.gpu.split' : 'live.gpu.untold'),
    memoryUsed === null || memoryTotal === null
      ? null
      : t('live.gpu.memory', { used: bytesText(memoryUsed), total: bytesText(memoryTotal) }),
    memoryOurs === null || memoryOthers === null
      ? null
      : t('live.gpu.owners', { ours: bytesText(memoryOurs), others: bytesText(memoryOthers) }),
    card.celsius === null ? null : t('live.gpu.celsius', { celsius: card.celsius }),
    card.watts === null
      ? null
      : t('live.gpu.watts', {
          watts: card.watts.toFixed(0),
          limit: card.wattsLimit === null ? 'none' : card.wattsLimit.toFixed(0),
        }),
  ].filter((fact) => fact !== null);
}

type SystemCurvesProps = {
  runId: string;
  committedSteps: number;
  syncKey: string;
  range: CurveRange | null;
  onRange: (range: CurveRange | null) => void;
};

/**
 * Processor, memory, disk, child processes and cards along the run, as each step stored them. Open by itself where the run used a card or
 * nothing could be read of it; else its heading stands alone until somebody asks.
 */
export function SystemCurves({ runId, committedSteps, syncKey, range, onRange }: SystemCurvesProps) {
  const t = useTranslate();
  const [asked, setAsked] = useState<boolean | null>(null);
  const read = useApiQuery(`live.metrics.system.${committedSteps}`, api.live.metrics, {
    runId,
    names: metricNames(SYSTEM_CURVES),
  });
  const timeline = useMemo(
    () => ({ steps: read.data?.steps ?? [], timings: {}, metrics: read.data?.values ?? {} }),
    [read.data],
  );
  const drawn = useMemo(
    () =>
      SYSTEM_CURVES.map((id): [CurveId, ReturnType<typeof timelineSeries>] => [
        id,
        timelineSeries(id, timeline, t),
      ]).filter(([, series]) => series.length > 0),
    [timeline, t],
  );
  const isOpen = asked ?? (read.error !== null || drawn.some(([id]) => id === 'gpu' || id === 'gpuMemory'));
  return (
    <section className="live-system" aria-label={t('live.system')}>
      <header>
        <h2>{t('live.system')}</h2>
        <Quiet size="xs">{t('live.system.text')}</Quiet>
        <span className="ui-spring" />
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setAsked(!isOpen)}>
          {t(isOpen ? 'live.system.hide' : 'live.system.show')}
        </Button>
      </header>
      {isOpen && (
        <QueryState read={read} problemOf={readableFailure}>
          {() =>
            drawn.length === 0 ? (
              <Quiet size="sm">{t('live.system.empty')}</Quiet>
            ) : (
              <div className="live-curves">
                {drawn.map(([id, series]) => {
                  const { title, unit, format, floor } = choiceOf(id);
                  return (
                    <Curve
                      key={id}
                      title={t(title)}
                      series={series}
                      xLabel={t('live.curve.x')}
                      yLabel={t(unit)}
                      format={format}
                      floor={floor}
                      height={104}
                      syncKey={syncKey}
                      range={range}
                      onRange={onRange}
                      isRangeShared
                    />
                  );
                })}
              </div>
            )
          }
        </QueryState>
      )}
    </section>
  );
}
