import './charts.css';
import { barsSvg, layOutBars, seriesColor, type Bar } from '../../electron/figures/index.ts';
import { useElementSize, useTextScale } from '../ui/index.ts';
import { ChartFrame } from './chart-frame.tsx';

type BarsProps = {
  title: string;
  bars: readonly Bar[];
  /** Heads of the table: what a bar is, and what it measures; they name the axes too. */ columns: readonly [
    string,
    string,
  ];
  format: (value: number) => string;
  /** Whether values are seconds. */ isTime?: boolean;
  note?: string;
  /** End of the axis, such as 1 for shares. */ most?: number;
  /** How many times as large it is drawn, letters and bars, in the same width. */ enlarged?: number;
};

/** Horizontal bars, each with its label, its value in words and, where given, its interval. */
export function Bars({ title, bars, columns, format, isTime = false, note, most, enlarged = 1 }: BarsProps) {
  const { ref, width: drawn } = useElementSize();
  const textScale = useTextScale();
  const measured = { name: columns[1], of: columns[0], most: most ?? null, format, isTime };
  const { width, height, left, rows, axis, ticks, name, of } = layOutBars(
    bars,
    measured,
    drawn / enlarged,
    textScale,
  );
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
      svg={() => barsSvg(title, bars, measured)}
      format={format}
      height={Math.max(height * enlarged, 120)}
      aside={note === undefined ? undefined : <span className="fig-note">{note}</span>}
    >
      <div ref={ref}>
        <svg
          className="fig-svg"
          viewBox={`0 0 ${width} ${height}`}
          width="100%"
          role="img"
          aria-label={`${title}: ${bars.map(({ label, value }) => `${label} ${format(value)}`).join(', ')}`}
        >
          {ticks.map(({ at, y, text }) => (
            <g key={at}>
              <line x1={at} x2={at} y1={0} y2={axis} stroke="var(--line)" />
              <text x={at} y={y} textAnchor="middle" className="numbers quiet">
                {text}
              </text>
            </g>
          ))}
          <text x={name.at} y={name.y} textAnchor="middle" className="quiet">
            {measured.name}
          </text>
          {of.map(({ text, y }) => (
            <text key={y} x={left - 8} y={y} textAnchor="end" className="quiet">
              {text}
            </text>
          ))}
          {rows.map(({ bar: { id, value, color = 0 }, lines, middle, start, end, whisker }) => (
            <g key={id}>
              {lines.map(({ text, y }) => (
                <text key={y} x={left - 8} y={y} dy={4} textAnchor="end">
                  {text}
                </text>
              ))}
              <rect
                x={start}
                y={middle - 7}
                width={end - start}
                height={14}
                rx={1.5}
                fill={`var(${seriesColor(color)})`}
              />
              {whisker !== null && (
                <path
                  d={`M${whisker[0]} ${middle}H${whisker[1]}`}
                  stroke="var(--mantine-color-text)"
                  strokeWidth={1.5}
                />
              )}
              <text x={width - 2} y={middle} dy={4} textAnchor="end" className="numbers">
                {format(value)}
              </text>
            </g>
          ))}
        </svg>
      </div>
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
