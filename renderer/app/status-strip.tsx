import { ShieldCheckIcon, ShieldXIcon } from 'lucide-react';
import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import type { ChildState, GpuSample } from '../../electron/contract/index.ts';
import { api, useLiveState, useSideQuery, useConnectionStatus } from '../data/index.ts';
import { bytesText, percentText } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';

/** The state of the lab, below every room. */
export function StatusStrip() {
  const t = useTranslate();
  const status = useConnectionStatus();
  // For the whole window: the theme takes the green off everything while it is away.
  useEffect(() => {
    document.documentElement.dataset['away'] = String(status !== 'open');
  }, [status]);
  return (
    <footer className="app-strip" aria-label={t('frame.status')}>
      <span data-tone={status === 'open' ? 'good' : 'warn'}>
        {t(status === 'open' ? 'frame.status.connected' : 'frame.status.connecting')}
      </span>
      <Shield />
      <Work />
      <span className="ui-spring" />
      <Jobs />
      <Machine />
    </footer>
  );
}

/** What the engine says once; `runs` covers it, because a run that starts or ends changes it. */
const useStatus = () => useSideQuery('runs.status', api.lab.status, undefined).data;

/** Whether anything reached out or tried to; leads to the evidence. */
function Shield() {
  const t = useTranslate();
  const state = useSideQuery('airgap.state', api.airgap.state, undefined).data;
  if (state === undefined) return null;
  const attempts = state.outside.length + state.blocked.length;
  const Icon = attempts === 0 ? ShieldCheckIcon : ShieldXIcon;
  return (
    <Link
      to={'/settings' as never}
      data-tone={attempts === 0 ? 'good' : 'bad'}
      title={t('frame.status.shield.title')}
    >
      <Icon size={14} aria-hidden /> <span>{t('frame.status.shield', { n: attempts })}</span>
    </Link>
  );
}

function Work() {
  const t = useTranslate();
  const status = useStatus();
  const live = useLiveState((state) => state.children);
  if (status === undefined) return null;
  const children = summarizeChildren([...status.children, ...Object.values(live)], new Set(status.atWork));
  return (
    <>
      <span>
        {t('frame.status.runs', { n: status.atWork.length })}
        {status.waiting.length > 0 && (
          <>
            {' · '}
            {t('frame.status.waiting', { n: status.waiting.length })}
          </>
        )}
      </span>
      {children.map((summary) => (
        <Child key={summary.child} summary={summary} />
      ))}
    </>
  );
}

function Child({ summary: { child, count, worst } }: { summary: ChildSummary }) {
  const t = useTranslate();
  return (
    <span
      data-tone={worst.state === 'ready' || worst.state === 'busy' ? undefined : 'warn'}
      title={worst.detail === '' ? undefined : worst.detail}
    >
      {t(`frame.status.${child}`, { n: count })}{' '}
      {t(`frame.status.child.${worst.state}`, { seconds: worst.seconds })}
    </span>
  );
}

function Jobs() {
  const t = useTranslate();
  const jobs = Object.values(useLiveState((state) => state.jobs)).filter(({ state }) => state === 'running');
  const [first] = jobs;
  if (first === undefined) return null;
  const share = first.total > 0 ? ` ${percentText(first.done / first.total, 0)}` : '';
  return (
    <span className="numbers">
      {jobs.length === 1 ? `${first.title}${share}` : t('frame.status.jobs', { n: jobs.length })}
    </span>
  );
}

/** Processor, memory, cards and disk: as measured while a run works, else as they were when the window asked. */
function Machine() {
  const t = useTranslate();
  const asked = useStatus()?.machine;
  const sample = useLiveState((state) => state.resources) ?? asked;
  if (sample === undefined) return null;
  const { cpu, cores, memory, disk, gpus } = sample;
  return (
    <>
      {cpu !== null && (
        <Figure title={t('frame.status.cpu.title', { cores })}>
          {t('frame.status.cpu', { share: percentText(cpu, 0) })}
        </Figure>
      )}
      <Figure title={t('frame.status.memory.title')}>
        {t('frame.status.memory', { used: bytesText(memory.used), total: bytesText(memory.total) })}
      </Figure>
      {gpus.length > 0 && <Cards gpus={gpus} />}
      {disk !== null && (
        <Figure title={t('frame.status.disk.title')}>
          {t('frame.status.disk', { free: bytesText(disk.free) })}
        </Figure>
      )}
    </>
  );
}

/** One card in figures; of several the busiest, as there is room for one, and each in the tooltip. */
export function Cards({ gpus }: { gpus: readonly GpuSample[] }) {
  const t = useTranslate();
  const figures = gpus.map(({ busy, memoryUsed, memoryTotal }) =>
    t('frame.status.gpu', {
      share: busy === null ? 'none' : percentText(busy, 0),
      used: memoryUsed === null ? 'none' : bytesText(memoryUsed),
      total: memoryTotal === null ? '?' : bytesText(memoryTotal),
    }),
  );
  const told = gpus.flatMap(({ busy }) => busy ?? []);
  return (
    <Figure title={gpus.map(({ index, name }, at) => `${index}: ${name}, ${figures[at]}`).join('\n')}>
      {gpus.length === 1
        ? figures[0]
        : t('frame.status.gpus', {
            n: gpus.length,
            share: told.length === 0 ? 'none' : percentText(Math.max(...told), 0),
          })}
    </Figure>
  );
}

const Figure = ({ title, children }: { title: string; children: ReactNode }) => (
  <span className="numbers" title={title}>
    {children}
  </span>
);

/** From best to worst; the strip shows the worst of each kind. */
const SEVERITY: Record<ChildState['state'], number> = { ready: 0, busy: 1, silent: 2, lost: 3 };

type ChildSummary = { child: ChildState['child']; count: number; worst: ChildState };

/**
 * One line per kind of process that is there: how many, and how the worst of them is doing.
 * @param states read once, then from live events; the later one of a process last.
 */
export function summarizeChildren(
  states: readonly ChildState[],
  atWork: ReadonlySet<string>,
): ChildSummary[] {
  const newest = new Map(states.map((state) => [`${state.child} ${state.runId ?? ''}`, state]));
  // A state of a run that has ended since is history.
  const present = [...newest.values()].filter(({ runId }) => runId === null || atWork.has(runId));
  return (['trainer', 'supervisor', 'runner', 'grader'] as const).flatMap((child) => {
    const own = present
      .filter((state) => state.child === child)
      .sort((a, b) => SEVERITY[b.state] - SEVERITY[a.state]);
    return own[0] === undefined ? [] : [{ child, count: own.length, worst: own[0] }];
  });
}
