import {
  judgeReport,
  type JudgeFact,
  type JudgeProbePlan,
  type JudgeRow,
  type JudgeVerdict,
  type MeasuredJudge,
  type ProbeCell,
} from '../contract/index.ts';
import { renderTable } from './table.ts';

const ASKED: Readonly<Record<JudgeProbePlan['mode'], string>> = {
  closed: 'It chooses among the sentences that it was trained for, and sees what was computed.',
  asks: 'It words what was computed, and says yes or no to what no computation settles.',
  words: 'It only words what was computed, so as in a run the findings below are computed and not its own.',
};

const TABLES = { run: 'As in a run', alone: 'By itself: the same items without what was computed' } as const;

/** Everything that a probe found, for a terminal. */
export function judgeProbeText(probe: MeasuredJudge): string {
  const { model, plan, results, finishedAt, verdict } = probe;
  const report = judgeReport(probe);
  if (results === null || report === null || verdict === null)
    return `The probe of ${model} is not finished; the same command goes on.`;
  const { failed, answered } = results;
  return [
    `${model} as a judge: ${plan.items} items, seed ${plan.seed}, ${answered} answers${failed > 0 ? `, ${failed} of them unusable` : ''}.`,
    ASKED[plan.mode],
    `Version ${plan.version} of the probe${finishedAt === null ? '' : `, ended ${finishedAt}`}.`,
    '',
    ...report.tables.flatMap(({ pass, rows }) => [TABLES[pass], rowsTable(rows), '']),
    ...report.facts.map(factText),
    '',
    verdictText(verdict),
  ].join('\n');
}

const AGAINST: Readonly<Record<ProbeCell['against'], string>> = {
  better: 'better than chance',
  chance: '',
  worse: 'worse than chance',
};

const rowsTable = (rows: readonly JudgeRow[]): string =>
  renderTable(
    ['phase, issue', 'n', 'precision', 'recall', 'balanced accuracy', ''],
    rows.map(({ name, isPhase, n, precision, recall, balanced, against }) => [
      isPhase ? name : `  ${name}`,
      String(n),
      precision,
      recall,
      balanced,
      AGAINST[against],
    ]),
  );

const FACTS: Readonly<Record<JudgeFact['about'], string>> = {
  computed: 'What was computed adds {points} points of right answers.',
  'place.none': 'Place in the order: no order is drawn for this judge.',
  place: 'Place in the order{decided}: found {shares}.',
  'place.tested': 'Place in the order{decided}: found {shares}; no place favoured: {p}.',
  length: 'Length{decided}: found in long items minus in short ones {points} points.',
  controls:
    'Length of what is right{decided}: something named in {long} of long items and {short} of short ones, {points} points.',
  'leaks.none': 'Leaks: it wrote no words of its own.',
  leaks: 'Leaks: {hits} of {n} reviews in its own words state an answer or code, {share}.',
  'again.none': 'Agreement with itself: not asked again.',
  'again.alike': 'Agreement with itself{decided}: {share} of {n} items, kappa not defined.',
  again: 'Agreement with itself{decided}: {share} of {n} items, kappa {kappa}.',
  'time.none': 'Time: it took part in no review.',
  time: 'Time of a review that it takes part in: {seconds} s [{low}, {high}], {hour} an hour.',
};

function factText({ about, isAlone, values }: JudgeFact): string {
  const filled: JudgeFact['values'] = { ...values, decided: isAlone ? ' (by itself)' : '' };
  return FACTS[about].replaceAll(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? '');
}

/** In one sentence: where it can be believed. */
export function verdictText({ isBetter, phases }: JudgeVerdict): string {
  if (!isBetter) return 'Verdict: by itself it is not better than chance in any phase, nor over all of them.';
  return phases.length === 0
    ? 'Verdict: by itself it is better than chance over all phases together, and in none of them alone.'
    : `Verdict: by itself it is better than chance in ${phases.join(', ')}.`;
}
