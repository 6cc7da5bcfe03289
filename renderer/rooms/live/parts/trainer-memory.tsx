import type { MemoryPlanned } from '../../../../electron/contract/index.ts';
import { api, useSideQuery } from '../../../data/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { bytesText } from '../../../ui/index.ts';

const MEASURED = 'resources/trainer/memory_bytes';

/** What the trainer planned to take of the memory, beside the most that its process was measured at after a step. */
export function TrainerMemory({ runId, committedSteps }: { runId: string; committedSteps: number }) {
  const planned = useSideQuery('live.memory', api.live.memory, { runId });
  const metrics = useSideQuery(`live.metrics.memory.${committedSteps}`, api.live.metrics, {
    runId,
    names: [MEASURED],
  });
  if (metrics.data === undefined) return null; // else it would say that nothing was measured yet
  const sizes = (metrics.data.values[MEASURED] ?? []).filter((bytes) => bytes !== null);
  return (
    <TrainerMemoryLine
      planned={planned.data ?? []}
      measured={sizes.length === 0 ? null : Math.max(...sizes)}
    />
  );
}

export function TrainerMemoryLine({
  planned,
  measured,
}: {
  planned: readonly MemoryPlanned[];
  /** Bytes; null before the first step. */
  measured: number | null;
}) {
  const t = useTranslate();
  if (planned.length === 0) return null;
  return (
    <div className="live-machine numbers" aria-label={t('live.memory')} role="group">
      {planned.map((one) => (
        <span key={one.role}>{plannedText(t, one, planned.length > 1)}</span>
      ))}
      <span>
        {measured === null
          ? t('live.memory.unmeasured')
          : t('live.memory.measured', { bytes: bytesText(measured) })}
      </span>
    </div>
  );
}

function plannedText(
  t: Translate,
  { role, asked, rows, gradCheckpoint, offloads = false, plannedBytes = {}, systemInUser }: MemoryPlanned,
  isOneOfSeveral: boolean,
): string {
  const phases = Object.entries(plannedBytes).sort(([, a], [, b]) => b - a);
  const [largest] = phases;
  return [
    isOneOfSeveral ? `${role}:` : null,
    largest === undefined
      ? null
      : t('live.memory.planned', { bytes: bytesText(largest[1]), phase: largest[0] }),
    rows < asked ? t('live.memory.rows', { rows, asked }) : null,
    gradCheckpoint ? t('live.memory.again') : null,
    offloads ? t('live.memory.offloads') : null,
    systemInUser ? t('live.memory.system-in-user') : null,
  ]
    .filter((part) => part !== null)
    .join(' ');
}
