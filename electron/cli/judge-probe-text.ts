import type {
  JudgeProbe,
  JudgeProbePlan,
  JudgeProbeResults,
  ProbeAccuracy,
  ProbeCell,
  ProbeShare,
} from '../contract/index.ts';
import { renderTable } from './table.ts';

type Bounds = { low: number; high: number };

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const bounds = ({ low, high }: Bounds): string => `[${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)}]`;
const shareText = (share: ProbeShare): string =>
  share.share === null ? '–' : `${percent(share.share)} ${bounds(share)}`;
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(0)}`;
const differenceText = ({ difference, low, high }: Bounds & { difference: number }): string =>
  `${signed(difference)} points [${signed(low)}, ${signed(high)}]`;

const ASKED: Readonly<Record<JudgeProbePlan['mode'], string>> = {
  closed: 'It chooses among the sentences that it was trained for, and sees what was computed.',
  asks: 'It words what was computed, and says yes or no to what no computation settles.',
  words: 'It only words what was computed, so as in a run the findings below are computed and not its own.',
};

/** Everything that a probe found, for a terminal. */
export function judgeProbeText({ model, plan, results }: JudgeProbe): string {
  if (results === null) return `The probe of ${model} is not finished; the same command goes on.`;
  const { run, alone, failed, answered } = results;
  return [
    `${model} as a judge: ${plan.items} items, seed ${plan.seed}, ${answered} answers${failed > 0 ? `, ${failed} of them unusable` : ''}.`,
    ASKED[plan.mode],
    '',
    'As in a run',
    accuracyTable(run),
    '',
    'By itself: the same items without what was computed',
    accuracyTable(alone),
    '',
    ...otherLines(results, plan),
    '',
    verdictText(results, plan.mode),
  ].join('\n');
}

const AGAINST: Readonly<Record<ProbeCell['against'], string>> = {
  better: 'better than chance',
  chance: '',
  worse: 'worse than chance',
};

function accuracyTable({ phases, issues }: ProbeAccuracy): string {
  const row = (name: string, cell: ProbeCell): string[] => [
    name,
    String(cell.recall.n + cell.falseAlarms.n),
    shareText(cell.precision),
    shareText(cell.recall),
    cell.balanced === null ? '–' : `${percent(cell.balanced.accuracy)} ${bounds(cell.balanced)}`,
    AGAINST[cell.against],
  ];
  return renderTable(
    ['phase, issue', 'n', 'precision', 'recall', 'balanced accuracy', ''],
    phases.flatMap((phase) => [
      row(phase.name, phase),
      ...issues.filter((issue) => issue.phase === phase.name).map((issue) => row(`  ${issue.name}`, issue)),
    ]),
  );
}

function otherLines(results: JudgeProbeResults, { mode }: JudgeProbePlan): string[] {
  const { computedAdds, position, length, lengthOfControls, leaks, again, seconds } = results;
  const all = computedAdds.find(({ phase }) => phase === null);
  const decided = mode === 'words' ? ' (by itself)' : '';
  return [
    ...(all === undefined ? [] : [`What was computed adds ${differenceText(all)} of right answers.`]),
    position === null
      ? 'Place in the order: no order is drawn for this judge.'
      : `Place in the order${decided}: found ${position.places.map((place) => shareText(place)).join(', ')}${
          position.p === null
            ? ''
            : `; no place favoured: p = ${position.p < 0.001 ? '< 0.001' : position.p.toFixed(3)}`
        }.`,
    ...(length === null
      ? []
      : [`Length${decided}: found in long items minus in short ones ${differenceText(length)}.`]),
    ...(lengthOfControls == null
      ? []
      : [
          `Length of what is right${decided}: something named in ${shareText(lengthOfControls.long)} of long items and ${shareText(lengthOfControls.short)} of short ones, ${differenceText(lengthOfControls)}.`,
        ]),
    leaks.n === 0
      ? 'Leaks: it wrote no words of its own.'
      : `Leaks: ${leaks.hits} of ${leaks.n} reviews in its own words state an answer or code, ${shareText(leaks)}.`,
    again.agreement.n === 0
      ? 'Agreement with itself: not asked again.'
      : `Agreement with itself${decided}: ${shareText(again.agreement)} of ${again.agreement.n} items, kappa ${
          again.kappa === null
            ? 'not defined'
            : `${again.kappa.kappa.toFixed(2)} [${again.kappa.low.toFixed(2)}, ${again.kappa.high.toFixed(2)}]`
        }.`,
    seconds === null
      ? 'Time: it took part in no review.'
      : `Time of a review that it takes part in: ${seconds.mean.toFixed(seconds.mean < 1 ? 2 : 1)} s [${seconds.low.toFixed(seconds.low < 1 ? 2 : 1)}, ${seconds.high.toFixed(seconds.high < 1 ? 2 : 1)}], ${Math.round(3600 / seconds.mean)} an hour.`,
  ];
}

/** In one sentence: on which issues it can be believed. */
export function verdictText({ run, alone }: JudgeProbeResults, mode: JudgeProbePlan['mode']): string {
  const own = mode === 'words' ? alone : run;
  const [better, rest] = [true, false].map((is) =>
    own.issues.filter(({ against }) => (against === 'better') === is).map(({ name }) => name),
  ) as [string[], string[]];
  const what = mode === 'words' ? 'by itself it' : 'as in a run it';
  if (better.length === 0) return `Verdict: ${what} is not better than chance on any issue.`;
  if (rest.length === 0) return `Verdict: ${what} is better than chance on every issue.`;
  return `Verdict: ${what} is better than chance on ${better.join(', ')}, and not on ${rest.join(', ')}.`;
}
