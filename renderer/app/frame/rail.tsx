import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../i18n/index.ts';
import { ROOMS } from '../rooms.ts';

const RAIL = ROOMS.flatMap((room) => (room.rail === null ? [] : [{ id: room.id, ...room.rail }])).sort(
  (a, b) => a.order - b.order,
);

/** The rooms, at the left. */
export function Rail() {
  const t = useTranslate();
  return (
    <nav className="app-rail" aria-label={t('frame.rooms')}>
      {RAIL.map(({ id, title, icon: Icon, path }) => (
        <Link
          key={id}
          to={path as never}
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ exact: false, includeSearch: false }}
        >
          <Icon size={22} stroke={1.6} />
          <span>{t(title)}</span>
        </Link>
      ))}
    </nav>
  );
}
