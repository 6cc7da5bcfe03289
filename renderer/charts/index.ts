import './charts.css';

export { Curve } from './curve.tsx';
export { useThrottled } from './curve-parts.tsx';
export { Bars, Sparkline } from './small-charts.tsx';
export { ChartFrame } from './chart-frame.tsx';
export {
  escapeXml,
  followedSuites,
  jumpToNow,
  layOutSpans,
  niceTicks,
  picture,
  printColor,
  SCORE_BOUNDS,
  scoreSeries,
  secondsByStage,
  seriesColor,
  SPANS,
  spansSvg,
  stageAlong,
  timeTicks,
  type Bar,
  type ChartTable,
  type CurveLimit,
  type CurveMark,
  type WiresOfRun,
  type CurveRange,
  type CurveSeries,
  type HeatColumn,
  type SpanBlock,
} from '../../electron/figures/index.ts';
export { wiresOfAllSuites, wiresOfSuite } from './wire-words.ts';
export { Heat } from './heat.tsx';
