import './charts.css';

export { Sparkline } from './sparkline.tsx';
export { Curve, type CurveProps } from './curve/curve.tsx';
export { ChartFrame } from './parts/chart-frame.tsx';
export { Bars, type Bar } from './parts/bars.tsx';
export { DotsWithBand, type Dot } from './parts/dots-with-band.tsx';
export { useThrottled } from './curve/use-throttled.ts';
export { printColor, seriesColor } from './model/styles.ts';
export { jumpToNow } from './model/range.ts';
export { escapeXml } from './model/curve-svg.ts';
export type { ChartTable } from './model/table.ts';
export type { CurveRange, CurveSeries } from './model/series.ts';
export { fileName, saveText } from './parts/save-text.ts';
