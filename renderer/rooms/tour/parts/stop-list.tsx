import { VisuallyHidden } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { STOPS, type Stop } from '../model.ts';

/** The nine stops; done ones carry a mark. */
export function StopList({
  stop,
  done,
  onGo,
}: {
  stop: Stop;
  done: ReadonlySet<Stop>;
  onGo: (stop: Stop) => void;
}) {
  const t = useTranslate();
  return (
    <nav className="tour-list" aria-label={t('tour.stops')}>
      <ol>
        {STOPS.map((each, index) => {
          const title = t(`tour.${each}.title`);
          return (
            <li key={each}>
              <button
                type="button"
                aria-current={each === stop ? 'step' : undefined}
                onClick={() => onGo(each)}
              >
                <span className="tour-number" data-done={done.has(each)} aria-hidden>
                  {done.has(each) ? '✓' : index + 1}
                </span>
                <span>{title}</span>
                {done.has(each) && <VisuallyHidden>{t('tour.stop.done')}</VisuallyHidden>}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
