/** Round numbers (1, 2 or 5 times a power of ten) from at or above `low` to at or below `high`, about `count` of them. */
export function niceTicks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) as number) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at += 1)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

/** The axis for these values: a little air at both ends; a constant stands in the middle; `floor` is always part of it. */
export function axisOf(low: number, high: number, floor: number | null): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const [least, most] = floor === null ? [low, high] : [Math.min(low, floor), Math.max(high, floor)];
  if (least === most && least === floor) return [least, least + 1];
  if (least === most) {
    const air = least === 0 ? 1 : Math.abs(least) * 0.1;
    return [least - air, most + air];
  }
  const air = (most - least) * 0.06;
  return [least === floor ? least : least - air, most === floor ? most : most + air];
}
