import { parseArgs } from 'node:util';
import { PLANTS, type Plant } from './plants.ts';

export type Options = {
  seed: number;
  /** When to begin no further seed; null where one seed is all. */
  until: { minutes: number } | { steps: number } | null;
  plant: Plant | null;
  /** Where the trace of the last seed goes. */
  trace: string | null;
};

export const HELP = `npm run sim -- [options]

The engine over a simulated machine: time, disk and children are simulated, and each seed has faults of its own.

  --seed N         the first seed, or the only one (1)
  --minutes M      go on with the next seeds for so long
  --steps N        go on with the next seeds for so many simulated steps
  --trace FILE     write what happened in the last seed, line by line
  --plant NAME     with a planted fault of the engine, which has to be found: ${Object.keys(PLANTS).join(', ')}
`;

/** @throws an Error with one sentence about what is wrong. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string' },
      steps: { type: 'string' },
      trace: { type: 'string' },
      plant: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const whole = (name: 'seed' | 'minutes' | 'steps', text: string): number => {
    if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} takes a whole number, not "${text}".`);
    return Number(text);
  };
  if (values.minutes !== undefined && values.steps !== undefined)
    throw new Error('Give --minutes or --steps, not both.');
  if (values.plant !== undefined && !Object.hasOwn(PLANTS, values.plant))
    throw new Error(`--plant takes ${Object.keys(PLANTS).join(', ')}, not "${values.plant}".`);
  return {
    seed: whole('seed', values.seed),
    until:
      values.minutes !== undefined
        ? { minutes: whole('minutes', values.minutes) }
        : values.steps !== undefined
          ? { steps: whole('steps', values.steps) }
          : null,
    plant: (values.plant as Plant | undefined) ?? null,
    trace: values.trace ?? null,
  };
}
