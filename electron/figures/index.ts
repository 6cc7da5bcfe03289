export {
  axisOf,
  draggedRange,
  envelope,
  isHeld,
  jumpToNow,
  niceTicks,
  shownSpan,
  timeTicks,
  zoomed,
} from './axes.ts';
export { barsSvg, barScale, layOutBars, type Bar, type BarAxis, type BarsLayout } from './bars.ts';
export {
  comparedRow,
  comparedScores,
  configRows,
  median,
  setUps,
  type ComparedRow,
  type RunScores,
} from './compared.ts';
export { curveSvg } from './curve-picture.ts';
export { HEAT, heatPaths, heatSvg, meanPath, rowAt, type HeatColumn } from './heat.ts';
export { escapeXml, picture } from './picture.ts';
export { layOutSpans, secondsByStage, SPANS, spansSvg, stageAlong, type SpanBlock } from './spans.ts';
export { followedSuites, SCORE_BOUNDS, scoreSeries } from './scores.ts';
export {
  align,
  extentOf,
  lastValue,
  layered,
  lookOf,
  MOST_SMOOTHING,
  nearest,
  printColor,
  seriesColor,
  seriesDash,
  smooth,
  tableOf,
  usualSmoothing,
  valueAt,
  within,
  type ChartTable,
  type CurveLimit,
  type CurveMark,
  type CurveRange,
  type CurveSeries,
  type Layer,
  type Layered,
} from './series.ts';
export { placeLimits, wireMarks, type WiresOfRun } from './wires.ts';
