import 'uplot/dist/uPlot.min.css';
import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react';
import uPlot from 'uplot';
import { envelope } from '../model/envelope.ts';
import type { Layered } from '../model/layers.ts';
import { within } from '../model/series.ts';
import { axisOf } from '../model/ticks.ts';
import { plotOptions, type PlotEvents } from './plot-options.ts';

export type PlotHandle = {
  /** Puts the cursor on this x, here and in the figures that share it; null takes it away. */ point: (
    x: number | null,
  ) => void;
};

type PlotProps = PlotEvents & {
  ref: Ref<PlotHandle>;
  drawn: Layered;
  span: readonly [number, number];
  floor: number | null;
  height: number;
  syncKey: string | null;
  format: (value: number) => string;
};

/** The canvas of a curve. Give it another `key` when its lines, height or theme change; new points and another part of the axis only redraw it. */
export function Plot({
  ref,
  drawn,
  span,
  floor,
  height,
  syncKey,
  format,
  onCursor,
  onDrag,
  onWhole,
}: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [from, to] = span;
  const cursor = useEffectEvent(onCursor);
  const drag = useEffectEvent(onDrag);
  const whole = useEffectEvent(onWhole);
  const make = useEffectEvent((box: HTMLElement) => {
    const look = { layers: drawn.layers, width: box.clientWidth, height, syncKey, format };
    const made = new uPlot(
      plotOptions(look, { onCursor: (x) => cursor(x), onDrag: (a, b) => drag(a, b), onWhole: () => whole() }),
      [[], ...drawn.layers.map(() => [])],
      box,
    );
    plot.current = made;
    show(made, drawn, [from, to], floor);
    return made;
  });
  const resize = useEffectEvent((made: uPlot, width: number) => {
    made.setSize({ width, height });
    show(made, drawn, [from, to], floor);
  });
  useEffect(() => {
    const box = host.current;
    if (box === null) return;
    const made = make(box);
    const observer = new ResizeObserver(() => {
      if (box.clientWidth !== made.width && box.clientWidth > 0) resize(made, box.clientWidth);
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => {
    if (plot.current !== null) show(plot.current, drawn, [from, to], floor);
  }, [drawn, from, to, floor]);
  useImperativeHandle(
    ref,
    () => ({
      point: (x) => {
        const made = plot.current;
        if (made === null) return;
        const left = x === null ? -10 : made.valToPos(x, 'x');
        made.setCursor({ left, top: made.over.clientHeight / 2 });
      },
    }),
    [],
  );
  return <div ref={host} style={{ height }} aria-hidden />;
}

/** At most two points per pixel are given to the canvas; the axis fits what is in view. */
function show(plot: uPlot, { data }: Layered, [from, to]: [number, number], floor: number | null): void {
  const visible = envelope(within(data, from, to), Math.max(50, plot.over.clientWidth));
  let [low, high] = [Infinity, -Infinity];
  for (const column of visible.columns) {
    for (const value of column) {
      if (typeof value !== 'number') continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const [min, max] = axisOf(low, high, floor);
  plot.batch(() => {
    plot.setData([visible.x, ...visible.columns] as uPlot.AlignedData, false);
    plot.setScale('x', { min: from, max: to });
    plot.setScale('y', { min, max });
  });
}
