import '../charts.css';
import { DOTS, dotPlaces, dotsSvg, type Dot } from '../model/static-svg.ts';
import { seriesColor } from '../model/styles.ts';
import { ChartFrame } from './chart-frame.tsx';

export type { Dot } from '../model/static-svg.ts';

type DotsWithBandProps = {
  title: string;
  dots: readonly Dot[];
  /** Heads of the table: x, y, ends of the band. */ columns: readonly [string, string, string, string];
  format: (value: number) => string;
  note?: string;
  floor?: number;
  height?: number;
};

const WIDTH = 640;

/** Measured points over x with the band of their uncertainty. Nothing is drawn between points but the band. */
export function DotsWithBand({ title, dots, columns, format, note, floor, height = 220 }: DotsWithBandProps) {
  const sorted = dots.toSorted((a, b) => a.x - b.x);
  const { atX, atY, band, xTicks, yTicks } = dotPlaces(sorted, WIDTH, height, floor ?? null);
  const table = () => ({
    columns: [...columns],
    rows: sorted.map(({ x, y, low, high }) => [x, y, low, high]),
  });
  return (
    <ChartFrame
      title={title}
      table={table}
      svg={() => dotsSvg(title, sorted, floor ?? null, format)}
      format={format}
      height={height}
      aside={note === undefined ? undefined : <span className="fig-note">{note}</span>}
    >
      <svg
        className="fig-svg"
        viewBox={`0 0 ${WIDTH} ${height}`}
        width="100%"
        role="img"
        aria-label={`${title}: ${sorted.map(({ x, y }) => `${x} ${format(y)}`).join(', ')}`}
      >
        {yTicks.map((tick) => (
          <g key={tick}>
            <path d={`M${DOTS.left} ${atY(tick)}H${WIDTH - DOTS.right}`} stroke="var(--line)" />
            <text x={DOTS.left - 6} y={atY(tick)} dy={4} textAnchor="end" className="quiet">
              {format(tick)}
            </text>
          </g>
        ))}
        {xTicks.map((tick) => (
          <text key={tick} x={atX(tick)} y={height - 8} textAnchor="middle" className="quiet">
            {tick}
          </text>
        ))}
        <path d={band} fill={`var(${seriesColor(0)})`} fillOpacity={0.18} />
        {sorted.map(({ x, y }) => (
          <circle key={x} cx={atX(x)} cy={atY(y)} r={3.5} fill={`var(${seriesColor(0)})`} />
        ))}
      </svg>
    </ChartFrame>
  );
}
