import { useTranslate } from '../../i18n/index.ts';
import { lastValue, valueAt } from '../model/layers.ts';
import type { CurveSeries } from '../model/series.ts';
import { seriesColor, seriesDash } from '../model/styles.ts';
import { useCursor, type Cursor } from './cursor.ts';

type LegendProps = {
  series: readonly CurveSeries[];
  hidden: ReadonlySet<string>;
  cursor: Cursor;
  format: (value: number) => string;
  onToggle: (id: string) => void;
};

/** Which line is which, with its value under the cursor, or its newest; a click hides or shows it. */
export function Legend({ series, hidden, cursor, format, onToggle }: LegendProps) {
  const t = useTranslate();
  const at = useCursor(cursor);
  return (
    <ul className="fig-legend">
      {series.map((one, index) => {
        const value = at === null ? lastValue(one) : valueAt(one, at);
        return (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={!hidden.has(one.id)}
              title={t('figure.show', { label: one.label })}
              onClick={() => onToggle(one.id)}
            >
              <svg width={14} height={8} aria-hidden>
                {one.kind === 'dots' ? (
                  <circle cx={7} cy={4} r={3.5} fill={`var(${seriesColor(index)})`} />
                ) : (
                  <line
                    x1={0}
                    x2={14}
                    y1={4}
                    y2={4}
                    stroke={`var(${seriesColor(index)})`}
                    strokeWidth={2}
                    strokeDasharray={seriesDash(index).join(' ')}
                  />
                )}
              </svg>
              <span>{one.label}</span>{' '}
              <span className="numbers">{value === null || value === undefined ? '–' : format(value)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
