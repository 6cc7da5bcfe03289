import { useState } from 'react';
import {
  HEAT,
  heatPaths,
  heatSvg,
  meanPath,
  rowAt,
  seriesColor,
  type HeatColumn,
} from '../../electron/figures/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { useElementSize, useTextScale } from '../ui/index.ts';
import { ChartFrame } from './chart-frame.tsx';

type HeatProps = {
  title: string;
  /** Columns for a strip that has room for `most` of them. */
  columnsFor: (most: number) => readonly HeatColumn[];
  /** What the rows are, from the bottom, one for each count of a column. */
  rowLabels: readonly string[];
  /** What the columns are: heads the first column of the table twin. */
  xLabel: string;
  /** A column in words, for who points at it. */
  cellText: (column: HeatColumn) => string;
  note: string;
  empty: string;
  /** Ends of the values that are kept, from 0 in the lowest row to 1 in the highest; each is drawn as a line. */
  kept?: readonly number[] | null;
};

/** How values are spread over rows, column by column: the darker, the larger its share of the column; a line goes through the means. */
export function Heat({
  title,
  columnsFor,
  rowLabels,
  xLabel,
  cellText,
  note,
  empty,
  kept = null,
}: HeatProps) {
  const t = useTranslate();
  const { ref, width } = useElementSize();
  const [at, setAt] = useState<number | null>(null);
  const textScale = useTextScale();
  const left = HEAT.left * textScale;
  const room = Math.max(120, Math.floor(width) - left - HEAT.right);
  const columns = columnsFor(Math.floor(room / HEAT.leastColumn));
  const each = Math.min(HEAT.mostColumn, room / Math.max(1, columns.length));
  const place = { each, rows: rowLabels.length };
  const drawn = rowLabels.length * HEAT.row;
  const height = drawn + HEAT.bottom * textScale + HEAT.top;
  const shown = at === null ? undefined : columns[at];
  const [first, last] = [columns[0], columns.at(-1)];
  return (
    <ChartFrame
      title={title}
      table={() => ({
        columns: [xLabel, ...rowLabels, t('figure.mean')],
        rows: columns.map(({ from, to, counts, mean }) => [
          from === to ? from : `${from}–${to}`,
          ...counts,
          mean,
        ]),
      })}
      svg={() => heatSvg(title, columns, rowLabels, xLabel, kept ?? [])}
      format={(value) => value.toLocaleString('en', { maximumFractionDigits: 3 })}
      height={height}
      aside={<span className="fig-note numbers">{shown === undefined ? note : cellText(shown)}</span>}
    >
      <div ref={ref}>
        {first === undefined || last === undefined ? (
          <div className="fig-empty" style={{ height }}>
            {empty}
          </div>
        ) : (
          <svg
            width="100%"
            height={height}
            className="fig-svg fig-heat"
            role="img"
            aria-label={`${title}: ${cellText({ ...sumOf(columns), from: first.from, to: last.to })}`}
            onPointerMove={(event) => {
              const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
              const column = Math.floor(x / each);
              setAt(column >= 0 && column < columns.length ? column : null);
            }}
            onPointerLeave={() => setAt(null)}
          >
            {rowLabels.map((label, row) =>
              row % HEAT.labelEvery === 0 ? (
                <text
                  key={label}
                  x={left - 6}
                  y={HEAT.top + drawn - (row + 0.5) * HEAT.row}
                  dy={4}
                  textAnchor="end"
                  className="numbers"
                >
                  {label}
                </text>
              ) : null,
            )}
            <g transform={`translate(${left} ${HEAT.top})`}>
              <rect width={columns.length * each} height={drawn} fill="var(--ground)" />
              {heatPaths(columns, place).map(({ level, path }) => (
                <path key={level} d={path} fill={`var(${seriesColor(0)})`} fillOpacity={level} />
              ))}
              {(kept ?? []).map((end) => (
                <path
                  key={end}
                  d={`M0 ${rowAt(end, place.rows)}h${columns.length * each}`}
                  stroke={`var(${seriesColor(2)})`}
                  strokeWidth={1.5}
                  strokeDasharray="5 3"
                />
              ))}
              <path
                d={meanPath(columns, place)}
                fill="none"
                stroke={`var(${seriesColor(1)})`}
                strokeWidth={2}
                strokeLinejoin="round"
              />
              {at !== null && (
                <rect
                  x={at * each}
                  width={Math.max(1, each)}
                  height={drawn}
                  fill="none"
                  stroke="var(--mantine-color-text)"
                />
              )}
            </g>
            <text x={left} y={height - 4} className="numbers">
              {`${xLabel} ${first.from}`}
            </text>
            {columns.length > 1 && (
              <text
                x={left + columns.length * each}
                y={height - 4}
                textAnchor={columns.length * each < HEAT.labelRoom * textScale ? 'start' : 'end'}
                className="numbers"
              >
                {last.to}
              </text>
            )}
          </svg>
        )}
      </div>
    </ChartFrame>
  );
}

/** All columns as one. */
function sumOf(columns: readonly HeatColumn[]): Pick<HeatColumn, 'counts' | 'mean'> {
  const rows = columns[0]?.counts.length ?? 0;
  const total = columns.reduce((sum, { counts }) => sum + counts.reduce((all, n) => all + n, 0), 0);
  const weighted = columns.reduce(
    (sum, { counts, mean }) => sum + (mean ?? 0) * counts.reduce((all, n) => all + n, 0),
    0,
  );
  return {
    counts: Array.from({ length: rows }, (_, row) =>
      columns.reduce((sum, { counts }) => sum + (counts[row] ?? 0), 0),
    ),
    mean: total === 0 ? null : weighted / total,
  };
}
