import { cpus } from 'node:os';
import { join } from 'node:path';
import { DEMO_FRAMEWORKS } from '../../evolution/index.ts';
import { writeWholeFile } from '../../library/index.ts';
import {
  ARMS,
  COMPARED,
  REWARDED_SHARES,
  runKey,
  type StudyOptions,
  ARM_WORDS,
  type Arm,
  type RewardedShare,
} from './arms.ts';
import { plannedRuns, seedsOf, CURVES, type SuiteName } from './points.ts';
import { StudyFigures, type StudyResults, type Level } from './statistics.ts';
import type { RunEntry, StudyState } from './state.ts';
import { studyMarkdown } from './table.ts';

const NOTES = [
  "Nothing of the runs was tuned on the held-out items: learning rate, phases, context and rewarded prompts are the demo's, batch size and estimates were chosen by step time alone, on seed 77; batch and learning rate of the arm practice on seed 77 too, by the share of its own tasks a run solved. The embedded policy itself was trained before; its untold refusal habit was set with an eye on the same suite (its model card).",
  'Seeds and items are both taken for samples: two-way random-effects intervals at 95 % (electron/core/statistics/crossed-interval.ts). Differences are paired by seed and item; both sides met the same sampling noise.',
  'No correction for the number of comparisons is made: of 20 intervals around true zeros, one is expected to exclude 0.',
  'Items are the first of each held-out suite, asked at temperature 1.',
];

/** All figures of what the state holds by now; arms and seeds that are not done are left out. */
export function resultsOf(
  state: StudyState,
  options: StudyOptions,
  depends: Record<string, unknown>,
): StudyResults {
  const done = plannedRuns(options).filter((run) => state.run(runKey(run)) !== undefined);
  const seeds = seedsOf(options).filter((seed) => done.some((run) => run.seed === seed));
  const figures = new StudyFigures(state, seeds, options.steps);
  return {
    settings: {
      ...(options.framework === DEMO_FRAMEWORKS[0] ? {} : { framework: options.framework }),
      seeds,
      steps: options.steps,
      every: options.every,
      items: options.items,
      depends,
      arms: ARMS.filter((arm) => done.some((run) => run.arm === arm)),
      rewardedShares: REWARDED_SHARES.filter((rewardedShare) =>
        done.some((run) => run.rewardedShare === rewardedShare),
      ),
    },
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}`,
    notes: NOTES,
    runs: done.map((run) => state.run(runKey(run)) as RunEntry),
    levels: figures.levels(options.every),
    effects: figures.effects(),
    claims: figures.claims(),
  };
}

/** Whether these are results of the study in its full size: the only ones that replace the published ones. */
export function isFull({ settings, runs }: StudyResults): boolean {
  const { length: seeds } = settings.seeds;
  return (
    settings.framework === undefined &&
    seeds >= 5 &&
    settings.steps >= 40 &&
    settings.items >= 100 &&
    runs.length >=
      plannedRuns({ seeds, firstSeed: 1, arms: COMPARED, rewardedShares: REWARDED_SHARES }).length
  );
}

/** Writes table, figure and data. Returns the files. */
export function writeResults(
  results: StudyResults,
  state: StudyState,
  folder: string,
  picture: string,
): string[] {
  const files: [string, string][] = [
    [join(folder, 'study.json'), `${JSON.stringify(results, roundShares, 1)}\n`],
    [join(folder, 'settings.json'), `${JSON.stringify(results.settings.depends, null, 2)}\n`],
    [
      join(folder, 'evaluations.jsonl'),
      [...state.entries.values()].map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    ],
    [join(folder, 'table.md'), `${studyMarkdown(results)}\n`],
    [picture, studySvg(results)],
  ];
  for (const [path, text] of files) writeWholeFile(path, text);
  return files.map(([path]) => path);
}

/** Four digits tell a share of at most a few thousand answers exactly enough. */
const roundShares = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1e4) / 1e4 : value;

const TITLES: Record<(typeof CURVES)[number], string> = {
  'toy-questions': 'Expressions computed',
  'toy-deduction': 'Deduction solved',
  'toy-refusal': 'Requests refused',
  'toy-memory': 'Shortcuts resisted',
};

/** Told apart by hue, dash and mark, and dark enough on white as well as bright enough on black. */
const STROKES: Record<Arm, { colour: string; dash: string; mark: string }> = {
  alone: { colour: '#8a8f98', dash: '', mark: 'M-3 -3h6v6h-6z' },
  supervised: { colour: '#2f7fd6', dash: '', mark: 'M0 -4L4 0L0 4L-4 0z' },
  rubric: { colour: '#1f9d77', dash: '6 3', mark: 'M0 -4L4 3h-8z' },
  filler: { colour: '#d9822b', dash: '2 3', mark: 'M0 4L4 -3h-8z' },
  always: { colour: '#9b5de5', dash: '9 3', mark: 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z' },
  traced: { colour: '#d1495b', dash: '1 3', mark: 'M-4 0h8M0 -4v8' },
  practice: { colour: '#7a8b2a', dash: '4 4', mark: 'M-3 -3L3 3M-3 3L3 -3' },
  worded: { colour: '#0e9aa7', dash: '12 2', mark: 'M-4 0L0 -3L4 0L0 3z' },
  constant: { colour: '#b07d2b', dash: '7 2 1 2', mark: 'M-4 -1h8v2h-8z' },
  told: { colour: '#6d5bd0', dash: '3 2', mark: 'M-1 -4h2v8h-2z' },
  yoked: { colour: '#c2407e', dash: '5 2 2 2', mark: 'M-4 -4L4 0L-4 4z' },
  shuffled: { colour: '#4b8b5a', dash: '8 4', mark: 'M4 -4L-4 0L4 4z' },
  shared: { colour: '#a05a2c', dash: '4 2 1 2', mark: 'M-4 -4h8L0 4z' },
};

const PANEL = { width: 300, height: 190, left: 44, top: 34, gapX: 46, gapY: 54 };
const LEGEND_HEIGHT = 24;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const round = (value: number): string => String(Math.round(value * 10) / 10);

/** Held-out curves by arm: a row of panels per share of rewarded prompts, mean over seeds, with the 95 % interval drawn at the last step. */
export function studySvg(results: StudyResults): string {
  const {
    settings: { rewardedShares, arms, steps, seeds, items },
    levels,
  } = results;
  const shown = ARMS.filter((arm) => arms.includes(arm));
  const curves = CURVES.filter((name) => levels.some(({ suite }) => suite === name));
  const width = PANEL.left + curves.length * (PANEL.width + PANEL.gapX);
  const height = PANEL.top + rewardedShares.length * (PANEL.height + PANEL.gapY) + LEGEND_HEIGHT;
  const panels = rewardedShares.flatMap((rewardedShare, rowIndex) =>
    curves.map((suite, column) => {
      const [x, y] = [
        PANEL.left + column * (PANEL.width + PANEL.gapX),
        PANEL.top + rowIndex * (PANEL.height + PANEL.gapY),
      ];
      return `<g transform="translate(${x} ${y})">${panel(levels, suite, rewardedShare, shown, steps)}</g>`;
    }),
  );
  const legend = shown.map((arm, index) => {
    const { colour, dash, mark } = STROKES[arm];
    return `<g transform="translate(${PANEL.left + index * 150} ${height - 18})"><path d="M0 0h34" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/><path d="${mark}" transform="translate(17 0)" fill="${colour}" stroke="${colour}"/><text x="42" y="4" class="t">${ARM_WORDS[arm]}</text></g>`;
  });
  const label = `Held-out scores of ${shown.length} arms over ${steps} steps, ${seeds.length} seeds, ${items} items a suite`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" role="img" aria-label="${escape(label)}">
<style>.b{fill:#fff}.t{font-size:12.5px;fill:#333}.h{font-size:13.5px;font-weight:600;fill:#222}.g{stroke:#ddd}.a{stroke:#999}@media(prefers-color-scheme:dark){.b{fill:#16181d}.t{fill:#c5c9d1}.h{fill:#eceef2}.g{stroke:#333842}.a{stroke:#6d7380}}</style>
<rect class="b" width="${width}" height="${height}" rx="12"/>
${panels.join('\n')}
${legend.join('\n')}
</svg>
`;
}

function panel(
  levels: readonly Level[],
  suite: SuiteName,
  rewardedShare: RewardedShare,
  arms: readonly Arm[],
  steps: number,
): string {
  const x = (step: number): number => (step / steps) * PANEL.width;
  const y = (share: number): number => PANEL.height * (1 - share);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<path class="g" d="M0 ${round(y(share))}h${PANEL.width}"/><text class="t" x="-6" y="${round(y(share) + 4)}" text-anchor="end">${100 * share}</text>`,
  );
  const ticks = [...new Set(levels.map(({ step }) => step))]
    .sort((a, b) => a - b)
    .map(
      (step) =>
        `<text class="t" x="${round(x(step))}" y="${PANEL.height + 16}" text-anchor="middle">${step}</text>`,
    );
  const start = levels.find((one) => one.arm === 'start' && one.context === 'none' && one.suite === suite);
  const curves = arms.map((arm, index) => {
    const points = levels
      .filter(
        (one) =>
          one.arm === arm &&
          one.rewardedShare === rewardedShare &&
          one.context === 'none' &&
          one.suite === suite,
      )
      .sort((a, b) => a.step - b.step);
    const all = [...(start === undefined || points.length === 0 ? [] : [start]), ...points];
    return curve(
      arm,
      all.map((one) => ({ x: x(one.step), y: y(one.mean), low: y(one.low), high: y(one.high) })),
      index,
    );
  });
  const title = `${TITLES[suite as (typeof CURVES)[number]]}, %`;
  const under = rewardedShare === 0 ? 'no rewarded prompts' : `rewarded prompts ${100 * rewardedShare} %`;
  return `<text class="h" x="0" y="-12">${escape(title)}</text><text class="t" x="${PANEL.width}" y="-12" text-anchor="end">${under}</text>${grid.join('')}<path class="a" d="M0 ${PANEL.height}h${PANEL.width}"/>${ticks.join('')}${curves.join('')}`;
}

function curve(
  arm: Arm,
  points: { x: number; y: number; low: number; high: number }[],
  index: number,
): string {
  const last = points.at(-1);
  if (last === undefined) return '';
  const { colour, dash, mark } = STROKES[arm];
  const shift = (index - 2.5) * 3; // intervals of the arms stand side by side
  const line = `<path d="${points.map((point, at) => `${at === 0 ? 'M' : 'L'}${round(point.x)} ${round(point.y)}`).join('')}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
  const interval = `<path d="M${round(last.x + shift)} ${round(last.low)}V${round(last.high)}" stroke="${colour}" stroke-width="1.5"/>`;
  const marks = points.map(
    (point) =>
      `<path d="${mark}" transform="translate(${round(point.x)} ${round(point.y)})" fill="${colour}" stroke="${colour}"/>`,
  );
  return line + interval + marks.join('');
}
