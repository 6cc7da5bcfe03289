import { ARM_WORDS, ARMS, type Arm, type RewardedShare } from './arms.ts';
import { CURVES, type SuiteName } from './points.ts';
import type { Level, StudyResults } from './statistics.ts';

const TITLES: Record<(typeof CURVES)[number], string> = {
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
  const width = PANEL.left + CURVES.length * (PANEL.width + PANEL.gapX);
  const height = PANEL.top + rewardedShares.length * (PANEL.height + PANEL.gapY) + LEGEND_HEIGHT;
  const panels = rewardedShares.flatMap((rewardedShare, rowIndex) =>
    CURVES.map((suite, column) => {
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
