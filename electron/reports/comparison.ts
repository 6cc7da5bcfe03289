import type { RunRecord, RunScore } from '../contract/index.ts';
import {
  flipsBetween,
  runScoreChanges,
  scoresOfRun,
  wiresOfRun,
  type EvaluationReads,
} from '../evaluation/index.ts';
import { comparedScores, configRows, followedSuites } from '../figures/index.ts';
import type { Lab } from '../store/index.ts';
import { figures, folded, paragraph, quoted, section, table, type CellText } from './page.ts';
import { curvesOf, DRAWN_MEASURES, measureFigure, picture, SHARE, suiteWires } from './run-parts.ts';
import { changeText, METHODS, OVERRIDDEN, pText, shareText } from './words.ts';

type Compared = { run: RunRecord; store: Lab };

/** Flipped answers of one suite that a report shows; the numbers above them count all. */
const MOST_FLIPS = 25;

/** Names that are all different. */
export function namesOf(compared: readonly Compared[]): Map<string, string> {
  const names = compared.map(({ run }) => run.config.name);
  return new Map(
    compared.map(({ run: { id, config } }) => [
      id,
      names.filter((name) => name === config.name).length > 1
        ? `${config.name} (${id.slice(-4)})`
        : config.name,
    ]),
  );
}

/** What the runs were told that differs. */
export function differencesSection(compared: readonly Compared[]): string {
  const names = namesOf(compared);
  const rows = configRows(compared.map(({ run }) => run.config)).filter(({ differs }) => differs);
  return section(
    'What differs between them',
    rows.length === 0
      ? paragraph('Nothing: they were told the same.')
      : table(
          'Settings that differ',
          ['setting', ...names.values()],
          rows.map(({ path, values }) => [path.join('.'), ...values]),
        ),
  );
}

/** The same measures of all runs, and the same suites. */
export function comparedFigures(compared: readonly Compared[]): string {
  const names = namesOf(compared);
  const nameOf = (runId: string): string => names.get(runId) ?? runId;
  const scores = compared.map(({ run, store }) => ({
    runId: run.id,
    scores: scoresOfRun(store, run.id),
    ...wiresOfRun(store, run.id),
  }));
  const suites = [...new Set(scores.flatMap((one) => followedSuites(one.scores)))].sort();
  return section(
    'Curves',
    figures([
      ...suites.map((suite) =>
        picture(
          suite,
          SHARE,
          comparedScores(
            scores,
            suite,
            (_, step) => step,
            nameOf,
            (group, _, withContext) => `${group}${withContext ? ' with context' : ''}`,
          ),
          true,
          suiteWires(
            scores.filter((one) => one.scores.some((score) => score.suite === suite)),
            suite,
            nameOf,
          ),
        ),
      ),
      ...DRAWN_MEASURES.flatMap((measure) =>
        measureFigure(
          measure,
          compared.map(({ run, store }) => curvesOf(store, run.id, measure)),
          nameOf,
        ),
      ),
    ]),
  );
}

const atStep = (score: RunScore): string =>
  `${shareText(score)}${score.overridden > 0 ? OVERRIDDEN : ''}, step ${score.step}`;

/** Every other run against the first, suite by suite at their last evaluated steps, and the answers that flipped. */
export function comparedScoresSection(reads: EvaluationReads, compared: readonly Compared[]): string {
  const [base, ...others] = compared;
  if (base === undefined) return '';
  const names = namesOf(compared);
  const last = ({ run, store }: Compared) => store.getRunRow(run.id)?.scores ?? [];
  const pairs = others.flatMap((other) =>
    runScoreChanges(reads, last(base), last(other)).map((found) => ({ other, ...found })),
  );
  if (pairs.length === 0)
    return section('Scores', paragraph('No suite was asked of the first run and of another one.'));
  const rows = pairs.map(
    ({ other, suite, withContext, before, after, change, lost, gained, p, warnings }): CellText[] => [
      suite,
      names.get(other.run.id) ?? '',
      withContext ? 'with context' : 'weights',
      atStep(before),
      atStep(after),
      change === null ? '–' : changeText(change, 'share'),
      `${lost} lost, ${gained} gained`,
      pText(p),
      warnings.join(' '),
    ],
  );
  return section(
    'Scores',
    paragraph(
      `Differences are from ${names.get(base.run.id)}, with 95 % intervals, ${METHODS.paired}; p is exact and two-sided, over items: McNemar’s test of the flipped answers, or where an item has several, the sign test of its net changes.`,
    ),
    table(
      'Against the first run',
      ['suite', 'run', 'asked', 'first', 'it', 'difference', 'answers', 'p', 'to mind'],
      rows,
    ),
    ...pairs.map(({ other, before, after }) =>
      flipsTable(reads, before.id, after.id, [names.get(base.run.id) ?? '', names.get(other.run.id) ?? '']),
    ),
  );
}

function flipsTable(
  reads: EvaluationReads,
  before: string,
  after: string,
  [first, second]: readonly [string, string],
): string {
  const { suite, hazardous, items } = flipsBetween(reads, before, after);
  if (items.length === 0) return '';
  const answer = ({ text, reason }: { text: string; reason: string | null }, passed: boolean): CellText => ({
    html: `${passed ? 'passed' : `failed${reason === null ? '' : `: `}`}${reason === null ? '' : quoted(reason).html}${hazardous ? '' : quoted(text).html}`,
  });
  return folded(
    `${suite}: answers that flipped between ${first} and ${second} (${items.length})`,
    (hazardous ? paragraph('The texts of this suite are hazardous and left out.') : '') +
      table(
        items.length > MOST_FLIPS
          ? `The first ${MOST_FLIPS} of ${items.length}, losses first`
          : 'Losses first',
        ['item', 'question', first, second],
        items
          .slice(0, MOST_FLIPS)
          .map(({ itemId, gained, question, before: one, after: other }) => [
            itemId,
            hazardous || question === null ? null : quoted(question),
            answer(one, !gained),
            answer(other, gained),
          ]),
      ),
  );
}
