import {
  Failure,
  PHASES,
  RATED_TASK_TYPES,
  type EvaluationComparison,
  type Phase,
  type RatedTaskType,
  type RunConfig,
} from '../../contract/index.ts';
import { gateNumber } from '../../core/index.ts';
import { compareEvaluations, SUITES } from '../../evaluation/index.ts';
import { DEMO_FRAMEWORKS } from '../../evolution/index.ts';
import type { Lab, StoredEvaluation } from '../../store/index.ts';
import { isIssue, isSafetyBreach } from '../../supervision/index.ts';
import { askedUnder, RATED_SUITES } from '../study/points.ts';
import { armName, supervisionPrice, type DemoRuns } from './demo.ts';

/** The two runs that a demo compares, and where both are kept. */
export type StoryPair = DemoRuns & { store: Lab };

/** A suite that is followed along both runs. */
export type StoryTrack = {
  suite: string;
  /** What passing means, in words. */
  measures: string;
  /** The rewarded prompts that train it away; null where none does. */
  kind: RatedTaskType | null;
};

export const storyTracks = ({ store, supervised }: StoryPair): StoryTrack[] =>
  askedUnder(store.requireRun(supervised).config.framework.name).curves.flatMap((name) => {
    const suite = SUITES.find((one) => one.name === name);
    const kind = RATED_TASK_TYPES.find((type) => RATED_SUITES[type] === name) ?? null;
    return suite === undefined ? [] : [{ suite: suite.name, measures: suite.measures, kind }];
  });

/** A held-out question, and at which steps only the supervised weights still answer it well. */
export type StoryQuestion = { itemId: string; question: string; apart: number[] };

/** One answer of a checkpoint; with a context, under the lines that stood in its prompt. */
export type StoryAnswer = {
  step: number;
  withContext: boolean;
  /** The step whose context stood in the prompt, of the supervised run; null without one. */
  contextStep: number | null;
  evaluationId: string;
  text: string;
  /** People's overrides in the verdict's place. */
  passed: boolean;
  isOverridden: boolean;
  reason: string | null;
};

/**
 * The questions of a suite that both runs answered, those first whose answers stay apart at the most steps. Answers of the weights alone
 * count: under the context a run without reviews has none to compare.
 */
export function storyQuestions({ store, alone, supervised }: StoryPair, suite: string): StoryQuestion[] {
  const [without, reviewed] = [byStep(store, alone, suite, false), byStep(store, supervised, suite, false)];
  const passes = ({ id }: StoredEvaluation): Map<string, boolean> =>
    new Map(store.listGrades(id).map(({ itemId, grade }) => [itemId, grade.outcome === 'passed']));
  const apart = new Map<string, number[]>();
  for (const [step, evaluation] of without) {
    const other = reviewed.get(step);
    if (other === undefined || step === 0) continue;
    const passedAlone = passes(evaluation);
    for (const [itemId, passed] of passes(other))
      if (passed && passedAlone.get(itemId) === false)
        apart.set(itemId, [...(apart.get(itemId) ?? []), step]);
  }
  const [first] = without.values();
  if (first === undefined) return [];
  return [...store.eachEvaluationItem(first.id)]
    .map(({ itemId, asked }) => ({
      itemId,
      question: asked.findLast(({ role }) => role === 'user')?.content ?? '',
      apart: apart.get(itemId) ?? [],
    }))
    .sort((a, b) => b.apart.length - a.apart.length || (a.itemId < b.itemId ? -1 : 1));
}

/** What both runs answered to one question at every step it was asked at. */
export function storyAnswers(
  { store, alone, supervised }: StoryPair,
  suite: string,
  itemId: string,
): Record<keyof DemoRuns, StoryAnswer[]> {
  const of = (runId: string): StoryAnswer[] =>
    [false, true].flatMap((withContext) =>
      [...byStep(store, runId, suite, withContext)].flatMap(([step, { id, plan }]) => {
        const item = store.getEvaluationItemNamed(id, itemId, 0);
        if (item === null || item.grade === null) return [];
        const { text, ordinal, grade } = item;
        const counted = store.listGrades(id).find((one) => one.ordinal === ordinal)?.grade ?? grade;
        return [
          {
            step,
            withContext,
            contextStep: plan.context?.step ?? null,
            evaluationId: id,
            text,
            passed: counted.outcome === 'passed',
            isOverridden: counted.flags.includes('overridden'),
            reason: grade.reason,
          },
        ];
      }),
    );
  return { alone: of(alone), supervised: of(supervised) };
}

/** The newest finished evaluation of each step, in the order of steps; of one asked twice that with more answers. */
function byStep(
  store: Lab,
  runId: string,
  suite: string,
  withContext: boolean,
): Map<number, StoredEvaluation> {
  const found = new Map<number, StoredEvaluation>();
  for (const one of store.listStoredEvaluations({ runId, suite, states: ['done'] })) {
    const { subject, context } = one.plan;
    if (subject.step === null || (context !== null) !== withContext) continue;
    const before = found.get(subject.step);
    if (before === undefined || one.planned >= before.planned) found.set(subject.step, one);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** Causes of a line that are looked through. */
export const MOST_CAUSES = 200;

/** A line with the coins of the reviews that brought it into the context: at a lower p, only those below p would have been written. */
export type StoryLine = {
  id: string;
  text: string;
  firstContext: number;
  lastContext: number;
  /** Reviews that must agree before it enters; a breach of safety needs no second one. */
  needed: number;
  coins: { reviewId: string; phase: Phase; coin: number }[];
};

/**
 * Every line of the run with what brought it in, in order of entry. Exact for what each step's reviews would have been; what a run
 * would have become at another p only a run can tell.
 */
export function storyLines(store: Lab, runId: string): { p: number; lines: StoryLine[] } {
  const { seed, supervision } = store.requireRun(runId).config;
  const lines = store.contextLines(runId).map(({ id, text, firstContext, lastContext }): StoryLine => {
    const causes = (store.lineageOf(runId, id, MOST_CAUSES)?.causes ?? []).filter(
      ({ sinceContext }) => sinceContext === firstContext,
    );
    const isUrgent = causes.some(({ review }) =>
      review.issues.some((issue) => isIssue(issue) && isSafetyBreach(issue)),
    );
    return {
      id,
      text,
      firstContext,
      lastContext,
      needed: isUrgent ? 1 : supervision.minimumSupport,
      coins: causes.map(({ review, rollout }) => ({
        reviewId: review.id,
        phase: review.phase,
        coin: gateNumber(
          seed,
          review.step,
          `${review.batch}/${review.phase === 'exec' ? 'exec' : (rollout?.index ?? 0)}`,
          review.phase,
        ),
      })),
    };
  });
  return { p: Math.max(...PHASES.map((phase) => supervision.phases[phase])), lines };
}

/** What supervision cost: its own work, the pace of a step, and what either run is worse at in the end. */
export type StoryCosts = ReturnType<typeof supervisionPrice> & {
  reviews: number;
  tokens: number;
  steps: number;
  /** Supervised minus alone at the last step both were asked at, weights alone, item by item. */
  contrasts: (StoryTrack &
    Pick<EvaluationComparison, 'difference' | 'low' | 'high' | 'common'> & { step: number })[];
};

export function storyCosts({ store, alone, supervised }: StoryPair): StoryCosts {
  const price = supervisionPrice(store, alone, supervised);
  const sum = (of: 'reviews' | 'tokensIn' | 'tokensOut'): number =>
    price.byPhase.reduce((all, row) => all + row[of], 0);
  return {
    ...price,
    reviews: sum('reviews'),
    tokens: sum('tokensIn') + sum('tokensOut'),
    steps: store.requireRun(supervised).committedSteps,
    contrasts: storyTracks({ store, alone, supervised }).flatMap((track) => {
      const [without, reviewed] = [
        byStep(store, alone, track.suite, false),
        byStep(store, supervised, track.suite, false),
      ];
      const step = [...without.keys()].findLast((at) => at > 0 && reviewed.has(at));
      if (step === undefined) return [];
      const { difference, low, high, common } = compareEvaluations(
        store,
        without.get(step)!.id,
        reviewed.get(step)!.id,
      );
      return [{ ...track, difference, low, high, common, step }];
    }),
  };
}

/** Whether both runs were asked everything at their end: the run without reviews also under the context of the other. */
export function isAskedAtEnd({ store, alone }: StoryPair): boolean {
  const { committedSteps, config } = store.requireRun(alone);
  return (
    committedSteps === config.steps &&
    store
      .listEvaluations({ runId: alone })
      .some(({ step, contextHash }) => step === committedSteps && contextHash !== null)
  );
}

/** The runs of a demo, and by what a person knows it again: when it was started, of which framework it is, and how many steps it has. */
type DemoPair = DemoRuns & { createdAt: string; framework: RunConfig['framework']['name']; steps: number };

/** Demos of a lab, newest first: a supervised run and the one without reviews that was started with it. */
export function demoPairs(store: Lab): DemoPair[] {
  const [supervised = [], alone = []] = (['supervised', 'alone'] as const).map(
    (arm) => store.listRuns({ text: armName(arm) }, { limit: MOST_PAIRS }).rows,
  );
  return supervised.flatMap((run) => {
    const partner = alone.find(
      ({ createdAt, config }) =>
        createdAt <= run.createdAt && config.seed === run.config.seed && config.steps === run.config.steps,
    );
    if (partner === undefined) return [];
    const { createdAt, config } = run;
    return [
      {
        alone: partner.id,
        supervised: run.id,
        createdAt,
        framework: config.framework.name,
        steps: config.steps,
      },
    ];
  });
}

const MOST_PAIRS = 20;

/** @throws Failure `usage` (exit code 2) when the two cannot be set beside each other. */
export function requireComparable({ store, alone, supervised }: StoryPair): void {
  const runs = [alone, supervised].map((runId) => store.requireRun(runId));
  const without = runs.find(({ config }) => !DEMO_FRAMEWORKS.includes(config.framework.name));
  if (without !== undefined)
    throw new Failure(
      'usage',
      `Run "${without.id}" is of the framework ${without.config.framework.name}, which has no demo; choose two runs of ${DEMO_FRAMEWORKS.join(' or ')}.`,
      2,
    );
  const [one, other] = runs.map(({ policySha256 }) => policySha256 ?? null);
  if (one !== null && other !== null && one !== other)
    throw new Failure(
      'usage',
      `The runs "${alone}" and "${supervised}" began with different weights; choose two that began with the same.`,
      2,
    );
}
