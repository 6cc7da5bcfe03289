import type { SaidAndWas } from '../contract/index.ts';
import { formatDuration } from './table.ts';

/** "Time of all 24 steps: said 12 min 05 s, was 15 min 10 s." with how busy the machine was when it was said and when it was. */
export function saidAndWasText({
  steps,
  of,
  said,
  was,
  measuredUnder,
  saidUnder,
  tookUnder,
}: SaidAndWas): string {
  const [low, high] = [said.low, said.high].map(formatDuration);
  const which = steps < of ? `the first ${steps} of ${of} steps` : `all ${of} steps`;
  const cores = saidUnder?.cores ?? measuredUnder?.cores ?? null;
  const loads = [
    measuredUnder === null ? null : `${measuredUnder.others.toFixed(1)} as it was measured`,
    saidUnder === null ? null : `${saidUnder.others.toFixed(1)} as it was said`,
    tookUnder === null ? null : `${tookUnder.toFixed(1)} during the steps`,
  ].filter((load) => load !== null);
  return (
    `Time of ${which}: said ${low === high ? low : `${low} to ${high}`}, was ${formatDuration(was)}.` +
    (loads.length === 0 || cores === null
      ? ''
      : ` Of ${cores} processors everything else kept busy: ${loads.join(', ')}.`)
  );
}
