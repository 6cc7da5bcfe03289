import type { CrossedMean } from '../../core/index.ts';
import { ARM_WORDS, COMPARED, type Arm, type RewardedShare } from './arms.ts';
import { SUITES, WITH_CONTEXT, type ContextKind, type SuiteName } from './points.ts';
import type { Level, StudyResults } from './statistics.ts';

/** Between which lines docs/results.md holds the tables: those of the study, or of one with arms that are asked for by name. */
export const markersOf = ({
  settings: { arms, steps, framework },
}: StudyResults): readonly [string, string] => {
  if (framework !== undefined) {
    const name = `study under ${framework}, ${steps} steps`;
    return [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  }
  const isCompared = arms.includes('alone') && arms.every((arm) => COMPARED.includes(arm));
  const name = isCompared ? 'study' : `study of ${arms.join(', ')}, ${steps} steps`;
  return [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
};

export const SUITE_WORDS: Record<SuiteName, string> = {
  'toy-questions': 'questions: expressions computed',
  'toy-deduction': 'deduction: outputs predicted',
  'toy-abduction': 'abduction: inputs found',
  'toy-induction': 'induction: functions induced',
  'toy-arithmetic': 'arithmetic: word problems solved',
  'toy-refusal': 'restricted requests refused',
  'toy-over-refusal': 'harmless requests refused (lower is better)',
  'toy-memory': 'shortcuts resisted',
};
const percent = (share: number): string => String(Math.round(100 * share));
/** Whole points, and a tenth where a whole one would hide on which side of 0 a limit lies. */
function signed(share: number): string {
  const text = (100 * Math.abs(share)).toFixed(Math.abs(share) < 0.0095 ? 1 : 0);
  return Number(text) === 0 ? '0' : `${share > 0 ? '+' : '−'}${text}`;
}

/** `21 [14, 30]` in per cent. */
const level = (value: Level | undefined): string =>
  value === undefined ? '' : `${percent(value.mean)} [${percent(value.low)}, ${percent(value.high)}]`;
/** `+17 [+9, +25] (11)` in points, bold where 0 is outside; in round brackets what could have been found at least. */
function points(value: (CrossedMean & { excludesZero: boolean }) | undefined): string {
  if (value === undefined) return '';
  const { mean, low, high, detectable, excludesZero } = value;
  const text = `${signed(mean)} [${signed(low)}, ${signed(high)}]`;
  const found = detectable === null ? '' : ` (${signed(detectable).replace('+', '')})`;
  return `${excludesZero ? `**${text}**` : text}${found}`;
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const head = (cells: readonly string[]): string => `${row(cells)}\n${row(cells.map(() => '---'))}`;

/** The tables of docs/results.md, between markers: effects on the weights and with the final context, where there is a run alone to compare with, and the claims. */
export function studyMarkdown(results: StudyResults): string {
  const {
    settings: { seeds, steps, items, arms },
    claims,
  } = results;
  const [begin, end] = markersOf(results);
  const blocks = arms.includes('alone')
    ? results.settings.rewardedShares.flatMap((rewardedShare) => [
        `**Rewarded prompts ${Math.round(100 * rewardedShare)} %**, weights alone after ${steps} steps; points, 95 %, bold where 0 is outside; in round brackets the smallest difference that so many seeds and items find with power 80 %`,
        weightsTable(results, rewardedShare),
        `**Rewarded prompts ${Math.round(100 * rewardedShare)} %**, with each run's final context in the prompt: share passed, %`,
        contextTable(results, rewardedShare),
        ...alongTable(results, rewardedShare),
      ])
    : [];
  const claimRows = claims.map((claim) =>
    row([
      claim.claim,
      `${Math.round(100 * claim.rewardedShare)} %`,
      percent(claim.before),
      percent(claim.after),
      points(claim),
    ]),
  );
  return [
    begin,
    `${seeds.length} seeds × ${steps} steps × ${items} held-out items a suite; the intervals take both seeds and items for samples.`,
    '',
    ...blocks.flatMap((block) => [block, '']),
    ...(claimRows.length === 0
      ? []
      : [
          [head(['skill', 'rewarded prompts', 'before, %', 'after, %', 'change, points']), ...claimRows].join(
            '\n',
          ),
          '',
        ]),
    end,
  ].join('\n');
}

/** The suites that a study asked. */
const askedIn = ({ levels }: Pick<StudyResults, 'levels'>): SuiteName[] =>
  SUITES.filter((name) => levels.some(({ suite }) => suite === name));

/** Differences beside those from the arm alone. */
const PAIRS: readonly (readonly [Arm, Arm])[] = [
  ['supervised', 'filler'],
  ['worded', 'supervised'],
  ['supervised', 'constant'],
  ['supervised', 'told'],
  ['supervised', 'yoked'],
  ['supervised', 'shuffled'],
];

function weightsTable(
  { levels, effects, settings: { arms } }: StudyResults,
  rewardedShare: RewardedShare,
): string {
  const effect = (suite: SuiteName, arm: Arm, against: Arm | 'start'): string =>
    points(
      effects.find(
        (one) =>
          one.suite === suite &&
          one.arm === arm &&
          one.against === against &&
          one.rewardedShare === rewardedShare &&
          one.context === 'none',
      ),
    );
  const others = arms.filter((arm) => arm !== 'alone');
  const pairs = PAIRS.filter((pair) => pair.every((arm) => arms.includes(arm)));
  const lines = askedIn({ levels }).map((suite) =>
    row([
      SUITE_WORDS[suite],
      level(levels.find((one) => one.arm === 'start' && one.context === 'none' && one.suite === suite)),
      effect(suite, 'alone', 'start'),
      ...others.map((arm) => effect(suite, arm, 'alone')),
      ...pairs.map(([arm, against]) => effect(suite, arm, against)),
    ]),
  );
  const titles = [
    'suite',
    'start, %',
    'alone − start',
    ...others.map((arm) => `${ARM_WORDS[arm]} − alone`),
    ...pairs.map((pair) => pair.join(' − ')),
  ];
  return [head(titles), ...lines].join('\n');
}

/** Seeds so far apart are not described by their mean; half of the interval of 100 items is 10 points. */
const PARTING = 0.4;

function contextTable(
  { levels, settings: { arms, steps } }: StudyResults,
  rewardedShare: RewardedShare,
): string {
  const told = arms.filter((arm) => WITH_CONTEXT.includes(arm));
  const found = (suite: SuiteName, arm: Arm, context: ContextKind): Level | undefined =>
    levels.find(
      (one) =>
        one.suite === suite &&
        one.arm === arm &&
        one.rewardedShare === rewardedShare &&
        one.step === steps &&
        one.context === context,
    );
  const suites = askedIn({ levels });
  const parting = suites.flatMap((suite) =>
    told.flatMap((arm) => {
      const { bySeed = [] } = found(suite, arm, 'final') ?? {};
      return Math.max(...bySeed) - Math.min(...bySeed) < PARTING
        ? []
        : [`${SUITE_WORDS[suite]}, ${ARM_WORDS[arm]}: ${bySeed.map(percent).join(', ')}`];
    }),
  );
  return [
    head(['suite', 'alone (no context)', ...told.map((arm) => ARM_WORDS[arm])]),
    ...suites.map((suite) =>
      row([
        SUITE_WORDS[suite],
        level(found(suite, 'alone', 'none')),
        ...told.map((arm) => level(found(suite, arm, 'final'))),
      ]),
    ),
    ...(parting.length === 0
      ? []
      : [
          '',
          'Seed by seed, where the mean stands for no seed (they lie 40 points apart or more), %:',
          '',
          ...parting.map((line) => `- ${line}`),
        ]),
  ].join('\n');
}

const ALONG_WORDS: Readonly<Record<string, { title: string; isShare: boolean }>> = {
  'label/agreement': { title: 'agreement of the answers to a posed question, %', isShare: true },
  'label/computed_accuracy': {
    title: 'labels that are right, of those a program can compute, %',
    isShare: true,
  },
  'pose/distinct_2': { title: 'different pairs of words among the posed questions, %', isShare: true },
  'pose/question_terms': { title: 'numbers and signs in a question', isShare: false },
};

/** How the metrics of the runs moved from their first part to their last: mean over seeds, with the lowest and the highest seed. */
function alongTable({ runs, settings: { arms } }: StudyResults, rewardedShare: RewardedShare): string[] {
  const of = (arm: Arm) => runs.filter(({ run }) => run.startsWith(`${arm}/${rewardedShare}/`));
  const cell = (arm: Arm, name: string, part: 0 | 1): string => {
    const values = of(arm).flatMap(({ along }) => along?.[name]?.[part] ?? []);
    if (values.length === 0) return '';
    const shown = (value: number): string =>
      ALONG_WORDS[name]?.isShare === true ? percent(value) : value.toFixed(1);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `${shown(mean)} (${shown(Math.min(...values))} to ${shown(Math.max(...values))})`;
  };
  const names = Object.keys(ALONG_WORDS).filter((name) => runs.some(({ along }) => along?.[name]));
  if (names.length === 0) return [];
  return [
    `**Rewarded prompts ${Math.round(100 * rewardedShare)} %**, along the runs: first part → last part, mean over seeds (lowest to highest seed)`,
    [
      head(['measure', ...arms.map((arm) => ARM_WORDS[arm])]),
      ...names.map((name) =>
        row([
          ALONG_WORDS[name]?.title ?? name,
          ...arms.map((arm) => `${cell(arm, name, 0)} → ${cell(arm, name, 1)}`),
        ]),
      ),
    ].join('\n'),
  ];
}
