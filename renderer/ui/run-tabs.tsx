import { Link } from '@tanstack/react-router';
import { useTranslate } from '../i18n/index.ts';

const TABS = [
  { id: 'live', path: '/runs/$runId', search: { tab: 'live' } },
  { id: 'records', path: '/runs/$runId/records', search: {} },
  { id: 'context', path: '/runs/$runId/context', search: {} },
  { id: 'overview', path: '/runs/$runId', search: { tab: 'overview' } },
] as const;

export type RunTab = (typeof TABS)[number]['id'];

/** The rooms of one run, as links; `active` is the one that is shown. */
export function RunTabs({ runId, active }: { runId: string; active: RunTab }) {
  const t = useTranslate();
  return (
    <nav className="kit-tabs" aria-label={t('run.tabs')}>
      {TABS.map(({ id, path, search }) => (
        <Link
          key={id}
          to={path as never}
          params={{ runId } as never}
          search={search as never}
          aria-current={id === active ? 'page' : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {t(`run.tab.${id}`)}
        </Link>
      ))}
    </nav>
  );
}
