/** How the n-th series of a figure is told from the others: by colour and by dashes. Colours are the variables of charts.css. */
const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [5, 2],
  [1, 4],
  [12, 4, 4, 4],
  [6, 6],
];

export const SERIES_COLORS = DASHES.length;
export const seriesColor = (index: number): string => `--series-${(index % SERIES_COLORS) + 1}`;
export const seriesDash = (index: number): readonly number[] => DASHES[index % DASHES.length] ?? [];

/** On paper: the light theme's colours, by the same index. */
const PRINT = ['#0b5cad', '#b3480a', '#0a6e55', '#8a2f86', '#6b5b00', '#b3261e', '#3d4f8f', '#4a4a4a'];
export const printColor = (index: number): string => PRINT[index % PRINT.length] as string;
