import uPlot from 'uplot';
import { placeLimits, type CurveLimit, type CurveMark } from '../../electron/figures/index.ts';

/** A colour of the theme as the canvas needs it. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Letters of the figures at the axes. */
export const canvasFont = (px: number): string => `${px}px Inter, "Segoe UI", sans-serif`;

/** A line across the figure with a flag at its top. */
export function drawMarks(plot: uPlot, marks: readonly CurveMark[]): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour('--bad');
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const { x } of marks) {
    const at = Math.round(plot.valToPos(x, 'x', true));
    if (at < bbox.left || at > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at + 9 * ratio, bbox.top + 4 * ratio);
    ctx.lineTo(at, bbox.top + 8 * ratio);
    ctx.fill();
  }
  ctx.restore();
}

/** A line along the figure at each limit that is in view, with its words on it. */
export function drawLimits(plot: uPlot, limits: readonly CurveLimit[], fontPx: number): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const [left, right, top, bottom] = [bbox.left, bbox.left + bbox.width, bbox.top, bbox.top + bbox.height];
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour('--bad');
  ctx.font = canvasFont(fontPx * ratio);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  const seen = limits
    .map(({ y, short, isFloor }) => ({
      short,
      isFloor,
      at: Math.round(plot.valToPos(y, 'y', true)),
      width: ctx.measureText(short).width,
    }))
    .filter(({ at }) => at >= top && at <= bottom);
  ctx.lineWidth = 1.25 * ratio;
  ctx.setLineDash([8 * ratio, 4 * ratio]);
  for (const { at } of seen) {
    ctx.beginPath();
    ctx.moveTo(left, at);
    ctx.lineTo(right, at);
    ctx.stroke();
  }
  // A rim in the panel's colour keeps the words apart from curves behind them.
  ctx.setLineDash([]);
  ctx.lineWidth = 3 * ratio;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = colour('--panel');
  placeLimits(seen, { left, top, bottom, height: fontPx * ratio }).forEach(({ x, y }, index) => {
    const { short } = seen[index]!;
    ctx.strokeText(short, x, y);
    ctx.fillText(short, x, y);
  });
  ctx.restore();
}
