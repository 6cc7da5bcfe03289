import './charts.css';
import { BAR, barsHeight, barScale, barsSvg, type Bar } from './svg.ts';
import { seriesColor } from './series.ts';
import { ChartFrame } from './chart-frame.tsx';

type BarsProps = {
  title: string;
  bars: readonly Bar[];
  /** Heads of the table: what a bar is and what it measures. */ columns: readonly [string, string];
  format: (value: number) => string;
  note?: string;
  /** End of the axis, such as 1 for shares. */ most?: number;
};

/** Horizontal bars, each with its label, its value in words and, where given, its interval. */
export function Bars({ title, bars, columns, format, note, most }: BarsProps) {
  const scale = barScale(bars, most ?? null);
  const height = barsHeight(bars);
  const span = 400;
  const hasInterval = bars.some(({ low }) => low !== undefined);
  const table = () => ({
    columns: hasInterval ? [...columns, '2.5 %', '97.5 %'] : [...columns],
    rows: bars.map(({ label, value, low = null, high = null }) =>
      hasInterval ? [label, value, low, high] : [label, value],
    ),
  });
  return (
    <ChartFrame
      title={title}
      table={table}
      svg={() => barsSvg(title, bars, most ?? null, format)}
      format={format}
      height={Math.max(height, 120)}
      aside={note === undefined ? undefined : <span className="fig-note">{note}</span>}
    >
      <svg
        className="fig-svg"
        viewBox={`0 0 ${BAR.label + span + BAR.value} ${height}`}
        width="100%"
        role="img"
        aria-label={`${title}: ${bars.map(({ label, value }) => `${label} ${format(value)}`).join(', ')}`}
      >
        {bars.map(({ id, label, value, low, high, color = 0 }, index) => {
          const middle = BAR.top + index * BAR.row + BAR.row / 2;
          const start = scale(Math.min(0, value)) * span;
          return (
            <g key={id}>
              <text x={BAR.label - 8} y={middle} dy={4} textAnchor="end">
                {label}
              </text>
              <rect
                x={BAR.label + start}
                y={middle - 7}
                width={scale(Math.max(0, value)) * span - start}
                height={14}
                rx={1.5}
                fill={`var(${seriesColor(color)})`}
              />
              {low !== undefined && high !== undefined && (
                <path
                  d={`M${BAR.label + scale(low) * span} ${middle}H${BAR.label + scale(high) * span}`}
                  stroke="var(--mantine-color-text)"
                  strokeWidth={1.5}
                />
              )}
              <text
                x={BAR.label + span + BAR.value - 2}
                y={middle}
                dy={4}
                textAnchor="end"
                className="numbers"
              >
                {format(value)}
              </text>
            </g>
          );
        })}
      </svg>
    </ChartFrame>
  );
}

/** A run's values in a table cell: a line without axes. `label` says in words what it shows. */
export function Sparkline({
  values,
  label,
  width = 88,
  height = 20,
}: {
  values: readonly number[];
  label: string;
  width?: number;
  height?: number;
}) {
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const at = (value: number, index: number): string => {
    const x = 1 + (index / (values.length - 1)) * (width - 2);
    // A constant series is a line in the middle, not one at the bottom.
    const y = span === 0 ? height / 2 : height - 2 - ((value - low) / span) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  return (
    <svg width={width} height={height} role="img" aria-label={label}>
      <polyline
        points={values.map(at).join(' ')}
        fill="none"
        stroke="var(--mantine-primary-color-filled)"
        strokeWidth={1.5}
        strokeLinejoin="round"
      />
    </svg>
  );
}
