import '../charts.css';
import { BAR, barsHeight, barScale, barsSvg, type Bar } from '../model/static-svg.ts';
import { seriesColor } from '../model/styles.ts';
import { ChartFrame } from './chart-frame.tsx';

export type { Bar } from '../model/static-svg.ts';

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
