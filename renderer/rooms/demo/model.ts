import type { RatedTaskType } from '../../../electron/contract/index.ts';
import type { Api } from '../../data/index.ts';
import type { Translate } from '../../i18n/index.ts';

/** The two runs of the recording, which ships with the application. */
export const SAMPLE: Pair = { alone: 'sample-alone', supervised: 'sample-supervised' };

/** The run without reviews and the supervised one, by id. */
export type Pair = { alone: string; supervised: string };
export const ARMS = ['alone', 'supervised'] as const;
export type Arm = (typeof ARMS)[number];

/** The address of the demo that plays the recording from its beginning. */
export const PLAY_THE_SAMPLE = { ...SAMPLE, play: true };

/** What a person calls a demo of the lab: when it was started, its framework and its steps. */
export const nameOfDemo = (
  t: Translate,
  { createdAt, framework, steps }: Omit<Demos[number], keyof Pair>,
): string =>
  t('demo.which.run', {
    when: new Date(createdAt).toLocaleString('en-GB', WHEN),
    framework: t(`framework.${framework}`),
    steps,
  });
type Demos = Awaited<ReturnType<Api['demo']['pairs']['query']>>;
const WHEN = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;

/** The page from its beginning to its end. */
export const PARTS = ['watch', 'why', 'what-if', 'costs'] as const;
export type Part = (typeof PARTS)[number];

export type Story = Awaited<ReturnType<Api['demo']['story']['query']>>;
export type Answers = Awaited<ReturnType<Api['demo']['answers']['query']>>;
export type Answer = Answers[Arm][number];
export type Questions = Awaited<ReturnType<Api['demo']['questions']['query']>>;
export type Chain = NonNullable<Awaited<ReturnType<Api['demo']['cause']['query']>>['chain']>;
export type Lines = Awaited<ReturnType<Api['demo']['lines']['query']>>;
export type Costs = Awaited<ReturnType<Api['demo']['costs']['query']>>;

type Subject = Awaited<ReturnType<Api['evaluations']['subjects']['query']>>[number];
type Ended = Pick<Story[Arm], 'id' | 'committedSteps'>;

/** Whom Ask sets side by side for the ends of two runs; null where a last checkpoint is not on the disk. */
export function endsOf(
  subjects: readonly Pick<Subject, 'id' | 'runId' | 'step' | 'kept'>[],
  { alone, supervised }: Record<Arm, Ended>,
): { left: string; right: string } | null {
  const [left, right] = [alone, supervised].map(({ id, committedSteps }) =>
    subjects.find(({ runId, step, kept }) => kept && runId === id && step === committedSteps),
  );
  return left === undefined || right === undefined ? null : { left: left.id, right: right.id };
}

/** What a part of the page works with: which runs, which question, and how both are asked. */
export type Shown = {
  pair: Pair;
  story: Story;
  kind: RatedTaskType;
  suite: string;
  item: string | null;
  /** The step whose answers are shown; null for the newest that both were asked at. */
  step: number | null;
  withContext: boolean;
};

/** Steps at which both runs answered with nothing in the prompt, ascending. */
export function askedSteps({ alone, supervised }: Answers): number[] {
  const reviewed = new Set(supervised.filter(({ withContext }) => !withContext).map(({ step }) => step));
  return alone.filter(({ step, withContext }) => !withContext && reviewed.has(step)).map(({ step }) => step);
}

/** The answer of a step; null where it was not asked so. */
export const answerAt = (answers: readonly Answer[], step: number, withContext: boolean): Answer | null =>
  answers.find((answer) => answer.step === step && answer.withContext === withContext) ?? null;

/** What a model said and what it thought before, where it keeps them apart. */
export function spoken(text: string): { answer: string; thought: string } {
  const answer = /<answer>([\s\S]*?)(?:<\/answer>|$)/.exec(text)?.[1] ?? text;
  const thought = /<think>([\s\S]*?)<\/think>/.exec(text)?.[1] ?? '';
  return { answer: answer.trim(), thought: thought.replaceAll(/<\/?plan>/g, '').trim() };
}

type Line = Lines['lines'][number];

/** Whether enough of the reviews that brought a line in would have been written at probability p. */
export const entersAt = ({ coins, needed }: Pick<Line, 'coins' | 'needed'>, p: number): boolean =>
  coins.filter(({ coin }) => coin < p).length >= needed;
