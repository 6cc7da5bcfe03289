import './charts.css';

export { Curve } from './curve.tsx';
export { useThrottled } from './curve-parts.tsx';
export { Bars, Sparkline } from './small-charts.tsx';
export { ChartFrame, fileName, saveText } from './chart-frame.tsx';
export {
  printColor,
  seriesColor,
  type ChartTable,
  type CurveMark,
  type CurveRange,
  type CurveSeries,
} from './series.ts';
export { jumpToNow } from './axes.ts';
export { escapeXml, type Bar } from './svg.ts';
export { followedSuites, SCORE_BOUNDS, scoreSeries } from './scores.ts';
