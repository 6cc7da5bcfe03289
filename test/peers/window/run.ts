/**
 * Measures the window against its budgets on a run of 100,000 records and 500 steps: the real engine, the real host, the built
 * bundle and Chromium. The run is generated once and kept in the system's temporary folder.
 * Usage: node test/peers/window/run.ts [--json FILE] [--only reading,scrolling,feeding,memory,starting] [--seconds 60] [--minutes 10]
 * `--seconds` is the length of the feed of 1,000 events a second, `--minutes` that of the watch over the page's memory.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildWindow, noChromium, openWindow } from '../../e2e/window/open-window.ts';
import { machine } from '../support/figures.ts';
import { bigLab } from './big-lab.ts';
import { feeding, memory } from './feeding.ts';
import { heldFigure, isWithin, quantile, table, type Measured } from './measured.ts';
import { reading } from './reading.ts';
import { RECIPE, RECORDS } from './recipe.ts';
import { scrolling } from './scrolling.ts';
import { starting } from './starting.ts';

const PARTS = ['reading', 'scrolling', 'feeding', 'memory', 'starting'] as const;
const SCROLL_S = 10;
const STARTS = 5;

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: PARTS.join(',') },
    seconds: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '10' },
  },
});
const wanted = new Set(values.only.split(','));
const unknown = [...wanted].find((name) => !(PARTS as readonly string[]).includes(name));
if (unknown !== undefined) throw new Error(`--only knows ${PARTS.join(', ')}, not "${unknown}".`);
const number = (name: 'seconds' | 'minutes'): number => {
  const value = Number(values[name]);
  if (!(value > 0)) throw new Error(`--${name} takes a number above 0, not "${values[name]}".`);
  return value;
};
const [seconds, minutes] = [number('seconds'), number('minutes')];
if (noChromium !== null) throw new Error(noChromium);

const tell = (line: string): void => void process.stderr.write(`${line}\n`);
buildWindow();
const labFolder = await bigLab(tell);
const all: Measured[] = [];
const part = async (name: (typeof PARTS)[number], measure: () => Promise<Measured[]>): Promise<void> => {
  if (!wanted.has(name)) return;
  tell(`measuring: ${name}`);
  all.push(...(await measure()));
};

const window = await openWindow({ labFolder, reducedMotion: 'no-preference' });
try {
  await part('reading', () => reading(window));
  await part('scrolling', () => scrolling(window, SCROLL_S));
  await part('feeding', () => feeding(window, seconds));
  await part('memory', () => memory(window, minutes));
  for (const complaint of window.complaints) tell(`the page complained: ${complaint}`);
} finally {
  // The engine gives the lab up before another one opens it; the browser stays for it.
  await window.host.close();
  await window.engine.close();
}
try {
  await part('starting', () => starting(window.browser, labFolder, STARTS));
} finally {
  await window.browser.close();
}
process.stdout.write(`${RECORDS.toLocaleString('en')} records in ${RECIPE.steps} steps\n${table(all)}\n`);
if (values.json !== undefined) {
  const figures = all.map((one) => ({
    ...one,
    median: quantile(one.values, 0.5),
    p95: quantile(one.values, 0.95),
    held: heldFigure(one),
    within: isWithin(one),
  }));
  writeFileSync(
    values.json,
    `${JSON.stringify({ machine: machine(), records: RECORDS, steps: RECIPE.steps, figures }, null, 2)}\n`,
  );
}
process.exitCode = all.every(isWithin) ? 0 : 1;
