import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECKOUT } from './engine/application.ts';

export const PARTS = ['kills', 'power', 'faults'] as const;
export type Part = (typeof PARTS)[number];
export type Options = { kills: number; images: number; seed: number; state: string; parts: Part[] };

export const HELP = `npm run torture -- [options]

Kills, power cuts and faults against short runs. What was done is kept, so that a run that is interrupted goes on where it was.

  --kills N        kill -9 until N are done (1000)
  --images N       power cuts played back with each of synchronous=FULL and NORMAL (500)
  --seed N         of all random moments (1)
  --state FOLDER   where kills and the summary are kept (out/torture)
  --only PART      kills, power or faults; may be given more than once (all)
  --list           print the table of faults and what is promised for each, and do nothing
`;

/** @throws an Error with one sentence about what is wrong. */
export function readOptions(args: readonly string[]): Options | 'help' | 'list' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: 'string', default: '1000' },
      images: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      state: { type: 'string', default: join(CHECKOUT, 'out/torture') },
      only: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.list) return 'list';
  const whole = (name: 'kills' | 'images' | 'seed'): number => {
    if (!/^\d{1,9}$/.test(values[name]))
      throw new Error(`--${name} takes a whole number, not "${values[name]}".`);
    return Number(values[name]);
  };
  const wrong = values.only.find((part) => !(PARTS as readonly string[]).includes(part));
  if (wrong !== undefined) throw new Error(`--only takes ${PARTS.join(', ')}, not "${wrong}".`);
  return {
    kills: whole('kills'),
    images: whole('images'),
    seed: whole('seed'),
    state: resolve(values.state),
    parts: values.only.length === 0 ? [...PARTS] : PARTS.filter((part) => values.only.includes(part)),
  };
}
