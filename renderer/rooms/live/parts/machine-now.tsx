import type { ResourceSample } from '../../../../electron/contract/index.ts';
import { bytesText, percentText } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** The machine as it was measured last, in one line. */
export function MachineNow({ sample }: { sample: ResourceSample }) {
  const t = useTranslate();
  const { cpu, cores, memory, disk, gpus } = sample;
  const parts = [
    cpu === null ? null : t('live.now.cpu', { share: percentText(cpu, 0), cores }),
    t('live.now.memory', { used: bytesText(memory.used), total: bytesText(memory.total) }),
    ...gpus.map(({ name, busy, memoryUsed, memoryTotal }) =>
      t('live.now.gpu', {
        name,
        share: percentText(busy, 0),
        used: bytesText(memoryUsed),
        total: bytesText(memoryTotal),
      }),
    ),
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
