import { useEffect, useRef, useState, useSyncExternalStore, type KeyboardEvent } from 'react';
import { useTranslate, type Translate } from '../i18n/index.ts';
import { VisuallyHidden, Button, Popover, Slider, Text } from '../ui/index.ts';
import {
  lastValue,
  lookOf,
  valueAt,
  seriesColor,
  seriesDash,
  MOST_SMOOTHING,
  nearest,
  zoomed,
  type CurveSeries,
  type CurveRange,
} from '../../electron/figures/index.ts';

/**
 * Where the crosshair stands. It moves with the mouse, so it is kept apart from the figure's state: only what shows the values under it
 * is drawn again.
 */
type Cursor = {
  get: () => number | null;
  set: (x: number | null) => void;
  subscribe: (listener: () => void) => () => void;
};

export function makeCursor(): Cursor {
  let at: number | null = null;
  const listeners = new Set<() => void>();
  return {
    get: () => at,
    set: (x) => {
      if (x === at) return;
      at = x;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The x of the crosshair; null while there is none. */
const useCursor = (cursor: Cursor): number | null => useSyncExternalStore(cursor.subscribe, cursor.get);

type LegendProps = {
  series: readonly CurveSeries[];
  hidden: ReadonlySet<string>;
  cursor: Cursor;
  /** The part of the x axis that is shown. */
  span: readonly [number, number];
  format: (value: number) => string;
  onToggle: (id: string) => void;
};

/** Which line is which, with its value under the cursor, or the newest of those shown; a click hides or shows it. */
export function Legend({ series, hidden, cursor, span, format, onToggle }: LegendProps) {
  const t = useTranslate();
  const at = useCursor(cursor);
  return (
    <ul className="fig-legend">
      {series.map((one, index) => {
        const value = at === null ? lastValue(one, span) : valueAt(one, at);
        return (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={!hidden.has(one.id)}
              title={t('figure.show', { label: one.label })}
              onClick={() => onToggle(one.id)}
            >
              <svg width={14} height={8} aria-hidden>
                <line
                  x1={0}
                  x2={14}
                  y1={4}
                  y2={4}
                  stroke={`var(${seriesColor(lookOf(one, index).color)})`}
                  strokeWidth={2}
                  strokeDasharray={seriesDash(lookOf(one, index).dash).join(' ')}
                />
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

type SpokenValuesProps = {
  cursor: Cursor;
  series: readonly CurveSeries[];
  hidden: ReadonlySet<string>;
  xLabel: string;
  format: (value: number) => string;
};

const SPEECH_MS = 400; // a held arrow key would otherwise queue up sentences

/** Says politely what the curve shows under the crosshair. */
export function SpokenValues({ cursor, series, hidden, xLabel, format }: SpokenValuesProps) {
  const t = useTranslate();
  const at = useCursor(cursor);
  const spoken = useThrottled(
    at === null
      ? ''
      : sentence(
          t,
          xLabel,
          at,
          series.filter(({ id }) => !hidden.has(id)),
          format,
        ),
    SPEECH_MS,
  );
  return <VisuallyHidden aria-live="polite">{spoken}</VisuallyHidden>;
}

function sentence(
  t: Translate,
  xLabel: string,
  x: number,
  series: readonly CurveSeries[],
  format: (value: number) => string,
): string {
  const values = series.flatMap((one) => {
    const value = valueAt(one, x);
    if (value === undefined) return [];
    return [
      value === null
        ? t('figure.noValue', { label: one.label })
        : t('figure.value', { label: one.label, value: `${format(value)}${bandText(one, x, format)}` }),
    ];
  });
  return values.length === 0
    ? t('figure.nothingAt', { xLabel, x })
    : t('figure.at', { xLabel, x, values: values.join(', ') });
}

/** The ends of a series' band at this x, in brackets; nothing where it has none. */
function bandText({ x, band }: CurveSeries, at: number, format: (value: number) => string): string {
  const [low, high] = [band?.low, band?.high].map((y) => (y === undefined ? null : valueAt({ x, y }, at)));
  return low == null || high == null ? '' : ` [${format(low)}, ${format(high)}]`;
}

/** How strongly the lines are smoothed, always in sight, and the slider to change it. */
export function SmoothingChip({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const t = useTranslate();
  return (
    <Popover width={280} withArrow trapFocus returnFocus position="bottom-end">
      <Popover.Target>
        <Button variant="default" size="compact-xs" radius="xl" fw={400} style={{ flex: 'none' }}>
          {t('figure.smoothing', { value: value.toFixed(2) })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="xs" mb="xs">
          {t('figure.smoothing.text')}
        </Text>
        <Slider
          min={0}
          max={MOST_SMOOTHING}
          step={0.01}
          value={value}
          onChange={onChange}
          label={(shown) => shown.toFixed(2)}
          thumbLabel={t('figure.smoothing.value')}
          data-autofocus
        />
      </Popover.Dropdown>
    </Popover>
  );
}

const LARGE_STEP = 10;
const ZOOM = { '+': 0.5, '=': 0.5, '-': 2 } as const;

type CurveKeys = {
  x: readonly number[];
  at: number | null;
  span: readonly [number, number];
  extent: readonly [number, number] | null;
  range: CurveRange | null;
  onPoint: (x: number | null) => void;
  onRange: (range: CurveRange | null) => void;
};

/** What a key does while a curve has the focus; one that does nothing here is left to the page. */
export function pressCurveKey(
  event: KeyboardEvent,
  { x, at, span, extent, range, onPoint, onRange }: CurveKeys,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey || extent === null) return;
  const [first, last] = [nearest(x, span[0]), nearest(x, span[1])];
  const place = at === null ? last : nearest(x, at);
  const stride = event.shiftKey ? LARGE_STEP : 1;
  const targets: Record<string, number> = {
    ArrowLeft: at === null ? last : place - stride,
    ArrowRight: at === null ? first : place + stride,
    PageUp: place - LARGE_STEP,
    PageDown: place + LARGE_STEP,
    Home: first,
    End: last,
  };
  const target = targets[event.key];
  if (target !== undefined) onPoint(x[Math.min(last, Math.max(first, target))] ?? null);
  else if (event.key in ZOOM)
    onRange(zoomed(range, extent, at ?? (span[0] + span[1]) / 2, ZOOM[event.key as keyof typeof ZOOM]));
  else if (event.key === '0') onRange(null);
  else if (event.key === 'Escape' && at !== null) onPoint(null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The value, passed on at most once per `milliseconds`; the last one always arrives. */
export function useThrottled<T>(value: T, milliseconds: number): T {
  const [shown, setShown] = useState(value);
  const lastAt = useRef(-Infinity);
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + milliseconds - performance.now());
    const timer = window.setTimeout(() => {
      lastAt.current = performance.now();
      setShown(value);
    }, wait);
    return () => window.clearTimeout(timer);
  }, [value, milliseconds]);
  return shown;
}
